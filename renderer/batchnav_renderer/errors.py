"""Every error that the renderer raises on purpose."""

from __future__ import annotations


class RendererError(Exception):
    """Base class of all errors raised on purpose by ``batchnav_renderer``."""


class RenderConfigError(RendererError, ValueError):
    """A field of the render configuration, a scene array or a pose has a value that is not allowed."""


class EGLError(RendererError):
    """No headless GL context could be made; the message lists what was tried and the fix."""


class ShaderError(RendererError):
    """A shader did not compile or link; carries the file, the line and the driver's log."""

    def __init__(self, message: str, *, file: str = "", line: int | None = None, log: str = "") -> None:
        super().__init__(message)
        self.file, self.line, self.log = file, line, log


class CapacityError(RendererError):
    """More was asked for than the device, the driver or the configuration can hold."""


class ContextLostError(RendererError):
    """The driver has lost the GL context; the renderer can only be closed and made anew."""


class InteropError(RendererError):
    """The GL device and the CUDA device cannot share memory."""


class ClosedError(RendererError, RuntimeError):
    """A renderer was used after ``close()``."""


class EmbreeError(RendererError):
    """Embree cannot be loaded or failed; the message lists what was tried and the fix."""


class ViewerError(RendererError):
    """A window cannot be opened, for want of GLFW, a display or OpenGL, or belongs to another thread."""
