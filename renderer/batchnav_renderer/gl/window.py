"""Contexts of hidden GLFW windows, for systems with a display or WGL but no EGL."""

from __future__ import annotations

import ctypes
import itertools
from ctypes import c_void_p
from typing import Any

from ..errors import EGLError
from ..windowing import Windowing

_numbers = itertools.count(1)


class WindowDisplay:
    """A display whose contexts are those of hidden windows; GLFW itself is never terminated."""

    name: str = "GLFW hidden window"
    software: bool = False
    # WGL shares objects only with a context that is current nowhere, so one has to do.
    most_contexts: int | None = 1
    pyopengl_platform: str | None = None

    def __init__(self) -> None:
        """Start GLFW; raises ``EGLError`` where it is missing or finds no display."""
        try:
            self._windowing = Windowing()
        except ImportError as error:
            raise EGLError(
                f"nor can a hidden window be used: GLFW is missing ({error}); install it with "
                "'pip install gym-batchnav[viewer]'"
            ) from error
        except OSError as error:
            raise EGLError(
                f"nor can a hidden window be used: GLFW finds no display ({error}); set DISPLAY, or "
                "run under 'xvfb-run'"
            ) from error
        self._glfw: Any = self._windowing.glfw
        self._windows: dict[int, Any] = {}

    def address(self, name: str) -> int | None:
        """Address of a GL entry point of the current context; None where there is none."""
        found = ctypes.cast(self._glfw.get_proc_address(name), c_void_p).value
        return int(found) if found else None

    def create_context(self, share: int | None) -> int:
        """A GL 4.5 core context of a new hidden window; raises ``EGLError``."""
        assert share is None
        glfw = self._glfw
        glfw.default_window_hints()
        for hint, value in (
            (glfw.VISIBLE, glfw.FALSE),
            (glfw.CONTEXT_VERSION_MAJOR, 4),
            (glfw.CONTEXT_VERSION_MINOR, 5),
            (glfw.OPENGL_PROFILE, glfw.OPENGL_CORE_PROFILE),
            (glfw.CONTEXT_ROBUSTNESS, glfw.LOSE_CONTEXT_ON_RESET),
        ):
            glfw.window_hint(hint, value)
        window = self._windowing.call(glfw.create_window, 16, 16, "batchnav", None, None)
        glfw.default_window_hints()
        if not window:
            raise EGLError(
                f"{self.name}: no OpenGL 4.5 core context ({self._windowing.error()}); a driver with OpenGL "
                "4.5 is needed"
            )
        number = next(_numbers)
        self._windows[number] = window
        return number

    def make_current(self, context: int | None) -> None:
        """Bind a window's context (or none) to the calling thread; raises ``EGLError``."""
        window = None if context is None else self._windows[context]
        self._windowing.call(self._glfw.make_context_current, window)
        if window and not self._glfw.get_current_context():
            raise EGLError(f"{self.name}: its context cannot be made current ({self._windowing.error()})")

    def destroy(self, context: int) -> None:
        """Unbind a context and destroy its window."""
        self._windowing.call(self._glfw.make_context_current, None)
        self._windowing.call(self._glfw.destroy_window, self._windows.pop(context))
