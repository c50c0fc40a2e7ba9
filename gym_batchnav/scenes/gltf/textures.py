"""Images, samplers and the decoding of both."""

from __future__ import annotations

import io
import os
import struct
import warnings
import zlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from batchnav_renderer.types import Texture, Wrap

from ...errors import SceneError
from ..scene import SceneWarning
from .document import Document

_WRAPS: dict[int, Wrap] = {33071: "clamp", 33648: "mirror", 10497: "repeat"}
_GREY = 128
# What Pillow is known to raise on broken images.
_DECODE_ERRORS = (
    OSError,
    ValueError,
    SyntaxError,
    EOFError,
    IndexError,
    KeyError,
    TypeError,
    OverflowError,
    MemoryError,
    struct.error,
    zlib.error,
    Image.DecompressionBombError,
)


class Textures:
    """Collects the textures that materials name, then decodes each image once, on several threads."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._numbers: dict[tuple[int, tuple[Wrap, Wrap]], int] = {}

    def number(self, texture: int, place: str) -> int:
        """Number (in ``decode()``) of glTF texture ``texture``; equal image and wrap give equal numbers."""
        fields = self._document.item("textures", texture, place)
        source = fields.integer("source") if fields.has("source") else -1
        webp = fields.child_or_empty("extensions").child("EXT_texture_webp")
        if webp is not None:
            source = webp.integer("source")
        if source < 0:
            _warn(self._document, fields.place, "has no image that can be read")
        else:
            self._document.item("images", source, fields.place)
        wrap: tuple[Wrap, Wrap] = ("repeat", "repeat")
        if fields.has("sampler"):
            sampler = self._document.item("samplers", fields.integer("sampler"), fields.place)
            wrap = (
                _WRAPS.get(sampler.integer("wrapS", 10497), "repeat"),
                _WRAPS.get(sampler.integer("wrapT", 10497), "repeat"),
            )
        return self._numbers.setdefault((source, wrap), len(self._numbers))

    def decode(self) -> tuple[Texture, ...]:
        """Decode all collected textures; a broken image gives a ``SceneWarning`` and a grey stand-in."""
        sources = sorted({source for source, _ in self._numbers if source >= 0})
        with ThreadPoolExecutor(max_workers=min(8, os.cpu_count() or 1)) as pool:
            images = dict(zip(sources, pool.map(self._image, sources), strict=True))
        for source, image in images.items():
            if isinstance(image, str):
                _warn(self._document, f"images[{source}]", f"cannot be decoded ({image})")
        return tuple(Texture(pixels=_pixels(images.get(source)), wrap=wrap) for source, wrap in self._numbers)

    def _image(self, source: int) -> NDArray[np.uint8] | str:
        """(h, w, 4) uint8 pixels, or what is wrong with the image."""
        try:
            return _decode(self._image_bytes(source))
        except SceneError as error:
            return str(error)

    def _image_bytes(self, source: int) -> bytes | memoryview:
        fields = self._document.item("images", source, "images")
        if fields.has("bufferView"):
            return self._document.view(fields.integer("bufferView"), fields.place)[0]
        return self._document.resource(fields.text("uri"), f"{fields.place}.uri")


def _decode(content: bytes | memoryview) -> NDArray[np.uint8] | str:
    try:
        with Image.open(io.BytesIO(content)) as image:
            return np.asarray(image.convert("RGBA"))
    except _DECODE_ERRORS as error:
        return str(error) or type(error).__name__


def _pixels(image: NDArray[np.uint8] | str | None) -> NDArray[np.uint8]:
    if isinstance(image, np.ndarray):
        return image
    grey = np.full((1, 1, 4), _GREY, np.uint8)
    grey[..., 3] = 255
    return grey


def _warn(document: Document, place: str, message: str) -> None:
    warnings.warn(f"{document.path}: {place} {message}; a grey stand-in is drawn", SceneWarning, stacklevel=3)
