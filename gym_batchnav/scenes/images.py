"""Image files to pixels, whatever may be in them."""

from __future__ import annotations

import io
import struct
import zlib
from typing import cast

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ..errors import SceneError
from .budget import MAX_IMAGE_PIXELS
from .codecs import decode_basis
from .files import SceneFolder
from .ktx2 import basis_size, is_basis
from .standins import grey_image, warn_of_standin

# Formats whose decoders do nothing but decode (no PostScript, no containers).
_FORMATS = ("PNG", "JPEG", "MPO", "WEBP", "AVIF", "BMP", "GIF", "TGA", "TIFF", "DDS")
# What Pillow is known to raise on broken images.
_DECODE_ERRORS = (
    *(OSError, ValueError, SyntaxError, EOFError, IndexError, KeyError, TypeError, OverflowError),
    *(MemoryError, NotImplementedError, ArithmeticError, struct.error, zlib.error),
    *(Image.DecompressionBombError, Image.DecompressionBombWarning),
)


class ImageError(SceneError):
    """An image cannot be decoded."""


def image_pixels(content: bytes) -> int:
    """Number of pixels that an image claims to have; raises ``ImageError`` where they are too many."""
    if is_basis(content):
        width, height = _basis_size(content)
    else:
        with _open(content) as image:
            width, height = image.size
    if width * height > MAX_IMAGE_PIXELS:
        raise ImageError(f"has {width} x {height} pixels; at most {MAX_IMAGE_PIXELS} are read")
    return width * height


def decode_image(content: bytes) -> NDArray[np.uint8]:
    """Decode an image whose size ``image_pixels`` has passed.

    Returns:
        (h, w, 4) uint8, row 0 at the top.

    Raises:
        ImageError: the image is broken, or its codec is not installed.
    """
    if is_basis(content):
        _basis_size(content)
        try:
            return decode_basis(content)
        except SceneError as error:
            raise ImageError(str(error)) from error
    with _open(content) as image:
        return _decode_pillow(image)


def image_or_standin(folder: SceneFolder, name: str, place: str) -> NDArray[np.uint8]:
    """Decode the image file that ``place`` calls ``name``; a broken one gives a warning and grey.

    Raises:
        SceneError: the image has more pixels than the scene file may unpack to.
    """
    place_and_name = f"{place} {name!r:.80}"
    try:
        content = folder.read_foreign(name, place)
        num_pixels = image_pixels(content)
    except SceneError as error:
        warn_of_standin(folder.scene, place_and_name, f"cannot be read ({error})")
        return grey_image()
    folder.budget.spend(4 * num_pixels, place_and_name)
    try:
        return decode_image(content)
    except SceneError as error:
        warn_of_standin(folder.scene, place_and_name, f"cannot be decoded ({error})")
        return grey_image()


def _decode_pillow(image: Image.Image) -> NDArray[np.uint8]:
    """Decode an image that Pillow has opened; (h, w, 4) uint8; raises ``ImageError`` where that fails."""
    if image.format not in _FORMATS or image.width * image.height > MAX_IMAGE_PIXELS:
        raise ImageError(f"is a {image.format} image of {image.width} x {image.height} pixels")
    try:
        return _rgba(image)
    except _DECODE_ERRORS as error:
        raise ImageError(str(error) or type(error).__name__) from error


def _basis_size(content: bytes) -> tuple[int, int]:
    try:
        return basis_size(content)
    except SceneError as error:
        raise ImageError(str(error)) from error


def _open(content: bytes) -> Image.Image:
    Image.init()
    formats = [name for name in _FORMATS if name in Image.OPEN]
    try:
        return Image.open(io.BytesIO(content), formats=formats)
    except _DECODE_ERRORS as error:
        raise ImageError(str(error) or type(error).__name__) from error


def _rgba(image: Image.Image) -> NDArray[np.uint8]:
    """(h, w, 4) uint8; Pillow clips deep greys where it should scale them."""
    if image.mode.startswith("I"):
        deep = np.asarray(image).astype(np.float64)
        grey = np.clip(np.rint(deep / 257.0), 0, 255).astype(np.uint8)
        return cast("NDArray[np.uint8]", np.dstack([grey, grey, grey, np.full_like(grey, 255)]))
    return np.asarray(image.convert("RGBA"))
