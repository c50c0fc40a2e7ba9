"""Tiny Basis Universal textures: 12 x 8 texels in six blocks of one colour each.

The first three are KTX2 files that Basis Universal's encoder (version 2.10) made of ``COLORS``; the last
is the blocks of the third without its container.
"""

from __future__ import annotations

import base64
import struct

import numpy as np

COLORS = np.array(
    [
        [[200, 30, 30, 255], [30, 200, 30, 255], [30, 30, 200, 255]],
        [[220, 220, 40, 255], [128, 128, 128, 100], [250, 250, 250, 0]],
    ],
    np.uint8,
)
PIXELS = np.repeat(np.repeat(COLORS, 4, axis=0), 4, axis=1)
"""(8, 12, 4) uint8; ``ETC1S`` has them opaque."""

ETC1S = base64.b64decode(
    "q0tUWCAyMLsNChoKAAAAAAEAAAAMAAAACAAAAAAAAAAAAAAAAQAAAAQAAAABAAAAsAAAACwAAADcAAAAJAAAAAABAAAAAAAA7wAA"
    "AAAAAADzAQAAAAAAAAMAAAAAAAAAAAAAAAAAAADxAQAAAAAAAAIAAAAAAAAAAAAAAAAAAADwAQAAAAAAAAEAAAAAAAAAAAAAAAAA"
    "AADvAQAAAAAAAAEAAAAAAAAAAAAAAAAAAAAsAAAAAAAAAAIAKACjAQIAAwMAAAgAAAAAAAAAAAA/AAAAAAAAAAAA/////x8AAABL"
    "VFh3cml0ZXIAQmFzaXMgVW5pdmVyc2FsIDIuMTAAAAoABgBDAAAAGQAAAC8AAAAAAAAAAAAAAAAAAAADAAAAAAAAAAAAAAAAAAAA"
    "AAAAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAfQNQAAQAAQBh4ggZhYR9ADAAC"
    "AIBBYLC75CEaBH0AUQMEAACAQVEWBl4gAhABQAAAAAiEBdtHjZZJNEHq4YEufzYBJLC3tw+o+v+vqqqqAgAAAFBVVVUlLX19BQDB"
    "RAAAAAAAAPJfTQGYAjAAAAAIwnSkowARGwYAAARhUc4oNACYAAAAAAAAQAABJl6KA9gzAA=="
)
ETC1S_ALPHA = base64.b64decode(
    "q0tUWCAyMLsNChoKAAAAAAEAAAAMAAAACAAAAAAAAAAAAAAAAQAAAAEAAAABAAAAaAAAADwAAACkAAAAJAAAAMgAAAAAAAAApAAA"
    "AAAAAABsAQAAAAAAAAUAAAAAAAAAAAAAAAAAAAA8AAAAAAAAAAIAOACjAQIAAwMAAAgIAAAAAAAAAAA/AAAAAAAAAAAA/////0AA"
    "Pw8AAAAAAAAAAP////8fAAAAS1RYd3JpdGVyAEJhc2lzIFVuaXZlcnNhbCAyLjEwAAAJAAMAPAAAAA0AAAAzAAAAAAAAAAAAAAAA"
    "AAAAAwAAAAMAAAACAAAAH0AUAAEAAEAQtF01el4AcQMEAAAAIA8YlBIBRAEQAAAABPmkEYgATAAQAAAQBEB+UKgA1QGqwdE2/28C"
    "VFVVVQUAAACoqqqqAgDBhAABAAAAEPR/X3cCE4ApAAIAAAAApCxEQISAAQAAINh4BBFE+QAwASAAAAAAgBAIALLyOdEH"
)
UASTC_ZSTD = base64.b64decode(
    "q0tUWCAyMLsNChoKAAAAAAEAAAAMAAAACAAAAAAAAAAAAAAAAQAAAAEAAAACAAAAaAAAACwAAACUAAAAJAAAAAAAAAAAAAAAAAAA"
    "AAAAAAC4AAAAAAAAAEcAAAAAAAAAYAAAAAAAAAAsAAAAAAAAAAIAKACmAQIAAwMAABAAAAAAAAAAAAB/AwAAAAAAAAAA/////x8A"
    "AABLVFh3cml0ZXIAQmFzaXMgVW5pdmVyc2FsIDIuMTAAACi1L/0gYPUBANQCF9nD499cIQDXA9nj3wwrwwP53wxhAZebG+U/2rsA"
    "FxAQkAxACAFXX18fQHrvBiCw4wHFEE44iZltiMkF"
)
UASTC_BLOCKS = base64.b64decode(
    "F9nD499cIQAAAAAAAAAAANcD2ePfDCsAAAAAAAAAAADXwwP53wxhAQAAAAAAAAAAl5sb5T/auwAAAAAAAAAAABcQEJAMQAgBAAAA"
    "AAAAAABXX18fQHrvAQAAAAAAAAAA"
)

_HEADER = struct.Struct("<12s9I4I2Q")
_LEVEL = struct.Struct("<3Q")


def plain_ktx2(blocks: bytes = UASTC_BLOCKS) -> bytes:
    """UASTC blocks in a KTX2 file without supercompression."""
    fields = list(_HEADER.unpack_from(UASTC_ZSTD))
    start, _, _ = _LEVEL.unpack_from(UASTC_ZSTD, _HEADER.size)
    fields[9] = 0  # the supercompression scheme
    between = UASTC_ZSTD[_HEADER.size + _LEVEL.size : start]
    return _HEADER.pack(*fields) + _LEVEL.pack(start, len(blocks), len(blocks)) + between + blocks


def with_header(content: bytes, **changes: int) -> bytes:
    """A KTX2 file with other numbers in its header."""
    names = ("vk_format", "type_size", "width", "height", "depth", "layers", "faces", "levels", "scheme")
    fields = list(_HEADER.unpack_from(content))
    for name, value in changes.items():
        fields[1 + names.index(name)] = value
    return _HEADER.pack(*fields) + content[_HEADER.size :]


def with_level(content: bytes, start: int, length: int, unpacked: int) -> bytes:
    """A KTX2 file with another entry for its largest level."""
    return (
        content[: _HEADER.size] + _LEVEL.pack(start, length, unpacked) + content[_HEADER.size + _LEVEL.size :]
    )


def basis_file(*, flipped: bool = False) -> bytes:
    """UASTC blocks in a .basis file (its layout is in the encoder's own documentation)."""
    header_size, slice_size = 77, 23
    start = header_size + slice_size
    entry = _u24(0) + struct.pack("<BBHHHHII", 0, 4, 12, 8, 3, 2, start, len(UASTC_BLOCKS))
    data = entry + struct.pack("<H", _crc16(UASTC_BLOCKS)) + UASTC_BLOCKS
    flags = 4 | (2 if flipped else 0)
    tail = struct.pack("<IH", len(data), _crc16(data)) + _u24(1) + _u24(1)
    tail += struct.pack("<BHB", 1, flags, 0) + _u24(0) + struct.pack("<III", 0, 0, 0)
    tail += struct.pack("<HI", 0, 0) + _u24(0) + struct.pack("<HI", 0, 0) + _u24(0)
    tail += struct.pack("<IIIII", 0, 0, header_size, 0, 0)
    return b"sB" + struct.pack("<HHH", 0x13, header_size, _crc16(tail)) + tail + data


def _u24(value: int) -> bytes:
    return value.to_bytes(3, "little")


def _crc16(content: bytes) -> int:
    """CRC-16 with polynomial 0x1021, begun and ended with its complement (GENIBUS)."""
    crc = 0xFFFF
    for byte in content:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc ^ 0xFFFF
