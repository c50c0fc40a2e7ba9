"""Images, samplers and the decoding of both."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from batchnav_renderer.types import Texture, Wrap

from ...cores import usable_cores
from ...errors import SceneError
from ..codecs import is_installed
from ..images import ImageError, decode_image, image_pixels
from ..standins import grey_image, warn_of_standin
from .document import Document
from .extensions import BASIS_EXTENSIONS, CODECS, IMAGE_EXTENSIONS
from .fields import Fields

_WRAPS: dict[int, Wrap] = {33071: "clamp", 33648: "mirror", 10497: "repeat"}
_SOURCES = (*BASIS_EXTENSIONS, *IMAGE_EXTENSIONS)


class Textures:
    """Collects the textures that materials name, then decodes each image once, on several threads."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._numbers: dict[tuple[int, tuple[Wrap, Wrap]], int] = {}

    def number(self, texture: int, place: str) -> int:
        """Number (in ``decode()``) of glTF texture ``texture``; equal image and wrap give equal numbers."""
        fields = self._document.item("textures", texture, place)
        source = _source(fields)
        if source < 0:
            warn_of_standin(self._document.path, fields.place, "has no image that can be read")
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
        """Decode all collected textures; a broken image gives a ``SceneWarning`` and a grey stand-in.

        Raises:
            SceneError: the images have more pixels than the file may unpack to.
        """
        sources = sorted({source for source, _ in self._numbers if source >= 0})
        contents = {source: self._content(source) for source in sources}
        with ThreadPoolExecutor(max_workers=min(8, usable_cores())) as pool:
            images = dict(zip(sources, pool.map(_decoded, contents.values()), strict=True))
        for source, image in images.items():
            if isinstance(image, str):
                warn_of_standin(self._document.path, f"images[{source}]", f"cannot be decoded ({image})")
        pixels = {number: image for number, image in images.items() if not isinstance(image, str)}
        return tuple(
            Texture(pixels=pixels[source] if source in pixels else grey_image(), wrap=wrap)
            for source, wrap in self._numbers
        )

    def _content(self, source: int) -> bytes | str:
        """Bytes of an image, whose memory is counted; or what is wrong with it."""
        fields = self._document.item("images", source, "images")
        try:
            content = self._image_bytes(fields)
            num_pixels = image_pixels(content)
        except SceneError as error:
            return str(error)
        self._document.budget.spend(4 * num_pixels, fields.place)
        return content

    def _image_bytes(self, fields: Fields) -> bytes:
        if fields.has("bufferView"):
            return bytes(self._document.view(fields.integer("bufferView"), fields.place)[0])
        return self._document.image_resource(fields.text("uri"), f"{fields.place}.uri")


def _source(fields: Fields) -> int:
    """Image of a texture: that of the first extension that can be decoded, or the plain one; -1 for none."""
    extensions = fields.child_or_empty("extensions")
    plain = fields.integer("source") if fields.has("source") else -1
    for name in _SOURCES:
        extension = extensions.child(name)
        if extension is None or (plain >= 0 and name in CODECS and not is_installed(CODECS[name])):
            continue
        return extension.integer("source")
    return plain


def _decoded(content: bytes | str) -> NDArray[np.uint8] | str:
    """(h, w, 4) uint8 pixels, or what is wrong with the image."""
    try:
        return content if isinstance(content, str) else decode_image(content)
    except ImageError as error:
        return str(error)
