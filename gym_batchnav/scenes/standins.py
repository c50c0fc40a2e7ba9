"""What is drawn where an image is missing or broken."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .scene import SceneWarning

_GREY = 128


def grey_image() -> NDArray[np.uint8]:
    """(1, 1, 4) uint8, opaque grey."""
    return np.array([[[_GREY, _GREY, _GREY, 255]]], np.uint8)


def warn_of_standin(path: Path, place: str, message: str) -> None:
    """Warn that ``place`` in a scene file shows grey instead of an image."""
    warnings.warn(f"{path}: {place} {message}; a grey stand-in is drawn", SceneWarning, stacklevel=3)
