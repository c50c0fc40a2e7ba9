"""GLFW, called without the Python warnings that it raises for its errors."""

from __future__ import annotations

from typing import Any


class Windowing:
    """The library GLFW, loaded and started; never terminated, since others in the process may use it."""

    def __init__(self) -> None:
        """Load and start GLFW.

        Raises:
            ImportError: it is not installed.
            OSError: it finds no display; the message is GLFW's own.
        """
        import glfw

        self.glfw: Any = glfw
        if not self.call(glfw.init):
            raise OSError(self.error())

    def call(self, function: Any, *arguments: Any) -> Any:
        """Call a function of GLFW; ``error`` says what went wrong."""
        reporting = self.glfw.ERROR_REPORTING
        self.glfw.ERROR_REPORTING = False
        try:
            return function(*arguments)
        finally:
            self.glfw.ERROR_REPORTING = reporting

    def error(self) -> str:
        """GLFW's last error."""
        code, text = self.glfw.get_error()
        return f"GLFW error {code:#x}: {(text or b'').decode(errors='replace')}"
