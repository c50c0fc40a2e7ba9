"""Reader of MTL material libraries."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from batchnav_renderer.types import Material, Texture, Wrap

from ..errors import SceneError
from .color import linear_from_srgb
from .files import SceneFolder
from .images import decode_image, image_pixels
from .scene import SceneWarning
from .standins import grey_image, warn_of_standin

_CUTOFF = 0.5
"""Transparent surfaces are drawn as cut-outs, as in glTF files."""
_MAX_LIBRARIES = 1000
_BYTES_PER_CHARACTER = 64
# Options of map_Kd with one value; -mm takes two, and -o, -s and -t up to three.
_ONE_VALUE = {"-blendu", "-blendv", "-boost", "-texres", "-clamp", "-bm", "-imfchan", "-type", "-cc"}


@dataclass(slots=True)
class _Entry:
    diffuse: tuple[float, ...] = (1.0, 1.0, 1.0)
    emission: tuple[float, ...] = (0.0, 0.0, 0.0)
    alpha: float = 1.0
    image: str | None = None
    wrap: Wrap = "repeat"


@dataclass(slots=True)
class MaterialLibrary:
    """Materials by name, numbered in the order of their use; number 0 is white."""

    folder: SceneFolder
    _entries: dict[str, _Entry] = field(default_factory=dict)
    _numbers: dict[str, int] = field(default_factory=dict)
    _textures: dict[tuple[str, Wrap], int] = field(default_factory=dict)
    _read: set[str] = field(default_factory=set)

    def number(self, name: str) -> int:
        """Number of the material ``name``, whose definition may come later."""
        return self._numbers.setdefault(name, len(self._numbers) + 1)

    def read(self, names: str) -> None:
        """Read the libraries of one ``mtllib`` line; a missing one gives a ``SceneWarning``.

        Raises:
            SceneError: a library is broken; the message names file and line.
        """
        if names in self._read:
            return
        self._read.add(names)
        if len(self._read) > _MAX_LIBRARIES:
            raise SceneError(f"{self.folder.scene}: names more than {_MAX_LIBRARIES} material libraries")
        try:
            contents = [(names, self.folder.read_foreign(names, "mtllib"))]
        except SceneError as whole:
            try:
                contents = [(name, self.folder.read_foreign(name, "mtllib")) for name in names.split()]
            except SceneError:
                self._warn(f"mtllib {names!r:.80} cannot be read ({whole}); its materials are drawn white")
                return
        for name, content in contents:
            self.folder.budget.spend(_BYTES_PER_CHARACTER * len(content), f"mtllib {name!r:.80}")
            self._read_lines(name, content.decode("utf-8", "replace"))

    def finish(self) -> tuple[tuple[Material, ...], tuple[Texture, ...]]:
        """The materials by number, and their textures; broken images give a warning and a stand-in."""
        unknown = [name for name in self._numbers if name not in self._entries]
        if unknown and self._entries:
            self._warn(f"usemtl names {unknown[0]!r:.80}, which no library defines; it is drawn white")
        used = [self._entries.get(name, _Entry()) for name in self._numbers]
        materials = (Material(), *(self._material(entry) for entry in used))
        return materials, tuple(
            Texture(pixels=self._image(name), wrap=(wrap, wrap)) for name, wrap in self._textures
        )

    def _material(self, entry: _Entry) -> Material:
        r, g, b = linear_from_srgb(np.array(entry.diffuse)).tolist()
        texture = -1
        if entry.image is not None:
            texture = self._textures.setdefault((entry.image, entry.wrap), len(self._textures))
            if max(r, g, b) <= 0.0:  # many exporters leave the factor of textured surfaces at 0
                r = g = b = 1.0
        else:
            r, g, b = (min(value + more, 1.0) for value, more in zip((r, g, b), entry.emission, strict=True))
        return Material(base_color=(r, g, b, entry.alpha), texture=texture, alpha_cutoff=_CUTOFF)

    def _read_lines(self, name: str, text: str) -> None:
        entry = _Entry()
        for number, line in enumerate(text.splitlines(), 1):
            keyword, *values = line.split(None, 1) or ("",)
            rest = values[0].strip() if values else ""
            try:
                if keyword == "newmtl":
                    entry = self._entries[rest] = _Entry()
                else:
                    self._setting(entry, keyword.lower(), rest)
            except (ValueError, IndexError) as error:
                raise SceneError(
                    f"{self.folder.scene}: {name}, line {number}: {line.strip()!r:.80} is broken ({error})"
                ) from error

    def _setting(self, entry: _Entry, keyword: str, rest: str) -> None:
        if keyword == "kd" and not rest.startswith(("spectral", "xyz")):
            entry.diffuse = _color(rest)
        elif keyword == "ke" and not rest.startswith(("spectral", "xyz")):
            entry.emission = _color(rest)
        elif keyword == "d":
            entry.alpha = _share(rest.removeprefix("-halo"))
        elif keyword == "tr":
            entry.alpha = 1.0 - _share(rest)
        elif keyword == "map_kd":
            options, entry.image = _split_options(rest)
            entry.wrap = "clamp" if "-clamp on" in options else "repeat"
            if "-s" in options or "-o" in options:
                self._warn(f"map_Kd {rest!r:.80} moves or scales its texture, which is left out")

    def _image(self, name: str) -> NDArray[np.uint8]:
        try:
            content = self.folder.read_foreign(name, "map_Kd")
            num_pixels = image_pixels(content)
        except SceneError as error:
            warn_of_standin(self.folder.scene, f"map_Kd {name!r:.80}", f"cannot be read ({error})")
            return grey_image()
        self.folder.budget.spend(4 * num_pixels, f"map_Kd {name!r:.80}")
        try:
            return decode_image(content)
        except SceneError as error:
            warn_of_standin(self.folder.scene, f"map_Kd {name!r:.80}", f"cannot be decoded ({error})")
            return grey_image()

    def _warn(self, message: str) -> None:
        warnings.warn(f"{self.folder.scene}: {message}", SceneWarning, stacklevel=4)


def _color(text: str) -> tuple[float, ...]:
    values = [_share(word) for word in text.split()[:3]]
    return (values[0],) * 3 if len(values) < 3 else tuple(values)


def _share(text: str) -> float:
    """A number clipped to [0, 1]; raises ``ValueError`` for others than numbers, NaN among them."""
    value = float(text.split()[0])
    if value != value:
        raise ValueError("it is no number")
    return min(max(value, 0.0), 1.0)


def _split_options(text: str) -> tuple[str, str]:
    """Options of a texture line and its file name, which may hold spaces."""
    words, rest = [], text
    while rest.startswith("-"):
        option, _, rest = rest.partition(" ")
        words.append(option)
        most = 1 if option in _ONE_VALUE else 2 if option == "-mm" else 3
        for _ in range(most):
            value, _, after = rest.lstrip().partition(" ")
            if option not in _ONE_VALUE and not _is_number(value):
                break
            words.append(value)
            rest = after
        rest = rest.lstrip()
    if not rest:
        raise ValueError("it names no file")
    return " ".join(words), rest


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
