"""Ids, normals, headlight and packed images of scenes whose answers are known by hand, and of each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from batchnav_renderer import Material, Texture
from batchnav_renderer.camera import world_from_camera
from batchnav_renderer.gl import backend

ORIGIN = np.eye(4)[None]
ALL = ("depth", "rgb", "ids", "normals")
STAGES = ("vertex", "geometry")


@pytest.fixture
def packed(monkeypatch):
    """Packs images whatever is drawn, as on a GPU."""
    usual = backend.pipeline_settings
    monkeypatch.setattr(
        backend, "pipeline_settings", lambda *arguments: replace(usual(*arguments), packed=True)
    )


def draw(renderer, scene, poses=ORIGIN, **keywords):
    renderer.set_views(np.full(len(poses), renderer.add_scene(scene)), poses, **keywords)
    return renderer.render()


@pytest.mark.parametrize("layer_stage", STAGES)
def test_ids_of_two_quads_that_share_corners(make_renderer, quads, facing, layer_stage):
    # Left half id 7, right half id -5, one vertex pair in both; above both nothing.
    left, right = facing(-9, 0, -9, 0, 2.0), facing(0, 9, -9, 0, 2.0)
    scene = quads([left, right], object_ids=np.array([7, 7, -5, -5], np.int32))
    ids = draw(make_renderer(outputs=("ids",), layer_stage=layer_stage), scene)["ids"]
    assert ids.shape == (1, 8, 8, 1)
    assert ids.dtype == np.int32
    expected = np.full((8, 8), -1)
    expected[4:, :4], expected[4:, 4:] = 7, -5
    np.testing.assert_array_equal(ids[0, ..., 0], expected)


def test_ids_of_triangles_of_one_quad(make_renderer, quads, facing):
    # Both triangles of a quad use the same corners; below the diagonal from the top left the id is 3.
    scene = quads(facing(-9, 9, -9, 9, 9.0), object_ids=np.array([3, 4], np.int32))
    ids = draw(make_renderer(outputs=("ids",), far=20.0), scene)["ids"][0, ..., 0]
    rows, columns = np.mgrid[:8, :8]
    assert (ids[rows > columns] == 3).all()
    assert (ids[rows < columns] == 4).all()


def test_scenes_without_ids_read_zero(make_renderer, quads, facing):
    ids = draw(make_renderer(outputs=("ids",)), quads(facing(-9, 0, -9, 9, 1.0)))["ids"][0, ..., 0]
    np.testing.assert_array_equal(ids, np.tile([0] * 4 + [-1] * 4, (8, 1)))


@pytest.mark.parametrize("layer_stage", STAGES)
@pytest.mark.parametrize("flip", [False, True])
def test_normals_are_of_the_side_seen_in_camera_space(make_renderer, quads, layer_stage, flip):
    # A floor at y = -1 and a wall at x = 3, wound either way. Looking along -Z, the floor's normal is up and
    # the wall's points left. Turned left by 30 degrees, the camera has its right axis at (cos 30, 0, -sin 30)
    # and its back axis at (sin 30, 0, cos 30), along which the wall's normal, world -x, is -cos 30, -sin 30.
    floor = [[-50, -1, -50], [50, -1, -50], [50, -1, 50], [-50, -1, 50]]
    wall = [[3, -50, -50], [3, 50, -50], [3, 50, 50], [3, -50, 50]]
    corners = np.array([floor, wall], np.float32)
    scene = quads(corners[:, ::-1] if flip else corners)
    poses = world_from_camera(np.zeros((2, 3)), np.array([0.0, np.pi / 6]))
    renderer = make_renderer(2, outputs=("normals",), layer_stage=layer_stage, num_workers=1)
    normals = draw(renderer, scene, poses)["normals"]
    assert normals.dtype == np.float32
    np.testing.assert_allclose(normals[:, 7, 0], [[0, 1, 0]] * 2, atol=1e-6)
    np.testing.assert_allclose(normals[0, 3, 7], [-1, 0, 0], atol=1e-6)
    np.testing.assert_allclose(normals[1, 3, 7], [-np.cos(np.pi / 6), 0, -0.5], atol=1e-6)
    np.testing.assert_array_equal(normals[0, 3, 0], [0, 0, 0])  # above the floor, left of the wall: nothing


def test_normals_follow_pitch_and_field_of_view(make_renderer, quads, facing):
    # Looking down by 45 degrees at a floor: its normal is halfway between up and back, however wide the view.
    floor = [[-50, -1, -50], [50, -1, -50], [50, -1, 50], [-50, -1, 50]]
    pose = world_from_camera([[0, 0, 0]], [1.0], [-np.pi / 4])
    renderer = make_renderer(height=6, width=10, outputs=("normals",))
    for hfov_deg in (None, [50.0]):
        normals = draw(renderer, quads(floor), pose, hfov_deg=hfov_deg)["normals"][0]
        np.testing.assert_allclose(normals, np.tile([0, 0.5**0.5, 0.5**0.5], (6, 10, 1)), atol=1e-5)


def test_headlight_by_hand(make_renderer, quads, facing):
    # A white wall ahead: where the slopes of a pixel's ray are x and y, n . r is 1 / sqrt(1 + x^2 + y^2);
    # light 0.3 + 0.7 of that, encoded as sRGB.
    renderer = make_renderer(outputs=("rgb",), shading="headlight")
    rgb = draw(renderer, quads(facing(-99, 99, -99, 99, 2.0)))["rgb"][0]
    slope = (np.arange(8) + 0.5) / 4 - 1
    light = 0.3 + 0.7 / np.sqrt(1 + slope[:, None] ** 2 + slope[None] ** 2)
    expected = 255 * (1.055 * light ** (1 / 2.4) - 0.055)
    np.testing.assert_allclose(rgb, np.repeat(expected[..., None], 3, -1), atol=1.0)
    assert rgb[4, 4, 0] > rgb[0, 0, 0] + 20


@pytest.mark.parametrize("layer_stage", STAGES)
def test_headlight_beside_other_outputs_and_textures(make_renderer, quads, facing, layer_stage):
    # A wall seen at a slant of 60 degrees in the centre, the camera on its left: n . r = 0.5, so light is
    # 0.65 of a grey texture's, and the normal, towards world +z, is half along the camera's back.
    pixels = np.full((4, 4, 4), 188, np.uint8)  # half the light of white
    scene = quads(
        facing(-9, 9, -9, 9, 0.0),
        [[0, 0], [0, 1], [1, 1], [1, 0]],
        materials=(Material(texture=0),),
        textures=(Texture(pixels=pixels),),
    )
    pose = world_from_camera([[-np.sin(np.pi / 3), 0, np.cos(np.pi / 3)]], [-np.pi / 3])
    renderer = make_renderer(
        height=9, width=9, hfov_deg=20, outputs=ALL, shading="headlight", layer_stage=layer_stage
    )
    images = draw(renderer, scene, pose)
    light = 0.65 * ((188 / 255 + 0.055) / 1.055) ** 2.4
    assert images["rgb"][0, 4, 4] == pytest.approx(255 * (1.055 * light ** (1 / 2.4) - 0.055), abs=1.5)
    assert images["depth"][0, 4, 4, 0] == pytest.approx(1.0, abs=1e-4)
    np.testing.assert_allclose(images["normals"][0, 4, 4], [np.sin(np.pi / 3), 0, 0.5], atol=1e-5)


@pytest.mark.parametrize(("height", "width", "views"), [(8, 8, 5), (5, 7, 3), (1, 1, 7)])
@pytest.mark.parametrize("max_layers", [None, 2])
def test_packed_images_equal_those_read_from_the_target(
    make_renderer, clutter, random_poses, request, height, width, views, max_layers
):
    size = {"height": height, "width": width, "outputs": ("depth", "rgb"), "max_layers": max_layers}
    poses = random_poses(views)
    read = draw(make_renderer(views, **size), clutter(1, 60), poses)
    request.getfixturevalue("packed")
    renderer = make_renderer(views, **size)
    assert renderer._backend._pipelines[0].packed is not None
    found = draw(renderer, clutter(1, 60), poses)
    for name in ("depth", "rgb"):
        np.testing.assert_array_equal(found[name], read[name])


def test_float16_is_float32_rounded(make_renderer, clutter, random_poses):
    poses = random_poses(9)
    images = [
        draw(make_renderer(9, height=5, width=7, depth_dtype=dtype), clutter(1, 60), poses)["depth"]
        for dtype in ("float32", "float16")
    ]
    assert images[1].dtype == np.float16
    np.testing.assert_array_equal(images[1], images[0].astype(np.float16))
    assert len(np.unique(images[1])) > 50


def test_outputs_do_not_depend_on_each_other(make_renderer, clutter, random_poses):
    scene, poses = clutter(2, 40), random_poses(6)
    scene = replace(scene, object_ids=np.arange(480, dtype=np.int32) // 12)
    together = draw(make_renderer(6, height=16, width=16, outputs=ALL), scene, poses)
    for name in ALL:
        alone = draw(make_renderer(6, height=16, width=16, outputs=(name,)), scene, poses)[name]
        np.testing.assert_array_equal(alone, together[name])
    hit = together["ids"][..., 0] >= 0
    assert 0.2 < hit.mean() < 1.0
    lengths = np.linalg.norm(together["normals"], axis=-1)
    np.testing.assert_allclose(lengths, hit, atol=1e-5)
