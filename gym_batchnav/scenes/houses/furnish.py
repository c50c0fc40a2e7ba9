"""What stands in which kind of room."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

from .dice import Dice
from .furniture import Piece, bathroom, decoration, kitchen, sitting, sleeping, storage, tables
from .mesh import Turn
from .palette import Style
from .placing import RoomPlacer
from .plan import RoomKind

_ASKEW = (Turn(4, 3, 5), Turn(-4, 3, 5), Turn(12, -5, 13), Turn(-3, -4, 5), Turn(24, 7, 25), Turn(5, 12, 13))
_SMALL: tuple[Callable[[Dice, Style], Piece], ...] = (
    decoration.plant,
    decoration.floor_lamp,
    decoration.plant,
    decoration.toys,
)


def furnish(placer: RoomPlacer, style: Style) -> bool:
    """Fill the room of ``placer``; False where what makes it that kind of room does not fit."""
    return _RECIPES[placer.room.kind](placer, style)


def _living(placer: RoomPlacer, style: Style) -> bool:
    dice = placer.dice
    placer.at_wall(storage.tv_stand(dice, style), prefer="middle")
    large = placer.room.inner.area > 18_000_000
    complete = large and placer.in_middle(sitting.sofa_group(dice, style, free=True))
    if not complete:
        complete = placer.at_wall(sitting.sofa_group(dice, style, free=False), prefer="middle") is not None
    if placer.room.inner.area > 22_000_000:
        placer.in_middle(tables.dining_set(dice, style))
    for _ in range(dice.between(1, 2)):
        placer.at_wall(storage.bookshelf(dice, style), prefer=dice.pick(("corner", "any")))
    for _ in range(dice.between(1, 2)):
        placer.askew(sitting.armchair(dice, style), dice.pick(_ASKEW))
    if dice.chance(50):
        placer.at_wall(storage.sideboard(dice, style))
    _small_things(placer, style, dice.between(1, 3))
    return complete


def _kitchen(placer: RoomPlacer, style: Style) -> bool:
    dice = placer.dice
    complete = any(
        placer.at_wall(kitchen.counter(dice, style, units), prefer="corner") is not None
        for units in range(dice.between(5, 6), 2, -1)
    )
    if not placer.in_middle(tables.dining_set(dice, style)) and dice.chance(80):
        placer.in_middle(kitchen.island(dice, style))
    if dice.chance(50):
        placer.at_wall(storage.sideboard(dice, style))
    _small_things(placer, style, 1)
    return complete


def _dining(placer: RoomPlacer, style: Style) -> bool:
    dice = placer.dice
    complete = placer.in_middle(tables.dining_set(dice, style), lane=400)
    placer.at_wall(storage.sideboard(dice, style), prefer="middle")
    placer.at_wall(storage.bookshelf(dice, style), prefer="corner")
    _small_things(placer, style, 2)
    return complete


def _bedroom(placer: RoomPlacer, style: Style) -> bool:
    dice = placer.dice
    double = placer.room.inner.area > 9_000_000 and dice.chance(75)
    complete = placer.at_wall(sleeping.bed(dice, style, double=double), prefer="middle") is not None
    if not complete:
        complete = placer.at_wall(sleeping.bed(dice, style, double=False), prefer="corner") is not None
    placer.at_wall(sleeping.wardrobe(dice, style), prefer="corner")
    if placer.room.inner.area > 11_000_000 and dice.chance(60):
        placer.at_wall(tables.desk(dice, style))
    if dice.chance(70):
        placer.at_wall(sleeping.dresser(dice, style))
    if placer.room.inner.area > 14_000_000:
        placer.askew(sitting.armchair(dice, style), dice.pick(_ASKEW))
    _small_things(placer, style, dice.between(0, 2))
    return complete


def _bath(placer: RoomPlacer, style: Style) -> bool:
    dice = placer.dice
    tub = bathroom.bathtub if dice.chance(60) else bathroom.shower
    placer.at_wall(tub(dice, style), prefer="corner")
    placer.at_wall(bathroom.vanity(dice, style))
    complete = placer.at_wall(bathroom.toilet(dice, style)) is not None
    if dice.chance(60):
        placer.at_wall(bathroom.washer(dice, style), prefer="corner")
    if dice.chance(60):
        placer.at_wall(bathroom.laundry_basket(dice, style), prefer="corner")
    return complete


def _study(placer: RoomPlacer, style: Style) -> bool:
    dice = placer.dice
    complete = placer.at_wall(tables.desk(dice, style), prefer="middle") is not None
    for _ in range(dice.between(1, 3)):
        placer.at_wall(storage.bookshelf(dice, style))
    placer.askew(sitting.armchair(dice, style), dice.pick(_ASKEW))
    _small_things(placer, style, dice.between(1, 2))
    return complete


def _hall(placer: RoomPlacer, style: Style) -> bool:
    dice = placer.dice
    if dice.chance(80):
        placer.at_wall(storage.shoe_cabinet(dice, style))
    if dice.chance(60):
        placer.at_wall(storage.coat_rack(dice, style))
    return True


def _storage(placer: RoomPlacer, style: Style) -> bool:
    dice = placer.dice
    for _ in range(2):
        placer.at_wall(storage.metal_shelf(dice, style))
    placer.at_wall(bathroom.washer(dice, style), prefer="corner")
    placer.at_wall(storage.boxes(dice, style), prefer="corner")
    return True


def _great_room(placer: RoomPlacer, style: Style) -> bool:
    return _kitchen(placer, style) and _living(placer, style)


def _studio(placer: RoomPlacer, style: Style) -> bool:
    dice = placer.dice
    complete = any(
        placer.at_wall(kitchen.counter(dice, style, units), prefer="corner") is not None for units in (4, 3)
    )
    complete &= placer.at_wall(sleeping.bed(dice, style, double=False), prefer="corner") is not None
    placer.at_wall(sleeping.wardrobe(dice, style), prefer="corner")
    placer.at_wall(sitting.sofa_group(dice, style, free=False), prefer="middle")
    _small_things(placer, style, 2)
    return complete


def _small_things(placer: RoomPlacer, style: Style, count: int) -> None:
    for _ in range(count):
        placer.at_wall(placer.dice.pick(_SMALL)(placer.dice, style), prefer="corner")


_RECIPES: MappingProxyType[RoomKind, Callable[[RoomPlacer, Style], bool]] = MappingProxyType(
    {
        "living": _living,
        "kitchen": _kitchen,
        "dining": _dining,
        "bedroom": _bedroom,
        "bath": _bath,
        "study": _study,
        "hall": _hall,
        "storage": _storage,
        "great_room": _great_room,
        "studio": _studio,
    }
)
