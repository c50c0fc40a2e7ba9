"""Kitchens and dining rooms."""

from __future__ import annotations

from ..furniture import Decor, Piece, plants, rugs, shelves, tables
from ..furniture import cases as cupboards
from ..furniture import kitchen as line
from ..mesh import Place
from ..placing import WALL_GAP, RoomPlacer, Spot
from ..plan import Rect
from .small import small_things


def kitchen(placer: RoomPlacer, decor: Decor) -> bool:
    """Units along one wall or two, a table or an island in what is left."""
    dice = decor.dice
    area = placer.inner.area
    complete = kitchen_line(placer, decor, most=7 if area > 11_000_000 else 5)
    island = area > 12_000_000 and dice.chance(40) and placer.in_middle(line.island(decor)) is not None
    if not island or area > 17_000_000:
        dining_place(placer, decor, 6 if area > 17_000_000 else 4)
    if area > 13_000_000 and dice.chance(60):
        placer.at_wall(cupboards.sideboard(decor))
    if area > 18_000_000:
        placer.at_wall(shelves.bookshelf(decor, dice.between(800, 1000, 100), dice.pick((1150, 1900))))
    small_things(placer, decor, 1 + area // 12_000_000)
    return complete


def kitchen_line(placer: RoomPlacer, decor: Decor, *, most: int) -> bool:
    """Units along a wall, round a corner where there is room; under windows where they are."""
    dice = decor.dice
    for count in range(most, 2, -1):
        probe = Piece(count * line.UNIT, line.REACH, line.WORKTOP, lambda brush: None, front=850)
        spots = [
            Spot(side, low)
            for side in range(4)
            for low in placer.fits(probe, side)
            if not _fridge_before_window(placer, side, low, probe.width)
        ]
        if not spots:
            continue
        spot = max(spots, key=lambda spot: (_merit(placer, spot, probe.width), dice.below(1000)))
        fridge_low = _put_line(placer, decor, spot, count)
        if placer.inner.area > 9_000_000 and count >= 4:
            _second_line(placer, decor, spot, probe.width, from_low=not fridge_low)
        return True
    return False


def _merit(placer: RoomPlacer, spot: Spot, width: int) -> int:
    """Corners are good for a line of units, windows above it even better."""
    low, high = placer.inner.span(spot.side)
    in_corner = min(spot.low - low, high - spot.low - width) < 60
    window = any(
        opening.side == spot.side
        and opening.kind == "window"
        and spot.low < opening.low
        and opening.high < spot.low + width
        for opening in placer.openings
    )
    return 2 * in_corner + window


def _ends_at_window(placer: RoomPlacer, side: int, span: tuple[int, int]) -> bool:
    return any(
        opening.side == side and opening.kind == "window" and span[0] < opening.high and opening.low < span[1]
        for opening in placer.openings
    )


def _fridge_before_window(placer: RoomPlacer, side: int, low: int, width: int) -> bool:
    """Whether both ends of a line are before windows, so that no refrigerator can stand there."""
    ends = ((low, low + line.UNIT), (low + width - line.UNIT, low + width))
    return all(_ends_at_window(placer, side, end) for end in ends)


def _put_line(placer: RoomPlacer, decor: Decor, spot: Spot, count: int) -> bool:
    """Draw a line with its refrigerator at an end without a window, the sink below a window.

    Returns:
        Whether the refrigerator is at the low end along the wall.
    """
    side, low = spot
    width = count * line.UNIT
    windows = _windows(placer, side, low, width)
    ends = [
        _ends_at_window(placer, side, (low, low + line.UNIT)),
        _ends_at_window(placer, side, (low + width - line.UNIT, low + width)),
    ]
    if side in (2, 3):
        ends.reverse()
    at_wall = [low - placer.inner.span(side)[0] < 60, placer.inner.span(side)[1] - low - width < 60]
    if side in (2, 3):
        at_wall.reverse()
    first = not ends[0] and (ends[1] or at_wall[1] or decor.dice.chance(50))
    units = line.plan_units(decor, count, fridge_first=first, windows=windows)
    placer.put(line.line(decor, units, windows, _sill(placer, side)), spot)
    return first == (side in (0, 1))


def _sill(placer: RoomPlacer, side: int) -> int:
    """Height of the lowest window of a side."""
    return min([o.bottom for o in placer.openings if o.side == side and o.kind == "window"], default=2000)


def _windows(placer: RoomPlacer, side: int, low: int, width: int) -> tuple[tuple[int, int], ...]:
    """Windows of a side in the frame of a line: from its left end as seen from the room."""
    found = []
    for opening in placer.openings:
        if opening.side == side and opening.kind == "window":
            start, end = opening.low - low, opening.high - low
            if side in (2, 3):
                start, end = width - end, width - start
            if end > -80 and start < width + 80:
                found.append((start - 70, end + 70))
    return tuple(found)


def _second_line(placer: RoomPlacer, decor: Decor, spot: Spot, width: int, *, from_low: bool) -> None:
    """More units at the wall around the corner at the low or the high end, without tall ones."""
    inner = placer.inner
    low, high = inner.span(spot.side)
    ends = []
    if from_low and spot.low - low < 60:
        ends.append(3 if spot.side % 2 == 0 else 0)
    if not from_low and high - spot.low - width < 60:
        ends.append(1 if spot.side % 2 == 0 else 2)
    start = line.REACH + WALL_GAP
    kept = placer.reserved[-1]  # The space before the first line, which `put` has added last.
    for other in decor.dice.shuffled(ends):
        near_low = spot.side in (0, 3)
        for count in (3, 2):
            wide = count * line.UNIT
            first, last = inner.span(other)
            at = first + start if near_low else last - start - wide
            probe = Piece(wide, line.REACH, line.WORKTOP, lambda brush: None, front=700)
            if _free_but(placer, probe, other, at, kept):
                units: list[line.Unit] = ["door", "drawers", "door"][:count]  # type: ignore[assignment]
                windows = _windows(placer, other, at, wide)
                placer.put(line.line(decor, units, windows, _sill(placer, other)), Spot(other, at))
                return


def _free_but(placer: RoomPlacer, probe: Piece, side: int, low: int, kept: Rect) -> bool:
    """Whether a piece fits at a place if it were not for the space ``kept`` before another."""
    placer.reserved.remove(kept)
    rect = placer.inner.strip(side, low, low + probe.width, probe.depth + WALL_GAP)
    way = placer.inner.strip(side, low, low + probe.width, probe.depth + probe.front)
    free = placer.inside(rect.grown(-WALL_GAP)) and placer.is_free(rect)
    free = free and not any(way.overlaps(other) for other in placer.taken)
    placer.reserved.append(kept)
    return free


def dining_place(placer: RoomPlacer, decor: Decor, seats: int) -> bool:
    """A table with chairs, smaller where there is less room; its lamp hangs above it."""
    for count in range(seats, 1, -2):
        for lane in (placer.lane, 420, 280):
            piece = tables.dining_set(decor, max(count, 2))
            place = placer.in_middle(piece, lane=lane)
            if place is not None:
                centre = place.apply(0, piece.depth // 2)
                placer.tables.append(centre)
                if decor.dice.chance(35):
                    _rug_below(placer, decor, place, piece)
                return True
    return False


def _rug_below(placer: RoomPlacer, decor: Decor, place: Place, piece: Piece) -> None:
    x, z = (-piece.half + 60, piece.half - 60), (60, piece.depth - 60)
    placer.lay_at(place, x, z, lambda brush, x, z: rugs.rug(brush, decor, x, z))


def dining(placer: RoomPlacer, decor: Decor) -> bool:
    """A long table, a sideboard, a shelf or a cabinet."""
    area = placer.inner.area
    complete = dining_place(placer, decor, 8 if area > 20_000_000 else 6 if area > 11_000_000 else 4)
    placer.at_wall(cupboards.sideboard(decor), prefer="middle")
    placer.at_wall(shelves.bookshelf(decor, decor.dice.between(800, 1200, 100), 1900), prefer="corner")
    placer.at_wall(plants.floor_plant(decor), prefer="corner")
    small_things(placer, decor, 1)
    return complete
