"""Shapes that furniture is made of, in whole millimetres."""

from __future__ import annotations

from .lathe import lathe
from .leaves import leaves
from .shape import Shape, join, mirrored, moved, tilted, tipped, turned
from .soft import cloth, cushion, folds
from .solids import cuboid, prism, rounded_box, slab
from .tube import tube

__all__ = [
    "Shape",
    "cloth",
    "cuboid",
    "cushion",
    "folds",
    "join",
    "lathe",
    "leaves",
    "mirrored",
    "moved",
    "prism",
    "rounded_box",
    "slab",
    "tilted",
    "tipped",
    "tube",
    "turned",
]
