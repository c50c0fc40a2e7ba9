"""Process that prepares scenes: reads references from its input, writes prepared scenes into shared memory.

Started as ``python -c``, not through ``multiprocessing``, so that the user's main module is never imported
again (scripts without a ``__main__`` guard, notebooks and ``python -`` all work), and so that it ends by
itself when its parent does.
"""

from __future__ import annotations

import logging
import os
import pickle
import signal
import struct
import sys
import tempfile
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from ..scenes.packing import read_value, write_value
from .loading import LoadedScene, ObjectPlaces

_LENGTH = struct.Struct("<Q")
_SHARED_MEMORY = "/dev/shm"


@dataclass(frozen=True, slots=True)
class PackedScene:
    """A loaded scene in files, the renderer's part apart so that it is freed once it is on the device."""

    scene_id: str
    ground: str
    """Path of the file."""
    prepared: str | None
    warnings: tuple[tuple[str, type[Warning]], ...]
    kept_bytes: int
    objects: ObjectPlaces | None = None

    def delete(self) -> None:
        """Delete the files of a scene that nobody will unpack."""
        for path in (self.ground, self.prepared):
            if path is not None:
                Path(path).unlink(missing_ok=True)


def pack_scene(loaded: LoadedScene) -> PackedScene:
    """Put a scene into shared memory."""
    prepared = None if loaded.prepared is None else pack(loaded.prepared)
    rest = loaded.warnings, loaded.kept_bytes, loaded.objects
    return PackedScene(loaded.scene_id, pack(loaded.ground), prepared, *rest)


def unpack_scene(packed: PackedScene) -> LoadedScene:
    """The scene; the files are deleted, their memory is free when the arrays are."""
    prepared = None if packed.prepared is None else unpack(packed.prepared)
    rest = packed.warnings, packed.kept_bytes, packed.objects
    return LoadedScene(packed.scene_id, unpack(packed.ground), prepared, *rest)


def pack(value: object) -> str:
    """Write ``value`` to a file in shared memory (or, where that is full, on disk); returns its path."""
    try:
        return _write(_SHARED_MEMORY if os.path.isdir(_SHARED_MEMORY) else None, value)
    except OSError:
        return _write(None, value)


def unpack(path: str) -> Any:
    """The value of a file, which is deleted; its arrays are writable private maps of it."""
    with open(path, "rb") as file:
        value = read_value(file, mapped=sys.platform != "win32")
    Path(path).unlink()
    return value


def parcel_prefix(process: int) -> str:
    """How the names of a worker's files begin."""
    return f"batchnav-scene-{process}-"


def remove_parcels(process: int) -> None:
    """Delete what a worker that was killed has left in shared memory or on disk."""
    for folder in (_SHARED_MEMORY, tempfile.gettempdir()):
        for path in Path(folder).glob(parcel_prefix(process) + "*"):
            path.unlink(missing_ok=True)


def _write(folder: str | None, value: object) -> str:
    descriptor, path = tempfile.mkstemp(prefix=parcel_prefix(os.getpid()), dir=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            write_value(file, value, checked=False)
    except OSError:
        os.unlink(path)
        raise
    return path


def send(stream: IO[bytes], message: object) -> None:
    """Write a message with its length before it."""
    data = pickle.dumps(message, protocol=5)
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Read a message; raises ``EOFError`` where the other side is gone."""
    header = stream.read(_LENGTH.size)
    if len(header) < _LENGTH.size:
        raise EOFError
    data = stream.read(_LENGTH.unpack(header)[0])
    return pickle.loads(data)


def serve() -> None:
    """Answer each triple of loading, reference and preparer until input ends.

    The first message says that it is ready. An answer is ("scene", ``PackedScene``) or ("error", exception,
    traceback).
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(5)
    # The process that people started tells it already.
    logging.getLogger("gym_batchnav.jit").setLevel(logging.ERROR)
    # Whatever a library prints must not get between the messages.
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    send(output, "ready")
    while True:
        try:
            request = receive(sys.stdin.buffer)
        except EOFError:
            return
        answer = _answer(request)
        try:
            send(output, answer)
        except BrokenPipeError:
            if isinstance(answer[1], PackedScene):
                answer[1].delete()
            return


def _answer(request: bytes) -> tuple[Any, ...]:
    try:
        loading, ref, preparer = pickle.loads(request)
        return ("scene", pack_scene(loading.load(ref, preparer)))
    except Exception as error:
        trace = traceback.format_exc()
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            return ("error", None, trace)
        return ("error", error, trace)
