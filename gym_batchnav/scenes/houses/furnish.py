"""Which rooms are furnished how."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType

from .furniture import Decor
from .passable import is_passable
from .placing import RoomPlacer
from .plan import RoomKind
from .rooms import baths, bedrooms, halls, kitchens, lounges
from .rooms.finish import add_finish

_TRIES = (100, 100, 6, 4, 3, 2)
"""How many pieces each try may put, so that small rooms become passable in the end."""
_BUDGET = ((60_000, 3, 100), (50_000, 4, 4), (40_000, 7, 2))
"""Triangles of furniture after which the other rooms get less: pieces, and divisor of the clutter."""
Recipe = Callable[[RoomPlacer, Decor], bool]


def furnish(placer: RoomPlacer, decor: Decor) -> bool:
    """Fill the room of ``placer``; False where what makes it that kind of room does not fit."""
    mark, things = placer.mesh.mark(), len(placer.footprints)
    limit, decor = _within_budget(placer, decor)
    for most in _TRIES:
        trial = placer.again(min(most, limit))
        if _RECIPES[placer.room.kind](trial, decor):
            add_finish(trial, decor)
            if is_passable(placer.room, placer.openings, placer.near(things)):
                placer.taken[:] = trial.taken
                return True
        placer.mesh.undo(mark)
        del placer.footprints[things:]
    return False


def _within_budget(placer: RoomPlacer, decor: Decor) -> tuple[int, Decor]:
    """How many pieces the room may hold, and with how much lying about, after what stands in others."""
    so_far = placer.mesh.triangles_of_shapes
    for triangles, most, divisor in _BUDGET:
        if so_far > triangles:
            return most, replace(decor, clutter=decor.clutter // divisor)
    return _TRIES[0], decor


_RECIPES: MappingProxyType[RoomKind, Recipe] = MappingProxyType(
    {
        "living": lounges.living,
        "kitchen": kitchens.kitchen,
        "dining": kitchens.dining,
        "bedroom": bedrooms.bedroom,
        "bath": baths.bath,
        "study": bedrooms.study,
        "hall": halls.hall,
        "storage": halls.storage,
        "great_room": lounges.great_room,
        "studio": lounges.studio,
    }
)
