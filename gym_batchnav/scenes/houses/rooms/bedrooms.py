"""Bedrooms and studies."""

from __future__ import annotations

from ..furniture import Decor, beds, plants, rugs, shelves, sofas, tables
from ..furniture import cases as cupboards
from ..mesh import Turn
from ..placing import RoomPlacer, Spot
from .small import small_things, toys

_ASKEW = (Turn(4, 3, 5), Turn(-4, 3, 5), Turn(12, -5, 13), Turn(-3, -4, 5), Turn(24, 7, 25), Turn(5, 12, 13))


def bedroom(placer: RoomPlacer, decor: Decor) -> bool:
    """A bed, a wardrobe, and a chest, a desk or a dressing table in what is left."""
    dice = decor.dice
    area = placer.inner.area
    child = area < 13_000_000 and dice.chance(40)
    complete = sleeping_place(placer, decor, double=not child and area > 8_500_000)
    for doors in (4, 3, 2) if area > 12_000_000 else (3, 2):
        if placer.at_wall(cupboards.wardrobe(decor, doors), prefer="corner"):
            break
    if child or (area > 13_000_000 and dice.chance(40)):
        desk_place(placer, decor)
    elif area > 11_000_000 and dice.chance(50):
        placer.at_wall(tables.dressing_table(decor))
    if area > 10_000_000 and dice.chance(75):
        placer.at_wall(cupboards.dresser(decor), prefer="middle")
    if child:
        placer.at_wall(shelves.bookshelf(decor, 800, dice.pick((800, 1150, 1500))))
        toys(placer, decor)
    if area > 15_000_000:
        placer.askew(sofas.armchair(decor), dice.pick(_ASKEW))
    if area > 9_000_000 and dice.chance(60):
        placer.at_wall(plants.floor_plant(decor), prefer="corner")
    small_things(placer, decor, 2 if area > 12_000_000 else 1)
    return complete


def sleeping_place(placer: RoomPlacer, decor: Decor, *, double: bool) -> bool:
    """A bed with its head to the wall and a rug; a narrower one where there is less room."""
    dice = decor.dice
    choices = [(900, (dice.pick((-1, 1)),), "corner"), (900, (), "corner")]
    if double:
        wide = dice.pick((1600, 1800))
        choices = [(wide, (-1, 1), "middle"), (1400, (-1, 1), "middle"), (1400, (1,), "corner"), *choices]
    for width, sides, prefer in choices:
        piece = beds.bed(decor, width, sides)
        spot = placer.at_wall(piece, prefer="middle" if prefer == "middle" else "corner")
        if spot is not None:
            if dice.chance(55):
                _rug(placer, decor, spot, piece.width, piece.half)
            return True
    return placer.at_wall(beds.daybed(decor), prefer="corner") is not None


def _rug(placer: RoomPlacer, decor: Decor, spot: Spot, width: int, half: int) -> None:
    """A rug across the foot of the bed, wider than the bed where the room lets it."""
    low, high = placer.inner.span(spot.side)
    reach = min(width // 2 + 350, spot.low + half - low - 80, high - spot.low - half - 80)
    across = placer.inner.depth if spot.side % 2 == 0 else placer.inner.width
    if reach > 600 and across > 3200:
        place = placer.place_at(spot.side, spot.low + half, 0)
        end = min(beds.LENGTH + 550, across - 120)
        span = (beds.LENGTH - 900, end)
        placer.lay_at(place, (-reach, reach), span, lambda brush, x, z: rugs.rug(brush, decor, x, z))


def desk_place(placer: RoomPlacer, decor: Decor) -> bool:
    """A desk below a window where there is one, otherwise at a wall."""
    piece = tables.desk(decor)
    windows = [opening for opening in placer.openings if opening.kind == "window"]
    for window in decor.dice.shuffled(windows):
        lows = placer.fits(piece, window.side)
        middle = (window.low + window.high) // 2
        if lows:
            low = min(lows, key=lambda low: abs(low + piece.half - middle))
            if abs(low + piece.half - middle) < 500:
                placer.put(piece, Spot(window.side, low))
                return True
    return any(placer.at_wall(one) is not None for one in (piece, tables.desk(decor, tucked=True)))


def study(placer: RoomPlacer, decor: Decor) -> bool:
    """A desk, shelves with books and a chair to read in."""
    dice = decor.dice
    complete = desk_place(placer, decor)
    for _ in range(1 if placer.inner.area < 8_000_000 else 3):
        placer.at_wall(shelves.bookshelf(decor, dice.between(800, 1400, 100), dice.between(1800, 2200, 50)))
    if placer.inner.area > 9_000_000:
        placer.askew(sofas.armchair(decor), dice.pick(_ASKEW))
    placer.at_wall(plants.floor_plant(decor), prefer="corner")
    small_things(placer, decor, 1)
    return complete
