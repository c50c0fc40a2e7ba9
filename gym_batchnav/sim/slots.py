"""Which scene each slot holds, where there are more scenes than can be held at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .random import episode_generator


class SceneSlots:
    """K slots; row i of N uses slot i K / N; the scene of a slot is a function of (seed, slot, swap number).

    A slot is swapped after a fixed number of episodes begun in it, whatever the clock says. The number
    swap * K + slot walks through a list of all scenes that is shuffled anew for each pass, so all come
    equally often. The place of a scene that is left out goes to the next one in its list.
    """

    def __init__(
        self, num_scenes: int, num_slots: int, swap_episodes: int, num_rows: int, first_row: int = 0
    ) -> None:
        """Begin with the schedule of seed 0.

        Args:
            num_scenes: scenes to walk through.
            num_slots: slots K of all ranks.
            swap_episodes: episodes begun in a slot before it is swapped.
            num_rows: rows N of all ranks.
            first_row: number of this rank's row 0 among them.
        """
        self._num_scenes = num_scenes
        self._num_rows, self._first_row = num_rows, first_row
        self._num_slots = num_slots
        self._swap_episodes = swap_episodes
        self._left_out: set[int] = set()
        self.restart(0)

    def restart(self, seed: int) -> None:
        """Begin again with the schedule of ``seed``."""
        self._seed = seed
        self._begun = [0] * self._num_slots
        self._passes: dict[int, NDArray[np.intp]] = {}

    def get_state(self) -> tuple[int, list[int]]:
        """Seed of the schedule, and episodes begun in each slot."""
        return self._seed, list(self._begun)

    def set_state(self, state: tuple[int, list[int]]) -> None:
        """Go on from ``get_state``."""
        self.restart(int(state[0]))
        self._begun = list(state[1])

    def begin(self, row: int) -> int:
        """Scene of the episode that begins in ``row`` now; counts it."""
        slot = self._slot(row)
        swap = self._begun[slot] // self._swap_episodes
        self._begun[slot] += 1
        return self.scene(slot, swap)

    def upcoming(self, row: int, swaps: int) -> int:
        """Scene that the slot of ``row`` holds after so many more swaps."""
        slot = self._slot(row)
        return self.scene(slot, max(self._begun[slot] - 1, 0) // self._swap_episodes + swaps)

    def _slot(self, row: int) -> int:
        # Neighbours share a slot, so that a rank's rows share theirs with no other rank's.
        return (self._first_row + row) * self._num_slots // self._num_rows

    def scene(self, slot: int, swap: int) -> int:
        """Index of the scene that ``slot`` holds after ``swap`` swaps."""
        number, place = divmod(swap * self._num_slots + slot, self._num_scenes)
        if number not in self._passes:
            # Only a few neighbouring passes are in use at one time.
            self._passes = {key: value for key, value in self._passes.items() if key >= number - 3}
            self._passes[number] = episode_generator(self._seed, number).permutation(self._num_scenes)
        order = self._passes[number]
        places = (int(order[(place + step) % self._num_scenes]) for step in range(self._num_scenes))
        return next(scene for scene in places if scene not in self._left_out)

    def leave_out(self, scene: int) -> None:
        """Let other scenes stand in for this one from now on, in every pass; not for the last one."""
        self._left_out.add(scene)
