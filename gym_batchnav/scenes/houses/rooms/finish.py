"""What comes last into every room: curtains, radiators, pictures and lamps."""

from __future__ import annotations

from ..furniture import Decor, lamps, shelves, walls
from ..mesh import QUARTER_TURNS, Place
from ..placing import RoomPlacer
from ..plan import LINTEL, WALL_HEIGHT, Opening, Rect

_CURTAINED = ("living", "great_room", "studio", "bedroom", "dining", "study")
_PICTURED = (*_CURTAINED, "hall", "kitchen")
_EYE = 1550
"""Height of the middle of pictures."""


def add_finish(placer: RoomPlacer, decor: Decor) -> None:
    """Dress windows and walls, and hang the lamps."""
    for opening in placer.openings:
        if opening.kind == "window":
            _dress(placer, decor, opening)
    if placer.room.kind in _PICTURED:
        for side in range(4):
            _decorate(placer, decor, side)
    _hang_lamps(placer, decor)


def _dress(placer: RoomPlacer, decor: Decor, opening: Opening) -> None:
    """Curtains or a blind, and a radiator below."""
    middle, half = (opening.low + opening.high) // 2, (opening.high - opening.low) // 2
    span, room = (-half, half), placer.room.kind
    _radiator(placer, decor, opening, middle)
    low, high = opening.low - 265, opening.high + 265
    ends = placer.inner.span(opening.side)
    tall = any(
        side == opening.side and low < stretch[1] and stretch[0] < high and top > opening.bottom - 150
        for side, stretch, top in placer.backs
    )
    if decor.curtains < 2 and room in _CURTAINED and ends[0] < low and high < ends[1] and not tall:
        bottom = _hem(placer, opening, low, high)
        placer.backs.append((opening.side, (low, high), 2300))
        placer.hang(
            opening.side,
            middle,
            0,
            lambda brush: walls.curtains(brush, decor, span, LINTEL, bottom, net=decor.curtains == 1),
        )
    elif room not in ("hall", "storage") and not tall:
        drop = (LINTEL - opening.bottom) * decor.dice.between(15, 60) // 100
        blind = walls.slats if decor.curtains == 3 else walls.roller
        placer.hang(opening.side, middle, 0, lambda brush: blind(brush, decor, span, LINTEL, drop))


def _hem(placer: RoomPlacer, opening: Opening, low: int, high: int) -> int:
    """Height of the lower edge of curtains: near the floor where nothing stands there."""
    side = opening.side
    strips = [placer.inner.strip(side, low, low + 360, 150), placer.inner.strip(side, high - 360, high, 150)]
    if not all(placer.is_free(strip) for strip in strips):
        return opening.bottom - 130
    placer.taken += strips
    for strip in strips:
        placer.brush(Place(0, 0, y=placer.room.y), "curtain").block(
            (strip.x0, strip.x1), (strip.z0, strip.z1)
        )
    return 18


def _radiator(placer: RoomPlacer, decor: Decor, opening: Opening, middle: int) -> None:
    width = min(opening.high - opening.low - 100, 1300) // 96 * 96
    if opening.bottom < 690 or width < 380 or placer.room.kind == "storage":
        return
    strip = placer.inner.strip(opening.side, middle - width // 2 - 30, middle + width // 2 + 30, 140)
    if placer.is_free(strip):
        placer.taken.append(strip)
        placer.hang(opening.side, middle, 0, lambda brush: walls.radiator(brush, decor, width))


def _decorate(placer: RoomPlacer, decor: Decor, side: int) -> None:
    """Pictures, a mirror, a clock or a shelf on stretches of free wall."""
    dice = decor.dice
    for low, high in placer.free_wall(side, 1150, 2050):
        length = high - low - 240
        if length < 420 or not dice.chance(70 if length < 3000 else 90):
            continue
        seat = [
            (stretch[0] + stretch[1]) // 2
            for other, stretch, top in placer.backs
            if other == side and top <= 1150 and low <= stretch[0] and stretch[1] <= high
        ]
        centre = dice.pick(seat) if seat else (low + high) // 2
        room = min(length, 2 * min(centre - low, high - centre) - 240)
        if room >= 420:
            _on_wall(placer, decor, side, centre, room, lower=bool(seat))


def _on_wall(placer: RoomPlacer, decor: Decor, side: int, centre: int, room: int, *, lower: bool) -> None:
    dice = decor.dice
    kind = dice.below(10)
    free = placer.is_free(placer.inner.strip(side, centre - 500, centre + 500, 350)) or lower
    if kind == 0 and placer.room.kind in ("hall", "bedroom") and room > 700:
        placer.hang(side, centre, _EYE, lambda brush: walls.round_mirror(brush, decor))
    elif kind == 1 and placer.room.kind in ("kitchen", "living", "great_room", "study"):
        placer.hang(side, centre, 1750, lambda brush: walls.clock(brush, decor))
    elif kind < 4 and lower and room > 1400 and free and decor.clutter:
        shelf = shelves.wall_shelf(decor)
        y = 1420
        placer.hang(side, centre, y, lambda brush: shelf.draw(brush.part(shelf.class_name)))
    elif room > 1500 and kind < 7:
        _gallery(placer, decor, side, centre, room)
    else:
        width = min(dice.between(400, 900, 50), room)
        height = min(dice.between(400, 700, 50), width * 3 // 2)
        placer.hang(
            side, centre, _EYE + 60 - height // 2, lambda brush: walls.picture(brush, decor, width, height)
        )


def _gallery(placer: RoomPlacer, decor: Decor, side: int, centre: int, room: int) -> None:
    """Two or three pictures of one size side by side."""
    dice = decor.dice
    count = dice.between(2, 3)
    width = min(dice.between(300, 500, 50), room // count - 100)
    height = dice.between(400, 650, 50)
    for number in range(count):
        x = centre + (2 * number + 1 - count) * (width + 90) // 2
        placer.hang(
            side, x, _EYE + 60 - height // 2, lambda brush: walls.picture(brush, decor, width, height)
        )


def _hang_lamps(placer: RoomPlacer, decor: Decor) -> None:
    """One lamp above each table, and others over the rest of the room."""
    kind, dice = placer.room.kind, decor.dice
    for x, z in placer.tables:
        brush = placer.brush(Place(x, z, y=placer.room.y), "lighting")
        lamps.pendant(brush, decor, WALL_HEIGHT, kind=decor.pendant % 5, drop=1000)
    for x, z in _lamp_places(placer):
        place = Place(x, z, dice.pick(QUARTER_TURNS[:2]), placer.room.y)
        if any(abs(x - tx) + abs(z - tz) < 1600 for tx, tz in placer.tables):
            continue
        brush = placer.brush(place, "lighting")
        if kind in ("bath", "storage", "kitchen"):
            if kind == "kitchen" and dice.chance(50):
                lamps.spots(brush, decor, WALL_HEIGHT)
            else:
                lamps.pendant(brush, decor, WALL_HEIGHT, kind=5, drop=0)
        else:
            flat = kind == "hall" and dice.chance(40)
            lamps.pendant(brush, decor, WALL_HEIGHT, kind=5 if flat else decor.pendant, drop=480)


def _lamp_places(placer: RoomPlacer) -> list[tuple[int, int]]:
    """The middle of the room or of its halves, where there is a ceiling."""
    rect = placer.inner
    for stairs in placer.room.stairs:
        beside = (
            rect._replace(x1=stairs.x0),
            rect._replace(x0=stairs.x1),
            rect._replace(z1=stairs.z0),
            rect._replace(z0=stairs.z1),
        )
        rect = max(beside, key=lambda part: (min(part.width, part.depth), part))
    return [((part.x0 + part.x1) // 2, (part.z0 + part.z1) // 2) for part in _halves(rect)]


def _halves(rect: Rect) -> list[Rect]:
    if max(rect.width, rect.depth) < 5000:
        return [rect]
    if rect.width > rect.depth:
        middle = (rect.x0 + rect.x1) // 2
        return [rect._replace(x1=middle), rect._replace(x0=middle)]
    middle = (rect.z0 + rect.z1) // 2
    return [rect._replace(z1=middle), rect._replace(z0=middle)]
