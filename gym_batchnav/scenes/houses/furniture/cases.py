"""Cupboards with doors and drawers."""

from __future__ import annotations

from ..brush import Brush
from ..shapes import panel, sheet
from . import clutter, loose
from .decor import Decor
from .lamps import table_lamp
from .parts import FRONT, board, case, door, drawer, handle, legs, top
from .piece import Piece


def sideboard(decor: Decor) -> Piece:
    """A sideboard on legs with doors and drawers."""
    dice = decor.dice
    width, height = dice.between(1200, 1800, 100), dice.between(760, 860, 20)
    bays, low = 3 if width < 1600 else 4, dice.pick((60, 140))
    half = width // 2

    def draw(brush: Brush) -> None:
        case(brush, decor.case, (-half, half), (low, height - 24), (0, 410))
        top(brush, decor.case, (-half - 6, half + 6), (height - 24, height), (0, 420), 5, bottom=False)
        _stand(brush, decor, half, low, 390)
        step, rise = width // bays, (height - low - 40) // 3
        for bay in range(bays):
            x = (-half + bay * step + 4, -half + (bay + 1) * step - 4)
            if bay == 1:
                for row in range(3):
                    y = low + 8 + row * rise
                    drawer(brush, decor, decor.front, x, (y, y + rise - 6), 410)
            else:
                door(brush, decor, decor.front, x, (low + 8, height - 30), 410, hinge_left=bay != 0)
        brush.block((-half, half), (0, 430))
        _on_top(brush.moved(0, 200, y=height), decor, width)

    return Piece(width + 12, 470, height, draw, front=600, class_name="cabinet")


def _stand(brush: Brush, decor: Decor, half: int, low: int, deep: int) -> None:
    """Legs or a plinth."""
    if low > 100:
        legs(brush, decor, (-half + 40, half - 40), (30, deep - 10), low, 44, decor.case)
    else:
        board(brush, decor.style.black, (-half + 20, half - 20), (0, low), (10, deep - 30), "lrf")


def _on_top(brush: Brush, decor: Decor, width: int) -> None:
    """A lamp at one end, small things beside it."""
    side = decor.dice.pick((-1, 1))
    if decor.dice.chance(60):
        table_lamp(brush.moved(side * (width // 2 - 200), 0), decor)
        width -= 400
    else:
        side = 0
    clutter.scatter(brush.moved(-side * 200, 0), decor, (width - 40, 380), clutter.LIVING, most=5)


def dresser(decor: Decor) -> Piece:
    """A chest of drawers."""
    dice = decor.dice
    width, rows = dice.between(800, 1400, 100), dice.between(3, 5)
    half, height = width // 2, rows * 195 + 110

    def draw(brush: Brush) -> None:
        case(brush, decor.case, (-half, half), (70, height - 24), (0, 440))
        top(brush, decor.case, (-half - 6, half + 6), (height - 24, height), (0, 452), 5, bottom=False)
        _stand(brush, decor, half, 70, 420)
        columns = 2 if width > 1100 else 1
        step, rise = width // columns, (height - 110) // rows
        for row in range(rows):
            for column in range(columns):
                x = (-half + column * step + 5, -half + (column + 1) * step - 5)
                drawer(brush, decor, decor.front, x, (78 + row * rise, 78 + (row + 1) * rise - 6), 440)
        brush.block((-half, half), (0, 460))
        _on_top(brush.moved(0, 210, y=height), decor, width)

    return Piece(width + 12, 500, height, draw, front=600, class_name="chest_of_drawers")


def wardrobe(decor: Decor, doors: int) -> Piece:
    """A wardrobe with hinged or sliding doors."""
    dice = decor.dice
    width, height = doors * dice.between(450, 520, 10), dice.between(2000, 2350, 50)
    mirrored, sliding = dice.chance(35), doors >= 3 and dice.chance(40)
    half = width // 2

    def draw(brush: Brush) -> None:
        case(brush, decor.case, (-half, half), (0, height), (0, 570))
        wide = 2 if sliding else doors
        for number in range(wide):
            x = (-half + number * width // wide + 4, -half + (number + 1) * width // wide - 4)
            y = (70, height - 12)
            if mirrored and number == wide // 2:
                _mirror_door(brush, decor, x, y)
            elif sliding:
                brush.put(panel(x[1] - x[0], y[1] - y[0], FRONT), decor.front, (x[0] + x[1]) // 2, y[0], 570)
                handle(
                    brush,
                    decor,
                    x[0] + 40 if number else x[1] - 40,
                    1050,
                    570 + FRONT,
                    upright=True,
                    length=300,
                )
            else:
                door(brush, decor, decor.front, x, y, 570, hinge_left=number % 2 == 0)
        brush.block((-half, half), (0, 590))
        if decor.lucky(40):
            loose.box(brush.moved(-half + 300, 300, y=height), decor, 420, 200)

    return Piece(width, 630, height, draw, front=600, class_name="cabinet")


def _mirror_door(brush: Brush, decor: Decor, x: tuple[int, int], y: tuple[int, int]) -> None:
    middle = (x[0] + x[1]) // 2
    brush.put(panel(x[1] - x[0], y[1] - y[0], FRONT), decor.front, middle, y[0], 570)
    own = brush.part("mirror")
    own.put(
        sheet(x[1] - x[0] - 60, y[1] - y[0] - 60, 1, 3),
        decor.style.mirror,
        middle,
        y[0] + 30,
        570 + FRONT + 2,
    )


def shoe_cabinet(decor: Decor) -> Piece:
    """A shallow cabinet with flaps."""
    width = decor.dice.between(700, 1100, 100)
    flaps, half = decor.dice.between(2, 3), width // 2
    height = flaps * 330 + 80

    def draw(brush: Brush) -> None:
        case(brush, decor.case, (-half, half), (0, height - 20), (0, 220))
        top(brush, decor.case, (-half - 5, half + 5), (height - 20, height), (0, 232), 4, bottom=False)
        for flap in range(flaps):
            drawer(brush, decor, decor.front, (-half + 6, half - 6), (40 + flap * 330, 362 + flap * 330), 220)
        brush.block((-half, half), (0, 240))
        clutter.scatter(brush.moved(0, 110, y=height), decor, (width - 40, 210), clutter.HALL, most=4)

    return Piece(width + 10, 280, height, draw, front=650, class_name="cabinet")


def bedside(brush: Brush, decor: Decor, *, lamp: bool) -> None:
    """Draw a bedside table with its back at z = 0, as a thing of its own; 420 wide, 500 high."""
    own = brush.part("chest_of_drawers")
    case(own, decor.case, (-205, 205), (120, 482), (10, 370))
    top(own, decor.case, (-210, 210), (482, 500), (8, 380), 4, bottom=False)
    legs(own, decor, (-190, 190), (20, 360), 120, 36, decor.case)
    for y in ((126, 300), (306, 476)):
        drawer(own, decor, decor.front, (-199, 199), y, 370)
    brush.block((-210, 210), (8, 390))
    above = brush.moved(0, 150, y=500)
    if lamp:
        table_lamp(above.moved(-30, 0), decor)
    if decor.lucky(60):
        clutter.any_of(above.moved(120, 110), decor, clutter.BEDSIDE)
