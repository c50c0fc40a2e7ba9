"""One glTF asset: its JSON, buffers, buffer views and outside files."""

from __future__ import annotations

import base64
import binascii
from pathlib import Path
from urllib.parse import unquote_to_bytes

from ...errors import SceneError
from ..budget import Budget
from ..files import SceneFolder
from ..reads import read_file
from .container import parse_json, split_container
from .extensions import refusal
from .fields import Fields
from .meshopt import compression, decode_view

_KINDS = (
    *("accessors", "bufferViews", "buffers", "images", "materials"),
    *("meshes", "nodes", "samplers", "scenes", "skins", "textures"),
)


class Document:
    """One opened glTF asset.

    Args:
        path: a ``.glb`` or ``.gltf`` file.

    Raises:
        SceneError: the file is missing, is no glTF 2.0, is cut short, or requires an extension that is not
            supported or whose codec is not installed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            content = read_file(path)
        except OSError as error:
            raise SceneError(f"{path}: cannot be read ({error})") from error
        self.budget = Budget(str(path))
        self.budget.read(len(content))
        self._folder = SceneFolder(path, self.budget)
        text, self._binary = split_container(path, content)
        self.root = Fields(parse_json(path, text), str(path), "")
        self._check_asset()
        self._lists = {name: self.root.items(name) for name in _KINDS}
        self._buffers: dict[int, memoryview] = {}
        self._decoded_views: dict[int, memoryview] = {}

    def error(self, place: str, message: str) -> SceneError:
        """Return (not raise) a ``SceneError`` for a place in this file."""
        return SceneError(f"{self.path}: {place} {message}")

    def all(self, kind: str) -> list[Fields]:
        """All objects of a top-level list such as ``nodes``."""
        return self._lists[kind]

    def item(self, kind: str, index: int, place: str) -> Fields:
        """Object ``index`` of a top-level list; ``place`` says who asks."""
        items = self._lists[kind]
        if not 0 <= index < len(items):
            raise self.error(place, f"names {kind}[{index}], but the file has {len(items)} {kind}")
        return items[index]

    def view(self, index: int, place: str) -> tuple[memoryview, int]:
        """Bytes of a buffer view, decompressed, and its stride (0 where none is given)."""
        fields = self.item("bufferViews", index, place)
        stride = fields.integer("byteStride", 0, high=65536)
        compressed = compression(self, fields)
        if compressed is None:
            return self._slice(fields), stride
        if index not in self._decoded_views:
            self._decoded_views[index] = decode_view(self, fields, compressed, self._slice(compressed))
        return self._decoded_views[index], stride

    def buffer(self, index: int, place: str) -> memoryview:
        """Bytes of a buffer: the binary chunk, a data URI or a file beside the asset."""
        if index not in self._buffers:
            fields = self.item("buffers", index, place)
            if fields.has("uri"):
                data = self.resource(fields.text("uri"), f"{fields.place}.uri")
            elif index == 0 and self._binary is not None:
                data = self._binary
            else:
                raise fields.error("uri", "is missing, and the file has no binary chunk for it")
            length = fields.integer("byteLength")
            if length > len(data):
                raise fields.error("byteLength", f"is {length}, but only {len(data)} bytes are there")
            self._buffers[index] = memoryview(data)[:length]
        return self._buffers[index]

    def resource(self, uri: str, place: str) -> bytes:
        """Bytes behind a URI: a data URI, or a file in the asset's folder or below it."""
        is_data = uri[:5].lower() == "data:"
        return self._data_uri(uri, place) if is_data else self._folder.read(uri, place)

    def image_resource(self, uri: str, place: str) -> bytes:
        """Like ``resource``; the path of an image on its author's machine is looked up by its last part."""
        is_data = uri[:5].lower() == "data:"
        return self._data_uri(uri, place) if is_data else self._folder.read_foreign(uri, place)

    def _slice(self, fields: Fields) -> memoryview:
        """Bytes that a buffer view, or its compressed form, names."""
        buffer = self.buffer(fields.integer("buffer"), fields.place)
        start, length = fields.integer("byteOffset", 0), fields.integer("byteLength")
        if start + length > len(buffer):
            raise fields.error(
                "byteLength", f"reaches byte {start + length} of a buffer of {len(buffer)} bytes"
            )
        return buffer[start : start + length]

    def _data_uri(self, uri: str, place: str) -> bytes:
        header, comma, payload = uri.partition(",")
        if not comma:
            raise self.error(place, "is a data URI without a comma")
        if not header.replace(" ", "").lower().endswith(";base64"):
            return unquote_to_bytes(payload)
        try:
            text = b"".join(unquote_to_bytes(payload).split())
            return base64.b64decode(text + b"=" * (-len(text) % 4), validate=True)
        except (binascii.Error, ValueError) as error:
            raise self.error(place, f"is a data URI with broken base64 ({error})") from error

    def _check_asset(self) -> None:
        asset = self.root.child_or_empty("asset")
        version, least = asset.text("version", ""), asset.text("minVersion", "2.0")
        if not version.startswith("2."):
            raise self.error("asset.version", f"is {version!r:.20}; only glTF 2.x is supported")
        if least != "2.0":
            raise self.error("asset.minVersion", f"is {least!r:.20}; glTF 2.0 is supported")
        for name in self.root.texts("extensionsRequired"):
            reason = refusal(name)
            if reason is not None:
                raise self.error("extensionsRequired", reason)
