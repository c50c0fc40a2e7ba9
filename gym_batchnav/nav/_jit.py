"""How every kernel of this package is compiled."""

from __future__ import annotations

from typing import Any

from numba import njit

kernel: Any = njit(cache=True, nogil=True, error_model="numpy")
"""Decorator: compiled on first call, kept on disk, free of the GIL, IEEE division."""
