"""Textures of MTL libraries: the options of their lines, and their images with transparency masks."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from batchnav_renderer.types import Texture, Wrap

from ..errors import SceneError
from .files import SceneFolder
from .images import decode_image, image_pixels
from .standins import grey_image, warn_of_standin

# Options with one value; -mm takes two, and -o, -s and -t up to three numbers.
_ONE_VALUE = {"-blendu", "-blendv", "-boost", "-texres", "-clamp", "-bm", "-imfchan", "-type", "-cc"}
_NUMBERS = {"-mm": 2, "-o": 3, "-s": 3, "-t": 3}
UvMap = tuple[float, float, float, float]
"""Scale and offset of u and v."""


@dataclass(frozen=True, slots=True)
class TextureLine:
    """What a line such as ``map_Kd`` says."""

    name: str
    wrap: Wrap
    uv_map: UvMap


def read_texture_line(text: str) -> TextureLine | None:
    """Read the options and the file name, which may hold spaces; None where there is no name."""
    options: dict[str, list[str]] = {}
    rest = text
    while rest.startswith("-"):
        option, _, rest = rest.partition(" ")
        values = options.setdefault(option.lower(), [])
        for _ in range(_NUMBERS.get(option.lower(), 1)):
            value, _, after = rest.lstrip().partition(" ")
            if option.lower() not in _ONE_VALUE and not _is_number(value):
                break
            values.append(value)
            rest = after
        rest = rest.lstrip()
    name = rest.strip().strip('"')
    if not name:
        return None
    (su, sv), (ou, ov) = _pair(options.get("-s", []), 1.0), _pair(options.get("-o", []), 0.0)
    return TextureLine(name, "clamp" if options.get("-clamp") == ["on"] else "repeat", (su, sv, ou, ov))


def _pair(values: list[str], default: float) -> tuple[float, float]:
    u, v, *_ = [*(float(value) for value in values), default, default]
    if not (abs(u) < 1e6 and abs(v) < 1e6):
        raise ValueError("it scales or moves its texture too far")
    return u, v


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@dataclass(slots=True)
class LibraryTextures:
    """Collects the textures of materials, then decodes each image once."""

    folder: SceneFolder
    _numbers: dict[tuple[str, str, Wrap], int] = field(default_factory=dict)
    _images: dict[str, NDArray[np.uint8]] = field(default_factory=dict)
    _missing: set[str] = field(default_factory=set)

    def number(self, color: str, mask: str, wrap: Wrap) -> int:
        """Number of the texture of a colour image and an opacity image; an empty name stands for white."""
        # An image that is its own mask brings its opacity in its alpha channel.
        key = (color, "" if mask == color else mask, wrap)
        return self._numbers.setdefault(key, len(self._numbers))

    def decode(self) -> tuple[Texture, ...]:
        """The textures by number; broken images give a ``SceneWarning`` and a grey stand-in."""
        return tuple(
            Texture(pixels=self._masked(color, mask), wrap=(wrap, wrap))
            for color, mask, wrap in self._numbers
        )

    def _masked(self, color: str, mask: str) -> NDArray[np.uint8]:
        if not mask:
            return self._image(color, "map_Kd")
        opacity = self._image(mask, "map_d")
        if mask in self._missing:
            opacity = np.full_like(opacity, 255)
        height, width = opacity.shape[:2]
        pixels = self._image(color, "map_Kd") if color else np.full((height, width, 4), 255, np.uint8)
        self.folder.budget.spend(2 * pixels.nbytes, f"map_d {mask!r:.80}")
        # Opacity lies in the alpha channel, or in the brightness of an image without one.
        grey = Image.fromarray(opacity).getchannel("A") if opacity[..., 3].min() < 255 else _grey(opacity)
        pixels = pixels.copy()
        pixels[..., 3] = np.asarray(
            grey.resize((pixels.shape[1], pixels.shape[0]), Image.Resampling.BILINEAR)
        )
        return pixels

    def _image(self, name: str, place: str) -> NDArray[np.uint8]:
        if name not in self._images:
            self._images[name] = self._decoded(name, place)
        return self._images[name]

    def _decoded(self, name: str, place: str) -> NDArray[np.uint8]:
        try:
            content = self.folder.read_foreign(name, place)
            num_pixels = image_pixels(content)
        except SceneError as error:
            return self._grey_instead(name, f"{place} {name!r:.80}", f"cannot be read ({error})")
        self.folder.budget.spend(4 * num_pixels, f"{place} {name!r:.80}")
        try:
            return decode_image(content)
        except SceneError as error:
            return self._grey_instead(name, f"{place} {name!r:.80}", f"cannot be decoded ({error})")

    def _grey_instead(self, name: str, place: str, message: str) -> NDArray[np.uint8]:
        self._missing.add(name)
        warn_of_standin(self.folder.scene, place, message)
        return grey_image()


def _grey(pixels: NDArray[np.uint8]) -> Image.Image:
    return Image.fromarray(pixels).convert("L")
