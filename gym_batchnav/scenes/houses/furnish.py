"""Which rooms are furnished how."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

from .furniture import Decor
from .placing import RoomPlacer
from .plan import RoomKind
from .rooms import baths, bedrooms, halls, kitchens, lounges
from .rooms.finish import add_finish

Recipe = Callable[[RoomPlacer, Decor], bool]


def furnish(placer: RoomPlacer, decor: Decor) -> bool:
    """Fill the room of ``placer``; False where what makes it that kind of room does not fit."""
    if not _RECIPES[placer.room.kind](placer, decor):
        return False
    add_finish(placer, decor)
    return True


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
