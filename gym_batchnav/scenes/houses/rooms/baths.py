"""Bathrooms."""

from __future__ import annotations

from ..furniture import Decor, rugs
from ..furniture import bath as fittings
from ..placing import WALL_GAP, RoomPlacer, Spot


def bath(placer: RoomPlacer, decor: Decor) -> bool:
    """A tub or a shower or both, a toilet, a washbasin; more if there is room."""
    dice = decor.dice
    area = placer.inner.area
    tub = area > 4_200_000 and dice.chance(55)
    if tub and area > 6_000_000:
        _tub(placer, decor)
    complete = placer.at_wall(fittings.toilet(decor), prefer="any") is not None
    if tub and area <= 6_000_000:
        _tub(placer, decor)
    for width in (1000, 800, 600) if area > 5_000_000 else (600, 500):
        if placer.at_wall(fittings.vanity(decor, width), prefer="any"):
            break
    if not tub or area > 8_000_000:
        _shower(placer, decor)
    if area > 4_500_000 and dice.chance(55):
        placer.at_wall(fittings.laundry(decor), prefer="corner")
    placer.at_wall(fittings.towel_rail(decor))
    if area > 5_000_000 and dice.chance(60):
        placer.at_wall(fittings.laundry_basket(decor), prefer="corner")
    if area > 6_500_000 and decor.lucky(60):
        placer.at_wall(fittings.stool_with_towels(decor))
    return complete


def _tub(placer: RoomPlacer, decor: Decor) -> None:
    """A tub with a mat before it."""
    piece = fittings.bathtub(decor)
    spot = placer.at_wall(piece, prefer="corner")
    if spot is not None and decor.dice.chance(70):
        place = placer.place_at(spot.side, spot.low + piece.half, WALL_GAP)
        span = (piece.depth + 40, piece.depth + 440)
        placer.lay_at(place, (-350, 350), span, lambda brush, x, z: rugs.mat(brush, decor, x, z))


def _shower(placer: RoomPlacer, decor: Decor) -> None:
    """A shower in a corner of the room."""
    for side in decor.dice.shuffled((0, 1, 2, 3)):
        for end in decor.dice.shuffled((-1, 1)):
            # Seen from the room, the left end is the low one on sides 0 and 1.
            at_low = (end < 0) == (side in (0, 1))
            piece = fittings.shower(decor, corner=end)
            low, high = placer.inner.span(side)
            at = low + WALL_GAP if at_low else high - WALL_GAP - piece.width
            if at in placer.fits(piece, side):
                placer.put(piece, Spot(side, at))
                return
