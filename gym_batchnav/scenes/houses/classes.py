"""Semantic classes of the built-in houses: the names of Matterport3D (mpcat40), in its order."""

from __future__ import annotations

CLASS_NAMES = (
    *("void", "wall", "floor", "chair", "door", "table", "picture", "cabinet", "cushion", "window", "sofa"),
    *("bed", "curtain", "chest_of_drawers", "plant", "sink", "stairs", "ceiling", "toilet", "stool", "towel"),
    *("mirror", "tv_monitor", "shower", "column", "bathtub", "counter", "fireplace", "lighting", "beam"),
    *("railing", "shelving", "blinds", "gym_equipment", "seating", "board_panel", "furniture", "appliances"),
    *("clothes", "objects", "misc"),
)
"""All classes; ``"void"`` is nothing."""
