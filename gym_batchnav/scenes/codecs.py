"""Decoders of the extra ``formats``: Draco, meshoptimizer and Basis Universal.

Each checks the sizes that its input claims before native code allocates them.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import SceneError

INSTALL_HINT = 'pip install "gym-batchnav[formats]"'
DRACO, MESHOPT, BASIS, COLLADA = "DracoPy", "meshopt", "opengl_basisu", "collada"


class CodecError(SceneError):
    """Compressed data is broken, or its codec is not installed."""


def is_installed(module: str) -> bool:
    """Whether the codec in ``module`` can be imported."""
    try:
        importlib.import_module(module)
    except ImportError:
        return False
    return True


def load_codec(module: str) -> Any:
    """Import a codec; raises ``CodecError`` that says how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise CodecError(f"needs the package {module}, which is not installed: {INSTALL_HINT}") from error


def decode_meshopt(
    content: memoryview, count: int, stride: int, mode: str, filter_name: str
) -> NDArray[np.uint8]:
    """Decode a meshoptimizer stream.

    Args:
        content: the compressed bytes.
        count: number of elements; the caller has checked that count x stride bytes may be allocated.
        stride: bytes of an element.
        mode: "ATTRIBUTES", "TRIANGLES" or "INDICES".
        filter_name: "NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL" or "COLOR"; of attributes only.

    Returns:
        (count * stride,) uint8.

    Raises:
        CodecError: the stream is broken or does not fit these values.
    """
    codec = load_codec(MESHOPT)
    if not count:
        return np.zeros(0, np.uint8)
    filter_or_none = None if filter_name == "NONE" else filter_name
    try:
        decoded = codec.decode_gltf_buffer(bytes(content), count, stride, mode, filter_or_none)
    except (ValueError, MemoryError) as error:
        raise CodecError(f"holds a broken meshopt stream ({error})") from error
    return np.ascontiguousarray(decoded).view(np.uint8).reshape(-1)


def decode_basis(content: bytes) -> NDArray[np.uint8]:
    """Decode the largest level of a KTX2 or .basis texture, whose size the caller has checked.

    Returns:
        (h, w, 4) uint8, row 0 at the top.

    Raises:
        CodecError: the texture is broken or of a kind without 8-bit colours.
    """
    codec = load_codec(BASIS)
    try:
        texture = codec.open(content)
        pixels = np.asarray(texture.transcode("rgba8").data)
    except (ValueError, IndexError, MemoryError) as error:
        raise CodecError(f"holds a broken Basis texture ({error})") from error
    return pixels[::-1].copy() if texture.y_flipped else pixels
