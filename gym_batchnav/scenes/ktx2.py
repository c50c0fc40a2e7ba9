"""The headers of KTX2 and .basis textures, read before native code trusts them."""

from __future__ import annotations

import struct

from .codecs import BASIS, CodecError, load_codec

KTX2_MAGIC = b"\xabKTX 20\xbb\r\n\x1a\n"
BASIS_MAGIC = b"sB"
_HEADER = struct.Struct("<12s9I4I2Q")
_LEVEL = struct.Struct("<3Q")
_MAX_LEVELS = 32


def is_basis(content: bytes) -> bool:
    """Whether ``content`` begins as a KTX2 or .basis texture does."""
    return content[:12] == KTX2_MAGIC or content[:2] == BASIS_MAGIC


def basis_size(content: bytes) -> tuple[int, int]:
    """Width and height of a KTX2 or .basis texture.

    Raises:
        CodecError: it is broken, no single 2D image, or claims levels that do not fit its size.
    """
    if content[:12] == KTX2_MAGIC:
        return _ktx2_size(content)
    try:
        texture = load_codec(BASIS).open(content)
    except (ValueError, MemoryError) as error:
        raise CodecError(f"holds a broken .basis texture ({error})") from error
    return int(texture.width), int(texture.height)


def _ktx2_size(content: bytes) -> tuple[int, int]:
    """Sections 3 and 4 of the KTX 2.0 specification, as far as KHR_texture_basisu allows."""
    if len(content) < _HEADER.size:
        raise CodecError(f"holds a KTX2 texture of {len(content)} bytes; its header takes {_HEADER.size}")
    _, _, _, width, height, depth, layers, faces, levels, _, *_ = _HEADER.unpack_from(content)
    if not width or not height or depth or layers > 1 or faces != 1:
        raise CodecError(
            f"holds a KTX2 texture of {width} x {height} x {depth} texels, {layers} layers and {faces} "
            "faces; only single 2D images are read"
        )
    if not 1 <= levels <= _MAX_LEVELS or _HEADER.size + levels * _LEVEL.size > len(content):
        raise CodecError(f"holds a KTX2 texture of {levels} levels in {len(content)} bytes")
    for level in range(levels):
        start, length, unpacked = _LEVEL.unpack_from(content, _HEADER.size + level * _LEVEL.size)
        # No format of Basis Universal takes more than 16 bytes for 4 x 4 texels.
        largest = 16 * -(-max(width >> level, 1) // 4) * -(-max(height >> level, 1) // 4)
        if start + length > len(content) or unpacked > largest:
            raise CodecError(
                f"holds a KTX2 texture whose level {level} claims bytes {start} to {start + length} of "
                f"{len(content)} and unpacks to {unpacked}, at most {largest}"
            )
    return width, height
