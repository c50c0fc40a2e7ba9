"""Finds the Embree 4 library and calls its C functions."""

from __future__ import annotations

import ctypes
import ctypes.util
import importlib.util
import sys
import weakref
from collections.abc import Iterable, Iterator
from ctypes import c_char_p, c_int, c_size_t, c_ssize_t, c_uint, c_void_p
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import CapacityError, EmbreeError
from .memory import count_bytes

_FIX = "install it with 'pip install embreex', or take backend='gl'"
_PATTERNS = ("libembree4*.so*", "libembree4*.dylib", "embree4*.dll")
_SYSTEM = ("libembree4.so.4", "libembree4.so", "libembree4.4.dylib", "libembree4.dylib", "embree4.dll")
_PREFIXES = (Path(sys.prefix), Path("/opt/homebrew"), Path("/usr/local"))
_OUT_OF_MEMORY = 4
_VERSION_PROPERTY = 0
_LOWEST, _HIGHEST = 40000, 49999
_ERRORS = {1: "unknown error", 2: "invalid argument", 3: "invalid operation", 4: "out of memory"}
_ERRORS |= {5: "this CPU is not supported (SSE 4.2 is needed)", 6: "cancelled"}
# BVHs are built by one thread, so that equal scenes give equal trees and ties fall the same way each time.
_DEVICE_SETTINGS = b"threads=1"
_SIGNATURES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "rtcNewDevice": (c_void_p, (c_char_p,)),
    "rtcReleaseDevice": (None, (c_void_p,)),
    "rtcGetDeviceError": (c_int, (c_void_p,)),
    "rtcGetDeviceProperty": (c_ssize_t, (c_void_p, c_int)),
    "rtcSetDeviceMemoryMonitorFunction": (None, (c_void_p, c_void_p, c_void_p)),
    "rtcNewScene": (c_void_p, (c_void_p,)),
    "rtcSetSceneFlags": (None, (c_void_p, c_int)),
    "rtcCommitScene": (None, (c_void_p,)),
    "rtcReleaseScene": (None, (c_void_p,)),
    "rtcNewGeometry": (c_void_p, (c_void_p, c_int)),
    "rtcSetNewGeometryBuffer": (c_void_p, (c_void_p, c_int, c_uint, c_int, c_size_t, c_size_t)),
    "rtcCommitGeometry": (None, (c_void_p,)),
    "rtcAttachGeometry": (c_uint, (c_void_p, c_void_p)),
    "rtcReleaseGeometry": (None, (c_void_p,)),
    **{f"rtcIntersect{lanes}": (None, (c_void_p,) * 4) for lanes in (4, 8, 16)},
}
_NATIVE_WIDTHS = {16: 34, 8: 33, 4: 32}  # lanes to RTC_DEVICE_PROPERTY_NATIVE_RAY16_SUPPORTED, ...


class Embree:
    """The library and one device of it; C functions are attributes."""

    def __init__(self) -> None:
        """Load the library and make a device; raises ``EmbreeError`` with what was tried and the fix."""
        self.path, self._library = load(candidates())
        for name, (result, arguments) in _SIGNATURES.items():
            function = getattr(self._library, name, None)
            if function is None:
                raise EmbreeError(f"{self.path} lacks {name}; Embree 4 is needed; {_FIX}")
            function.restype, function.argtypes = result, arguments
        self.device = self.rtcNewDevice(_DEVICE_SETTINGS)
        if not self.device:
            raise EmbreeError(
                f"{self.path} makes no device: {_error_text(self.rtcGetDeviceError(None))}; {_FIX}"
            )
        self.allocated = np.zeros(1, np.int64)
        """(1,) bytes that the device holds: its trees and copies of meshes."""
        self.rtcSetDeviceMemoryMonitorFunction(self.device, count_bytes.address, self.allocated.ctypes.data)
        # The array is an argument to keep it alive until the device is gone.
        weakref.finalize(self, _release, self.rtcReleaseDevice, self.device, self.allocated).atexit = False
        self.version = self._checked_version()

    def __getattr__(self, name: str) -> Any:
        if name not in _SIGNATURES:
            raise AttributeError(name)
        return getattr(self._library, name)

    @property
    def lanes(self) -> int:
        """Rays of the widest packet that this CPU follows at once: 16 with AVX-512, 8 with AVX, else 4."""
        for lanes, number in _NATIVE_WIDTHS.items():
            if self.rtcGetDeviceProperty(self.device, number):
                return lanes
        raise EmbreeError(f"{self.path} was built without ray packets; {_FIX}")

    def intersect(self, lanes: int) -> int:
        """Address of rtcIntersect4, 8 or 16."""
        return int(ctypes.cast(getattr(self, f"rtcIntersect{lanes}"), c_void_p).value or 0)

    def check(self, doing: str) -> None:
        """Raise an ``EmbreeError`` where a call of this thread since its last check has failed.

        For want of memory it is a ``CapacityError``.
        """
        if code := self.rtcGetDeviceError(self.device):
            message = f"Embree {self.version} failed at {doing}: {_error_text(code)}"
            if code == _OUT_OF_MEMORY:
                raise CapacityError(f"{message}; remove scenes, or add smaller ones")
            raise EmbreeError(message)

    def _checked_version(self) -> str:
        number = int(self.rtcGetDeviceProperty(self.device, _VERSION_PROPERTY))
        version = f"{number // 10000}.{number // 100 % 100}.{number % 100}"
        if not _LOWEST <= number <= _HIGHEST:
            raise EmbreeError(f"{self.path} is Embree {version}; version 4 is needed; {_FIX}")
        return version


def candidates() -> Iterator[str]:
    """Paths and names under which the library may be had, in the order in which they are tried.

    The embreex wheel comes first: in its ``embreex.libs`` on Linux and Windows, in ``.dylibs`` on macOS. Then
    come the loader's own search, a Conda environment and Homebrew, and last whatever the system's tools and
    the PATH of Windows know.
    """
    yield from map(str, _wheel_files())
    yield from _SYSTEM
    folders = [prefix / name for prefix in _PREFIXES for name in ("lib", "Library/bin")]
    yield from map(str, _libraries(folders))
    if found := ctypes.util.find_library("embree4"):
        yield found


def load(names: Iterable[str]) -> tuple[str, ctypes.CDLL]:
    """The first library that loads, with its name; raises ``EmbreeError``."""
    tried = []
    for name in names:
        try:
            # By its full path, Windows finds what it needs beside it.
            return name, ctypes.CDLL(name)
        except OSError as error:
            tried.append(f"  {name}: {error}")
    raise EmbreeError("the Embree 4 library cannot be loaded; " + "\n".join([f"{_FIX}. Tried:", *tried]))


def _wheel_files() -> list[Path]:
    spec = importlib.util.find_spec("embreex")
    if spec is None or not spec.submodule_search_locations:
        return []
    package = Path(next(iter(spec.submodule_search_locations)))
    return _libraries([package.parent / "embreex.libs", package / ".dylibs", package])


def _libraries(folders: Iterable[Path]) -> list[Path]:
    return [path for folder in folders for pattern in _PATTERNS for path in sorted(folder.glob(pattern))]


def _release(release: Any, device: int, allocated: Any) -> None:
    release(device)


def _error_text(code: int) -> str:
    return _ERRORS.get(code, f"error {code}")
