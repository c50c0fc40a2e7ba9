"""Puts the GL context of the calling thread back after another one was used on it."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import c_void_p
from typing import Any

Restore = Callable[[], None]
_EGL_DRAW, _EGL_READ = 0x3059, 0x305A


@contextmanager
def kept_context(windowing: Any) -> Iterator[None]:
    """Whatever context is current before the block, of GLFW, GLX or EGL, is current again after it.

    Others' contexts are unbound for the block: libglvnd binds none of GLX beside one of EGL.

    Args:
        windowing: a ``Windowing``.
    """
    glfw = windowing.glfw
    before = windowing.call(glfw.get_current_context)
    # GLX and EGL are asked only where something has loaded them; systems without them keep GLFW's alone.
    kept = [keep() for keep in (_keep_egl, _keep_glx)] if sys.platform.startswith("linux") else []
    try:
        yield
    finally:
        windowing.call(glfw.make_context_current, before)
        for restore in kept:
            if restore is not None:
                restore()


def _keep_egl() -> Restore | None:
    library = _loaded("libEGL.so.1")
    context = _ask(library, "eglGetCurrentContext") if library else None
    if not context:
        return None
    display = _ask(library, "eglGetCurrentDisplay")
    draw, read = (_ask(library, "eglGetCurrentSurface", kind) for kind in (_EGL_DRAW, _EGL_READ))
    bind = _function(library, "eglMakeCurrent", 4)
    bind(display, None, None, None)
    return lambda: bind(display, draw, read, context)


def _keep_glx() -> Restore | None:
    library = _loaded("libGLX.so.0") or _loaded("libGL.so.1")
    context = _ask(library, "glXGetCurrentContext") if library else None
    if not context:
        return None
    display = _ask(library, "glXGetCurrentDisplay")
    draw, read = (_ask(library, f"glXGetCurrent{kind}") for kind in ("Drawable", "ReadDrawable"))
    bind = _function(library, "glXMakeContextCurrent", 4)
    return lambda: bind(display, draw, read, context)


def _loaded(name: str) -> Any:
    """A shared library that is in the process already; None for others."""
    try:
        return ctypes.CDLL(name, mode=os.RTLD_NOLOAD | os.RTLD_NOW)
    except OSError:
        return None


def _ask(library: Any, name: str, *arguments: int) -> int | None:
    function = getattr(library, name)
    function.restype, function.argtypes = c_void_p, [ctypes.c_int] * len(arguments)
    found: int | None = function(*arguments)
    return found


def _function(library: Any, name: str, count: int) -> Any:
    """A function that takes so many pointers."""
    function = getattr(library, name)
    function.restype, function.argtypes = ctypes.c_int, [c_void_p] * count
    return function
