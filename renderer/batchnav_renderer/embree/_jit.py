"""How every kernel of this package is compiled."""

from __future__ import annotations

from typing import Any

from numba import njit

kernel: Any = njit(cache=True, nogil=True, error_model="numpy")
"""Decorator: compiled on first call, kept on disk, free of the GIL, IEEE arithmetic without reordering."""

Array = Any
"""An array inside a kernel; the docstring says its shape and dtype."""
Real = Any
"""A float32 scalar."""
