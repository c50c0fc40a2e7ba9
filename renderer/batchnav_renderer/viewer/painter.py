"""Draws a picture over a window with OpenGL 1.1, which every driver has."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import c_float, c_int, c_uint, c_void_p
from typing import Any

import numpy as np
from numpy.typing import NDArray

_TEXTURE_2D, _RGB, _BYTES, _QUADS, _COLOR_BIT = 0x0DE1, 0x1907, 0x1401, 0x0007, 0x4000
_PARAMETERS = ((0x2801, 0x2601), (0x2800, 0x2601), (0x2802, 0x812F), (0x2803, 0x812F))
"""GL_TEXTURE_MIN_FILTER and MAG_FILTER are GL_LINEAR, WRAP_S and WRAP_T are GL_CLAMP_TO_EDGE."""
_UNPACK_ALIGNMENT = 0x0CF5
_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "glGenTextures": (c_int, c_void_p),
    "glBindTexture": (c_uint, c_uint),
    "glTexParameteri": (c_uint, c_uint, c_int),
    "glPixelStorei": (c_uint, c_int),
    "glTexImage2D": (c_uint, c_int, c_int, c_int, c_int, c_int, c_uint, c_uint, c_void_p),
    "glEnable": (c_uint,),
    "glViewport": (c_int,) * 4,
    "glClearColor": (c_float,) * 4,
    "glClear": (c_uint,),
    "glBegin": (c_uint,),
    "glTexCoord2f": (c_float, c_float),
    "glVertex2f": (c_float, c_float),
    "glEnd": (),
}


class Painter:
    """Made and used while the window's context is current.

    Args:
        address: gives the address of a GL function by its name, None or 0 for one that is missing.

    Raises:
        OSError: the driver lacks a function.
    """

    def __init__(self, address: Callable[[str], Any]) -> None:
        self._gl: dict[str, Any] = {}
        for name, kinds in _SIGNATURES.items():
            found = ctypes.cast(address(name), c_void_p).value
            if not found:
                raise OSError(f"the driver has no {name}")
            self._gl[name] = ctypes.CFUNCTYPE(None, *kinds)(found)
        texture = c_uint()
        self._gl["glGenTextures"](1, ctypes.byref(texture))
        self._gl["glBindTexture"](_TEXTURE_2D, texture)
        for parameter, value in _PARAMETERS:
            self._gl["glTexParameteri"](_TEXTURE_2D, parameter, value)
        self._gl["glPixelStorei"](_UNPACK_ALIGNMENT, 1)
        self._gl["glEnable"](_TEXTURE_2D)

    def upload(self, picture: NDArray[np.uint8]) -> None:
        """Take over a picture (H, W, 3)."""
        data = np.ascontiguousarray(picture)
        height, width = data.shape[:2]
        self._gl["glTexImage2D"](_TEXTURE_2D, 0, _RGB, width, height, 0, _RGB, _BYTES, data.ctypes.data)

    def draw(self, area: tuple[int, int, int, int]) -> None:
        """Draw the picture over ``area`` (left, bottom, width, height) in pixels; the rest is dark."""
        gl = self._gl
        gl["glClearColor"](0.06, 0.07, 0.09, 1.0)
        gl["glClear"](_COLOR_BIT)
        gl["glViewport"](*area)
        gl["glBegin"](_QUADS)
        for x, y in ((0, 0), (1, 0), (1, 1), (0, 1)):
            # The first row of a picture is its top; that of a texture its bottom.
            gl["glTexCoord2f"](x, 1 - y)
            gl["glVertex2f"](2 * x - 1, 2 * y - 1)
        gl["glEnd"]()


def fitted(picture: tuple[int, int], window: tuple[int, int]) -> tuple[int, int, int, int]:
    """The largest area of a window (width, height) with the shape of a picture (width, height), centred.

    Returns:
        Left, bottom, width and height in pixels.
    """
    scale = min(window[0] / picture[0], window[1] / picture[1])
    width, height = max(1, round(picture[0] * scale)), max(1, round(picture[1] * scale))
    return (window[0] - width) // 2, (window[1] - height) // 2, width, height
