"""Ids, normals, headlight and half precision against numbers worked out by hand and embreex's own answers."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from numba import njit

from batchnav_renderer import Material, Texture
from batchnav_renderer.camera import world_from_camera
from batchnav_renderer.embree.half import half_of
from gym_batchnav.scenes import load_scene
from gym_batchnav.scenes.houses import make_house

embree_scene = pytest.importorskip("embreex.rtcore_scene", reason="embreex is not installed")
embree_mesh = pytest.importorskip("embreex.mesh_construction", reason="embreex is not installed")
ORIGIN = np.eye(4)[None]


@pytest.fixture
def draw(make_renderer):
    def run(scene, poses=ORIGIN, **fields):
        renderer = make_renderer(len(poses), **fields)
        renderer.set_views([renderer.add_scene(scene)] * len(poses), poses)
        return renderer.render()

    return run


def test_ids_by_hand(draw, quads, facing):
    scene = quads(
        [facing(-99, 0, -99, 0, 2.0), facing(0, 99, -99, 0, 3.0)],
        object_ids=np.array([7, 7, -5, 2**31 - 1], np.int32),
    )
    ids = draw(scene, outputs=("ids",))["ids"][0, ..., 0]
    assert (ids[:4] == -1).all()
    assert (ids[4:, :4] == 7).all()
    # The second quad's diagonal runs from (0, 0) to (99, -99); its first triangle lies below.
    assert (ids[7, 4], ids[4, 7]) == (-5, 2**31 - 1)


def test_without_object_ids_all_is_0(draw, quads, facing):
    ids = draw(quads(facing(-99, 0, -99, 99, 20.0)), outputs=("ids", "depth"))
    assert (ids["ids"][0, :, :4] == 0).all()
    assert (ids["ids"][0, :, 4:] == -1).all()
    assert (ids["depth"] == 10.0).all()  # beyond ``far``, where ids are still told


@pytest.mark.parametrize("turned", [False, True])
def test_normals_face_the_viewer(draw, quads, facing, turned):
    corners = facing(-99, 0, -99, 99, 2.0)
    normals = draw(quads(corners[::-1] if turned else corners), outputs=("normals",))["normals"][0]
    np.testing.assert_array_equal(normals[:, :4], np.broadcast_to([0, 0, 1], (8, 4, 3)))
    assert not normals[:, 4:].any()


def test_normals_are_in_camera_space(draw, quads):
    # Seen from 30 degrees above, the floor's normal leans towards the viewer: (0, cos 30, sin 30).
    floor = quads([[-99, -1, -99], [-99, -1, 99], [99, -1, 99], [99, -1, -99]])
    pose = world_from_camera(np.zeros((1, 3)), np.array([0.7]), np.radians([-30.0]))
    normals = draw(floor, pose, outputs=("normals",))["normals"][0]
    np.testing.assert_allclose(normals[7, 3], [0, np.sqrt(3) / 2, 0.5], atol=1e-6)


def test_normals_of_sloped_walls(draw, quads):
    # The wall x + 3 z = -6 has the normal (1, 0, 3) / sqrt(10).
    ahead = quads([[-3, 9, -1], [-3, -9, -1], [3, -9, -3], [3, 9, -3]])
    normals = draw(ahead, outputs=("normals",))["normals"][0]
    np.testing.assert_allclose(normals[4, 4], [1 / np.sqrt(10), 0, 3 / np.sqrt(10)], atol=1e-6)
    # Turned left by 90 degrees, the camera's right is -Z and its back +X. The wall z = x + 2 has the normal
    # (1, 0, -1) / sqrt(2) on the camera's side: right . n = 1 / sqrt(2), back . n = 1 / sqrt(2).
    aside = quads([[-4, 9, -2], [-4, -9, -2], [-1, -9, 1], [-1, 9, 1]])
    pose = world_from_camera(np.zeros((1, 3)), np.array([np.pi / 2]))
    seen = draw(aside, pose, outputs=("normals",))["normals"][0]
    np.testing.assert_allclose(seen[4, 4], [1 / np.sqrt(2), 0, 1 / np.sqrt(2)], atol=1e-6)


@pytest.mark.parametrize("size", [1e12, 1e-5])
def test_normals_of_huge_and_tiny_triangles(draw, quads, facing, size):
    # The cross product of two sides is as long as both: 4e24, whose square is no float32, and 4e-10.
    scene = quads(facing(-size, size, -size, size, 5e-6))
    seen = draw(scene, outputs=("normals",), near=2e-6)["normals"][0]
    np.testing.assert_array_equal(seen, np.broadcast_to([0, 0, 1], (8, 8, 3)))


def srgb(light):
    return 255 * (1.055 * light ** (1 / 2.4) - 0.055)


@pytest.mark.parametrize("textured", [False, True])
def test_headlight_by_hand(draw, quads, facing, textured):
    # Through the corner pixel of 8 x 8 over 90 degrees goes (-7/8, 7/8, -1). Its cosine with the wall's
    # normal is 1 / sqrt(1 + 2 * 49/64) = 0.62854, which shows 0.3 + 0.7 * 0.62854 = 0.73998 of the light; a
    # red of 0.5 becomes 0.36999.
    fields = {"materials": (Material(base_color=(0.5, 1.0, 0.0, 1.0)),)}
    if textured:
        white = Texture(pixels=np.full((4, 4, 4), 255, np.uint8))
        fields = {"materials": (Material(base_color=(0.5, 1.0, 0.0, 1.0), texture=0),), "textures": (white,)}
    scene = quads(facing(-9, 9, -9, 9, 2.0), np.zeros((4, 2)), **fields)
    rgb = draw(scene, outputs=("rgb",), shading="headlight")["rgb"][0].astype(float)
    np.testing.assert_allclose(rgb[0, 0], [srgb(0.36999), srgb(0.73998), 0], atol=0.6)
    unlit = draw(scene, outputs=("rgb",))["rgb"][0].astype(float)
    np.testing.assert_allclose(unlit[0, 0], [srgb(0.5), 255, 0], atol=0.6)


@njit
def halves(values, bits):
    for number in range(len(values)):
        bits[number] = half_of(values[number])


def test_half_precision_is_numpys(rng):
    # All kinds of positive numbers, and all ties between two neighbours.
    exact = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float32)
    ties = ((exact[:-1].astype(np.float64) + exact[1:]) / 2).astype(np.float32)
    any_bits = rng.integers(0, 0x7F800001, 100_000, dtype=np.uint32).view(np.float32)
    edges = np.array([65504, 65519.99, 65520, 1e30, np.inf, 1e-45, 2**-25, 2**-24, 2**-14], np.float32)
    values = np.concatenate([exact, ties, np.nextafter(ties, np.float32(1e9)), any_bits, edges])
    bits = np.empty(len(values), np.uint16)
    halves(values, bits)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(bits, values.astype(np.float16).view(np.uint16))


def test_half_depth_is_rounded_depth(draw, clutter, random_poses):
    poses = random_poses(12)
    scene = clutter(1, 100)
    whole = draw(scene, poses, height=13, width=11)["depth"]
    for outputs in (("depth",), ("depth", "rgb", "normals")):
        half = draw(scene, poses, height=13, width=11, depth_dtype="float16", outputs=outputs)["depth"]
        assert half.dtype == np.float16
        np.testing.assert_array_equal(half, whole.astype(np.float16))


def cast(arrays, poses, height, width):
    """Primitive ids (N, H, W) and depths of embreex for cameras with a field of view of 90 degrees."""
    scene = embree_scene.EmbreeScene(robust=True)
    embree_mesh.TriangleMesh(scene, arrays.positions, arrays.triangles.astype(np.int32))
    x = (np.arange(width) + 0.5) / width * 2 - 1
    y = ((np.arange(height) + 0.5) * 2 - height) / width
    rays = np.stack(np.broadcast_arrays(x, -y[:, None], -1.0), axis=-1).reshape(-1, 3)
    ids, depths = [], []
    for pose in poses:
        directions = (rays @ pose[:3, :3].T).astype(np.float32)
        origins = np.broadcast_to(pose[:3, 3], directions.shape).astype(np.float32)
        found = scene.run(origins, directions, output=True)
        ids.append(found["primID"])
        depths.append(found["tfar"])
    shape = (len(poses), height, width)
    return np.reshape(ids, shape), np.reshape(depths, shape)


def assert_as_embreex(draw, arrays, poses):
    arrays = dataclasses.replace(arrays, object_ids=np.arange(len(arrays.triangles), dtype=np.int32))
    size = {"height": 36, "width": 50}
    images = draw(arrays, poses, outputs=("depth", "ids", "normals"), near=2e-6, far=1000.0, **size)
    ids, depths = cast(arrays, poses, **size)
    same = images["ids"][..., 0] == ids
    assert same.mean() >= 0.995
    assert len(np.unique(ids)) > 100
    hit = same & (ids >= 0)
    np.testing.assert_allclose(images["depth"][hit, 0], depths[hit], atol=1e-3)
    corners = arrays.positions[arrays.triangles[ids[hit]]].astype(np.float64)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    rotations = np.broadcast_to(poses[:, None, None, :3, :3], (*ids.shape, 3, 3))[hit]
    expected = np.einsum("nij,ni->nj", rotations, normals)
    drawn = images["normals"][hit]
    cosines = (expected * drawn).sum(axis=1)
    assert (np.abs(cosines) > 0.9999).mean() > 0.999  # slivers lose digits
    assert not images["normals"][images["ids"][..., 0] == -1].any()
    np.testing.assert_allclose(np.linalg.norm(drawn, axis=1), 1.0, atol=1e-6)


def test_a_house_as_embreex_sees_it(draw, rng):
    arrays = make_house(5).arrays
    low, high = arrays.positions.min(axis=0), arrays.positions.max(axis=0)
    where = rng.uniform(low + 0.2 * (high - low), high - 0.2 * (high - low), (20, 3))
    assert_as_embreex(draw, arrays, world_from_camera(where, rng.uniform(-np.pi, np.pi, 20), -0.1))


@pytest.mark.slow
def test_a_scan_as_embreex_sees_it(draw, rng, shared_data):
    arrays = load_scene(shared_data / "scenes" / "aws_small_house.glb").arrays
    low, high = arrays.positions.min(axis=0), arrays.positions.max(axis=0)
    where = rng.uniform(low + 0.2 * (high - low), high - 0.2 * (high - low), (100, 3))
    assert_as_embreex(draw, arrays, world_from_camera(where, rng.uniform(-np.pi, np.pi, 100), -0.1))
