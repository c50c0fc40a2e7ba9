"""How numba kernels are compiled; each folder of kernels makes its own decorator.

Importing this module loads numba.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import logging
from collections.abc import Callable
from pathlib import Path
from types import CellType, FunctionType
from typing import Any

from numba import njit

COMPILING = "compiling kernels on their first use, which takes up to a minute; they are kept on disk"
_LOG = logging.getLogger(__name__)
_PACKAGES = ("gym_batchnav.", "batchnav_renderer.")
_events: Any = importlib.import_module("numba.core.event")
# Plain IEEE arithmetic on one thread. No reference counting of arrays, which can cost more than the
# mathematics; kernels therefore allocate nothing.
_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "_nrt": False}


def kernels_of(folder: Path) -> Callable[[Callable[..., Any]], Any]:
    """A decorator that compiles on first call, and keeps on disk until a file of ``folder`` changes.

    Numba itself watches a kernel's own file and closure variables; so a stamp of all files is made one, which
    nothing reads.
    """
    sources = b"".join(path.read_bytes() for path in sorted(folder.glob("*.py")))
    stamp = hashlib.sha256(sources).hexdigest()

    def kernel(function: Callable[..., Any]) -> Any:
        code = function.__code__.replace(co_freevars=("_stamp",))
        stamped = FunctionType(
            code, function.__globals__, function.__name__, function.__defaults__, (CellType(stamp),)
        )
        return njit(**_OPTIONS)(functools.update_wrapper(stamped, function))

    return kernel


class _Told(_events.Listener):  # type: ignore[misc]  # numba has no types
    """Says once in a process that kernels of ours are being compiled, lest people think it hangs."""

    told = False

    def on_start(self, event: Any) -> None:
        if not self.told and event.data["dispatcher"].py_func.__module__.startswith(_PACKAGES):
            self.told = True
            _LOG.warning("batchnav: %s ...", COMPILING)

    def on_end(self, event: Any) -> None:
        pass


_TOLD = _Told()
_events.register("numba:compile", _TOLD)
