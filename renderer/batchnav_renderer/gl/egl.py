"""Headless EGL through ctypes: devices, displays and contexts."""

from __future__ import annotations

import contextlib
import ctypes
import os
import uuid
from collections.abc import Callable, Iterator
from ctypes import c_char_p, c_int, c_ssize_t, c_uint, c_void_p
from typing import Any

from ..errors import EGLError
from .devices import DeviceInfo, device_table

_NONE = 0x3038
_EXTENSIONS = 0x3055
_OPENGL_API = 0x30A2
_PLATFORM_DEVICE = 0x313F
_PLATFORM_SURFACELESS = 0x31DD
_CUDA_DEVICE = 0x323A
_DRM_DEVICE_FILE = 0x3233
_DEVICE_UUID = 0x335C
_PBUFFER_CONFIG = (0x3033, 0x0001, 0x3040, 0x0008, _NONE)
_MESA_SETTINGS = {"LP_NUM_THREADS": "0", "LIBGL_ALWAYS_SOFTWARE": "1"}
_GL_45_CORE = (0x3098, 4, 0x30FB, 5, 0x30FD, 0x0001)
# EGL 1.5: EGL_CONTEXT_OPENGL_ROBUST_ACCESS, and a reset strategy of EGL_LOSE_CONTEXT_ON_RESET.
_ROBUST = (0x31B2, 1, 0x31BD, 0x31BF)
_INSTALL = "install it with 'apt-get install libegl1 libgl1-mesa-dri' (Debian, Ubuntu) or the GPU's driver"


class EGL:
    """The EGL library: entry points and the devices it enumerates."""

    def __init__(self) -> None:
        """Load libEGL; raises ``EGLError`` with the fix where it is missing."""
        try:
            self._library = ctypes.CDLL("libEGL.so.1")
        except OSError as error:
            raise EGLError(f"libEGL.so.1 cannot be loaded ({error}); {_INSTALL}") from error
        self._resolve = self._library.eglGetProcAddress
        self._resolve.restype, self._resolve.argtypes = c_void_p, [c_char_p]
        self._error = self.function("eglGetError", c_int)
        self._handles: list[int] = []
        self.client_extensions = self._query_string(None, _EXTENSIONS)
        self.devices = self._enumerate()

    def address(self, name: str) -> int | None:
        """Address of an EGL or GL entry point; None where there is none."""
        found = self._resolve(name.encode())
        if not found and hasattr(self._library, name):
            found = ctypes.cast(getattr(self._library, name), c_void_p).value
        return int(found) if found else None

    def function(self, name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
        """A callable for an entry point; raises ``EGLError`` where the library lacks it."""
        address = self.address(name)
        if address is None:
            raise EGLError(
                f"libEGL lacks {name}; EGL 1.5 or the extension that brings it is needed; {_INSTALL}"
            )
        function: Callable[..., Any] = ctypes.CFUNCTYPE(result, *arguments)(address)
        return function

    def _query_string(self, display: int | None, name: int) -> frozenset[str]:
        query = self.function("eglQueryString", c_char_p, c_void_p, c_int)
        return frozenset((query(display, name) or b"").decode().split())

    def _enumerate(self) -> tuple[DeviceInfo, ...]:
        able = {"EGL_EXT_device_base", "EGL_EXT_device_enumeration"} & self.client_extensions
        if not able or self.address("eglQueryDevicesEXT") is None:
            return ()
        query = self.function("eglQueryDevicesEXT", c_uint, c_int, c_void_p, c_void_p)
        handles, count = (c_void_p * 64)(), c_int()
        if not query(64, handles, ctypes.byref(count)):
            return ()
        self._handles = [int(handles[i] or 0) for i in range(count.value)]
        return tuple(self._describe(index, handle) for index, handle in enumerate(self._handles))

    def _describe(self, index: int, handle: int) -> DeviceInfo:
        text = self.function("eglQueryDeviceStringEXT", c_char_p, c_void_p, c_int)
        extensions = frozenset((text(handle, _EXTENSIONS) or b"").decode().split())
        cuda = c_ssize_t(-1)
        if "EGL_NV_device_cuda" in extensions:
            query = self.function("eglQueryDeviceAttribEXT", c_uint, c_void_p, c_int, c_void_p)
            query(handle, _CUDA_DEVICE, ctypes.byref(cuda))
        drm = text(handle, _DRM_DEVICE_FILE) if "EGL_EXT_device_drm" in extensions else None
        return DeviceInfo(
            index=index,
            cuda_ordinal=cuda.value if cuda.value >= 0 else None,
            software="EGL_MESA_device_software" in extensions,
            uuid=self._uuid(handle) if "EGL_EXT_device_persistent_id" in extensions else None,
            drm=drm.decode() if drm else None,
        )

    def _uuid(self, handle: int) -> str | None:
        query = self.function("eglQueryDeviceBinaryEXT", c_uint, c_void_p, c_int, c_int, c_void_p, c_void_p)
        value, size = (ctypes.c_ubyte * 16)(), c_int()
        if not query(handle, _DEVICE_UUID, 16, value, ctypes.byref(size)) or size.value != 16:
            return None
        return f"GPU-{uuid.UUID(bytes=bytes(value))}"

    def device_display(self, device: DeviceInfo) -> EGLDisplay:
        """The display of one device."""
        return EGLDisplay(
            self, _PLATFORM_DEVICE, self._handles[device.index], f"EGL device {device.index}", device.software
        )

    def software_displays(self) -> tuple[EGLDisplay, ...]:
        """Displays that draw in software, each with a rasteriser of its own.

        llvmpipe rasterises under one lock per screen, and a screen belongs to a display: contexts run in
        parallel only as far as there are displays.

        Raises:
            EGLError: there is none.
        """
        displays: list[EGLDisplay] = []
        failures: list[str] = []
        for device in self.devices:
            if device.software:
                with _software_environment(), _collect(failures):
                    displays.append(self.device_display(device))
        if "EGL_MESA_platform_surfaceless" in self.client_extensions:
            with _software_environment(), _collect(failures):
                displays.append(EGLDisplay(self, _PLATFORM_SURFACELESS, None, "Mesa surfaceless", True))
        if not displays:
            raise EGLError(
                "no software GL: EGL offers neither EGL_MESA_platform_surfaceless nor a software device; "
                f"{_INSTALL}\n{device_table(self.devices)}"
                + "".join(f"\n  {failure}" for failure in failures)
            )
        return tuple(displays)

    def error_code(self) -> str:
        """The last EGL error of this thread, in hexadecimal."""
        return hex(int(self._error()))


class EGLDisplay:
    """An initialised EGL display. It is never terminated: EGL shares it with the rest of the process."""

    most_contexts: int | None = None
    pyopengl_platform: str | None = "egl"

    def __init__(self, egl: EGL, platform: int, native: int | None, name: str, software: bool) -> None:
        """Get and initialise the display; raises ``EGLError``."""
        self.egl, self.name, self.software = egl, name, software
        self._make_current = egl.function("eglMakeCurrent", c_uint, c_void_p, c_void_p, c_void_p, c_void_p)
        self._destroy = egl.function("eglDestroyContext", c_uint, c_void_p, c_void_p)
        get = egl.function("eglGetPlatformDisplayEXT", c_void_p, c_int, c_void_p, c_void_p)
        self.handle = get(platform, native, None)
        version = (c_int * 2)()
        start = egl.function("eglInitialize", c_uint, c_void_p, c_void_p, c_void_p)
        if not self.handle or not start(self.handle, ctypes.byref(version), ctypes.byref(version, 4)):
            raise EGLError(f"{name}: no display could be initialised (EGL error {egl.error_code()})")

    def address(self, name: str) -> int | None:
        """Address of a GL entry point; None where there is none."""
        return self.egl.address(name)

    def create_context(self, share: int | None) -> int:
        """A GL 4.5 core context that shares objects with ``share``; raises ``EGLError``."""
        egl = self.egl
        egl.function("eglBindAPI", c_uint, c_uint)(_OPENGL_API)
        configs, count = (c_void_p * 1)(), c_int()
        choose = egl.function("eglChooseConfig", c_uint, c_void_p, c_void_p, c_void_p, c_int, c_void_p)
        attributes = (c_int * len(_PBUFFER_CONFIG))(*_PBUFFER_CONFIG)
        choose(self.handle, attributes, configs, 1, ctypes.byref(count))
        create = egl.function("eglCreateContext", c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)
        config = configs[0] if count.value else None
        for wanted in ((*_GL_45_CORE, *_ROBUST, _NONE), (*_GL_45_CORE, _NONE)):
            if context := create(self.handle, config, share, (c_int * len(wanted))(*wanted)):
                return int(context)
        raise EGLError(
            f"{self.name}: no OpenGL 4.5 core context (EGL error {egl.error_code()}); a driver with "
            "OpenGL 4.5 is needed: Mesa 20.2 or newer for software, NVIDIA 450 or newer"
        )

    def make_current(self, context: int | None) -> None:
        """Bind a context (or none) to the calling thread, without a surface; raises ``EGLError``."""
        self.egl.function("eglBindAPI", c_uint, c_uint)(_OPENGL_API)
        if not self._make_current(self.handle, None, None, context):
            raise EGLError(f"{self.name}: eglMakeCurrent failed (EGL error {self.egl.error_code()})")

    def destroy(self, context: int) -> None:
        """Unbind and destroy a context of the calling thread."""
        self._make_current(self.handle, None, None, None)
        self._destroy(self.handle, context)


@contextlib.contextmanager
def _software_environment() -> Iterator[None]:
    """Tell Mesa, while it makes its screen, to draw in software and in the threads of the workers alone.

    What the user has set stays.
    """
    added = {name: value for name, value in _MESA_SETTINGS.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)


@contextlib.contextmanager
def _collect(failures: list[str]) -> Iterator[None]:
    try:
        yield
    except EGLError as error:
        failures.append(str(error))
