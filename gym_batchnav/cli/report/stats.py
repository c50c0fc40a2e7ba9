"""Bins of evaluation results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Bin:
    """Episodes whose start distance lies in [low, high) metres."""

    low: float
    high: float
    members: NDArray[np.intp]
    """Indices of the episodes."""

    @property
    def label(self) -> str:
        """The range in words."""
        return f"{self.low:g}–{self.high:g} m"


def distance_bins(distances: Sequence[float], at_most: int = 6) -> list[Bin]:
    """Bins of equal, round width that cover all finite distances; empty ones are left out.

    Args:
        distances: Geodesic start distances in metres.
        at_most: Largest number of bins.
    """
    values = np.asarray(distances, dtype=np.float64)
    finite = values[np.isfinite(values)]
    if not finite.size:
        return []
    width = next((w for w in (1, 2, 3, 4, 5, 10, 20, 50, 100) if finite.max() < w * at_most), 1000)
    numbers = np.where(np.isfinite(values), np.where(np.isfinite(values), values, 0.0) // width, -1).astype(
        np.intp
    )
    return [
        Bin(float(n * width), float((n + 1) * width), np.flatnonzero(numbers == n))
        for n in range(int(numbers.max()) + 1)
        if (numbers == n).any()
    ]
