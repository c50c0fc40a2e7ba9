"""What hangs on walls and at windows: curtains, blinds, radiators, pictures, mirrors."""

from __future__ import annotations

from functools import lru_cache

from ..brush import Brush
from ..shapes import Shape, folds, join, lathe, moved, panel, rounded_box, sheet, tilted, tipped, tube
from .decor import Decor
from .parts import board


def curtains(brush: Brush, decor: Decor, span: tuple[int, int], head: int, low: int, *, net: bool) -> None:
    """Draw a rod with two curtains beside a window.

    Args:
        brush: at the wall; z into the room.
        decor: of the house.
        span: of the window, x.
        head: height of its upper edge.
        low: height of the curtains' lower edge.
        net: whether thin curtains hang before the panes.
    """
    rod, metal = head + 90, decor.style.metal
    left, right = span[0] - 260, span[1] + 260
    own = brush.part("curtain")
    own.put(_rod(right - left), metal, (left + right) // 2, rod, 100)
    for x in (left + 40, right - 40):
        own.put(tube(((x, rod, 2), (x, rod, 100)), 7, 6), metal)
    width = min(330, (span[1] - span[0]) // 2)
    for x in (left + 20 + width // 2, right - 20 - width // 2):
        brush.part("curtain").put(folds(width, rod - low - 4, 90, 5, 3), decor.style.curtain, x, low, 56)
    if net:
        wide = span[1] - span[0]
        sheer = folds(wide, rod - low - 40, 12, wide // 130, 1, sheer=True)
        brush.part("curtain").put(sheer, decor.style.linen, (span[0] + span[1]) // 2, low + 10, 52)


@lru_cache(maxsize=64)
def _rod(width: int) -> Shape:
    """A lying rod with knobs about x = 0."""
    ends = [
        moved(tipped(lathe(((0, 0), (20, 8), (24, 24), (18, 40), (0, 46)), 8), "x"), x - 23)
        for x in (-width // 2, width // 2)
    ]
    return join(tube(((-width // 2, 0, 0), (width // 2, 0, 0)), 12, 8), *ends)


def roller(brush: Brush, decor: Decor, span: tuple[int, int], head: int, drop: int) -> None:
    """Draw a roller blind before a window, pulled down by ``drop``."""
    own, width = brush.part("blinds"), span[1] - span[0] + 40
    middle = (span[0] + span[1]) // 2
    own.put(rounded_box(width, 70, 64, 20, 2, bottom=True), decor.style.white, middle, head, 36)
    cloth = rounded_box(width - 30, drop, 6, 2, bottom=True)
    own.put(cloth, decor.style.curtain, middle, head - drop, 34)
    own.put(rounded_box(width - 26, 24, 16, 5, bottom=True), decor.style.white, middle, head - drop - 20, 34)


def slats(brush: Brush, decor: Decor, span: tuple[int, int], head: int, drop: int) -> None:
    """Draw a blind of wooden slats before a window, let down by ``drop``."""
    own, width = brush.part("blinds"), span[1] - span[0] + 30
    middle = (span[0] + span[1]) // 2
    own.put(rounded_box(width, 50, 54, 8, bottom=True), decor.style.white, middle, head, 32)
    slat = tilted(rounded_box(width - 10, 4, 46, 1, bottom=True), 4, 3, 5)
    for y in range(head - 40, head - drop, -44):
        own.put(slat, decor.top, middle, y, 32)
    for x in (span[0] + 60, span[1] - 60):
        own.put(tube(((x, head - drop, 32), (x, head, 32)), 4, 4), decor.style.white)


@lru_cache(maxsize=32)
def _radiator(columns: int) -> Shape:
    """Columns with rails, x about 0, y from 0, z from 40."""
    column = rounded_box(36, 480, 70, 12, bottom=True)
    parts = [moved(column, (2 * k + 1 - columns) * 24, 0, 75) for k in range(columns)]
    for y in (40, 420):
        parts.append(tube(((-columns * 24, y, 75), (columns * 24, y, 75)), 14, 6))
    return join(*parts)


def radiator(brush: Brush, decor: Decor, width: int) -> None:
    """Draw a radiator on the wall about x = 0, 120 to 620 mm high."""
    own, white = brush.part("furniture"), decor.style.white
    columns = width // 48
    if decor.curtains % 2:
        own.put(panel(width, 500, 60, 14), white, 0, 120, 40)
        board(own, white, (-width // 2 + 20, width // 2 - 20), (618, 622), (44, 96), "u")
    else:
        own.put(_radiator(columns), white, 0, 130, 0)
    pipe = tube(((width // 2 - 10, 1, 70), (width // 2 - 10, 140, 70)), 9, 6)
    own.put(pipe, decor.style.chrome, 22)
    brush.block((-width // 2, width // 2), (0, 115))


def picture(brush: Brush, decor: Decor, width: int, height: int) -> None:
    """Draw a framed picture on the wall, its lower edge at y = 0, as a thing of its own."""
    own, dice = brush.part("picture"), decor.dice
    rail, deep = dice.pick((16, 24, 36)), dice.pick((18, 24))
    mount = dice.chance(55) and min(width, height) > 300
    own.put(
        _frame(width, height, rail, deep),
        dice.pick((decor.frame, decor.style.black, decor.style.white, decor.top)),
    )
    inner = (width - 2 * rail, height - 2 * rail)
    if mount:
        own.put(sheet(*inner), decor.style.paper, 0, rail, 6)
    margin = 50 if mount else 0
    own.put(
        sheet(inner[0] - 2 * margin, inner[1] - 2 * margin, 2, 2),
        decor.style.picture(dice),
        0,
        rail + margin,
        8,
    )


@lru_cache(maxsize=256)
def _frame(width: int, height: int, rail: int, deep: int) -> Shape:
    """Four rails around a rectangle: x about 0, y from 0, z from 0."""
    side, cross = panel(rail, height, deep, 3), panel(width - 2 * rail, rail, deep, 3)
    shift = width // 2 - rail + rail // 2
    return join(moved(side, -shift), moved(side, shift), cross, moved(cross, 0, height - rail))


def clock(brush: Brush, decor: Decor) -> None:
    """Draw a round clock on the wall about the local origin."""
    own = brush.part("objects")
    own.put(tipped(lathe(((150, 0), (160, 6), (160, 26), (150, 32), (146, 20)), 24), "z"), decor.frame)
    own.put(tipped(lathe(((148, 18), (0, 18)), 24), "z"), decor.style.paper)
    for dx, dy, radius in ((0, 95, 4), (60, 35, 5)):
        own.put(tube(((0, 0, 26), (dx, dy, 26)), radius, 4), decor.style.black)


def round_mirror(brush: Brush, decor: Decor) -> None:
    """Draw a round mirror on the wall about the local origin."""
    own = brush.part("mirror")
    own.put(tipped(lathe(((300, 0), (316, 6), (316, 26), (300, 32), (290, 20)), 24), "z"), decor.style.metal)
    own.put(tipped(lathe(((292, 18), (0, 18)), 24), "z"), decor.style.mirror)
