"""A window that shows RGB pictures and reports keys."""

from __future__ import annotations

import threading
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..errors import ClosedError, RenderConfigError, ViewerError
from ..windowing import Windowing
from .contexts import kept_context
from .painter import Painter, fitted

MOST_OF_SCREEN = 0.9
"""Share of the screen that a window takes at most when it opens."""


class Window:
    """Shows pictures; opens with the first one, in its size, and stretches it as the user resizes the window.

    The window has a GL context of its own, and each call puts the one back that was current before. All calls
    have to come from the thread that made it (on macOS: the main one).

    Args:
        title: of the window.

    Raises:
        ViewerError: GLFW is missing, or there is no display or no OpenGL; the message says what to do.
    """

    def __init__(self, title: str = "gym-batchnav") -> None:
        self._owner = threading.get_ident()
        self._window: Any = None
        self._windowing = _windowing()
        self._glfw = self._windowing.glfw
        self._size: tuple[int, int] | None = None
        self._pressed: list[str] = []
        self._held: dict[str, None] = {}
        with kept_context(self._windowing):
            self._window, self._painter = self._open(title)

    @property
    def closed(self) -> bool:
        """Whether ``close`` was called, or the user has closed the window by the last ``poll``."""
        return self._window is None

    @property
    def held(self) -> tuple[str, ...]:
        """Names of the keys that are held down, the first pressed first."""
        return tuple(self._held)

    def show(self, picture: NDArray[np.uint8]) -> None:
        """Show a picture (H, W, 3) uint8, row 0 at the top.

        Raises:
            RenderConfigError: the picture has another shape or dtype.
            ClosedError: the window is closed.
            ViewerError: another thread owns it.
        """
        self._check_thread()
        if self.closed:
            raise ClosedError("the window is closed; make a new one")
        if picture.dtype != np.uint8 or picture.ndim != 3 or picture.shape[2] != 3 or not picture.size:
            raise RenderConfigError(
                f"the picture has shape {picture.shape} and dtype {picture.dtype}; expected (H, W, 3) uint8"
            )
        with kept_context(self._windowing):
            self._call(self._glfw.make_context_current, self._window)
            self._fit(picture.shape[1], picture.shape[0])
            self._painter.upload(picture)
            self._paint()

    def poll(self) -> list[str]:
        """Handle the window's events; returns the names of the keys pressed since the last call, in order.

        Letters and digits are named by themselves in lower case; others are ``space``, ``enter``, ``escape``,
        ``left``, ``right``, ``up``, ``down``, ``page_up``, ``page_down``, ``.``, ``+`` and ``-``.
        """
        self._check_thread()
        if self.closed:
            return []
        # GLFW's callbacks run in here; those of others' windows may bind contexts.
        with kept_context(self._windowing):
            self._call(self._glfw.poll_events)
        if self._glfw.window_should_close(self._window):
            self.close()
        pressed, self._pressed = self._pressed, []
        return pressed

    def close(self) -> None:
        """Close the window; safe to call twice."""
        if self._window is None:
            return
        self._check_thread()
        window, self._window = self._window, None
        self._held.clear()
        with kept_context(self._windowing):
            if self._call(self._glfw.get_current_context) == window:
                self._call(self._glfw.make_context_current, None)
            self._call(self._glfw.destroy_window, window)

    def __enter__(self) -> Self:
        """The window itself, closed at the end of the ``with`` block."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close."""
        self.close()

    def _open(self, title: str) -> tuple[Any, Painter]:
        glfw = self._glfw
        glfw.default_window_hints()
        glfw.window_hint(glfw.VISIBLE, glfw.FALSE)
        window = self._call(glfw.create_window, 640, 480, title, None, None)
        glfw.default_window_hints()
        if not window:
            raise ViewerError(f"no window with OpenGL can be opened ({self._windowing.error()})")
        self._call(glfw.make_context_current, window)
        try:
            painter = Painter(glfw.get_proc_address)
        except OSError as error:
            self._call(glfw.make_context_current, None)
            glfw.destroy_window(window)
            raise ViewerError(f"the window's OpenGL cannot draw pictures: {error}") from error
        # Who shows pictures sets the pace; waiting for the screen would add to it.
        self._call(glfw.swap_interval, 0)
        glfw.set_key_callback(window, self._on_key)
        glfw.set_window_refresh_callback(window, self._on_refresh)
        return window, painter

    def _fit(self, width: int, height: int) -> None:
        """Give the window the size of its first picture, and show it."""
        first, self._size = self._size is None, (width, height)
        if not first:
            return
        glfw, window = self._glfw, self._window
        monitor = self._call(glfw.get_primary_monitor)
        if monitor:
            _, _, *screen = glfw.get_monitor_workarea(monitor)
            scale = min(1.0, MOST_OF_SCREEN * screen[0] / width, MOST_OF_SCREEN * screen[1] / height)
            width, height = max(1, round(width * scale)), max(1, round(height * scale))
        self._call(glfw.set_window_size, window, width, height)
        self._call(glfw.show_window, window)
        self._call(glfw.poll_events)

    def _paint(self) -> None:
        """Draw what was uploaded; the window's context is current."""
        assert self._size is not None
        self._painter.draw(fitted(self._size, self._glfw.get_framebuffer_size(self._window)))
        self._call(self._glfw.swap_buffers, self._window)

    def _on_refresh(self, window: Any) -> None:
        """Draw again what the system has lost, as when the window changes its size."""
        if self._size is not None:
            self._call(self._glfw.make_context_current, window)
            self._paint()

    def _on_key(self, window: Any, key: int, scancode: int, action: int, modifiers: int) -> None:
        name = _names(self._glfw).get(key)
        if name is None:
            return
        if action == self._glfw.PRESS:
            self._pressed.append(name)
            self._held[name] = None
        elif action == self._glfw.RELEASE:
            self._held.pop(name, None)

    def _call(self, function: Any, *arguments: Any) -> Any:
        return self._windowing.call(function, *arguments)

    def _check_thread(self) -> None:
        if threading.get_ident() != self._owner:
            raise ViewerError("the window was made by another thread; call it from that one alone")


def _windowing() -> Windowing:
    try:
        return Windowing()
    except ImportError as error:
        raise ViewerError(
            f"a window needs GLFW, which is missing ({error}); install it with: "
            'pip install "gym-batchnav[viewer]"'
        ) from error
    except OSError as error:
        raise ViewerError(
            f"there is no display to open a window on ({error}); set DISPLAY or WAYLAND_DISPLAY (ssh -X "
            "does), or run under xvfb-run"
        ) from error


def _names(glfw: Any) -> dict[int, str]:
    """Names of the keys that are reported, by GLFW's numbers."""
    letters = {ord(letter.upper()): letter for letter in "abcdefghijklmnopqrstuvwxyz0123456789"}
    return {
        **letters,
        glfw.KEY_SPACE: "space",
        glfw.KEY_ENTER: "enter",
        glfw.KEY_ESCAPE: "escape",
        glfw.KEY_LEFT: "left",
        glfw.KEY_RIGHT: "right",
        glfw.KEY_UP: "up",
        glfw.KEY_DOWN: "down",
        glfw.KEY_PAGE_UP: "page_up",
        glfw.KEY_PAGE_DOWN: "page_down",
        glfw.KEY_PERIOD: ".",
        glfw.KEY_EQUAL: "+",
        glfw.KEY_KP_ADD: "+",
        glfw.KEY_MINUS: "-",
        glfw.KEY_KP_SUBTRACT: "-",
    }
