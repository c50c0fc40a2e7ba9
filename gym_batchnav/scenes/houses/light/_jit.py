"""The decorator of the kernels of baked light, and how their scalars are annotated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gym_batchnav.jit import kernels_of

kernel = kernels_of(Path(__file__).parent)

Real = Any
"""A float64 scalar or an array of them."""
Whole = Any
"""An integer scalar or an array of them."""
