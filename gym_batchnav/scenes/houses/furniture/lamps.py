"""Lamps."""

from __future__ import annotations

from functools import lru_cache

from ..brush import Brush
from ..shapes import Shape, lathe, moved, rounded_box, tube
from .decor import Decor
from .piece import Piece

_SHADES = (
    ((190, 0), (140, 240), (136, 240), (186, 0)),
    ((170, 0), (170, 230), (166, 230), (166, 0)),
    ((110, 0), (185, 90), (185, 160), (110, 250), (106, 250), (180, 158), (180, 92), (106, 0)),
)
_GLOBE = ((0, 0), (60, 15), (104, 60), (120, 120), (104, 180), (60, 225), (0, 240))


def _scaled(profile: tuple[tuple[int, int], ...], percent: int) -> tuple[tuple[int, int], ...]:
    return tuple((radius * percent // 100, y * percent // 100) for radius, y in profile)


def floor_lamp(decor: Decor) -> Piece:
    """A standing lamp: a post, three legs or a bow."""
    height, kind, shade = decor.dice.between(1450, 1750, 50), decor.dice.below(3), decor.dice.below(3)

    def draw(brush: Brush) -> None:
        middle, metal = brush.moved(0, 230), decor.style.metal
        if kind == 1:
            for x, z in ((0, -190), (-165, 95), (165, 95)):
                middle.put(tube(((x, 3, z), (x // 10, height - 300, z // 10)), 14, 8, end=10), decor.top)
        else:
            middle.put(
                lathe(((0, 0), (150, 0), (150, 14), (140, 24), (14, 30), (12, height - 290)), 12), metal
            )
        middle.put(lathe(_SHADES[shade], 12), decor.style.lamp, 0, height - 260)
        middle.put(lathe(((0, 0), (28, 14), (40, 60), (0, 100)), 12), decor.style.lamp, 0, height - 240)
        middle.block_disc(0, 0, 190, 8)

    return Piece(400, 440, height, draw, class_name="lighting")


def table_lamp(brush: Brush, decor: Decor) -> None:
    """Draw a table lamp around the local origin, as a thing of its own; 380 mm high."""
    own, kind = brush.part("lighting"), decor.pendant % 3
    own.put(_lamp_body(kind), (decor.style.pot, decor.style.metal, decor.top)[kind])
    own.put(lathe(_scaled(_SHADES[kind], 66), 12), decor.style.lamp, 0, 220)


@lru_cache(maxsize=3)
def _lamp_body(kind: int) -> Shape:
    if kind == 0:
        return lathe(((0, 0), (60, 0), (95, 60), (90, 120), (40, 180), (16, 200), (12, 260)), 12)
    if kind == 1:
        return lathe(((0, 0), (70, 0), (70, 10), (12, 18), (10, 270)), 12)
    return lathe(((0, 0), (55, 0), (40, 40), (55, 90), (35, 150), (45, 190), (12, 205), (10, 270)), 12)


def desk_lamp(brush: Brush, decor: Decor) -> None:
    """Draw a desk lamp with a bent arm around the local origin, as a thing of its own."""
    own = brush.part("lighting")
    own.put(lathe(((0, 0), (85, 0), (85, 12), (78, 20), (0, 22)), 12), decor.style.metal)
    own.put(tube(((0, 20, 0), (0, 240, -60), (0, 430, 60), (0, 400, 150)), 8, 6), decor.style.metal)
    own.put(lathe(((75, 330), (70, 360), (30, 405), (0, 410)), 12), decor.style.metal, 0, 0, 155)
    own.put(lathe(((72, 336), (0, 340)), 12), decor.style.lamp, 0, 0, 155)


def pendant(brush: Brush, decor: Decor, ceiling: int, *, kind: int, drop: int) -> None:
    """Draw a lamp that hangs from the ceiling at the local origin.

    Args:
        brush: of the lamp.
        decor: of the house.
        ceiling: height of the ceiling.
        kind: 0 dome, 1 drum, 2 globe, 3 three small ones, 4 paper lantern, 5 flat on the ceiling.
        drop: from the ceiling to its lower edge, 400 or more; not for the flat one.
    """
    style, low = decor.style, ceiling - drop
    if kind == 5:
        brush.put(lathe(((0, 0), (150, 0), (190, 20), (200, 60), (200, 90)), 24), style.lamp, 0, ceiling - 92)
        brush.put(lathe(((214, 0), (218, 20), (204, 26), (198, 4)), 24), style.metal, 0, ceiling - 40)
        return
    brush.put(lathe(((55, ceiling - 30), (50, ceiling - 2)), 12), style.metal)
    brush.put(lathe(((0, ceiling - 32), (55, ceiling - 30)), 12), style.metal)
    if kind == 3:
        _trio(brush, decor, ceiling, low)
        return
    heights = (190, 230, 240, 0, 300)
    brush.put(tube(((0, low + heights[kind] - 4, 0), (0, ceiling - 28, 0)), 5, 6), style.black)
    if kind == 0:
        dome = ((200, 0), (190, 50), (150, 110), (70, 160), (30, 190), (0, 192))
        brush.put(
            lathe(dome, 24), decor.dice.pick((style.metal, style.black, style.accent(decor.dice))), 0, low
        )
        brush.put(lathe(((0, 0), (194, 12)), 24), style.lamp, 0, low + 4)
    elif kind == 1:
        brush.put(
            lathe(((0, 8), (225, 8), (230, 0), (230, 220), (225, 228), (0, 230)), 24), style.lamp, 0, low
        )
    elif kind == 2:
        brush.put(lathe(_GLOBE, 24), style.lamp, 0, low)
        brush.put(lathe(((62, 222), (58, 250), (0, 262)), 12), style.metal, 0, low)
    else:
        lantern = ((60, 0), (150, 50), (198, 110), (210, 150), (198, 190), (150, 250), (60, 300), (0, 302))
        brush.put(lathe(((0, 0), *lantern), 24), style.lamp, 0, low)


def _trio(brush: Brush, decor: Decor, ceiling: int, low: int) -> None:
    """Three small lamps on one beam."""
    brush.put(rounded_box(700, 26, 60, 6, bottom=True), decor.style.metal, 0, ceiling - 58)
    for x in (-280, 0, 280):
        brush.put(tube(((x, low + 165, 0), (x, ceiling - 56, 0)), 4, 6), decor.style.black)
        brush.put(lathe(((92, 0), (84, 50), (40, 130), (22, 166), (0, 168)), 12), decor.style.metal, x, low)
        brush.put(lathe(((0, 0), (88, 10)), 12), decor.style.lamp, x, low + 3)


def spots(brush: Brush, decor: Decor, ceiling: int) -> None:
    """Draw a bar with three spots under the ceiling at the local origin."""
    brush.put(rounded_box(600, 28, 70, 6, bottom=True), decor.style.metal, 0, ceiling - 30)
    head = lathe(((36, 0), (34, 90), (0, 94)), 12)
    for x in (-220, 0, 220):
        brush.put(head, decor.style.metal, x, ceiling - 130)
        brush.put(lathe(((0, 0), (35, 3)), 12), decor.style.lamp, x, ceiling - 130)


def wall_lamp(brush: Brush, decor: Decor) -> None:
    """Draw a lamp on the wall at the local origin."""
    brush.put(rounded_box(80, 120, 24, 5, bottom=True), decor.style.metal, 0, -60, 14)
    brush.put(moved(lathe(((45, -70), (60, 70), (0, 72)), 12), 0, 0, 90), decor.style.lamp)
