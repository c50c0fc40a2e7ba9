"""Simulator, scenes, episodes and images joined: what both environments stand on; no Gymnasium semantics."""

from __future__ import annotations

import secrets
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..config import EnvConfig
from ..errors import ConfigError
from ..nav import NavMesh
from ..scenes import SceneWarning
from ..sim import (
    DatasetSource,
    SampledSource,
    Simulator,
    StateSensors,
    Task,
)
from ..sim.episodes import Draft, Episode, NoEpisodeError
from ..sim.geometry import rig_poses
from ..sim.objects import ObjectGoals
from ..sim.random import Words, episode_generator, noise_key, stream_keys
from .choosing import chosen_scenes
from .constant import ConstantImages
from .goal_images import GoalImages
from .images import Images
from .loader import BROKEN, SceneLoader, is_broken
from .loading import Loading
from .planning import check_ranks, episode_source, first_row, num_resident, num_workers
from .pool import ENOUGH_FOR_WORKERS, Resident, ScenePool
from .saved import check_state
from .timing import StageTimer

Observation = dict[str, NDArray[Any]]

PREFETCHED_CHANGES = 2
"""Changes of scene that are prepared ahead: slots often swap all at about the same time."""


class _BrokenScenesError(Exception):
    """Scenes that no episode can be in, and why."""

    def __init__(self, errors: dict[int, BaseException]) -> None:
        super().__init__(errors)
        self.errors = errors


class World:
    """N environments with their scenes; cheap to make, loads scenes and the renderer when first needed."""

    def __init__(
        self, num_envs: int, config: EnvConfig, task: type[Task] | None, extra_sensors: tuple[str, ...]
    ) -> None:
        check_ranks(num_envs, config)
        self.num_envs = num_envs
        self.config = config
        self.timer = StageTimer("simulate", "episode", "scene", "render", "other")
        self._cameras = config.all_cameras
        self.refs, episodes = chosen_scenes(config)
        self.simulator = Simulator(num_envs, config, task)
        self._sensors = StateSensors(config)
        self._sensed = self.simulator.task.sensors().keys()
        self._noisy = any((config.actuation_noise, config.depth_noise, config.rgb_noise, config.pose_noise))
        make_images = ConstantImages if config.render_backend == "constant" else Images
        sensors = tuple(dict.fromkeys((*config.image_sensors, *extra_sensors)))
        self.images = make_images(num_envs, config, sensors)
        shown = self.simulator.task.goal_image
        self._goals = None if shown is None else GoalImages(shown, config, self.images, num_envs)
        self._resident = num_resident(config, num_envs, len(self.refs))
        self._source, self._slots = episode_source(config, episodes, len(self.refs), num_envs, self._resident)
        needs_objects = self.simulator.task.needs_objects
        self.simulator.task.objects_of = self._objects_of if needs_objects else None
        self._loading = Loading.of(config, objects=needs_objects)
        loader = SceneLoader(self.refs, num_workers(config, num_envs), self._loading)
        self.pool = ScenePool(loader, self.images, self._resident, self.timer)
        self._seeds: list[int] = []
        self._numbers = [-1] * num_envs
        self._scenes: list[int | None] = [None] * num_envs
        self._view_ids = np.zeros(num_envs, dtype=np.int64)
        self._begun = False
        self.left_out: dict[int, BaseException] = {}

    def seed(self, seeds: Sequence[int | None], *, whole: bool) -> None:
        """Give rows new streams; a None leaves the row's stream as it is. ``whole``: all rows start anew."""
        first = not self._seeds
        if first:
            base = secrets.randbits(62)
            self._seeds = [base + row for row in range(self.num_envs)]
        for row, seed in enumerate(seeds):
            if seed is not None:
                self._seeds[row], self._numbers[row] = seed, -1
        if first or (whole and seeds[0] is not None):
            # The seed of row 0 of all ranks.
            self._source.restart((self._seeds[0] - first_row(self.config)) % 2**64)
            if not first:
                self.pool.forget_requests()

    def begin(self, rows: Sequence[int] | NDArray[np.intp]) -> None:
        """Begin the next episode of each of ``rows``, in this order: all of them, or none on an error."""
        self.images.start()
        if not len(self.pool) and self.num_envs > 1 and self._holds_all:
            self._leave_out(self.pool.hold(range(len(self.refs))))
        with self.timer.stage("episode"):
            begun = self._make_episodes([int(row) for row in rows])
            for row, episode, resident in begun:
                self._numbers[row] += 1
                self._enter(row, episode.scene, resident)
            chosen, episodes = [row for row, _, _ in begun], [episode for _, episode, _ in begun]
            grounds = [resident.ground for _, _, resident in begun]
            self.simulator.begin(chosen, episodes, grounds, self._noise_keys(chosen))
            self._draw_goals(chosen)
            self._begun = self._begun or len(begun) == self.num_envs
            if self.pool.prefetches and not self._holds_all:
                self._prefetch([row for row, _, _ in begun])

    def observe(self) -> Observation:
        """Fresh observations of all rows; images as ``Images.draw`` says."""
        with self.timer.stage("scene"):
            self.pool.add_ahead()
            self._leave_out_ahead()
        with self.timer.stage("render"):
            observation = self.images.draw(
                self._view_ids, self._poses(slice(None)), self._image_keys(slice(None))
            )
        self._observe_state(observation)
        return observation

    def observe_again(self, observation: Observation, rows: NDArray[np.intp]) -> None:
        """Write the observations of ``rows`` anew."""
        with self.timer.stage("render"):
            self.images.redraw(
                observation, rows, self._view_ids[rows], self._poses(rows), self._image_keys(rows)
            )
        self._observe_state(observation)

    def ground(self, scene: int) -> NavMesh:
        """Navigation mesh of a scene; loaded for the occasion where the scene is not held."""
        return self.pool[scene].ground if scene in self.pool else self._loading.load(self.refs[scene]).ground

    @property
    def loading(self) -> Loading:
        """How its scenes are loaded."""
        return self._loading

    def camera_poses(self, rows: slice | NDArray[np.intp]) -> NDArray[np.float32]:
        """Poses (C n, 4, 4) of the cameras of ``rows``: of the first camera, then the second, ..."""
        return self._poses(rows)

    @property
    def episode_names(self) -> tuple[str, ...] | None:
        """``episode_id`` of each episode of the file; None where episodes do not come from a file."""
        return self._source.names if isinstance(self._source, DatasetSource) else None

    @property
    def row_seeds(self) -> tuple[int, ...]:
        """Seed of each row's stream; empty before ``seed``."""
        return tuple(self._seeds)

    @property
    def begun(self) -> bool:
        """Whether every row is in an episode."""
        return self._begun

    def get_state(self) -> dict[str, Any]:
        """Streams, episodes and agents of all rows, as numbers, lists and arrays."""
        return {
            "seeds": list(self._seeds),
            "numbers": list(self._numbers),
            "slots": None if self._slots is None else self._slots.get_state(),
            "simulator": self.simulator.get_state(),
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Go on from ``get_state`` of a world with the same configuration."""
        check_state(state, self.num_envs, None if self._slots is None else self._slots.get_state())
        self.simulator.check_state(state["simulator"])
        scenes = [int(scene) for scene in state["simulator"]["scene"]]
        if not all(0 <= scene < len(self.refs) for scene in scenes):
            raise ConfigError(
                f"the saved state has rows in scenes from {min(scenes)} to {max(scenes)}; this environment "
                f"has {len(self.refs)} scenes"
            )
        self.images.start()
        self.pool.prefetch(dict.fromkeys(scenes))
        for row, (scene, resident) in enumerate(zip(scenes, self._acquire(scenes), strict=True)):
            self._enter(row, scene, resident)
        self.simulator.set_state(state["simulator"], [self.pool[scene].ground for scene in scenes])
        self._draw_goals(list(range(self.num_envs)))
        self._seeds, self._numbers = list(state["seeds"]), list(state["numbers"])
        if self._slots is not None:
            self._slots.set_state(state["slots"])
        self._begun = True

    def close(self) -> None:
        """End workers and renderer."""
        self.pool.close()
        self.images.close()

    def _acquire(self, scenes: list[int]) -> list[Resident]:
        """Acquire all of these scenes, or none on an error."""
        residents: list[Resident] = []
        try:
            for scene in scenes:
                residents.append(self.pool.acquire(scene))
        except BaseException:
            for scene in scenes[: len(residents)]:
                self.pool.release(scene)
            raise
        return residents

    @property
    def _holds_all(self) -> bool:
        return self._resident >= len(self.refs)

    def _leave_out(self, broken: Mapping[int, BaseException]) -> None:
        """Do without broken scenes; raises where that cannot be: of all scenes' errors, the first one's."""
        for scene, error in sorted(broken.items()):
            if scene in self.left_out:
                continue
            if not self._source.leave_out(scene):
                first = min(self.left_out, default=scene)
                raise error if scene <= first else self.left_out[first]
            self.left_out[scene] = error
            self.pool.leave(scene)
            name = self.refs[scene].scene_id
            warnings.warn(f"scene {name} is left out: {error}", SceneWarning, stacklevel=6)

    def _leave_out_ahead(self) -> None:
        """Do without scenes that the workers found to be broken, and have others prepared in their place."""
        if self._source.is_fixed:
            # Whether their episodes are ever begun is not known.
            return
        if broken := self.pool.broken_ahead():
            self._leave_out(broken)
            self._prefetch(list(range(self.num_envs)))

    def _make_episodes(self, rows: list[int]) -> list[tuple[int, Episode, Resident]]:
        """Next episode of each row, its scene acquired; on an error all is as it was before."""
        while True:
            try:
                return self._try_episodes(rows)
            except _BrokenScenesError as found:
                self._leave_out(found.errors)

    def _try_episodes(self, rows: list[int]) -> list[tuple[int, Episode, Resident]]:
        saved = None if self._slots is None else self._slots.get_state()
        acquired: list[int] = []
        try:
            drafts = [self._source.draft(row, self._seeds[row], self._numbers[row] + 1) for row in rows]
            if len(drafts) >= ENOUGH_FOR_WORKERS and not self._holds_all:
                self.pool.prefetch(reversed(dict.fromkeys(draft.scene for draft in drafts)))
            residents = self._acquire_drafts(drafts, acquired)
            episodes = self._sample(drafts, residents)
        except BaseException:
            for scene in acquired:
                self.pool.release(scene)
            if self._slots is not None and saved is not None:
                self._slots.set_state(saved)
            raise
        return list(zip(rows, episodes, residents, strict=True))

    def _acquire_drafts(self, drafts: list[Draft], acquired: list[int]) -> list[Resident]:
        """The scenes of drafts; those that could be loaded are added to ``acquired``."""
        residents: list[Resident] = []
        broken: dict[int, BaseException] = {}
        for draft in drafts:
            if draft.scene in broken:
                continue
            try:
                residents.append(self.pool.acquire(draft.scene))
                acquired.append(draft.scene)
            except BROKEN as error:
                if not is_broken(error):
                    raise
                broken[draft.scene] = error
        if broken:
            raise _BrokenScenesError(broken)
        return residents

    def _sample(self, drafts: list[Draft], residents: list[Resident]) -> list[Episode]:
        """Episodes of the drafts; those of one scene are made together."""
        places: dict[int, list[int]] = {}
        for place, draft in enumerate(drafts):
            places.setdefault(draft.scene, []).append(place)
        made: dict[int, Episode] = {}
        for chosen in places.values():
            resident = residents[chosen[0]]
            try:
                found = self._source.make(
                    [drafts[place] for place in chosen], resident.ground, resident.scene_id
                )
            except NoEpisodeError as error:
                source = self._source
                if isinstance(source, SampledSource) and source.is_barren(resident.ground, resident.scene_id):
                    raise _BrokenScenesError({drafts[chosen[0]].scene: error}) from error
                raise
            for place, episode in zip(chosen, found, strict=True):
                generator = drafts[place].generator or episode_generator(0, drafts[place].number)
                made[place] = self.simulator.task.adapt(episode, resident.ground, generator)
        return [made[place] for place in range(len(drafts))]

    def _prefetch(self, rows: list[int]) -> None:
        """Have the scenes prepared that these rows need next, the nearest ones first."""
        for ahead in range(1, PREFETCHED_CHANGES + 1):
            upcoming = (
                self._source.upcoming(row, self._seeds[row], self._numbers[row], ahead) for row in rows
            )
            self.pool.prefetch(dict.fromkeys(upcoming), soon=ahead == 1)

    def _enter(self, row: int, scene: int, resident: Resident) -> None:
        """Move a row to a scene that was acquired for it; the old one may leave."""
        self._view_ids[row] = resident.view_id
        old, self._scenes[row] = self._scenes[row], scene
        if old is not None:
            self.pool.release(old)

    def _objects_of(self, scene: int) -> ObjectGoals:
        """Objects of a scene that rows are in."""
        objects = self.pool[scene].objects
        assert objects is not None
        return objects

    def _noise_keys(self, rows: list[int]) -> list[int] | None:
        """Keys of the noise of the episodes that ``rows`` are in; None where there is none."""
        if not self._noisy:
            return None
        return [noise_key(self._seeds[row], self._numbers[row]) for row in rows]

    def _draw_goals(self, rows: list[int]) -> None:
        """Draw the pictures of the goals of rows whose episode has just begun, where the task shows any."""
        if self._goals is not None and rows:
            with self.timer.stage("render"):
                self._goals.draw(np.array(rows), self._view_ids, self.simulator.state)

    def _image_keys(self, rows: slice | NDArray[np.intp]) -> Words | None:
        """Keys of the noise of this step's images; None where they have none."""
        state, config = self.simulator.state, self.config
        if config.depth_noise is None and config.rgb_noise is None:
            return None
        return stream_keys(state.noise_key[rows], state.steps[rows])

    def _observe_state(self, observation: Observation) -> None:
        """Write all of the observation that the cameras do not see."""
        state = self.simulator.state
        observation.update(self._sensors.observe(state))
        task = self.simulator.task
        sensed = task.observe(state)
        if sensed.keys() != self._sensed:
            raise ConfigError(
                f"{type(task).__name__}.observe() gives {sorted(sensed)}, but its sensors() are "
                f"{sorted(self._sensed)}; call super().observe(state) for those that it inherits"
            )
        observation.update(sensed)
        if self._goals is not None:
            observation.update(self._goals.observe())

    def _poses(self, rows: slice | NDArray[np.intp]) -> NDArray[np.float32]:
        state = self.simulator.state
        tilts = state.pitch[rows] if self.config.actions == "discrete_look" else None
        return rig_poses(state.position[rows], state.heading[rows], self._cameras, tilts)
