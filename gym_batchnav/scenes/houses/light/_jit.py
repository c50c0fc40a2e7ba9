"""How the kernels of baked light are compiled, and how their scalars are annotated."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from pathlib import Path
from types import CellType, FunctionType
from typing import Any

from numba import njit

# Plain IEEE arithmetic, one thread: the same bytes on every machine. Kernels allocate nothing.
_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "_nrt": False}
_SOURCES = sorted(Path(__file__).parent.glob("*.py"))
_STAMP = hashlib.sha256(b"".join(path.read_bytes() for path in _SOURCES)).hexdigest()


def kernel(function: Callable[..., Any]) -> Any:
    """Compile on first call, keep on disk until a file of this folder changes; no GIL, IEEE division.

    Numba itself watches a kernel's own file and closure variables; so a stamp of all files is made one, which
    nothing reads.
    """
    code = function.__code__.replace(co_freevars=("_stamp",))
    stamped = FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, (CellType(_STAMP),)
    )
    return njit(**_OPTIONS)(functools.update_wrapper(stamped, function))


Real = Any
"""A float64 scalar or an array of them."""
Whole = Any
"""An integer scalar or an array of them."""
