"""Where episodes come from: sampled without end, a fixed sampled set, or a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from ..config import EnvConfig, EpisodeSet
from ..errors import EpisodeError
from .dataset import EpisodeTable
from .episodes import (
    Draft,
    Episode,
    NoEpisodeError,
    SamplingGround,
    place_episodes,
    sample_episodes,
)
from .random import episode_generator
from .slots import SceneSlots

__all__ = ["DatasetSource", "Draft", "EpisodeSetSource", "EpisodeSource", "SampledSource", "SceneSlots"]


class EpisodeSource(Protocol):
    """Gives each row its stream of episodes; row seed and episode number decide all but a slot's scene."""

    def restart(self, seed: int) -> None:
        """Forget what was begun; called where all rows are seeded anew."""

    def draft(self, row: int, seed: int, number: int) -> Draft:
        """Episode ``number`` of the stream ``seed`` in ``row``, which begins now."""

    def upcoming(self, row: int, seed: int, number: int, ahead: int) -> int:
        """Scene that ``row`` needs ``ahead`` (1 or more) changes after episode ``number``, to prepare it."""

    def make(self, drafts: Sequence[Draft], ground: SamplingGround, scene_id: str) -> list[Episode]:
        """The episodes of drafts of one scene, which is loaded; raises ``EpisodeError``."""

    @property
    def is_fixed(self) -> bool:
        """Whether episodes belong to a set that has to be whole, so that no scene can be left out."""

    def leave_out(self, scene: int) -> bool:
        """Do without a scene from now on, so that the same streams come as if that had been known before.

        False where that cannot be: the episodes are fixed, or it is the last scene.
        """


class SampledSource:
    """Endless episodes sampled on all scenes; the row's RNG draws the scene, or its slot gives it."""

    def __init__(self, num_scenes: int, config: EnvConfig, slots: SceneSlots | None = None) -> None:
        self._num_scenes = num_scenes
        self._config = config
        self._slots = slots
        self._left_out: set[int] = set()

    is_fixed = False

    def restart(self, seed: int) -> None:
        """Begin the schedule of the slots again."""
        if self._slots is not None:
            self._slots.restart(seed)

    def draft(self, row: int, seed: int, number: int) -> Draft:
        """The scene comes first from the episode's generator, then all else."""
        generator = episode_generator(seed, number)
        if self._slots is not None:
            return Draft(self._slots.begin(row), number, generator)
        return Draft(self._drawn(generator), number, generator)

    def upcoming(self, row: int, seed: int, number: int, ahead: int) -> int:
        """The next scenes of the row's slot, or those of its next episodes."""
        if self._slots is not None:
            return self._slots.upcoming(row, ahead)
        return self._drawn(episode_generator(seed, number + ahead))

    def make(self, drafts: Sequence[Draft], ground: SamplingGround, scene_id: str) -> list[Episode]:
        """Sample starts, goals and headings."""
        return sample_episodes(ground, drafts, self._config, scene_id)

    def leave_out(self, scene: int) -> bool:
        """Rows draw again, and slots go on in their order, where they come to this scene."""
        if len(self._left_out | {scene}) == self._num_scenes:
            return False
        self._left_out.add(scene)
        if self._slots is not None:
            self._slots.leave_out(scene)
        return True

    def is_barren(self, ground: SamplingGround, scene_id: str) -> bool:
        """Whether no episode fits the rules on this ground; says the same for every seed and row."""
        try:
            self.make([Draft(0, 0, episode_generator(0, 0))], ground, scene_id)
        except NoEpisodeError:
            return True
        return False

    def _drawn(self, generator: np.random.Generator) -> int:
        while (scene := int(generator.integers(self._num_scenes))) in self._left_out:
            continue
        return scene


class _FixedOrder:
    """Which episode of a fixed set comes next in a row."""

    def __init__(self, count: int, num_envs: int, config: EnvConfig) -> None:
        self._count = count
        self._first = config.index_offset if config.total_envs is not None else 0
        self._num_rows = config.total_envs or num_envs
        self._sequential = config.episode_order == "sequential"

    def number(self, row: int, seed: int, number: int) -> int:
        if self._sequential:
            return (self._first + row + number * self._num_rows) % self._count
        return int(episode_generator(seed, number).integers(self._count))


class _FixedSource:
    """A set that has to be whole, as results on it are compared."""

    is_fixed = True

    def leave_out(self, scene: int) -> bool:
        """Never."""
        return False


class EpisodeSetSource(_FixedSource):
    """``EpisodeSet``: episode m of M lies in scene floor(m S / M) and is drawn from (set seed, m)."""

    def __init__(self, episodes: EpisodeSet, num_scenes: int, num_envs: int, config: EnvConfig) -> None:
        self._set = episodes
        self._num_scenes = num_scenes
        self._config = config
        self._order = _FixedOrder(episodes.count, num_envs, config)

    def restart(self, seed: int) -> None:
        """Nothing to forget."""

    def draft(self, row: int, seed: int, number: int) -> Draft:
        """The next episode of the row."""
        return self.item(self._order.number(row, seed, number))

    def item(self, number: int) -> Draft:
        """Episode ``number`` of the set."""
        return Draft(self._scene(number), number, episode_generator(self._set.seed, number))

    def upcoming(self, row: int, seed: int, number: int, ahead: int) -> int:
        """Scenes of the row's next episodes."""
        return self._scene(self._order.number(row, seed, number + ahead))

    def make(self, drafts: Sequence[Draft], ground: SamplingGround, scene_id: str) -> list[Episode]:
        """Sample starts, goals and headings."""
        return sample_episodes(ground, drafts, self._config, scene_id)

    def _scene(self, item: int) -> int:
        return item * self._num_scenes // self._set.count


class DatasetSource(_FixedSource):
    """Episodes of a Habitat PointNav file."""

    def __init__(self, table: EpisodeTable, num_envs: int, config: EnvConfig) -> None:
        if not len(table.scenes):
            raise EpisodeError(f"{table.path}: holds no episode of the given scenes")
        self._table = table
        self._order = _FixedOrder(len(table.scenes), num_envs, config)

    @property
    def names(self) -> tuple[str, ...]:
        """``episode_id`` of each episode in the file."""
        return self._table.names

    def restart(self, seed: int) -> None:
        """Nothing to forget."""

    def draft(self, row: int, seed: int, number: int) -> Draft:
        """The next episode of the row."""
        item = self._order.number(row, seed, number)
        return Draft(int(self._table.scenes[item]), item)

    def upcoming(self, row: int, seed: int, number: int, ahead: int) -> int:
        """Scenes of the row's next episodes."""
        return int(self._table.scenes[self._order.number(row, seed, number + ahead)])

    def make(self, drafts: Sequence[Draft], ground: SamplingGround, scene_id: str) -> list[Episode]:
        """Put the episodes on the mesh; raises ``EpisodeError`` naming file and episode."""
        table, items = self._table, [draft.number for draft in drafts]
        return place_episodes(
            ground,
            drafts,
            table.starts[items],
            table.headings[items].tolist(),
            table.goals[items],
            [f"{table.path}: episode {table.names[item]!r} in scene {scene_id}" for item in items],
        )
