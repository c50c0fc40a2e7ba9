"""Texture images of all resident scenes, in one array for each kind of image.

An image that a cut-out material shows keeps its exact alpha; others are opaque and, from 512 texels a side
on, stored in half a byte a texel (BC1).
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..images import fit
from ..mipmaps import mipmaps
from ..types import Texture
from .api import GLApi
from .bc1 import compress

_BC1_SRGB = 0x8C4C  # GL_COMPRESSED_SRGB_S3TC_DXT1_EXT
SMALLEST_COMPRESSED = 512
SLICE_BYTES = 1 << 19
"""Bytes that a step of an upload copies, about 0.2 ms in software."""


class ImageKind(NamedTuple):
    """What images of one array have in common."""

    size: int
    """Texels a side, a power of two."""
    alpha: bool
    """Whether alpha matters."""

    @property
    def compressed(self) -> bool:
        """Whether the images are stored as BC1."""
        return not self.alpha and self.size >= SMALLEST_COMPRESSED

    @property
    def num_bytes(self) -> int:
        """Bytes of an image with its mipmaps."""
        sides = [self.size >> level for level in range(self.size.bit_length())]
        if self.compressed:
            return sum(8 * max(1, side // 4) ** 2 for side in sides)
        return sum(4 * side * side for side in sides)


@dataclass(frozen=True, slots=True)
class TextureImage:
    """An image ready to be copied to a layer."""

    kind: ImageKind
    levels: tuple[NDArray[np.uint8], ...]
    """Contents of each mipmap, the largest first: RGBA texels or BC1 blocks."""


def make_image(texture: Texture, kind: ImageKind) -> TextureImage:
    """Resample an image to its size class, make its mipmaps and compress them; pure NumPy and Pillow."""
    levels = mipmaps(fit(texture, kind.size))
    stored = [compress(level) if kind.compressed else level for level in levels]
    return TextureImage(kind, tuple(np.ascontiguousarray(level) for level in stored))


def make_sampler(api: GLApi, min_filter: int) -> int:
    """A sampler of repeated images; the shaders clamp and mirror."""
    name = ctypes.c_uint()
    api.glCreateSamplers(1, ctypes.byref(name))
    for parameter, value in (
        (api.GL_TEXTURE_MIN_FILTER, min_filter),
        (api.GL_TEXTURE_MAG_FILTER, api.GL_LINEAR),
        (api.GL_TEXTURE_WRAP_S, api.GL_REPEAT),
        (api.GL_TEXTURE_WRAP_T, api.GL_REPEAT),
    ):
        api.glSamplerParameteri(name.value, parameter, value)
    return name.value


class TextureArrays:
    """A ``GL_TEXTURE_2D_ARRAY`` for each kind of image, one layer an image.

    All methods run on the thread of the context that made it, but for ``bind``, which may run on any that
    shares its objects. Steps of ``grow`` and ``write`` are short, for running between renders.
    """

    def __init__(self, api: GLApi) -> None:
        """No array yet."""
        self._api = api
        self.names: dict[ImageKind, int] = {}
        """GL names of the arrays."""
        self._layers: dict[ImageKind, int] = {}

    @property
    def num_bytes(self) -> int:
        """Bytes of all arrays."""
        return sum(kind.num_bytes * layers for kind, layers in self._layers.items())

    def bind(self, kind: ImageKind, unit: int) -> None:
        """Bind an array to a texture unit."""
        self._api.glBindTextureUnit(unit, self.names[kind])

    def grow(self, layers: Mapping[ImageKind, int]) -> Iterator[list[int]]:
        """Make room for so many images of each kind, in steps; yields the names that were replaced."""
        for kind, wanted in layers.items():
            if wanted > self._layers.get(kind, 0):
                yield from self._grow(kind, wanted)

    def delete(self, names: Sequence[int]) -> None:
        """Delete arrays that were replaced."""
        self._api.glDeleteTextures(len(names), (ctypes.c_uint * len(names))(*names))

    def _grow(self, kind: ImageKind, layers: int) -> Iterator[list[int]]:
        api, array, size = self._api, self._api.GL_TEXTURE_2D_ARRAY, kind.size
        name, old = ctypes.c_uint(), self._layers.get(kind, 0)
        api.glCreateTextures(array, 1, ctypes.byref(name))
        stored = _BC1_SRGB if kind.compressed else api.GL_SRGB8_ALPHA8
        api.glTextureStorage3D(name.value, size.bit_length(), stored, size, size, layers)
        step = max(1, SLICE_BYTES // kind.num_bytes)
        for first in range(0, old, step):
            for level in range(size.bit_length()):
                api.glCopyImageSubData(
                    self.names[kind], array, level, 0, 0, first, name.value, array, level, 0, 0, first,
                    size >> level, size >> level, min(step, old - first),
                )  # fmt: skip
            yield []
        replaced = [self.names[kind]] if old else []
        self.names[kind], self._layers[kind] = name.value, layers
        yield replaced

    def write(self, image: TextureImage, layer: int) -> Iterator[None]:
        """Copy an image to a layer, in steps."""
        for level, content in enumerate(image.levels):
            rows = max(1, SLICE_BYTES // content[0].nbytes)
            for first in range(0, len(content), rows):
                self._write_rows(image.kind, layer, level, first, content[first : first + rows])
                if content.nbytes >= SLICE_BYTES:
                    yield
        yield

    def _write_rows(
        self, kind: ImageKind, layer: int, level: int, first: int, rows: NDArray[np.uint8]
    ) -> None:
        api, side = self._api, kind.size >> level
        api.glPixelStorei(api.GL_UNPACK_ALIGNMENT, 1)
        if kind.compressed:
            api.glCompressedTextureSubImage3D(
                self.names[kind], level, 0, 4 * first, layer, side, min(4 * len(rows), side), 1,
                _BC1_SRGB, rows.nbytes, rows.ctypes.data,
            )  # fmt: skip
        else:
            api.glTextureSubImage3D(
                self.names[kind], level, 0, first, layer, side, len(rows), 1,
                api.GL_RGBA, api.GL_UNSIGNED_BYTE, rows.ctypes.data,
            )  # fmt: skip
