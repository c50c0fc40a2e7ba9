"""The container: JSON, binary chunk, buffers and outside files of one glTF asset."""

from __future__ import annotations

import base64
import binascii
import json
import struct
from pathlib import Path
from typing import Any
from urllib.parse import unquote, unquote_to_bytes

from ...errors import SceneError
from .fields import Fields

_GLB_MAGIC = b"glTF"
_JSON_CHUNK, _BINARY_CHUNK = 0x4E4F534A, 0x004E4942
_KINDS = (
    *("accessors", "bufferViews", "buffers", "images", "materials"),
    *("meshes", "nodes", "samplers", "scenes", "textures"),
)

SUPPORTED_EXTENSIONS = frozenset(
    {
        "KHR_texture_transform",
        "KHR_mesh_quantization",
        "KHR_lights_punctual",
        "EXT_texture_webp",
        "EXT_mesh_gpu_instancing",
        "KHR_materials_unlit",
        "KHR_materials_pbrSpecularGlossiness",
        "KHR_materials_emissive_strength",
        "KHR_materials_specular",
        "KHR_materials_ior",
        "KHR_materials_clearcoat",
        "KHR_materials_sheen",
        "KHR_materials_transmission",
        "KHR_materials_volume",
        "KHR_materials_iridescence",
        "KHR_materials_anisotropy",
        "KHR_materials_dispersion",
        "KHR_materials_variants",
    }
)
"""Extensions that a file may require: those that are read, and those that do not change base colours."""


class Document:
    """One opened glTF asset.

    Args:
        path: a ``.glb`` or ``.gltf`` file.

    Raises:
        SceneError: the file is missing, is no glTF 2.0, is cut short, or requires an unsupported extension.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            content = path.read_bytes()
        except OSError as error:
            raise SceneError(f"{path}: cannot be read ({error})") from error
        text, self._binary = _split(path, content)
        self.root = Fields(_parse_json(path, text), str(path), "")
        self._check_asset()
        self._lists = {name: self.root.items(name) for name in _KINDS}
        self._buffers: dict[int, memoryview] = {}

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
        """Bytes of a buffer view and its stride (0 where none is given)."""
        fields = self.item("bufferViews", index, place)
        buffer = self.buffer(fields.integer("buffer"), fields.place)
        start, length = fields.integer("byteOffset", 0), fields.integer("byteLength")
        if start + length > len(buffer):
            raise fields.error(
                "byteLength", f"reaches byte {start + length} of a buffer of {len(buffer)} bytes"
            )
        return buffer[start : start + length], fields.integer("byteStride", 0, high=65536)

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
        if uri.startswith("data:"):
            return self._data_uri(uri, place)
        relative = unquote(uri)
        folder = self.path.parent.resolve()
        if "://" in uri or "\0" in relative:
            raise self.error(place, f"is {uri!r:.80}; only data URIs and files beside the scene are read")
        try:
            target = (folder / relative).resolve()
            if not target.is_relative_to(folder):
                raise self.error(place, f"is {uri!r:.80}, which lies outside the scene's folder")
            return target.read_bytes()
        except (OSError, ValueError, RuntimeError) as error:
            raise self.error(place, f"is {uri!r:.80}, which cannot be read ({error})") from error

    def _data_uri(self, uri: str, place: str) -> bytes:
        header, comma, payload = uri.partition(",")
        if not comma:
            raise self.error(place, "is a data URI without a comma")
        if not header.endswith(";base64"):
            return unquote_to_bytes(payload)
        try:
            return base64.b64decode(unquote_to_bytes(payload), validate=True)
        except (binascii.Error, ValueError) as error:
            raise self.error(place, f"is a data URI with broken base64 ({error})") from error

    def _check_asset(self) -> None:
        version = self.root.child_or_empty("asset").text("version", "")
        if not version.startswith("2."):
            raise self.error("asset.version", f"is {version!r:.20}; only glTF 2.x is supported")
        for name in self.root.texts("extensionsRequired"):
            if name not in SUPPORTED_EXTENSIONS:
                raise self.error(
                    "extensionsRequired",
                    f"names {name!r:.80}, which is not supported; export the scene without it",
                )


def _split(path: Path, content: bytes) -> tuple[bytes, bytes | None]:
    """Return the JSON text and the binary chunk (None where there is none)."""
    if content[:4] != _GLB_MAGIC:
        if path.suffix.lower() == ".glb":
            raise SceneError(f"{path}: does not begin with 'glTF', so it is no binary glTF file")
        return content, None
    if len(content) < 20:
        raise SceneError(f"{path}: is cut short: {len(content)} bytes, a header alone takes 20")
    version, length = struct.unpack_from("<II", content, 4)
    if version != 2:
        raise SceneError(f"{path}: has container version {version}; only 2 is supported")
    if length > len(content):
        raise SceneError(f"{path}: is cut short: {len(content)} bytes of {length}")
    chunks = _chunks(path, content, length)
    if not chunks or chunks[0][0] != _JSON_CHUNK:
        raise SceneError(f"{path}: its first chunk is not JSON")
    binary = next((data for kind, data in chunks[1:] if kind == _BINARY_CHUNK), None)
    return chunks[0][1], binary


def _chunks(path: Path, content: bytes, end: int) -> list[tuple[int, bytes]]:
    chunks, offset = [], 12
    while offset + 8 <= end:
        length, kind = struct.unpack_from("<II", content, offset)
        offset += 8
        if offset + length > end:
            raise SceneError(
                f"{path}: the chunk at byte {offset - 8} reaches {offset + length - end} too far"
            )
        chunks.append((kind, content[offset : offset + length]))
        offset += length
    return chunks


def _parse_json(path: Path, text: bytes) -> dict[str, Any]:
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SceneError(f"{path}: its JSON is broken ({error})") from error
    if not isinstance(parsed, dict):
        raise SceneError(f"{path}: its JSON is no object")
    return parsed
