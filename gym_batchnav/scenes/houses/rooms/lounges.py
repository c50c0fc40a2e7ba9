"""Living rooms, and rooms that are that and more."""

from __future__ import annotations

from ..furniture import Decor, Piece, lamps, media, plants, rugs, shelves, sofas, tables
from ..furniture import cases as cupboards
from ..mesh import QUARTER_TURNS, Place, Turn
from ..placing import WALL_GAP, RoomPlacer, Spot
from ..plan import Rect
from .bedrooms import sleeping_place
from .kitchens import dining_place, kitchen_line
from .small import small_things

_VIEW = 2300
"""Good distance of a sofa's back from the front of the television, past the sofa's depth."""
_ASKEW = (Turn(4, 3, 5), Turn(-4, 3, 5), Turn(12, -5, 13), Turn(-3, -4, 5), Turn(24, 7, 25), Turn(5, 12, 13))


def living(placer: RoomPlacer, decor: Decor) -> bool:
    """A sofa that faces the television, a table on a rug between them, shelves, more in large rooms."""
    complete = sitting_place(placer, decor)
    area = placer.inner.area
    if area > 24_000_000:
        dining_place(placer, decor, 4 if area < 30_000_000 else 6)
    _along_the_walls(placer, decor, area)
    if 17_000_000 < area <= 24_000_000 and decor.dice.chance(60):
        dining_place(placer, decor, 4)
    return complete


def _along_the_walls(placer: RoomPlacer, decor: Decor, area: int) -> None:
    dice = decor.dice
    for _ in range(1 if area < 18_000_000 else 2):
        shelf = shelves.bookshelf(decor, dice.between(800, 1400, 100), dice.between(1700, 2200, 50))
        placer.at_wall(shelf, prefer=dice.pick(("corner", "any")))
    if area > 14_000_000 and dice.chance(70):
        placer.at_wall(cupboards.sideboard(decor), prefer="middle")
    if area > 26_000_000:
        placer.at_wall(shelves.bookshelf(decor, dice.between(900, 1400, 100), dice.pick((850, 1150))))
        placer.askew(sofas.armchair(decor), dice.pick(_ASKEW))
    placer.at_wall(plants.floor_plant(decor), prefer="corner")
    small_things(placer, decor, 1 + area // 12_000_000)


def sitting_place(placer: RoomPlacer, decor: Decor) -> bool:
    """Television, sofa, table, rug and chairs; without a television where it does not fit."""
    dice = decor.dice
    area = placer.inner.area
    width = dice.pick((2000, 2200, 2400)) if area > 14_000_000 else dice.pick((1600, 1700, 1800))
    corner = dice.pick((-1, 1)) if area > 17_000_000 and dice.chance(35) else 0
    for corner_now, width_now in ((corner, width), (0, 1600)):
        sofa = sofas.sofa(decor, width_now, corner=corner_now)
        for side in dice.shuffled((0, 1, 2, 3)):
            stand = media.tv_stand(decor, dice.between(1300, 2000, 100) if area > 13_000_000 else 1200)
            middle = sum(placer.inner.span(side)) // 2 - stand.half
            spots = sorted(placer.fits(stand, side), key=lambda low: abs(low - middle))
            for low in spots[:: max(len(spots) // 6, 1)]:
                if _face(placer, decor, Spot(side, low), stand, sofa, corner_now):
                    return True
    return _sofa_alone(placer, decor)


def _sofa_alone(placer: RoomPlacer, decor: Decor) -> bool:
    """A sofa at any wall, a smaller one or a chair where there is little room; a television elsewhere."""
    for width in (1800, 1500):
        sofa = sofas.sofa(decor, width)
        spot = placer.at_wall(sofa, prefer="middle")
        if spot is not None:
            _before_sofa(placer, decor, placer.place_at(spot.side, spot.low + sofa.half, WALL_GAP), sofa, 0)
            placer.at_wall(media.tv_stand(decor, 1200), prefer="middle")
            return True
    return placer.at_wall(sofas.armchair(decor)) is not None


def _face(placer: RoomPlacer, decor: Decor, spot: Spot, stand: Piece, sofa: Piece, corner: int) -> bool:
    """Put the television at a spot and the sofa before it, at the wall behind or free in a large room."""
    inner = placer.inner
    across = inner.depth if spot.side % 2 == 0 else inner.width
    gap = across - stand.depth - sofa.depth - 40
    centre = spot.low + stand.half
    place = _at_wall_behind(placer, spot, stand, sofa, centre) if 1000 <= gap < _VIEW + 900 else None
    far = across
    if place is None:
        far = stand.depth + min(_VIEW, gap - 750) + 920
        if far < stand.depth + sofa.depth + 900:
            return False
        turn = QUARTER_TURNS[(spot.side + 2) % 4]
        place = placer.place_at(spot.side, centre, far)._replace(turn=turn)
        if not placer.can_stand(sofa, place):
            return False
        placer.put(stand, spot)
        if not placer.stand(sofa, place):
            return False
    if corner:
        end, middle = corner * sofa.half, corner * (sofa.half - sofa.width * 43 // 100)
        placer.carve(place, [(-sofa.half, 0, sofa.half, 920), (end, 920, middle, sofa.depth)])
    _before_sofa(placer, decor, place, sofa, corner)
    # Nothing else between the seats and the television.
    placer.reserved.append(inner.strip(spot.side, centre - 700, centre + 700, far))
    return True


def _at_wall_behind(placer: RoomPlacer, spot: Spot, stand: Piece, sofa: Piece, centre: int) -> Place | None:
    """Put television and sofa at opposite walls; returns the sofa's place, None where it does not fit."""
    other = (spot.side + 2) % 4
    lows = [low for low in placer.fits(sofa, other) if abs(low + sofa.half - centre) < 600]
    if not lows:
        return None
    low = min(lows, key=lambda low: abs(low + sofa.half - centre))
    placer.put(stand, spot)
    placer.put(sofa, Spot(other, low))
    return placer.place_at(other, low + sofa.half, WALL_GAP)


def _before_sofa(placer: RoomPlacer, decor: Decor, place: Place, sofa: Piece, corner: int) -> None:
    """Rug, coffee table, armchairs, and a lamp beside the sofa."""
    dice = decor.dice
    table = tables.coffee_table(decor)
    shift = -corner * sofa.width * 21 // 100
    ahead = 920 + dice.between(380, 450, 10)

    def at(x: int, z: int, turn: Turn = QUARTER_TURNS[0]) -> Place:
        c, s, d = place.turn
        both = Turn(c * turn.c - s * turn.s, s * turn.c + c * turn.s, d * turn.d)
        return Place(*place.apply(x, z), both, place.y)

    _rug(placer, decor, place, sofa.width)
    placed = placer.stand(table, at(shift, ahead), overlap=400)
    for side in dice.shuffled((-1, 1))[: 1 if placer.inner.area < 20_000_000 else 2]:
        if corner == side or not placed:
            continue
        chair = sofas.armchair(decor)
        back = at(side * (table.half + 900) + shift, ahead + 700, Turn(0, side))
        placer.stand(chair, back, lane=60)
    for side, make in zip(dice.shuffled((-1, 1)), (lamps.floor_lamp, tables.side_table), strict=True):
        beside = make(decor)
        placer.stand(beside, at(side * (sofa.half + 40 + beside.half), 60))


def _rug(placer: RoomPlacer, decor: Decor, place: Place, width: int) -> None:
    """A rug that reaches a little under the sofa, within the room."""
    half = min(width // 2 + 150, 1400)
    ends = [place.apply(x, z) for x, z in ((-half, 700), (half, 2250))]
    free = placer.inner.grown(-120)
    x0, x1 = sorted(min(max(x, free.x0), free.x1) for x, _ in ends)
    z0, z1 = sorted(min(max(z, free.z0), free.z1) for _, z in ends)
    rect = Rect(x0, z0, x1, z1)
    doors = [opening for opening in placer.openings if opening.kind != "window"]
    swings = [placer.inner.strip(door.side, door.low, door.high, 300) for door in doors]
    if rect.width > 1000 and rect.depth > 1000 and not any(rect.overlaps(way) for way in swings):
        placer.lay(rect, lambda brush, x, z: rugs.rug(brush, decor, x, z))


def great_room(placer: RoomPlacer, decor: Decor) -> bool:
    """A kitchen, a place to dine and a place to sit in one room."""
    complete = kitchen_line(placer, decor, most=6) and sitting_place(placer, decor)
    area = placer.inner.area
    dining_place(placer, decor, 4 if area < 34_000_000 else 6)
    _along_the_walls(placer, decor, area // 2)
    return complete


def studio(placer: RoomPlacer, decor: Decor) -> bool:
    """A small kitchen, a bed and a place to sit in one room."""
    complete = kitchen_line(placer, decor, most=4)
    complete = complete and sleeping_place(placer, decor, double=placer.inner.area > 24_000_000)
    placer.at_wall(cupboards.wardrobe(decor, 2), prefer="corner")
    if not sitting_place(placer, decor):
        placer.at_wall(sofas.armchair(decor), prefer="any")
    dining_place(placer, decor, 2)
    small_things(placer, decor, 2)
    return complete
