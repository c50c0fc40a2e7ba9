"""Baked light: hand-made rooms with known answers, and bounds over real houses."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from gym_batchnav.scenes.houses import make_house
from gym_batchnav.scenes.houses.light import bake_light
from gym_batchnav.scenes.houses.light.grid import make_grid
from gym_batchnav.scenes.houses.light.points import distinct, make_points, unit_normals
from gym_batchnav.scenes.houses.light.rays import direct_light, gathered_light, passed_on, visible_cells
from gym_batchnav.scenes.houses.light.sources import make_sources

GREY, LAMP = (0.5, 0.5, 0.5), (1.0, 1.0, 1.0)
STEP = 250


class World:
    """Quads with their colours, emission and owners."""

    def __init__(self) -> None:
        self.quads, self.normals, self.colors, self.emission, self.owners = [], [], [], [], []

    def plane(self, axis: int, sign: int, at: int, low, high, *, color=GREY, glow=(0.0,) * 3, owner=1):
        """A plane across `axis` that faces to `sign`, in squares of STEP; `low`, `high` on the other two."""
        u, v = ((1, 2), (2, 0), (0, 1))[axis]
        for a in range(low[0], high[0], STEP):
            for b in range(low[1], high[1], STEP):
                quad = np.empty((4, 3), np.int64)
                quad[:, axis] = at
                quad[:, u] = [a, min(a + STEP, high[0]), min(a + STEP, high[0]), a]
                quad[:, v] = [b, b, min(b + STEP, high[1]), min(b + STEP, high[1])]
                self.quads.append(quad if sign > 0 else quad[::-1])
                normal = np.zeros(3, np.int64)
                normal[axis] = sign
                self.normals.append(np.tile(normal, (4, 1)))
                self.colors.append(color)
                self.emission.append(glow)
                self.owners.append(owner)
        return self

    def box(self, low, high, *, inward: bool, **of):
        """A box whose faces look in or out."""
        for axis in range(3):
            u, v = ((1, 2), (2, 0), (0, 1))[axis]
            sides = (low[u], low[v]), (high[u], high[v])
            self.plane(axis, 1 if inward else -1, low[axis], *sides, **of)
            self.plane(axis, -1 if inward else 1, high[axis], *sides, **of)
        return self

    @property
    def arrays(self):
        return (
            np.array(self.quads),
            np.array(self.normals),
            np.array(self.colors),
            np.array(self.emission),
            np.array(self.owners),
        )

    def bake(self):
        return bake_light(*self.arrays)


def room_with_lamp() -> World:
    """4 x 2.5 x 4 m with a lamp in the middle of it."""
    world = World().box((-2000, 0, -2000), (2000, 2500, 2000), inward=True)
    return world.box((-100, 1750, -100), (100, 2000, 100), inward=False, glow=LAMP, owner=2)


def on_floor(world: World, light):
    """Mean light by (x, z) of the floor's corners."""
    quads, normals, *_ = world.arrays
    floor = (normals[:, 0, 1] > 0) & (quads[:, :, 1].max(axis=1) == 0)
    places = {}
    for quad, shine in zip(quads[floor].reshape(-1, 3), light[floor].reshape(-1, 3), strict=True):
        places[int(quad[0]), int(quad[2])] = shine.astype(int)
    return places


def raw_light(world: World, positions, directions):
    """Unexposed direct and gathered light at positions (mm) that face to directions."""
    quads, normals, colors, emission, owners = world.arrays
    glowing = emission.any(axis=1)
    facing = unit_normals(normals.sum(axis=1))
    grid = make_grid(quads, facing, ~glowing)
    points = make_points(np.array(positions), unit_normals(np.array(directions)), grid)
    sources = make_sources(quads[glowing], emission[glowing], owners[glowing], grid.origin)
    radiance = passed_on(quads, facing, ~glowing, colors, np.zeros((len(quads), 3)), grid)
    return direct_light(points, sources, grid), gathered_light(points, radiance, grid), points


def test_a_lamp_in_the_middle_lights_a_room_evenly():
    """Mirroring the room changes the light by no more than the grid, which is not symmetric, makes it."""
    world = room_with_lamp()
    floor = on_floor(world, world.bake())
    others = [
        np.abs(shine - floor[other]).max()
        for (x, z), shine in floor.items()
        for other in ((-x, z), (x, -z), (z, x))
    ]
    assert max(others) <= 24
    assert np.mean(others) <= 5
    # Brightest below the lamp, falling towards the walls, darkest in the corners.
    along = [floor[x, 0][1] for x in range(0, 2001, 500)]
    assert all(a > b for a, b in itertools.pairwise(along))
    assert min(floor.values(), key=lambda shine: shine[1])[1] == min(
        floor[x, z][1] for x in (-2000, 2000) for z in (-2000, 2000)
    )


def test_light_falls_with_the_square_of_the_distance():
    """A lamp 3 m over a floor: below it 1 / (9 + r2), 3 m aside cos 45 / (18 + r2), both faded alike known.

    r = 0.5 m is the floor under distances, the fade (1 - d2 / 56.25)**2; light that goes down counts
    0.7 + 0.5 cos. So the ratio is 0.7071 (18.25 / 9.25)**-1 ((1 - 18/56.25) / (1 - 9/56.25))**2
    (0.7 + 0.3536) / 1.2 = 0.2062, points lifted off the floor by 60 mm aside.
    """
    world = World().box((-5000, 0, -5000), (5000, 5000, 5000), inward=True)
    world.box((-50, 2950, -50), (50, 3050, 50), inward=False, glow=LAMP, owner=2)
    direct, _, _ = raw_light(world, [(0, 0, 0), (3000, 0, 0)], [(0, 1, 0)] * 2)
    assert direct[1, 1] / direct[0, 1] == pytest.approx(0.2062, rel=0.05)


def test_a_wall_takes_half_of_the_surroundings():
    """In a corner of two planes half of the sky is hidden: with black planes half of the light is left."""
    world = World()
    world.plane(1, 1, 0, (-4000, 0), (4000, 4000), color=(0.0,) * 3)  # Floor: z, x.
    world.plane(0, 1, 0, (0, -4000), (3000, 4000), color=(0.0,) * 3)  # Wall at x = 0: y, z.
    _, light, _ = raw_light(world, [(0, 0, 0), (3500, 0, 0)], [(0, 1, 0)] * 2)
    assert light[0, 1] / light[1, 1] == pytest.approx(0.5, abs=0.06)


def test_gathered_light_of_an_open_floor_is_that_of_the_space_around():
    world = World().plane(1, 1, 0, (-2000, -2000), (2000, 2000))
    _, light, points = raw_light(world, [(0, 0, 0)], [(0, 1, 0)])
    assert points.free.all()
    assert light[0] == pytest.approx([0.3] * 3)  # Nothing is hit: radiance of the space outside.


def test_a_box_throws_a_shadow_away_from_the_lamp():
    """A lamp at x = -1.5 m, a screen 1.2 m high at x = 0: at x = 0.5 m the floor lies in its shadow."""
    world = World().box((-3000, 0, -3000), (3000, 2500, 3000), inward=True)
    world.box((-1600, 1400, -100), (-1400, 1600, 100), inward=False, glow=LAMP, owner=2)
    world.box((-50, 0, -1000), (50, 1200, 1000), inward=False, owner=3)
    floor = on_floor(world, world.bake())
    assert floor[500, 0][1] < 0.6 * floor[-500, 0][1]
    # Beside the screen, which ends at z = 1 m: seen from the lamp, x = 0.5 m, z = 1.5 m passes it at 1.1 m.
    assert floor[500, 0][1] < 0.8 * floor[500, 1500][1]
    direct, _, _ = raw_light(world, [(500, 0, 0), (-500, 0, 0), (2900, 0, 0)], [(0, 1, 0)] * 3)
    # From 2.9 m away, the line to the lamp's lower end passes 1.2 m at x = 0.2 m behind the screen: shadow
    # ends at 1.5 * 1.2 / 0.3 = 6 m, so it is in it as well.
    assert direct[0, 1] == direct[2, 1] == 0.0 < direct[1, 1]


def test_no_light_comes_through_a_wall():
    """Two rooms back to back, 120 mm apart; the lamp burns in the left one."""
    for shift in range(0, 50, 7):  # Wherever the wall lies in the grid of voxels.
        world = World()
        world.box((-3000 + shift, 0, 0), (shift, 2500, 3000), inward=True)
        world.box((120 + shift, 0, 0), (3000 + shift, 2500, 3000), inward=True)
        world.box((-200, 1200, 1400), (0 - 100, 1400, 1600), inward=False, glow=LAMP, owner=2)
        right = [(x + shift, 0, z) for x in range(120, 3001, 240) for z in range(0, 3001, 300)]
        wall = [(120 + shift, y, z) for y in range(0, 2501, 250) for z in range(0, 3001, 300)]
        direct, _, points = raw_light(
            world, [*right, *wall], [(0, 1, 0)] * len(right) + [(1, 0, 0)] * len(wall)
        )
        assert points.free.all()
        assert not direct.any()


def test_a_wall_is_not_in_its_own_shadow():
    """Wherever a plane lies in the grid, and however it is turned, a lamp before it lights all of it."""
    turns = [(1, 0, 0), (0, 0, 1), (3, 0, 4), (-5, 12, 0), (1, 1, 1), (2, -1, 2)]
    for number, turn in enumerate(turns):
        normal = np.array(turn) / np.linalg.norm(turn)
        aside = np.cross(normal, (0.3, 0.5, -0.8))
        aside /= np.linalg.norm(aside)
        other = np.cross(normal, aside)
        cells = [
            [aside * (a + i) * 200 + other * (b + j) * 200 for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))]
            for a in range(-5, 5)
            for b in range(-5, 5)
        ]
        quads = np.rint(np.array(cells) + 7.0 * number).astype(np.int64)
        world = World().box((-100, -100, -100), (100, 100, 100), inward=False, glow=LAMP, owner=2)
        lamp = np.array(world.quads) + np.rint(normal * 1500).astype(np.int64)
        world.quads = [*lamp, *quads]
        world.normals += [np.rint(np.tile(normal * 1000, (4, 1))).astype(np.int64)] * len(quads)
        world.colors += [GREY] * len(quads)
        world.emission += [(0.0,) * 3] * len(quads)
        world.owners += [1] * len(quads)
        direct, _, points = raw_light(
            world, quads.reshape(-1, 3), np.array(world.normals[-len(quads) :]).reshape(-1, 3)
        )
        assert points.free.all()
        # Strength 1.9 sqrt(0.06 / 0.15) of a box of 0.24 m2, its distance, cosine, fade and slope; see above.
        way = (normal * 1500 - quads.reshape(-1, 3) - normal * 70) / 1000.0
        square = (way * way).sum(axis=1)
        cosine, slope = way @ normal / np.sqrt(square), way[:, 1] / np.sqrt(square)
        full = 1.9 * np.sqrt(0.4) * cosine / (square + 0.25) * (1 - square / 56.25) ** 2 * (0.7 + 0.5 * slope)
        assert direct[:, 1] == pytest.approx(full, rel=0.12)


def test_a_window_lights_what_lies_before_it_and_not_what_is_beside():
    """Flat sources shine to their front only: the wall that they hang on gets nothing straight."""
    world = World().box((0, 0, 0), (4000, 2500, 4000), inward=True)
    world.plane(0, 1, 2, (1000, 1500), (2000, 2500), glow=LAMP, owner=2)
    direct, _, _ = raw_light(
        world, [(1500, 0, 2000), (0, 1500, 3500), (4000, 1500, 2000)], [(0, 1, 0), (1, 0, 0), (-1, 0, 0)]
    )
    assert direct[0, 1] > direct[2, 1] > 0.0
    assert direct[1, 1] == 0.0


def test_light_is_cool_from_windows_and_colours_pass_on():
    """A red wall gives red light to the white floor beside it."""
    world = World().box((0, 0, 0), (3000, 2500, 3000), inward=True, color=(0.8, 0.8, 0.8))
    world.box((1400, 1900, 1400), (1600, 2100, 1600), inward=False, glow=LAMP, owner=2)
    for number, normals in enumerate(world.normals):
        if normals[0, 0] > 0 and not any(world.emission[number]):
            world.colors[number] = (0.8, 0.05, 0.05)
    floor = on_floor(world, world.bake())
    beside, away = floor[250, 1500], floor[2750, 1500]
    assert beside[0] - beside[2] >= 6
    assert beside[0] - beside[2] > away[0] - away[2]


def test_equal_places_get_equal_light_in_any_order():
    world = room_with_lamp()
    arrays = world.arrays
    light = bake_light(*arrays)
    order = np.random.default_rng(3).permutation(len(light))
    assert (bake_light(*(array[order] for array in arrays)) == light[order]).all()
    places: dict[tuple[int, ...], tuple[int, ...]] = {}
    for position, normal, shine in zip(
        arrays[0].reshape(-1, 3), arrays[1].reshape(-1, 3), light.reshape(-1, 3), strict=True
    ):
        key = (*position.tolist(), *normal.tolist())
        assert places.setdefault(key, tuple(shine.tolist())) == tuple(shine.tolist())


def test_glowing_surfaces_stay_white():
    world = room_with_lamp()
    glowing = np.array(world.emission).any(axis=1)
    assert (world.bake()[glowing] == 255).all()


def test_an_unlit_scene_is_not_black():
    world = World().box((0, 0, 0), (2000, 2000, 2000), inward=True)
    assert world.bake().min() >= 43


def test_distinct_pairs():
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 0, 0], [0, 0, 0], [1, 0, 0]])
    unit = np.array([[0, 1, 0], [0, 1, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0]])
    first, pair = distinct(corners, unit)
    assert first.tolist() == [0, 1, 3]
    assert pair.tolist() == [0, 1, 0, 2, 1]


def test_distinct_pairs_as_numpy_finds_them():
    rng = np.random.default_rng(0)
    corners, unit = rng.integers(-4, 5, (4000, 3)), rng.integers(-1, 2, (4000, 3))
    _, inverse = np.unique(np.concatenate([corners, unit], axis=1), axis=0, return_inverse=True)
    first, pair = distinct(corners, unit)
    assert len(first) == inverse.max() + 1
    assert (inverse[first][pair] == inverse).all()


def test_distances_are_those_of_all_blocks():
    """Blocks to the next that holds something or lies on the border, by brute force."""
    world = World().box((0, 0, 0), (1500, 1200, 1800), inward=False).plane(1, 1, 2500, (0, 0), (400, 400))
    quads, normals, *_ = world.arrays
    grid = make_grid(quads, unit_normals(normals[:, 0]), np.ones(len(quads), bool))
    shape = tuple(grid.shape.tolist())
    index = np.stack(np.indices(shape), axis=3).reshape(-1, 3)
    edge = (index == 0).any(axis=1) | (index == np.array(shape) - 1).any(axis=1)
    held = index[edge | (grid.masks != 0)]
    away = np.abs(index[:, None] - held[None]).max(axis=2).min(axis=1)
    assert (grid.distance == away).all()
    assert (~grid.masks[edge] == 0).all()


def test_no_source_is_overlooked():
    """What is seen from a point is seen from its cell: culling changes no light in a room with a screen."""
    world = World().box((-3000, 0, -3000), (3000, 2500, 3000), inward=True)
    world.box((-1600, 1400, -100), (-1400, 1600, 100), inward=False, glow=LAMP, owner=2)
    world.box((-50, 0, -1000), (50, 1200, 1000), inward=False, owner=3)
    quads, normals, _, emission, owners = world.arrays
    glowing = emission.any(axis=1)
    grid = make_grid(quads, unit_normals(normals.sum(axis=1)), ~glowing)
    sources = make_sources(quads[glowing], emission[glowing], owners[glowing], grid.origin)
    points = make_points(quads.reshape(-1, 3), unit_normals(normals).reshape(-1, 3), grid)
    lit = direct_light(points, sources, grid)[:, 1] > 0
    seen = visible_cells(sources, grid)[0].reshape(tuple(((grid.shape + 1) // 2).tolist()))
    cells = points.start[lit] >> 15
    assert seen[cells[:, 0], cells[:, 1], cells[:, 2]].all()
    assert 0 < seen.mean() < 1


@pytest.fixture(scope="module", params=(0, 3, 1_000_003))
def house(request):
    return make_house(request.param)


def test_houses_are_neither_dark_nor_dazzling(house):
    """By area: mean 0.45 to 0.75, few surfaces below 0.2 or above 0.95; floors vary, so that shape shows."""
    arrays = house.arrays
    corners = arrays.positions[arrays.triangles].astype(np.float64)
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    light = arrays.colors[arrays.triangles][..., :3].mean(axis=(1, 2)) / 255.0
    assert 0.45 <= (light * areas).sum() / areas.sum() <= 0.75
    assert light.min() >= 0.16
    assert areas[light > 0.97].sum() < 0.1 * areas.sum()
    assert np.std(light) > 0.1
    assert (arrays.colors[:, 3] == 255).all()


def test_houses_have_no_seams(house):
    """Corners at the same place with the same normal of the surface carry the same light."""
    arrays = house.arrays
    corners = arrays.positions[arrays.triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    floor = (normal[:, 1] > 0.01) & (np.abs(corners[..., 1]).max(axis=1) < 1e-6)
    # Whole floors, not rugs and mats on them: those of objects of the class "floor".
    kinds = np.array(house.object_classes)[arrays.object_ids]
    vertices = np.unique(arrays.triangles[floor & (kinds == "floor")])
    places, inverse = np.unique(arrays.positions[vertices], axis=0, return_inverse=True)
    least, most = np.full(len(places), 255), np.zeros(len(places), int)
    grey = arrays.colors[vertices, 1].astype(int)
    np.minimum.at(least, inverse, grey)
    np.maximum.at(most, inverse, grey)
    assert (least == most).all()
    assert len(places) < 0.5 * len(vertices)
