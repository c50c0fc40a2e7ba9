"""GL entry points, with PyOpenGL's prototypes and constants but none of its wrappers.

Addresses come from the display (eglGetProcAddress, say), so it does not matter which platform PyOpenGL was
loaded for, and none of PyOpenGL's global flags is touched.
"""

from __future__ import annotations

import ctypes
import importlib
import os
from collections import Counter
from collections.abc import Callable
from functools import cached_property
from typing import Any

from ..errors import CapacityError, EGLError, RendererError
from .display import Display

_OUT_OF_MEMORY = "0x505"
_VERSIONS = ("1_0", "1_1", "1_2", "1_3", "1_4", "1_5", "2_0", "2_1", "3_0", "3_1", "3_2", "3_3")
_MODULES = [f"VERSION.GL_{version}" for version in (*_VERSIONS, *(f"4_{minor}" for minor in range(6)))]
_MODULES += ["ARB.indirect_parameters"]


class GLApi:
    """Functions (``api.glClear``) and constants (``api.GL_TRIANGLES``), found when first used."""

    def __init__(self, display: Display, debug: bool = False) -> None:
        """Load PyOpenGL.

        Args:
            display: where entry points are looked up; a context of it is current wherever one is used.
            debug: check ``glGetError`` after each call, and count calls in ``calls``.
        """
        self._display = display
        self._debug = debug or os.environ.get("BATCHNAV_GL_DEBUG", "") not in ("", "0")
        self._modules = _load_pyopengl(display.pyopengl_platform)
        self.calls: Counter[str] = Counter()

    def __getattr__(self, name: str) -> Any:
        if not name.startswith(("gl", "GL_")):
            raise AttributeError(name)
        value: Any
        if name.startswith("GL_"):
            value = int(self._find(name))
        else:
            value = self._function(name)
            value = self._checked(name, value) if self._debug else value
        setattr(self, name, value)
        return value

    def errors(self) -> list[str]:
        """The pending GL errors of this thread's context, in hexadecimal; clears them."""
        pending: list[str] = []
        while len(pending) < 16 and (code := self._get_error()):
            pending.append(hex(code))
        return pending

    @cached_property
    def _get_error(self) -> Callable[[], int]:
        return self._function("glGetError")

    def _find(self, name: str) -> Any:
        for module in reversed(self._modules):
            if hasattr(module, name):
                return getattr(module, name)
        raise AttributeError(f"PyOpenGL knows no {name}")

    def _function(self, name: str) -> Callable[..., Any]:
        address = self._display.address(name)
        if address is None:
            raise EGLError(f"the driver lacks {name}; OpenGL 4.5 with ARB_indirect_parameters is needed")
        raw = self._find(name)
        arguments = [_plain(argument) for argument in raw.argtypes or ()]
        result = None if raw.restype is None else _plain(raw.restype)
        prototype = ctypes.CFUNCTYPE(result, *arguments)
        function: Callable[..., Any] = prototype(address)
        return function

    def _checked(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            self.calls[name] += 1
            result = function(*arguments)
            if pending := self.errors():
                kind = CapacityError if _OUT_OF_MEMORY in pending else RendererError
                raise kind(f"{name}{arguments} left GL errors {', '.join(pending)}")
            return result

        return call


def _plain(kind: Any) -> Any:
    if kind is ctypes.c_char_p:
        return kind
    simple = isinstance(kind, type) and issubclass(kind, ctypes._SimpleCData)
    return kind if simple else ctypes.c_void_p


def _load_pyopengl(platform: str | None) -> list[Any]:
    chosen = os.environ.get("PYOPENGL_PLATFORM")
    if chosen is None and platform is not None:
        os.environ["PYOPENGL_PLATFORM"] = platform
    try:
        return [importlib.import_module(f"OpenGL.raw.GL.{name}") for name in _MODULES]
    except Exception as error:  # PyOpenGL raises whatever its platform plug-in raises
        raise EGLError(
            f"PyOpenGL could not be loaded for platform {os.environ.get('PYOPENGL_PLATFORM')!r} ({error!r}); "
            "unset PYOPENGL_PLATFORM or set it to 'egl'"
        ) from error
    finally:
        if chosen is None:
            os.environ.pop("PYOPENGL_PLATFORM", None)
