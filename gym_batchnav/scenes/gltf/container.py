"""The container of a glTF asset: plain JSON, or the chunks of a .glb file."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

from ...errors import SceneError

_GLB_MAGIC = b"glTF"
_JSON_CHUNK, _BINARY_CHUNK = 0x4E4F534A, 0x004E4942


def split_container(path: Path, content: bytes) -> tuple[bytes, bytes | None]:
    """Return the JSON text and the binary chunk (None where there is none).

    Raises:
        SceneError: the container is cut short or of another kind.
    """
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
    # Some exporters fill the JSON chunk up with zeros instead of spaces.
    return chunks[0][1].rstrip(b"\0"), binary


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


def parse_json(path: Path, text: bytes) -> dict[str, Any]:
    """Parse the JSON text of an asset; raises ``SceneError`` where it is broken."""
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SceneError(f"{path}: its JSON is broken ({error})") from error
    if not isinstance(parsed, dict):
        raise SceneError(f"{path}: its JSON is no object")
    return parsed
