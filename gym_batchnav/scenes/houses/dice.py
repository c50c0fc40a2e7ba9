"""Random choices that are the same on every machine and with every NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

Item = TypeVar("Item")
_BLOCK = 256


class Dice:
    """Whole-number draws from the raw words of a Philox bit generator.

    NumPy keeps the raw words of a bit generator stable for ever, the methods of ``Generator`` not.

    Args:
        seed: seed of the house.
        stream: number of an independent stream under that seed.
    """

    def __init__(self, seed: int, stream: int = 0) -> None:
        self._words = np.random.Philox(key=np.array([seed, stream], np.uint64))
        self._block: list[int] = []

    def below(self, limit: int) -> int:
        """Draw a whole number in [0, limit)."""
        if not self._block:
            self._block = [int(word) for word in np.atleast_1d(self._words.random_raw(_BLOCK))]
        return (self._block.pop() >> 11) * limit >> 53

    def between(self, low: int, high: int, step: int = 1) -> int:
        """Draw one of low, low + step, ... up to high at most."""
        return low + step * self.below((high - low) // step + 1)

    def chance(self, percent: int) -> bool:
        """True in ``percent`` of 100 draws."""
        return self.below(100) < percent

    def pick(self, items: Sequence[Item]) -> Item:
        """Draw one item."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """Return the items in random order."""
        rest = list(items)
        return [rest.pop(self.below(len(rest))) for _ in range(len(items))]
