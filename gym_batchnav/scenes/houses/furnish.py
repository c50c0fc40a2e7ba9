"""Which rooms are furnished how."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

from .furniture import Decor
from .passable import is_passable
from .placing import RoomPlacer
from .plan import RoomKind
from .rooms import baths, bedrooms, halls, kitchens, lounges
from .rooms.finish import add_finish

_TRIES = (100, 100, 6, 4, 3, 2)
"""How many pieces each try may put, so that small rooms become passable in the end."""
Recipe = Callable[[RoomPlacer, Decor], bool]


def furnish(placer: RoomPlacer, decor: Decor) -> bool:
    """Fill the room of ``placer``; False where what makes it that kind of room does not fit."""
    mark, things = placer.mesh.mark(), len(placer.footprints)
    for most in _TRIES:
        trial = placer.again(most)
        if _RECIPES[placer.room.kind](trial, decor):
            add_finish(trial, decor)
            if is_passable(placer.room, placer.openings, placer.near(things)):
                placer.taken[:] = trial.taken
                return True
        placer.mesh.undo(mark)
        del placer.footprints[things:]
    return False


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
