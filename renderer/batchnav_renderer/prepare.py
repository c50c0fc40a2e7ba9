"""What a backend works out of a scene before it adds it; done in any process, and handed over as data."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from .types import SceneArrays


class ByteStore(Protocol):
    """Keeps what takes long to derive from a scene, under the hash of what it was derived from.

    A ``dict[str, bytes]`` is one.
    """

    def get(self, key: str, /) -> bytes | None:
        """The bytes kept under a key; None for none."""

    def __setitem__(self, key: str, value: bytes, /) -> None:
        """Keep bytes."""


@dataclass(frozen=True, slots=True)
class FolderStore:
    """A byte store of one file a key, which processes may share; picklable."""

    folder: Path
    """Where the files lie; made when the first one is."""

    def get(self, key: str, /) -> bytes | None:
        """The bytes kept under a key; None for none."""
        try:
            return (self.folder / key).read_bytes()
        except FileNotFoundError:
            return None

    def __setitem__(self, key: str, value: bytes, /) -> None:
        """Keep bytes; a reader sees all of them or none."""
        self.folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=self.folder)
        with os.fdopen(handle, "wb") as file:
            file.write(value)
        os.replace(name, self.folder / key)


@dataclass(frozen=True, slots=True)
class PreparedScene:
    """A scene as one kind of renderer stores it; arrays and plain values alone, so that it can be pickled."""

    kind: str
    """The backend and the settings that it was made for."""
    payload: Any
    """What the backend's ``add_scene`` takes."""
    num_triangles: int
    """Triangles of the scene."""


@dataclass(frozen=True, slots=True)
class Preparer:
    """Prepares scenes for all renderers of one kind; picklable, and free of GL and of any device."""

    kind: str
    """The backend and the settings that matter."""
    function: Callable[..., Any]
    """The backend's part; takes the scene, and ``store`` where it ``derives``."""
    derives: bool = False
    """Whether it derives something that is worth keeping, such as a tree."""

    def __call__(self, arrays: SceneArrays) -> PreparedScene:
        """Do all of the work of ``BatchRenderer.add_scene`` that needs no device."""
        return PreparedScene(self.kind, self.function(arrays), arrays.num_triangles)

    def keeping(self, store: ByteStore) -> Preparer:
        """The same preparer, which keeps what it derives in ``store`` and looks there first.

        A backend that derives nothing leaves the store alone.
        """
        return replace(self, function=partial(self.function, store=store)) if self.derives else self
