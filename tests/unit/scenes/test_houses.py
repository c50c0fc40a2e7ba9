"""Built-in houses: geometry, floor plans, splits."""

from __future__ import annotations

import hashlib
import itertools
import json
from pathlib import Path

import numpy as np
import pytest
import shapely

from gym_batchnav.errors import ConfigError, SceneError
from gym_batchnav.scenes.houses import SPLITS, HouseConfig, load_house, make_house
from gym_batchnav.scenes.houses.dice import Dice
from gym_batchnav.scenes.houses.plan import DOOR_WIDTH, INNER_WALL
from gym_batchnav.scenes.houses.program import make_plan
from gym_batchnav.scenes.houses.textures import texture_pixels

SEEDS = (0, 1, 2, 3, 12, 1_000_003, 2_000_007)
GOLDEN = Path(__file__).parents[2] / "golden" / "houses_v1.json"


@pytest.fixture(scope="module", params=SEEDS)
def house(request):
    return make_house(request.param)


def plans(count):
    made = (make_plan(Dice(seed), HouseConfig()) for seed in range(10 * count))
    return list(itertools.islice((plan for plan in made if plan is not None), count))


def digests(scene) -> dict[str, str]:
    """SHA-256 of what is drawn, and of the ground (which another GEOS may triangulate otherwise)."""
    arrays, drawn, ground = scene.arrays, hashlib.sha256(), hashlib.sha256()
    for array in (
        arrays.positions,
        arrays.triangles,
        arrays.material_ids,
        arrays.uvs,
        arrays.colors,
        arrays.object_ids,
        *(texture.pixels for texture in arrays.textures),
    ):
        drawn.update(np.ascontiguousarray(array).tobytes())
    drawn.update(repr([(m.base_color, m.texture, m.alpha_cutoff) for m in arrays.materials]).encode())
    ground.update(scene.walkable.vertices.tobytes())
    ground.update(repr(scene.walkable.polygons).encode())
    return {"drawn": drawn.hexdigest(), "ground": ground.hexdigest()}


@pytest.mark.parametrize("name", ["train/0000", "val/0042", "test/0099"])
def test_bytes_of_the_version(name):
    """A changed byte means a new version of the set, not a new golden file."""
    golden = json.loads(GOLDEN.read_text())
    split, number = name.split("/")
    found = digests(load_house(split, int(number)))
    assert found["drawn"] == golden[name]["drawn"]
    if shapely.geos_version[:2] == tuple(golden["geos"]):
        assert found["ground"] == golden[name]["ground"]


def test_equal_seeds_give_equal_bytes_and_others_do_not():
    assert digests(make_house(77)) == digests(make_house(77))
    assert digests(make_house(77))["drawn"] != digests(make_house(78))["drawn"]


def test_splits_share_no_seed():
    seeds = [set(range(split.first_seed, split.first_seed + split.count)) for split in SPLITS.values()]
    assert [len(some) for some in seeds] == [1000, 100, 100]
    for a, b in itertools.combinations(seeds, 2):
        assert not a & b


def test_arrays_are_sound(house):
    arrays = house.arrays
    # SceneArrays has checked shapes, ranges and finiteness; here: nothing is missing and nothing degenerates.
    assert 3000 <= arrays.num_triangles <= 9000
    assert arrays.uvs is not None
    assert np.isfinite(arrays.uvs).all()
    assert arrays.colors is not None
    assert (arrays.colors[:, 3] == 255).all()
    assert arrays.object_ids.min() >= 1
    a, b, c = np.moveaxis(arrays.positions[arrays.triangles].astype(np.float64), 1, 0)
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2
    assert area.min() > 1e-7
    assert arrays.positions[:, 1].min() == 0.0
    assert arrays.positions[:, 1].max() == pytest.approx(2.6)
    assert set(np.unique(arrays.material_ids)) <= set(range(len(arrays.materials)))
    used = {material.texture for material in arrays.materials}
    assert used == set(range(-1, len(arrays.textures)))


def test_positions_are_whole_millimetres(house):
    millimetres = house.positions.astype(np.float64) * 1000.0
    np.testing.assert_allclose(millimetres, np.rint(millimetres), atol=2e-3)


def test_floor_and_ceiling_cover_the_house(house):
    """Below and above the middle of every walkable polygon there are floor and ceiling."""
    triangles = house.positions[house.triangles]
    height = triangles[..., 1]
    for level in (0.0, 2.6):
        flat = triangles[(height == np.float32(level)).all(axis=1)][..., [0, 2]].astype(np.float64)
        cover = shapely.union_all(shapely.polygons(flat))
        centres = [
            house.walkable.vertices[list(ring)][:, [0, 2]].mean(axis=0) for ring in house.walkable.polygons
        ]
        assert shapely.covers(cover.buffer(1e-6), shapely.points(np.array(centres))).all()


def test_room_and_area_bounds():
    for plan in plans(150):
        assert 4 <= len(plan.rooms) <= 8
        assert 60e6 <= plan.area <= 150e6
        kinds = [room.kind for room in plan.rooms]
        assert kinds.count("living") == 1
        assert "bath" in kinds
        assert "kitchen" in kinds


def test_rooms_do_not_overlap_and_walls_are_thick():
    for plan in plans(60):
        for a, b in itertools.combinations(plan.rooms, 2):
            assert not a.inner.grown(INNER_WALL // 2).overlaps(b.inner.grown(INNER_WALL // 2 - 1))


def test_doors_are_wide_and_between_their_rooms():
    for plan in plans(60):
        joined = {door.rooms for door in plan.doors}
        assert len(joined) == len(plan.doors)
        for door in plan.doors:
            assert door.width == DOOR_WIDTH or (door.openings[0].kind == "arch" and door.width > DOOR_WIDTH)
            for number, opening in zip(door.rooms, door.openings, strict=True):
                low, high = plan.rooms[number].inner.span(opening.side)
                assert low + 60 <= opening.low < opening.high <= high - 60


def test_every_room_has_a_way_to_every_other():
    for plan in plans(60):
        reached, rest = {0}, [set(door.rooms) for door in plan.doors]
        for _ in plan.rooms:
            reached |= set().union(*(pair for pair in rest if pair & reached), set())
        assert reached == set(range(len(plan.rooms)))


def test_openings_of_one_wall_do_not_overlap():
    for plan in plans(60):
        for openings in plan.openings:
            for a, b in itertools.combinations(openings, 2):
                assert a.side != b.side or a.high <= b.low or b.high <= a.low


def test_config_is_checked_and_followed():
    with pytest.raises(ConfigError, match="min_area=100"):
        HouseConfig(min_area=100, max_area=90)
    with pytest.raises(ConfigError, match="min_rooms=9"):
        HouseConfig(min_rooms=9, max_rooms=8)
    with pytest.raises(ConfigError, match=r"agent_radius=0\.123"):
        HouseConfig(agent_radius=0.123)
    with pytest.raises(ConfigError, match="seed=-1"):
        make_house(-1)
    bare = make_house(3, HouseConfig(furnished=False))
    assert bare.arrays.num_triangles < make_house(3).arrays.num_triangles
    assert bare.scene_id == "houses-v2/seed/3"
    with pytest.raises(SceneError, match="no house within"):
        make_house(3, HouseConfig(min_rooms=10, max_rooms=10, min_area=40, max_area=60))


def test_textures_tile_and_differ():
    seen = set()
    for name in ("planks", "boards", "parquet", "tiles", "carpet", "plaster", "fabric", "wood", "stone"):
        pixels = texture_pixels(name)
        assert pixels.shape == (256, 256, 4)
        assert not pixels.flags.writeable
        seen.add(pixels.tobytes())
    assert len(seen) == 9
    # Smooth noise goes on over the border: the step from the last to the first column is like any other.
    steps = np.abs(np.diff(texture_pixels("carpet")[..., 0].astype(int), axis=1, append=0))
    wrapped = np.abs(np.diff(texture_pixels("carpet")[:, [-1, 0], 0].astype(int), axis=1))
    assert wrapped.mean() < 2 * steps[:, :-1].mean() + 1
