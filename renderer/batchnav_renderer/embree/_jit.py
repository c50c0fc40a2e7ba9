"""How every kernel of this package is compiled."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from pathlib import Path
from types import CellType, FunctionType
from typing import Any

from numba import njit

# No reference counting of arrays, which cost as much as the rays; kernels therefore allocate nothing.
_OPTIONS: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "_nrt": False,
    "no_cfunc_wrapper": True,
}
# A wrapper for calls from Python takes as long to compile as the part itself.
_PART: dict[str, Any] = {"forceinline": True, "no_cpython_wrapper": True}
_SOURCES = sorted(Path(__file__).parent.glob("*.py"))
_STAMP = hashlib.sha256(b"".join(path.read_bytes() for path in _SOURCES)).hexdigest()


def kernel(function: Callable[..., Any]) -> Any:
    """Compile on first call, keep on disk, free of the GIL, IEEE arithmetic without reordering."""
    return njit(**_OPTIONS)(_stamped(function))


def part(function: Callable[..., Any]) -> Any:
    """Compile a part of a kernel: as above, and inlined, for each array is seven arguments of a call."""
    return njit(**_OPTIONS, **_PART)(_stamped(function))


def _stamped(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with a stamp of this folder's sources as a closure variable, which nothing reads.

    Numba keeps a kernel on disk until its own file or a closure variable changes; with a part from another
    file it would go stale.
    """
    code = function.__code__.replace(co_freevars=("_stamp",))
    stamped = FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, (CellType(_STAMP),)
    )
    return functools.update_wrapper(stamped, function)


Array = Any
"""An array inside a kernel; the docstring says its shape and dtype."""
Real = Any
"""A float32 scalar."""
