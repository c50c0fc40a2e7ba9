"""Shapes that furniture is made of, in whole millimetres."""

from __future__ import annotations

from .lathe import Profile, lathe
from .leaves import leaves
from .loft import loft
from .shape import Shape, join, mirrored, moved, tilted, tipped, turned
from .soft import cloth, cushion, folds
from .solids import cuboid, panel, prism, rounded_box, sheet, slab, soft_box
from .tube import tube

__all__ = [
    "Profile",
    "Shape",
    "cloth",
    "cuboid",
    "cushion",
    "folds",
    "join",
    "lathe",
    "leaves",
    "loft",
    "mirrored",
    "moved",
    "panel",
    "prism",
    "rounded_box",
    "sheet",
    "slab",
    "soft_box",
    "tilted",
    "tipped",
    "tube",
    "turned",
]
