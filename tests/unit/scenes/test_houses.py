"""Built-in houses: their arrays, their bytes, what belongs to what."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
import shapely

from batchnav_renderer import BatchRenderer, RenderConfig
from gym_batchnav.nav import navmesh_for
from gym_batchnav.scenes.houses import HouseConfig, load_house, make_house
from gym_batchnav.scenes.houses.classes import CLASS_NAMES
from tests.unit.scenes.houses_made import HALF_TURN, NAMES, STRAIGHT, made

GOLDEN = Path(__file__).parents[2] / "golden" / "houses_v2.json"


@pytest.fixture(scope="module", params=NAMES)
def house(request):
    return made(request.param).scene


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


def test_arrays_are_sound(house):
    arrays = house.arrays
    # SceneArrays has checked shapes, ranges and finiteness; here: nothing is missing and nothing degenerates.
    assert arrays.uvs is not None
    assert np.isfinite(arrays.uvs).all()
    assert arrays.colors is not None
    assert (arrays.colors[:, 3] == 255).all()
    assert arrays.object_ids.min() >= 1
    a, b, c = np.moveaxis(arrays.positions[arrays.triangles].astype(np.float64), 1, 0)
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2
    assert area.min() > 1e-7
    assert set(np.unique(arrays.material_ids)) <= set(range(len(arrays.materials)))
    used = {material.texture for material in arrays.materials}
    assert used <= set(range(-1, len(arrays.textures)))


def test_positions_are_whole_millimetres(house):
    millimetres = house.positions.astype(np.float64) * 1000.0
    np.testing.assert_allclose(millimetres, np.rint(millimetres), atol=2e-3)


def test_shell_is_fine_enough_for_light(house):
    """Edges of walls are at most 0.56 m long, of floors 0.48 m, of ceilings 0.8 m; under walls more."""
    classes = np.array(house.object_classes)[house.arrays.object_ids]
    corners = house.positions[house.triangles].astype(np.float64)
    edges = np.abs(corners - np.roll(corners, 1, axis=1)).max(axis=2)
    for name, longest, usual in (("wall", 0.561, 0.56), ("floor", 0.80, 0.48), ("ceiling", 1.15, 0.8)):
        sizes = edges[classes == name].max(axis=1)
        assert sizes.max() <= longest, name
        assert np.median(sizes) <= usual, name


def test_objects_belong_to_classes_and_rooms(house):
    """Every room has a floor, walls and a ceiling of its own, that cover it in its place."""
    assert house.object_classes[0] == "void"
    assert set(house.object_classes) <= set(CLASS_NAMES)
    ids = house.arrays.object_ids
    assert ids.max() < len(house.object_classes)
    corners = house.positions[house.triangles]
    for name, height in (("floor", 0.0), ("wall", None), ("ceiling", 2.6)):
        objects = [number for number, kind in enumerate(house.object_classes) if kind == name]
        assert len(objects) == len(house.rooms)
        for number, room in zip(objects, house.rooms, strict=True):
            own = corners[ids == number].reshape(-1, 3)
            x0, z0, x1, z1 = room.bounds
            low, high = own.min(axis=0), own.max(axis=0)
            slack = 0.25 if name != "wall" else 1e-3
            np.testing.assert_allclose([low[0], low[2], high[0], high[2]], [x0, z0, x1, z1], atol=slack)
            if height is not None:
                assert low[1] == high[1] == np.float32(room.floor + height)


def test_floors_and_ceilings_cover_the_ground(house):
    """Below and above random points of the level ground there are floor and ceiling of the same storey."""
    points = navmesh_for(house).sample(500, np.random.default_rng(0))
    corners = house.positions[house.triangles]
    for level in {room.floor for room in house.rooms}:
        here = points[points[:, 1] == np.float32(level)]
        assert len(here) > 100
        for height in (level, level + 2.6):
            flat = corners[(corners[..., 1] == np.float32(height)).all(axis=1)][..., [0, 2]]
            cover = shapely.union_all(shapely.polygons(flat.astype(np.float64)), grid_size=1e-4)
            free = shapely.points(here[:, [0, 2]].astype(np.float64))
            if height > level and level == 0.0:
                # Before the first step one stands under the stairwell, not under the ceiling.
                assert shapely.covers(cover.buffer(0.2), free).mean() > 0.95
            else:
                assert shapely.covers(cover.buffer(1e-3), free).all()


@pytest.mark.parametrize("name", [NAMES[0], STRAIGHT, HALF_TURN])
def test_nothing_is_seen_through_the_shell(name):
    """Of rays in all directions from where an agent's camera may be, none leaves the house."""
    scene, rng, count = made(name).scene, np.random.default_rng(1), 24
    points = navmesh_for(scene).sample(count, rng) + np.array([0.0, 1.25, 0.0])
    poses = np.tile(np.eye(4), (count, 1, 1))
    for pose, point in zip(poses, points, strict=True):
        turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        pose[:3, :3], pose[:3, 3] = turn * np.sign(np.linalg.det(turn)), point
    config = RenderConfig(
        num_views=count, height=96, width=128, hfov_deg=110, outputs=("ids",), backend="embree", far=100.0,
        watertight=True,
    )  # fmt: skip
    renderer = BatchRenderer(config)
    try:
        renderer.set_views([renderer.add_scene(scene.arrays)] * count, poses)
        ids = renderer.render()["ids"]
    finally:
        renderer.close()
    assert (ids >= 1).all()
    assert len(np.unique(ids)) > 20


def test_rooms_are_told(house):
    plan = next(made(name) for name in NAMES if made(name).scene is house).plan
    assert [room.kind for room in house.rooms] == [room.kind for room in plan.rooms]
    for told, room in zip(house.rooms, plan.rooms, strict=True):
        np.testing.assert_allclose(np.array(told.bounds) * 1000, room.inner, atol=1e-6)
        assert told.floor == room.storey * 2.8


def test_a_bare_house_is_a_house_without_furniture():
    bare = make_house(3, HouseConfig(furnished=False))
    assert bare.scene_id == "houses-v2/seed/3"
    shell = {
        *("void", "wall", "floor", "ceiling", "door", "window", "stairs", "railing"),
    }
    assert set(bare.object_classes) <= shell
    # The layout of walls, floors, doors and windows alone.
    assert 10_000 <= bare.arrays.num_triangles <= 40_000
