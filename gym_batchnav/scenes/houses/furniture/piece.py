"""What a piece of furniture is to the one who places it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..brush import Brush


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece in its frame: x from -width/2 to width/2, z from 0 (back) to depth (front), mm."""

    width: int
    depth: int
    height: int
    draw: Callable[[Brush], None]
    front: int = 0
    """Space to keep free before it."""
    sill: int | None = None
    """Lowest lower edge of a window before which it may stand; None for its height."""
    class_name: str = "furniture"
    """Semantic class, out of ``CLASS_NAMES``."""

    @property
    def half(self) -> int:
        """Half of the width."""
        return self.width // 2
