"""Halls, landings and store rooms."""

from __future__ import annotations

from ..furniture import Decor, plants, rugs, shelves, tables
from ..furniture import bath as fittings
from ..furniture import cases as cupboards
from ..furniture import hall as things
from ..placing import RoomPlacer
from .small import small_things


def hall(placer: RoomPlacer, decor: Decor) -> bool:
    """Coats, shoes, a mirror: what fits beside the ways."""
    dice = decor.dice
    entered = any(opening.kind == "entrance" for opening in placer.openings)
    pieces = [cupboards.shoe_cabinet, things.coat_rack, tables.console, things.bench]
    wanted = pieces[:2] if entered else [dice.pick((tables.console, things.bench))]
    if placer.inner.area > 8_000_000:
        wanted = [*wanted, dice.pick(pieces[2:])]
    for make in wanted:
        placer.at_wall(make(decor))
    if placer.inner.area > 10_000_000:
        placer.at_wall(shelves.bookshelf(decor, 900, dice.pick((850, 1500, 1900))))
    if entered:
        placer.at_wall(
            dice.pick((things.umbrella_stand, things.umbrella_stand, things.stand))(decor), prefer="corner"
        )
        _doormat(placer, decor)
    if placer.inner.area > 6_000_000:
        placer.at_wall(plants.floor_plant(decor), prefer="corner")
    return True


def _doormat(placer: RoomPlacer, decor: Decor) -> None:
    """A mat inside of the entrance."""
    for opening in placer.openings:
        if opening.kind == "entrance":
            place = placer.place_at(opening.side, (opening.low + opening.high) // 2, 0)
            placer.lay_at(place, (-350, 350), (120, 560), lambda brush, x, z: rugs.mat(brush, decor, x, z))


def storage(placer: RoomPlacer, decor: Decor) -> bool:
    """Metal shelves, a washing machine, boxes."""
    for _ in range(2):
        placer.at_wall(shelves.metal_shelf(decor))
    placer.at_wall(fittings.laundry(decor), prefer="corner")
    placer.at_wall(shelves.box_pile(decor), prefer="corner")
    small_things(placer, decor, 1)
    return True
