"""One value in one file: a pickle whose large arrays are mapped into memory instead of read."""

from __future__ import annotations

import mmap
import os
import pickle
import struct
import zlib
from typing import IO, Any

_MAGIC = b"batchnv1"
_HEADER = struct.Struct("<8sQQQI?")
"""Magic, size of the file, place and size of the pickle, checksum, whether there is one."""
_ALIGNMENT = 64
_FIRST = _ALIGNMENT
"""Room for the header."""


class PackingError(Exception):
    """A file is cut short, was changed, or is of another kind."""


def write_value(file: IO[bytes], value: object, *, checked: bool) -> None:
    """Write a value into an empty file.

    Args:
        file: opened for writing in binary.
        value: anything that pickle takes.
        checked: whether to write a checksum, which ``read_value`` then compares.
    """
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    views = [buffer.raw() for buffer in buffers]
    starts = [_FIRST]
    for view in views:
        starts.append(starts[-1] + _padded(view.nbytes))
    spans = [(start, view.nbytes) for start, view in zip(starts, views, strict=False)]
    head = memoryview(pickle.dumps((spans, data), protocol=5))
    checksum = 0
    file.write(bytes(_FIRST))
    for piece in (*views, head):
        for part in (piece, bytes(_padded(piece.nbytes) - piece.nbytes)):
            file.write(part)
            checksum = zlib.crc32(part, checksum) if checked else 0
    total = starts[-1] + _padded(head.nbytes)
    file.seek(0)
    file.write(_HEADER.pack(_MAGIC, total, starts[-1], head.nbytes, checksum, checked))


def read_value(file: IO[bytes], *, mapped: bool = True) -> Any:
    """The value of a file; its arrays are writable private maps of it, and live as long as they are used.

    Args:
        file: opened for reading in binary, at its start.
        mapped: False reads the file instead, for systems that delete no file that is mapped.

    Raises:
        PackingError: the file is not what ``write_value`` has written.
    """
    size = os.fstat(file.fileno()).st_size
    if size < _FIRST:
        raise PackingError(f"it has {size} bytes")
    if mapped:
        memory = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
    else:
        memory = memoryview(bytearray(file.read()))
    magic, total, at, length, checksum, checked = _HEADER.unpack_from(memory)
    if magic != _MAGIC or total != size or at + length > size:
        raise PackingError(f"its header is broken, or does not fit its {size} bytes")
    if checked and zlib.crc32(memory[_FIRST:]) != checksum:
        raise PackingError("its checksum is wrong")
    spans, head = pickle.loads(memory[at : at + length])
    return pickle.loads(head, buffers=[memory[start : start + count] for start, count in spans])


def _padded(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT
