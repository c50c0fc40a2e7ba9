"""What a backend works out of a scene before it adds it; done in any process, and handed over as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .types import SceneArrays


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
    function: Callable[[SceneArrays], Any]
    """The backend's part."""

    def __call__(self, arrays: SceneArrays) -> PreparedScene:
        """Do all of the work of ``BatchRenderer.add_scene`` that needs no device."""
        return PreparedScene(self.kind, self.function(arrays), arrays.num_triangles)
