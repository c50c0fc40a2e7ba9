"""What gives GL contexts: a headless EGL display, or a hidden window."""

from __future__ import annotations

from typing import Protocol


class Display(Protocol):
    """Makes contexts and finds GL's entry points.

    All methods but the constructor run on the thread that owns the context.
    """

    name: str
    """What it is, for people."""
    software: bool
    """Whether it is known to draw on the CPU."""
    most_contexts: int | None
    """Contexts that can be used side by side; None for any number."""
    pyopengl_platform: str | None
    """Platform that PyOpenGL is loaded for where the user has set none; None leaves the choice to it."""

    def address(self, name: str) -> int | None:
        """Address of a GL entry point, for the context that is current; None where there is none."""

    def create_context(self, share: int | None) -> int:
        """A GL 4.5 core context that shares objects with ``share``; raises ``EGLError``."""

    def make_current(self, context: int | None) -> None:
        """Bind a context (or none) to the calling thread; raises ``EGLError``."""

    def destroy(self, context: int) -> None:
        """Unbind and destroy a context of the calling thread."""
