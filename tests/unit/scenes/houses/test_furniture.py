"""Single pieces of furniture over many dice: sizes, budgets, footprints, classes."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from gym_batchnav.scenes.houses import light
from gym_batchnav.scenes.houses import mesh as houses_mesh
from gym_batchnav.scenes.houses.brush import REACH, STEP, Brush, Thing
from gym_batchnav.scenes.houses.classes import CLASS_NAMES
from gym_batchnav.scenes.houses.dice import Dice
from gym_batchnav.scenes.houses.furniture import (
    bath,
    beds,
    cases,
    hall,
    kitchen,
    lamps,
    make_decor,
    media,
    plants,
    shelves,
    sofas,
    tables,
)
from gym_batchnav.scenes.houses.mesh import QUARTER_TURNS, MeshBuilder, Place, Turn
from gym_batchnav.scenes.houses.palette import make_style

SEEDS = range(8)
GRIP = 45
"""Millimetres by which handles, cushions and curtains may stand out of what blocks the way."""


def line(decor):
    units = kitchen.plan_units(decor, decor.dice.between(3, 7), fridge_first=decor.dice.chance(50))
    return kitchen.line(decor, units)


# Maker, and the fewest and the most triangles without clutter.
PIECES = {
    "sofa": (lambda decor: sofas.sofa(decor, 2200), 1000, 3000),
    "small sofa": (lambda decor: sofas.sofa(decor, 1500), 900, 3000),
    "corner sofa left": (lambda decor: sofas.sofa(decor, 2400, corner=-1), 1000, 3000),
    "corner sofa right": (lambda decor: sofas.sofa(decor, 2400, corner=1), 1000, 3000),
    "armchair": (sofas.armchair, 600, 1500),
    "pouf": (sofas.pouf, 150, 400),
    "dining set for two": (lambda decor: tables.dining_set(decor, 2), 900, 2500),
    "dining set for four": (lambda decor: tables.dining_set(decor, 4), 1500, 4500),
    "dining set for eight": (lambda decor: tables.dining_set(decor, 8), 3500, 7500),
    "coffee table": (tables.coffee_table, 100, 800),
    "side table": (tables.side_table, 200, 500),
    "desk": (tables.desk, 1200, 2600),
    "tucked desk": (lambda decor: tables.desk(decor, tucked=True), 1200, 2600),
    "console": (tables.console, 200, 900),
    "dressing table": (tables.dressing_table, 600, 1500),
    "television": (lambda decor: media.tv_stand(decor, 1800), 350, 1200),
    "bookshelf": (lambda decor: shelves.bookshelf(decor, 1000, 2000), 300, 3000),
    "wide bookshelf": (lambda decor: shelves.bookshelf(decor, 1400, 2200), 500, 4500),
    "metal shelf": (shelves.metal_shelf, 150, 1500),
    "boxes": (shelves.box_pile, 30, 100),
    "sideboard": (cases.sideboard, 250, 1800),
    "dresser": (cases.dresser, 250, 2200),
    "wardrobe": (lambda decor: cases.wardrobe(decor, 3), 80, 900),
    "shoe cabinet": (cases.shoe_cabinet, 140, 900),
    "double bed": (lambda decor: beds.bed(decor, 1600, (-1, 1)), 1300, 4800),
    "single bed": (lambda decor: beds.bed(decor, 900, (1,)), 1000, 2900),
    "daybed": (beds.daybed, 800, 2200),
    "kitchen": (line, 900, 4800),
    "island": (kitchen.island, 700, 2500),
    "bathtub": (bath.bathtub, 300, 900),
    "shower": (lambda decor: bath.shower(decor, corner=1), 500, 1000),
    "toilet": (bath.toilet, 450, 950),
    "vanity": (lambda decor: bath.vanity(decor, 800), 400, 1450),
    "towel rail": (bath.towel_rail, 350, 900),
    "laundry": (bath.laundry, 400, 1100),
    "basket": (bath.laundry_basket, 150, 500),
    "bench": (hall.bench, 200, 700),
    "coat rack": (hall.coat_rack, 100, 2200),
    "umbrellas": (hall.umbrella_stand, 150, 400),
    "coat stand": (hall.stand, 250, 700),
    "floor lamp": (lamps.floor_lamp, 200, 700),
    "plant": (plants.floor_plant, 700, 2200),
}


class Drawn:
    """A piece alone in the world."""

    def __init__(self, make, seed: int, clutter: int = 0, place: Place | None = None) -> None:
        dice = Dice(seed, 3)
        style = make_style(dice)
        self.style, self.decor = style, make_decor(dice, style, clutter)
        self.piece = make(self.decor)
        mesh, self.footprints = MeshBuilder(), []
        place = Place(0, 0) if place is None else place
        self.piece.draw(Brush(mesh, self.footprints, place, Thing(mesh, self.piece.class_name)))
        self.classes = mesh.object_classes
        with pytest.MonkeyPatch.context() as patch:  # Light, and cuts for it, change no shape.
            patch.setattr(light, "bake_light", lambda corners, *_: np.zeros((len(corners), 4, 3), np.uint8))
            patch.setattr(houses_mesh, "cut_long", lambda quads, *_: quads)
            arrays = mesh.finish(style.palette)
        self.arrays = arrays
        self.corners = np.rint(arrays.positions[arrays.triangles].astype(np.float64) * 1000.0)
        self.owners = arrays.object_ids

    def of(self, class_name: str):
        """(T, 3, 3) triangles of all things of a class."""
        ids = [number for number, name in enumerate(self.classes) if name == class_name]
        return self.corners[np.isin(self.owners, ids)]


@pytest.fixture(scope="module", params=PIECES)
def drawn(request):
    make, few, many = PIECES[request.param]
    return [Drawn(make, seed) for seed in SEEDS], few, many


def test_pieces_stay_in_their_boxes(drawn):
    for one in drawn[0]:
        piece, points = one.piece, one.corners.reshape(-1, 3)
        low, high = points.min(axis=0), points.max(axis=0)
        assert low[0] >= -piece.half - 1
        assert high[0] <= piece.width - piece.half + 1
        assert low[1] >= 0
        assert low[2] >= 0
        assert high[2] <= piece.depth
        own = one.of(piece.class_name).reshape(-1, 3)
        assert own[:, 1].max() <= piece.height


def test_triangles_are_sound_and_within_the_budget(drawn):
    ones, few, many = drawn
    for one in ones:
        assert few <= len(one.corners) <= many
        a, b, c = np.moveaxis(one.corners, 1, 0)
        assert np.linalg.norm(np.cross(b - a, c - a), axis=1).min() > 0.5
        assert np.isfinite(one.arrays.uvs).all()
        assert set(one.classes[1:]) <= set(CLASS_NAMES[1:])
        # Every id that was taken has something to show.
        assert set(np.unique(one.owners)) == set(range(1, len(one.classes)))


def test_dice_make_a_difference(drawn, request):
    """Colours at least, and in most cases shapes; showers, washing machines and baskets are all alike."""
    alike = request.node.callspec.params["drawn"] in ("shower", "laundry", "basket")
    seen = {(one.arrays.positions.tobytes(), repr(one.arrays.materials)) for one in drawn[0]}
    assert len(seen) >= (1 if alike else 3)


def test_what_is_in_reach_blocks_the_way(drawn):
    """All between 0.2 and 1.5 m lies in the footprints, but for grips; footprints lie in the piece's box."""
    for one in drawn[0]:
        points = one.corners[
            (one.corners[..., 1].min(axis=1) < REACH - 50) & (one.corners[..., 1].max(axis=1) > STEP + 50)
        ].reshape(-1, 3)
        solid = shapely.union_all([shapely.Polygon(shape.outline(0)) for shape in one.footprints])
        if len(points):
            around = solid.buffer(_grip(one))
            assert shapely.covers(around, shapely.points(points[:, [0, 2]])).all()
        if one.footprints:
            piece = one.piece
            box = shapely.box(-piece.half - 1, -1, piece.width - piece.half + 1, piece.depth + 1)
            assert box.buffer(25).covers(solid)


def _grip(one) -> int:
    """How far things may stand out: leaves and lamp shades give way, paper hangs beside toilets."""
    soft = {"plant": 260, "lighting": 60, "toilet": 160}
    return max(GRIP, soft.get(one.piece.class_name, 0))


def heights(shape_of, make, class_name, seeds=SEEDS):
    """Highest point of the things of a class, for each seed."""
    ones = [Drawn(make, seed) for seed in seeds]
    return [shape_of(one.of(class_name)) for one in ones]


def level(triangles, low: int, high: int) -> float:
    """Height with the largest level surface that faces up, between two heights."""
    a, b, c = np.moveaxis(triangles, 1, 0)
    cross = np.cross(b - a, c - a)
    size = np.linalg.norm(cross, axis=1)
    flat = (cross[:, 1] > 0.9 * size) & (a[:, 1] >= low) & (a[:, 1] <= high)
    marks, group = np.unique(np.rint(a[flat, 1] / 10.0) * 10.0, return_inverse=True)
    return float(marks[np.argmax(np.bincount(group, size[flat]))])


@pytest.mark.parametrize(
    ("make", "class_name", "span", "real"),
    [
        (lambda decor: tables.dining_set(decor, 4), "chair", (250, 600), (400, 500)),
        (lambda decor: tables.dining_set(decor, 6), "table", (100, 900), (700, 770)),
        (tables.desk, "table", (100, 900), (700, 770)),
        (tables.coffee_table, "table", (200, 900), (350, 450)),
        (lambda decor: beds.bed(decor, 1600, ()), "bed", (300, 900), (400, 650)),
        (line, "cabinet", (500, 1200), (850, 950)),
        (kitchen.island, "counter", (500, 1200), (850, 950)),
        (lambda decor: kitchen.island(decor), "stool", (400, 1000), (600, 750)),
        (bath.toilet, "toilet", (300, 600), (380, 470)),
    ],
)
def test_real_heights(make, class_name, span, real):
    for height in heights(lambda shapes: level(shapes, *span), make, class_name):
        assert real[0] <= height <= real[1]


@pytest.mark.parametrize("make", [lambda decor: sofas.sofa(decor, 2200), sofas.armchair])
def test_soft_seats_are_as_high_as_seats(make):
    """What lies highest 600 mm before the back in the middle of a seat."""
    for seed in SEEDS:
        one = Drawn(make, seed)
        points = one.of(one.piece.class_name).reshape(-1, 3)
        reach = 330 if one.piece.width > 1000 else 200
        middle = (np.abs(points[:, 0]) < reach) & (points[:, 2] > 440) & (points[:, 2] < 650)
        assert 400 <= points[middle, 1].max() <= 500


def test_rims_of_basins_and_tubs():
    def highest(shapes):
        return shapes[..., 1].max()

    # Rims with the tap above: 850 to 1,130 mm and 560 to 850 mm.
    assert all(980 <= top <= 1130 for top in heights(highest, lambda d: bath.vanity(d, 800), "sink"))
    assert all(760 <= top <= 850 for top in heights(highest, bath.bathtub, "bathtub"))


def test_double_beds_have_tables_left_and_right_and_two_pillows():
    for seed in SEEDS:
        one = Drawn(lambda decor: beds.bed(decor, 1600, (-1, 1)), seed)
        assert one.classes.count("chest_of_drawers") == 2
        assert one.classes.count("cushion") >= 2
        x = one.of("chest_of_drawers")[..., 0]
        assert x.min() < -800
        assert x.max() > 800
        assert not ((x > -800) & (x < 800)).any()


def test_kitchens_hold_what_makes_them_kitchens():
    for seed in SEEDS:
        dice = Dice(seed, 3)
        decor = make_decor(dice, make_style(dice), 0)
        for count in range(3, 8):
            for first in (False, True):
                units = kitchen.plan_units(decor, count, fridge_first=first)
                assert len(units) == count
                assert units[0 if first else -1] == "fridge"
                for unit in ("fridge", "sink", "hob"):
                    assert units.count(unit) == 1
                assert abs(units.index("sink") - units.index("hob")) > 1 or count == 3
        units = kitchen.plan_units(decor, 6, fridge_first=True, windows=((1700, 3100),))
        # Units 3 and 4 have their middles, 2,100 and 2,700, below the window.
        assert units.index("sink") in (3, 4)


def test_no_wall_units_before_windows():
    def with_window(decor):
        units = kitchen.plan_units(decor, 6, fridge_first=True)
        return kitchen.line(decor, units, ((1800, 3000),), 1050)

    for seed in SEEDS:
        one = Drawn(with_window, seed)
        points = one.of("cabinet").reshape(-1, 3)
        before = points[(points[:, 0] > 1 - 0) & (points[:, 0] < 1199) & (points[:, 1] > 1050)]
        assert not len(before)


def test_clutter_is_none_some_and_more():
    """Nothing lies about without clutter; full clutter shows more things than half of it."""
    makers = [PIECES[name][0] for name in ("coffee table", "sideboard", "console", "kitchen", "desk")]
    counts = [
        sum(len(Drawn(make, seed, clutter).classes) for make in makers for seed in range(8))
        for clutter in (0, 50, 100)
    ]
    assert counts[0] < counts[1] < counts[2]
    for make in (tables.coffee_table, tables.console, cases.dresser):
        for seed in SEEDS:
            assert set(Drawn(make, seed).classes[1:]) <= {"table", "chest_of_drawers", "lighting"}


@pytest.mark.parametrize("turn", [QUARTER_TURNS[1], QUARTER_TURNS[2], Turn(4, 3, 5)])
def test_pieces_turn_as_a_whole(turn):
    """Somewhere else and turned, a piece is the same but for rounding; its footprints go with it."""
    here, there = Drawn(tables.desk, 5), Drawn(tables.desk, 5, place=Place(4000, 3000, turn, 2800))
    c, s, d = turn
    x, y, z = np.moveaxis(here.corners, 2, 0)
    moved = np.stack([4000 + (c * x - s * z) / d, y + 2800, 3000 + (s * x + c * z) / d], axis=2)
    assert np.abs(moved - there.corners).max() <= 1.5
    for a, b in zip(here.footprints, there.footprints, strict=True):
        assert shapely.Polygon(b.outline(0)).area == pytest.approx(
            shapely.Polygon(a.outline(0)).area, rel=0.01
        )


def test_footprints_with_cut_corners_grow_evenly():
    """The octagon keeps its sides' distance: a margin of 100 moves all eight of them out by 100."""
    footprints = []
    Brush(MeshBuilder(), footprints, Place(0, 0), 1).block((-400, 400), (0, 600), 100)
    small, large = (shapely.Polygon(footprints[0].outline(margin)) for margin in (0, 100))
    assert len(small.exterior.coords) == 9
    assert small.area == 800 * 600 - 4 * 100 * 100 / 2
    round_ = small.buffer(100, join_style="mitre", mitre_limit=10)
    assert large.symmetric_difference(round_).area < 0.002 * large.area
