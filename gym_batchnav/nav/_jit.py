"""How every kernel of this package is compiled, and how its scalars are annotated."""

from __future__ import annotations

from typing import Any

from numba import njit

_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "_nrt": False}

# No reference counting of arrays, which cost more than the mathematics; kernels therefore allocate nothing.
kernel: Any = njit(**_OPTIONS)
"""Decorator: compiled on first call, kept on disk, free of the GIL, IEEE division."""

Real = Any
"""A float32 or float64 scalar: which one decides how a kernel rounds; Python's float would hide it."""
Whole = Any
"""An integer scalar."""
Flag = Any
"""A boolean scalar."""
