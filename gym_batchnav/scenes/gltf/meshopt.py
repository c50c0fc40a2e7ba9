"""Buffer views compressed with EXT_meshopt_compression or KHR_meshopt_compression."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..codecs import INSTALL_HINT, MESHOPT, CodecError, decode_meshopt, is_installed
from .extensions import MESHOPT_EXTENSIONS
from .fields import Fields

if TYPE_CHECKING:
    from .document import Document

_MODES = ("ATTRIBUTES", "TRIANGLES", "INDICES")
_FILTERS = ("NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL", "COLOR")


def compression(document: Document, view: Fields) -> Fields | None:
    """Return the compressed form of a buffer view that is to be read, or None to read the plain one.

    The plain one is read where there is no other, and where the codec is not installed and the fallback
    buffer holds its bytes.

    Raises:
        SceneError: the codec is needed and not installed.
    """
    extensions = view.child_or_empty("extensions")
    name = next((name for name in MESHOPT_EXTENSIONS if extensions.has(name)), None)
    if name is None:
        return None
    if not is_installed(MESHOPT):
        buffer = document.item("buffers", view.integer("buffer"), view.place)
        if buffer.has("uri") or not _is_fallback(buffer):
            return None
        raise extensions.error(name, f"needs the package {MESHOPT}: {INSTALL_HINT}")
    return extensions.child(name)


def decode_view(document: Document, view: Fields, compressed: Fields, content: memoryview) -> memoryview:
    """Decompress a buffer view; raises ``SceneError`` where it is broken."""
    count, stride = compressed.integer("count"), compressed.integer("byteStride", high=256)
    length = view.integer("byteLength")
    if count * stride != length:
        raise compressed.error("count", f"is {count} of {stride} bytes, but {view.place} has {length} bytes")
    mode, filter_name = compressed.text("mode"), compressed.text("filter", "NONE")
    if mode not in _MODES or filter_name not in _FILTERS:
        raise compressed.error("mode", f"is {mode!r:.20} with filter {filter_name!r:.20}; expected {_MODES}")
    document.budget.spend(length, compressed.place)
    try:
        return decode_meshopt(content, count, stride, mode, filter_name).data
    except CodecError as error:
        raise compressed.error("", str(error)) from error


def _is_fallback(buffer: Fields) -> bool:
    """Whether a buffer only stands for what decompression makes."""
    extensions = buffer.child_or_empty("extensions")
    return any(extensions.child_or_empty(name).flag("fallback") for name in MESHOPT_EXTENSIONS)
