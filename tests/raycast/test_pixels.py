"""What single pixels show, against numbers worked out by hand and against every triangle tried in turn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from batchnav_renderer import Material, Texture
from batchnav_renderer.camera import world_from_camera

ORIGIN = np.eye(4)[None]
EVERYTHING = ("depth", "rgb", "ids", "normals")


def draw(renderer, scene, poses=ORIGIN, hfov_deg=None):
    renderer.set_views(np.full(len(poses), renderer.add_scene(scene)), poses, hfov_deg)
    return renderer.render()


def test_ids_and_normals(make_renderer, quads, facing):
    # On the left a quad that faces the camera, in the middle a floor, on the right nothing.
    floor = [[-1, -0.5, -1.5], [1, -0.5, -1.5], [1, -0.5, -3], [-1, -0.5, -3]]
    scene = quads([facing(-9, -1.2, -9, 9, 1.5), floor], object_ids=np.array([7, 7, -5, -5], np.int32))
    images = draw(make_renderer(outputs=EVERYTHING), scene)
    ids, normals = images["ids"][0, ..., 0], images["normals"][0]
    assert ids.dtype == np.int32
    # Column 0 looks along x = -0.875, which at 1.5 m is -1.3: on the quad. Column 7 looks past both.
    assert (ids[:, 0] == 7).all()
    np.testing.assert_allclose(normals[:, 0], np.tile([0, 0, 1], (8, 1)), atol=1e-6)
    assert (ids[:, 7] == -1).all()
    assert (normals[:, 7] == 0).all()
    assert (images["depth"][0, :, 7] == 10).all()
    down = world_from_camera([[0, 1, -2]], [0.0], [np.radians(-90)])
    straight = draw(make_renderer(outputs=EVERYTHING), scene, down)
    # Looking straight down from 1.5 m above the floor: 1.5 * (x, z), so |x| < 1 is |column - 3.5| / 4 < 0.67.
    assert straight["ids"][0, 4, 4, 0] == -5
    np.testing.assert_allclose(straight["depth"][0, 4, 4], 1.5, rtol=1e-6)
    np.testing.assert_allclose(straight["normals"][0, 4, 4], [0, 0, 1], atol=1e-6)


def test_normals_are_in_camera_space_and_of_the_seen_side(make_renderer, quads):
    # The wall x = 2, on the right of a camera that is turned 45 degrees to the right and so sees it askew:
    # its normal -x has the components -cos 45 along the camera's x and, as back = (-sin 45, 0, cos 45), sin
    # 45 back.
    wall = [[2, -9, 9], [2, 9, 9], [2, 9, -9], [2, -9, -9]]
    poses = world_from_camera([[0, 0, 0]], [np.radians(-45)])
    for corners in (wall, wall[::-1]):
        normals = draw(make_renderer(outputs=("normals",)), quads(corners), poses)["normals"]
        np.testing.assert_allclose(normals[0, 4, 4], [-np.sqrt(0.5), 0, np.sqrt(0.5)], atol=1e-6)


def test_half_floats_and_three_bytes_at_any_width(make_renderer, quads, facing):
    # 5 x 3 images: neither the bytes nor the half floats of a row fill whole words.
    scene = quads(
        [facing(-99, 0, -99, 99, 1.2345), facing(0, 99, -99, 99, 2.5)],
        materials=(Material(base_color=(1, 0, 0, 1)), Material(base_color=(0, 0, 1, 1))),
        material_ids=np.array([0, 0, 1, 1], np.int32),
    )
    renderer = make_renderer(3, height=3, width=5, outputs=EVERYTHING, depth_dtype="float16")
    poses = np.tile(np.eye(4), (3, 1, 1))
    poses[:, 2, 3] = [0.0, 0.5, 1.0]
    images = draw(renderer, scene, poses)
    assert images["depth"].dtype == np.float16
    for view, back in enumerate((0.0, 0.5, 1.0)):
        expected = np.array([1.2345 + back] * 2 + [1.2345 + back] + [2.5 + back] * 2)
        expected[2] = images["depth"][view, 0, 2, 0]  # the seam lies in the middle of this pixel
        np.testing.assert_allclose(images["depth"][view, :, :, 0], np.tile(expected, (3, 1)), rtol=5e-4)
        np.testing.assert_array_equal(images["rgb"][view, :, :2], np.tile([255, 0, 0], (3, 2, 1)))
        np.testing.assert_array_equal(images["rgb"][view, :, 3:], np.tile([0, 0, 255], (3, 2, 1)))


def test_each_view_has_its_own_field_of_view(make_renderer, quads, facing):
    # A quad of |x| < 1 at 2 m fills tan(hfov / 2) * 2 = 1 of the half width where hfov = 53.13 degrees, half
    # of it at 90 degrees, a quarter where the tangent is 2 (126.87 degrees).
    angles = np.degrees(2 * np.arctan([0.5, 1.0, 2.0]))
    images = draw(
        make_renderer(3, width=16, height=4),
        quads(facing(-1, 1, -99, 99, 2.0)),
        np.tile(np.eye(4), (3, 1, 1)),
        angles,
    )
    seen = (images["depth"][:, 2, :, 0] < 10).sum(axis=1)
    np.testing.assert_array_equal(seen, [16, 8, 4])


def test_headlight(make_renderer, quads, facing):
    # White facing the camera: in the middle n . r = 1; in the corner pixel (0.875, 0.875, 1) it is
    # 1 / sqrt(1 + 2 * 0.875^2) = 0.6285, so light 0.3 + 0.7 * 0.6285 = 0.7400, encoded
    # 1.055 * 0.74^(1 / 2.4) - 0.055 = 0.8756, times 255 is 223.3.
    images = draw(make_renderer(outputs=("rgb",), shading="headlight"), quads(facing(-9, 9, -9, 9, 1.0)))
    np.testing.assert_allclose(images["rgb"][0, 0, 0], 223.3, atol=1.1)
    # (0.125, 0.125, 1): 1 / sqrt(1.03125) = 0.98473; 0.98931; encoded 0.99533: 253.8.
    np.testing.assert_allclose(images["rgb"][0, 4, 4], 253.8, atol=1.1)


def test_every_output_looks_through_holes(make_renderer, quads, facing):
    pixels = np.zeros((8, 8, 4), np.uint8)
    pixels[:, 4:, 3] = 255
    scene = quads(
        [facing(-1, 1, -1, 1, 1.0), facing(-9, 9, -9, 9, 3.0)],
        [[0, 0], [0, 1], [1, 1], [1, 0]] * 2,
        materials=(Material(texture=0, alpha_cutoff=0.5), Material(base_color=(0, 1, 0, 1))),
        textures=(Texture(pixels=pixels),),
        material_ids=np.array([0, 0, 1, 1], np.int32),
        object_ids=np.array([1, 1, 2, 2], np.int32),
    )
    images = draw(make_renderer(outputs=EVERYTHING), scene)
    np.testing.assert_array_equal(images["ids"][0, 4, [1, 6], 0], [2, 1])
    np.testing.assert_allclose(images["depth"][0, 4, [1, 6], 0], [3, 1], rtol=1e-6)
    np.testing.assert_array_equal(images["rgb"][0, 4, [1, 6]], [[0, 255, 0], [0, 0, 0]])
    for outputs in (("ids",), ("normals", "depth")):  # without colours, alpha alone is looked up
        part = draw(make_renderer(outputs=outputs), scene)
        for name in outputs:
            np.testing.assert_array_equal(part[name], images[name])


def test_more_holes_one_behind_the_other_than_anyone_draws(make_renderer, quads, facing):
    # 64 holes are looked through; the 65th surface counts as solid. At 1, 1.1, 1.2 ... metres: 1 + 64 * 0.1 =
    # 7.4.
    scene = quads(
        [facing(-9, 9, -9, 9, 1 + 0.1 * number) for number in range(80)],
        materials=(Material(base_color=(1, 1, 1, 0), alpha_cutoff=0.5),),
    )
    np.testing.assert_allclose(draw(make_renderer(), scene)["depth"], 7.4, rtol=1e-5)


def brute_force(scene, pose, hfov, height, width, near):
    """Depth, triangle and camera-space normal of each pixel, by trying all triangles in float64."""
    pixel = 2 * np.tan(hfov / 2) / width
    x = (np.arange(width) - (width - 1) / 2) * pixel
    y = -(np.arange(height) - (height - 1) / 2) * pixel
    rays = np.stack([*np.meshgrid(x, y), -np.ones((height, width))], -1).reshape(-1, 3) @ pose[:3, :3].T
    a, b, c = (
        scene.positions[scene.triangles[:, corner]].astype(np.float64) - pose[:3, 3] for corner in range(3)
    )
    sides = [np.cross(p, q) @ rays.T for p, q in ((a, b), (b, c), (c, a))]
    inside = (np.min(sides, axis=0) >= 0) | (np.max(sides, axis=0) <= 0)
    normals = np.cross(b - a, c - a)
    with np.errstate(all="ignore"):
        depth = np.einsum("fi,fi->f", a, normals)[:, None] / (normals @ rays.T)
    depth = np.where(inside & (depth >= near), depth, np.inf)
    best = depth.argmin(axis=0)
    seen = normals[best]
    seen /= np.linalg.norm(seen, axis=1, keepdims=True)
    seen *= -np.sign(np.einsum("ri,ri->r", seen, rays))[:, None]
    shape = (height, width)
    return depth.min(axis=0).reshape(shape), best.reshape(shape), (seen @ pose[:3, :3]).reshape(*shape, 3)


def test_against_every_triangle_tried_in_turn(make_renderer, clutter, random_poses):
    scene = clutter(2, 60)
    scene = replace(scene, object_ids=np.arange(len(scene.triangles), dtype=np.int32))
    poses, hfov = random_poses(12), np.linspace(50, 120, 12)
    images = draw(make_renderer(12, height=13, width=18, far=50.0, outputs=EVERYTHING), scene, poses, hfov)
    depth, best, normals = (
        np.stack(parts)
        for parts in zip(
            *(
                brute_force(scene, pose, np.radians(angle), 13, 18, 0.01)
                for pose, angle in zip(poses, hfov, strict=True)
            ),
            strict=True,
        )
    )
    hit = np.isfinite(depth)
    assert 0.3 < hit.mean() < 1
    np.testing.assert_allclose(images["depth"][..., 0], np.minimum(depth, 50.0), rtol=1e-4)
    np.testing.assert_array_equal(images["ids"][..., 0][~hit], -1)
    assert (images["ids"][..., 0] == best)[hit].mean() > 0.999
    same = hit & (images["ids"][..., 0] == best)
    np.testing.assert_allclose(images["normals"][same], normals[same], atol=1e-4)


def test_no_ray_slips_between_triangles_that_share_an_edge(make_renderer, quads):
    # A bumpy ball around the cameras, closed: whatever misses it, has slipped through an edge or a corner.
    rings, around = 24, 48
    polar, azimuth = np.meshgrid(np.linspace(0, np.pi, rings), np.linspace(0, 2 * np.pi, around + 1)[:-1])
    radius = 2 + 0.3 * np.sin(5 * polar) * np.cos(7 * azimuth)
    points = np.stack([np.sin(polar) * np.cos(azimuth), np.cos(polar), np.sin(polar) * np.sin(azimuth)], -1)
    points = (points * radius[..., None]).astype(np.float32)
    points[:, 0], points[:, -1] = points[:1, 0], points[:1, -1]
    following = np.roll(points, -1, axis=0)
    corners = np.stack([points[:, :-1], points[:, 1:], following[:, 1:], following[:, :-1]], axis=2)
    scene = quads(corners)
    rng = np.random.default_rng(5)
    poses = world_from_camera(
        rng.uniform(-0.5, 0.5, (40, 3)), rng.uniform(-3, 3, 40), rng.uniform(-1.5, 1.5, 40)
    )
    # And cameras in the middle that look along the axes, where rays meet edges exactly.
    axes = world_from_camera(
        np.zeros((6, 3)), np.radians([0, 90, 180, 270, 0, 0]), np.radians([0, 0, 0, 0, 90, -90])
    )
    images = draw(make_renderer(46, height=33, width=33, far=50.0), scene, np.concatenate([poses, axes]))
    assert images["depth"].max() < 4


def test_rays_through_corners_and_along_edges(make_renderer, quads):
    # A wall of squares whose corners are the pixel centres, all exact in binary: every ray runs through a
    # corner.
    steps = (np.arange(-6, 7) + 0.5) / 4
    tiles = [
        [[x, y, -1], [x, y - 0.25, -1], [x + 0.25, y - 0.25, -1], [x + 0.25, y, -1]]
        for x in steps
        for y in steps
    ]
    np.testing.assert_array_equal(draw(make_renderer(), quads(tiles))["depth"], 1.0)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
def test_scenes_of_all_sizes(make_renderer, clutter, random_poses, scale):
    scene, poses = clutter(1, 100), random_poses(8)
    near, far = 0.01, 30.0
    plain = draw(make_renderer(8, near=near, far=far), scene, poses)["depth"]
    scaled = replace(scene, positions=scene.positions * np.float32(scale))
    poses[:, :3, 3] *= scale
    depth = draw(make_renderer(8, near=near * scale, far=far * scale), scaled, poses)["depth"]
    assert np.isclose(depth / scale, plain, rtol=1e-3).mean() > 0.995
