"""N environments as one Gymnasium ``VectorEnv``, batched from the action to the pixel."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from ..config import EnvConfig
from ..errors import ClosedEnvError, ConfigError, ResetNeededError
from ..nav import NavMesh
from ..sim import PointNav, Task
from .arguments import (
    checked_actions,
    checked_config,
    checked_count,
    masked_infos,
    reset_mask,
    row_seeds,
    rows_as_objects,
)
from .devices import check_device
from .limits import check_same_limit, without_registered_limit
from .output import to_output
from .pictures import RENDER_MODES, Pictures
from .rows import RowAccess
from .saved import check_finished
from .spaces import action_space, observation_space
from .ways import Ways
from .world import Observation, World

Infos = dict[str, Any]


class BatchPointNavEnv(Pictures, RowAccess, VectorEnv[Any, Any, Any]):
    """PointGoal navigation of N agents, or another task.

    Made by ``gym.make_vec("BatchPointNav-v0", num_envs=N, ...)`` or directly. Keyword arguments are the
    fields of ``EnvConfig``.
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": list(RENDER_MODES),
        "render_fps": 10,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }
    default_task: ClassVar[type[Task]] = PointNav
    """What is asked of the agent where ``task`` does not say."""

    def __init__(
        self,
        num_envs: int = 1,
        config: EnvConfig | None = None,
        *,
        render_mode: str | None = None,
        task: type[Task] | None = None,
        **kwargs: Any,
    ) -> None:
        """Check the arguments; scenes are loaded at the first ``reset``.

        Args:
            num_envs: number of environments N, from 1 to 1,048,576.
            config: starting point for the keyword arguments; None for the defaults.
            render_mode: ``"rgb_array"`` for ``render()``; images are then drawn in colour too. ``"human"``
                shows all environments in a window after every ``reset`` and ``step``.
            task: what is asked of the agent; None for ``default_task``.
            **kwargs: fields of ``EnvConfig``, and ``preset``: ``"habitat"``, ``"bps"`` or ``"realistic"``,
                for the fields that are not given.

        Raises:
            ConfigError: an argument is unknown or has a value that is not allowed; the message names it.
            EpisodeError: the episode file cannot be used.
        """
        self.num_envs = checked_count(num_envs)
        _check_render_mode(render_mode)
        check_same_limit(checked_config(config), kwargs)
        self.config = EnvConfig.from_kwargs(without_registered_limit(kwargs), config)
        self.render_mode = render_mode
        check_device(self.config, draws=bool(self.config.image_sensors) or render_mode is not None)
        # With a resolution of their own, frames are drawn apart from the observations.
        watched = render_mode == "rgb_array" and self.config.render_resolution is None
        colour = ("rgb",) if watched or (render_mode and self.config.render_backend == "constant") else ()
        self._world = World(self.num_envs, self.config, task or self.default_task, colour)
        self._mode = AutoresetMode(self.config.autoreset_mode)
        self.single_observation_space = observation_space(self.config, self._world.simulator.task)
        self.single_action_space = action_space(self.config)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._finished = np.zeros(self.num_envs, dtype=bool)
        # Rows whose next episode could not be begun; they wait for reset().
        self._stuck = np.zeros(self.num_envs, dtype=bool)
        self._be_watched()
        self._row_values = {}
        self._renderer_info: dict[str, Any] = {}
        self._refresh_metadata()

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, Infos]:
        """Begin an episode in every environment, or in those of ``options["reset_mask"]``.

        Args:
            seed: row i gets ``seed + index_offset + i``, or its entry of a list; None goes on with the row's
                stream.
            options: ``{"reset_mask": (N,) bool}`` resets those rows alone; the others keep their state.

        Returns:
            Observations of all rows, and infos of the rows that were reset.
        """
        self._check_open()
        seeds = row_seeds(seed, self.num_envs, self.config.index_offset)
        mask = reset_mask(options, self.num_envs)
        if isinstance(seed, int):
            super().reset(seed=seed)
        chosen = np.ones(self.num_envs, dtype=bool) if mask is None else mask
        whole = bool(chosen.all())
        if not whole and not self._world.begun:
            raise ResetNeededError(
                "options['reset_mask'] was given before the first whole reset(); call reset()"
            )
        self._world.seed([item if chosen[row] else None for row, item in enumerate(seeds)], whole=whole)
        begin = time.perf_counter()
        self._begin(chosen)
        self._refresh_metadata()
        observation = self._observed(self._world.observe())
        infos = masked_infos(self._world.simulator.infos(), chosen)
        self._count_rest(begin)
        return to_output(observation, self.config), infos

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, Infos]:
        """Act in every environment.

        Args:
            actions: (N,) integers: 0 stop, 1 forward, 2 turn left, 3 turn right, and with
                ``actions="discrete_look"`` 4 look up, 5 look down; with ``actions="velocity"`` numbers
                (N, 2) or (N, 3) from -1 to 1.

        Returns:
            Observations; rewards (N,) float64 (float32 tensors with ``output="torch"``); terminations (N,)
            and truncations (N,) bool; infos.

        Raises:
            ActionError: wrong shape, dtype or value.
            ResetNeededError: before ``reset``, or for rows whose episode is over (autoreset disabled) or
                whose next episode could not be begun.
            EpisodeError: the next episode of a row cannot be used; no row has begun one then.
        """
        self._check_open()
        actions = checked_actions(actions, self.num_envs, self.config)
        begin = time.perf_counter()
        resting = self._begin_resting_rows()
        with self._world.timer.stage("simulate"):
            rewards, terminations, truncations = self._world.simulator.step(actions, resting)
            values = self._world.simulator.infos()
        done = terminations | truncations
        observation = self._world.observe()
        final: Infos = {}
        if self._mode == AutoresetMode.SAME_STEP and done.any():
            final, values = self._end_and_begin(observation, values, done)
        else:
            self._finished = done
        infos = {**masked_infos(values, np.ones(self.num_envs, dtype=bool)), **final}
        observation = self._observed(observation)
        self._count_rest(begin)
        outputs = to_output(
            {"o": observation, "r": rewards, "e": terminations, "u": truncations}, self.config
        )
        return outputs["o"], outputs["r"], outputs["e"], outputs["u"], infos

    def __enter__(self) -> Self:
        """The environment itself, closed at the end of the ``with`` block."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close."""
        self.close()

    def close_extras(self, **kwargs: Any) -> None:
        """Give the renderer's memory back and end the worker processes."""
        self._stop_watching()
        self._world.close()

    @property
    def scene_ids(self) -> tuple[str, ...]:
        """Names of the scenes; ``infos["scene_id"]`` are indices into it."""
        return tuple(ref.scene_id for ref in self._world.refs)

    @property
    def index_offset(self) -> int:
        """What row 0 adds to the seed of ``reset``, see ``EnvConfig.index_offset``."""
        return self.config.index_offset

    @property
    def row_seeds(self) -> tuple[int, ...]:
        """Seed of each row's stream of episodes; empty before the first ``reset``."""
        return self._world.row_seeds

    @property
    def left_out_scenes(self) -> dict[str, str]:
        """Names of scenes that are broken, or on whose ground no episode fits, and why; others stand in.

        Each is warned of once (``SceneWarning``). Where episodes come from a file or an ``EpisodeSet``, a
        broken scene raises instead.
        """
        return {self._world.refs[scene].scene_id: str(why) for scene, why in self._world.left_out.items()}

    @property
    def episode_names(self) -> tuple[str, ...] | None:
        """Names of the episodes of a file; ``infos["episode_id"]`` are indices into it. None without one."""
        return self._world.episode_names

    @property
    def timings(self) -> dict[str, float]:
        """Seconds spent since the environment was made, by stage.

        ``simulate`` motion, reward, metrics; ``episode`` sampling of episodes; ``scene`` waiting until scenes
        are loaded and uploaded; ``render`` images; ``other`` the rest of ``reset`` and ``step``.
        """
        return dict(self._world.timer.seconds)

    @property
    def num_loaded_scenes(self) -> int:
        """Number of scenes that are loaded now."""
        return len(self._world.pool)

    @property
    def render_info(self) -> dict[str, Any]:
        """Backend, GL renderer, version and device, as the renderer says."""
        return self._world.images.info

    def agent_state(self) -> dict[str, Any]:
        """Where the agents are: copies.

        Returns:
            ``position``, ``start`` and ``goal`` (N, 3) float32 metres; ``heading`` (N,) float64 radians (0
            looks along -Z, positive to the left); ``pitch`` (N,) float64 radians by which the cameras are
            tilted up; ``scene_id`` list of N names; ``episode_id`` (N,) int64.
        """
        state, names = self._world.simulator.state, self.scene_ids
        return {
            "position": state.position.copy(),
            "heading": state.heading.copy(),
            "pitch": state.pitch.copy(),
            "start": state.start.copy(),
            "goal": state.goal.copy(),
            "scene_id": [names[scene] for scene in state.scene],
            "episode_id": state.episode_id.copy(),
        }

    def expert_actions(self) -> Any:
        """The next action of every agent on the shortest way to its goal, for imitation or as an upper bound.

        The expert is greedy and knows the navigation mesh: it turns towards where a step forward ends nearest
        to the goal (geodesic distance), steps, and stops within ``success_distance``.

        Returns:
            (N,) int64, or (N, 2) or (N, 3) float32 with ``actions="velocity"``, an array or, with
            ``output="torch"``, a tensor.

        Raises:
            ConfigError: the task has no goal.
            ResetNeededError: before the first ``reset``.
        """
        self._check_open()
        if not self._world.begun:
            raise ResetNeededError("expert_actions() was called before reset(); call reset() first")
        if not self._world.simulator.task.has_goal:
            raise ConfigError(f"{type(self._world.simulator.task).__name__} has no goal to show the way to")
        return to_output(self._world.simulator.expert_actions(), self.config)

    def get_state(self) -> dict[str, Any]:
        """Everything that the rest of the run depends on, as nested dicts of arrays, lists and numbers.

        Raises:
            ResetNeededError: before the first ``reset``.
        """
        self._check_open()
        if not self._world.begun:
            raise ResetNeededError("get_state() was called before reset(); call reset() first")
        return {**self._world.get_state(), "finished": self._finished.copy()}

    def set_state(self, state: Mapping[str, Any]) -> Any:
        """Go on from what ``get_state`` gave in an environment with the same arguments.

        Returns:
            Observations of all rows, bitwise those of the moment that was saved.

        Raises:
            ConfigError: the state is none, or belongs to an environment of another size; nothing is changed.
        """
        self._check_open()
        if isinstance(state, Mapping):
            check_finished(state.get("finished"), self.num_envs)
        self._world.set_state(state)
        self._ways = Ways(self.num_envs)  # where the agents were before is not in the state
        self._finished = np.array(state["finished"], dtype=bool)
        # With SAME_STEP a row stays over only where its next episode could not be begun.
        same_step = self._mode == AutoresetMode.SAME_STEP
        self._stuck = self._finished.copy() if same_step else np.zeros(self.num_envs, dtype=bool)
        self._refresh_metadata()
        return to_output(self._observed(self._world.observe()), self.config)

    def navmesh(self, scene_id: str | int) -> NavMesh:
        """Navigation mesh of a scene, by name or index; loads it where it is not held any more."""
        names = self.scene_ids
        index = names.index(scene_id) if scene_id in names else scene_id
        if not isinstance(index, int | np.integer) or not 0 <= index < len(names):
            raise ConfigError(f"scene_id={scene_id!r} is none of the {len(names)} scenes of this environment")
        return self._world.ground(int(index))

    def _begin_resting_rows(self) -> NDArray[np.bool_] | None:
        """Before the step: begin the rows that ended in the last one (NEXT_STEP), refuse them (DISABLED)."""
        if not self._world.begun:
            raise ResetNeededError("step() was called before reset(); call reset() first")
        if self._stuck.any():
            raise ResetNeededError(
                f"the episodes of rows {np.flatnonzero(self._stuck).tolist()} are over and their next ones "
                "could not be begun (see the error before this one); call reset()"
            )
        if not self._finished.any():
            return None
        if self._mode == AutoresetMode.DISABLED:
            if self.num_envs == 1:
                raise ResetNeededError(
                    "the episode is over and autoreset is disabled; call reset() before step()"
                )
            rows = np.flatnonzero(self._finished).tolist()
            raise ResetNeededError(
                f"the episodes of rows {rows} are over and autoreset is disabled; call "
                "reset(options={'reset_mask': terminations | truncations}) before step()"
            )
        resting = self._finished.copy()
        self._begin(resting)
        return resting

    def _begin(self, rows: NDArray[np.bool_]) -> None:
        """Begin the next episodes of ``rows``; where one cannot be made, none begins, all wait for reset."""
        self._finished = self._finished | rows
        self._stuck = self._stuck | rows
        self._world.begin(np.flatnonzero(rows))
        self._finished &= ~rows
        self._stuck &= ~rows

    def _end_and_begin(
        self, observation: Observation, values: dict[str, NDArray[Any]], done: NDArray[np.bool_]
    ) -> tuple[Infos, dict[str, NDArray[Any]]]:
        """SAME_STEP: keep the last observation and infos of the rows that are over, and begin them anew."""
        rows = np.flatnonzero(done)
        shown = {key: observation[key] for key in self.single_observation_space.spaces}  # type: ignore[attr-defined]
        final = to_output(rows_as_objects(shown, rows, self.num_envs), self.config)
        infos = {
            "final_obs": final,
            "_final_obs": done.copy(),
            "final_info": masked_infos(values, done),
            "_final_info": done.copy(),
        }
        self._begin(done)
        self._world.observe_again(observation, rows)
        return infos, self._world.simulator.infos()

    def _observed(self, observation: Observation) -> Observation:
        """Keep the picture for ``render`` and leave what the space names."""
        self._keep_picture(observation)
        return {key: observation[key] for key in self.single_observation_space.spaces}  # type: ignore[attr-defined]

    def _refresh_metadata(self) -> None:
        # One dict for good: copies of the metadata, as SyncVectorEnv makes one early, see what draws too.
        self._renderer_info.clear()
        self._renderer_info.update(self._world.images.info)
        drawn = {"backend": self._renderer_info["backend"], "renderer": self._renderer_info}
        self.metadata = {**type(self).metadata, "autoreset_mode": self._mode, **drawn}  # type: ignore[misc]

    def _count_rest(self, begin: float) -> None:
        """Whatever no stage has counted since the last call goes to ``other``."""
        self._world.timer.count_rest("other", begin)

    def _check_open(self) -> None:
        if self.closed:
            raise ClosedEnvError("the environment is closed; make a new one")


def _check_render_mode(render_mode: str | None) -> None:
    if render_mode not in (None, *RENDER_MODES):
        raise ConfigError(
            f"render_mode={render_mode!r} is not allowed; expected None, 'rgb_array' or 'human'"
        )
