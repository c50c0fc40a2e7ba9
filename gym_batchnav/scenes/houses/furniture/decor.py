"""What the furniture of one house has in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..dice import Dice
from ..palette import Style
from ..themes import rgb

Legs = Literal["square", "tapered", "turned", "steel"]
Handle = Literal["bar", "knob", "strip"]
Front = Literal["plain", "framed"]

_BOOKS = ("7C3B34", "2F4A63", "B99A5B", "4E5B46", "D8D2C4", "3A3A3E", "96714F", "5E7F8C", "A8563E", "E6E0D0")


@dataclass(frozen=True, slots=True)
class Decor:
    """Choices that run through one house, and the dice for all others."""

    dice: Dice
    style: Style
    clutter: int
    """How many small things lie about, per cent."""
    case: int
    """Finish of most cupboards."""
    front: int
    """Finish of most of their doors and drawers."""
    top: int
    """Finish of most tables."""
    frame: int
    """Finish of most chairs."""
    legs: Legs
    handle: Handle
    fronts: Front
    chair: int
    """Design of the dining chairs, 0 to 3."""
    sofa: int
    """Design of the upholstery, 0 to 2."""
    pendant: int
    """Design of most ceiling lamps, 0 to 5."""
    curtains: int
    """0: curtains, 1: curtains and net ones, 2: roller blinds, 3: slatted blinds."""
    books: tuple[int, ...]
    """Finishes of the covers of books."""

    def amount(self, most: int) -> int:
        """How many of at most ``most`` small things there are: none without clutter, about all with 100."""
        whole, rest = divmod(most * self.clutter, 100)
        return min(whole + (1 if self.dice.chance(rest) else 0), most)

    def lucky(self, percent: int) -> bool:
        """Whether a small thing is there; ``percent`` of all times with a clutter of 50."""
        return self.dice.chance(min(percent * self.clutter // 50, 100))

    def wooden(self) -> int:
        """One of the house's woods, the common one more often."""
        return self.dice.pick((self.case, self.top, self.style.wood, self.style.dark_wood))

    def glaze(self) -> int:
        """A colour of pottery."""
        style = self.style
        return self.dice.pick((style.pot, style.ceramic, style.accent(self.dice), style.pot))


def make_decor(dice: Dice, style: Style, clutter: int) -> Decor:
    """Draw what the furniture of a house has in common.

    Args:
        dice: of the house.
        style: its finishes.
        clutter: how many small things lie about, per cent.
    """
    wood = dice.pick((style.wood, style.wood, style.dark_wood))
    case = dice.pick((wood, wood, style.white))
    return Decor(
        dice=dice,
        style=style,
        clutter=clutter,
        case=case,
        front=dice.pick((case, case, style.white, style.front)),
        top=wood,
        frame=dice.pick((wood, style.dark_wood, style.black, style.white)),
        legs=dice.pick(("square", "tapered", "tapered", "turned", "steel")),
        handle=dice.pick(("bar", "bar", "knob", "strip")),
        fronts=dice.pick(("plain", "plain", "framed")),
        chair=dice.below(4),
        sofa=dice.below(3),
        pendant=dice.below(6),
        curtains=dice.pick((0, 0, 0, 1, 2, 3)),
        books=tuple(style.palette.finish("", rgb(code)) for code in dice.shuffled(_BOOKS)[:7]),
    )
