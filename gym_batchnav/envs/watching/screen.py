"""The window of ``render_mode="human"``."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from batchnav_renderer.viewer import Window


class Screen:
    """Shows pictures in a window that opens with the first one; the viewer is loaded only then.

    Where no window can be opened, a warning says why and nothing is shown; nor is it after the user has
    closed the window. The environments go on in both cases.

    Args:
        fps: most pictures a second; ``show`` waits for that.
    """

    def __init__(self, fps: float) -> None:
        self._period = 1.0 / fps
        self._window: Window | None = None
        self._last = -np.inf
        self.ended = False
        """Whether nothing will be shown any more."""

    def show(self, picture: NDArray[np.uint8]) -> None:
        """Show a picture (H, W, 3)."""
        if self.ended or (self._window is None and not self._open()):
            return
        assert self._window is not None
        self._window.poll()
        if self._window.closed:
            self.ended = True
            return
        time.sleep(max(0.0, self._last + self._period - time.monotonic()))
        self._last = time.monotonic()
        self._window.show(picture)
        self._window.poll()

    def close(self) -> None:
        """Close the window; safe to call twice."""
        self.ended = True
        if self._window is not None:
            self._window.close()

    def _open(self) -> bool:
        from batchnav_renderer.errors import ViewerError
        from batchnav_renderer.viewer import Window

        try:
            self._window = Window()
        except ViewerError as error:
            gym.logger.warn(f"render_mode='human' shows nothing: {error}")
            self.ended = True
        return not self.ended
