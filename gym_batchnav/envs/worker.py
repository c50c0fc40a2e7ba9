"""Process that prepares scenes: reads references from its input, writes prepared scenes into shared memory.

Started as ``python -c``, not through ``multiprocessing``, so that the user's main module is never imported
again (scripts without a ``__main__`` guard, notebooks and ``python -`` all work), and so that it ends by
itself when its parent does.
"""

from __future__ import annotations

import mmap
import os
import pickle
import signal
import struct
import sys
import tempfile
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol

from batchnav_renderer.prepare import PreparedScene, Preparer

from ..nav import NavMesh, navmesh_for
from ..scenes import Scene

_LENGTH = struct.Struct("<Q")
_ALIGNMENT = 64
_SHARED_MEMORY = "/dev/shm"


class Loadable(Protocol):
    """A scene that is not loaded yet (``gym_batchnav.scenes.SceneRef``)."""

    @property
    def scene_id(self) -> str:
        """Stable name."""

    def load(self) -> Scene:
        """Make or read the scene."""


@dataclass(frozen=True, slots=True)
class LoadedScene:
    """A scene that is ready for use."""

    scene_id: str
    """Its stable name."""
    ground: NavMesh
    """Its navigation mesh with the corner tables."""
    prepared: PreparedScene | None
    """What the renderer takes; None for blind agents."""


def load(ref: Loadable, preparer: Preparer | None = None) -> LoadedScene:
    """Load a scene and do all that is to do before it can be walked in and handed to the renderer."""
    scene = ref.load()
    prepared = None if preparer is None else preparer(scene.arrays)
    return LoadedScene(scene.scene_id, navmesh_for(scene).prepare(), prepared)


def pack_scene(loaded: LoadedScene) -> PackedScene:
    """Put a scene into shared memory."""
    prepared = None if loaded.prepared is None else pack(loaded.prepared)
    return PackedScene(loaded.scene_id, pack(loaded.ground), prepared)


def unpack_scene(packed: PackedScene) -> LoadedScene:
    """The scene; the files are deleted, their memory is free when the arrays are."""
    prepared = None if packed.prepared is None else unpack(packed.prepared)
    return LoadedScene(packed.scene_id, unpack(packed.ground), prepared)


@dataclass(frozen=True, slots=True)
class Parcel:
    """A pickle whose large arrays lie in a file that the receiver maps and deletes."""

    path: str
    head: bytes
    spans: tuple[tuple[int, int], ...]
    """(offset, length) of each array in the file, bytes."""


@dataclass(frozen=True, slots=True)
class PackedScene:
    """A loaded scene in two parcels, so that the renderer's part is freed once it is on the device."""

    scene_id: str
    ground: Parcel
    prepared: Parcel | None

    def delete(self) -> None:
        """Delete the files of a scene that nobody will unpack."""
        for parcel in (self.ground, self.prepared):
            if parcel is not None:
                Path(parcel.path).unlink(missing_ok=True)


def pack(value: object) -> Parcel:
    """Pickle ``value``, its arrays into a file in shared memory (or, where that is full, on disk)."""
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    views = [buffer.raw() for buffer in buffers]
    try:
        return _write(_SHARED_MEMORY if os.path.isdir(_SHARED_MEMORY) else None, head, views)
    except OSError:
        return _write(None, head, views)


def parcel_prefix(process: int) -> str:
    """How the names of a worker's files begin."""
    return f"batchnav-scene-{process}-"


def remove_parcels(process: int) -> None:
    """Delete what a worker that was killed has left in shared memory or on disk."""
    for folder in (_SHARED_MEMORY, tempfile.gettempdir()):
        for path in Path(folder).glob(parcel_prefix(process) + "*"):
            path.unlink(missing_ok=True)


def _write(folder: str | None, head: bytes, views: list[memoryview]) -> Parcel:
    descriptor, path = tempfile.mkstemp(prefix=parcel_prefix(os.getpid()), dir=folder)
    spans: list[tuple[int, int]] = []
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(bytes(_ALIGNMENT))
            for view in views:
                spans.append((file.tell(), view.nbytes))
                file.write(view)
                file.write(bytes(-file.tell() % _ALIGNMENT))
    except OSError:
        os.unlink(path)
        raise
    return Parcel(path, head, tuple(spans))


def unpack(parcel: Parcel) -> Any:
    """The value of a parcel; its arrays are writable private maps of the file, which is deleted."""
    with open(parcel.path, "rb") as file:
        memory = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
    Path(parcel.path).unlink()
    return pickle.loads(parcel.head, buffers=[memory[at : at + size] for at, size in parcel.spans])


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
    """Answer each pair of reference and preparer until input ends.

    An answer is ("scene", ``PackedScene``) or ("error", exception, traceback).
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(5)
    # Whatever a library prints must not get between the messages.
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
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
        return ("scene", pack_scene(load(*pickle.loads(request))))
    except Exception as error:
        trace = traceback.format_exc()
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            return ("error", None, trace)
        return ("error", error, trace)
