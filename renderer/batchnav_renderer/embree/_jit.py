"""How every kernel of this package is compiled.

Numba keeps a kernel on disk until its own file changes: after an edit of a part in another file, delete
``__pycache__``.
"""

from __future__ import annotations

from typing import Any

from numba import njit

# No reference counting of arrays, which cost as much as the rays; kernels therefore allocate nothing.
_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "_nrt": False}

kernel: Any = njit(**_OPTIONS)
"""Decorator: compiled on first call, kept on disk, free of the GIL, IEEE arithmetic without reordering."""

part: Any = njit(**_OPTIONS, forceinline=True)
"""Decorator of the parts of a kernel: as above, and inlined, for each array is seven arguments of a call."""

Array = Any
"""An array inside a kernel; the docstring says its shape and dtype."""
Real = Any
"""A float32 scalar."""
