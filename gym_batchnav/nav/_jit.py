"""The decorator of every kernel of this package, and how their scalars are annotated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gym_batchnav.jit import kernels_of

kernel = kernels_of(Path(__file__).parent)

Real = Any
"""A float32 or float64 scalar: which one decides how a kernel rounds; Python's float would hide it."""
Whole = Any
"""An integer scalar."""
Flag = Any
"""A boolean scalar."""
