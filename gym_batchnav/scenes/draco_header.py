"""The counts in the header of a Draco mesh, read before native code trusts them."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from .codecs import CodecError

_MAGIC = b"DRACO"
_MESH, _SEQUENTIAL, _EDGEBREAKER = 1, 0, 1
_HAS_METADATA = 0x8000
_BITSTREAM = (2, 2)
_MAX_NESTING = 16


def draco_counts(content: bytes) -> tuple[int, int]:
    """Faces and (least) vertices that a Draco mesh claims (Draco bitstream specification, sections 2 to 5).

    Raises:
        CodecError: this is no Draco mesh.
    """
    if len(content) < 12 or content[:5] != _MAGIC:
        raise CodecError("does not begin with a Draco header")
    major, minor, kind, method, flags = struct.unpack_from("<4BH", content, 5)
    if kind != _MESH or method not in (_SEQUENTIAL, _EDGEBREAKER):
        raise CodecError(f"holds Draco data of kind {kind} and method {method}; expected a mesh")
    if (major, minor) != _BITSTREAM:
        raise CodecError(f"holds Draco bitstream {major}.{minor}; KHR_draco_mesh_compression asks for 2.2")
    reader = _Reader(content, 11)
    if flags & _HAS_METADATA:
        reader.skip_metadata()
    if method == _SEQUENTIAL:
        return reader.varint(), reader.varint()
    reader.take(1)  # the kind of traversal
    vertices = reader.varint()
    return reader.varint(), vertices


@dataclass(slots=True)
class _Reader:
    content: bytes
    offset: int

    def take(self, count: int) -> bytes:
        if self.offset + count > len(self.content):
            raise CodecError("is cut short in its Draco header")
        self.offset += count
        return self.content[self.offset - count : self.offset]

    def varint(self) -> int:
        value = 0
        for shift in range(0, 35, 7):
            (byte,) = self.take(1)
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise CodecError("has a broken number in its Draco header")

    def skip_metadata(self) -> None:
        """Skip the metadata of attributes and of the whole mesh."""
        for _ in range(self.varint()):
            self.varint()
            self._skip_element(0)
        self._skip_element(0)

    def _skip_element(self, depth: int) -> None:
        if depth > _MAX_NESTING:
            raise CodecError(f"nests Draco metadata deeper than {_MAX_NESTING}")
        for _ in range(self.varint()):
            self.take(*self.take(1))
            self.take(self.varint())
        for _ in range(self.varint()):
            self.take(*self.take(1))
            self._skip_element(depth + 1)
