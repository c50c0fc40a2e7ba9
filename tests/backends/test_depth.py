"""Depth against numbers worked out by hand, and which way is up."""

from __future__ import annotations

import math

import numpy as np
import pytest

from batchnav_renderer.camera import world_from_camera

ORIGIN = np.eye(4)[None]


def draw(renderer, scene, poses=ORIGIN):
    number = renderer.add_scene(scene)
    renderer.set_views(np.full(len(poses), number), poses)
    return renderer.render()["depth"][..., 0]


def test_quad_covers_the_expected_pixels(make_renderer, quads, facing):
    # 8 pixels over 90 degrees: centres at (i + 0.5) / 4 - 1, times 2 m: -1.75, -1.25, -0.75 ... so |x| < 1
    # holds columns and rows 2 to 5.
    depth = draw(make_renderer(), quads(facing(-1, 1, -1, 1, 2.0)))
    expected = np.full((1, 8, 8), 10.0, np.float32)
    expected[0, 2:6, 2:6] = 2.0
    np.testing.assert_allclose(depth, expected, rtol=1e-6)


def test_left_right_up_and_down_are_where_they_belong(make_renderer, quads, facing):
    tiles = [(-9, 0, 0, 9, 1.0), (0, 9, 0, 9, 2.0), (-9, 0, -9, 0, 3.0), (0, 9, -9, 0, 4.0)]
    depth = draw(make_renderer(), quads([facing(*tile) for tile in tiles]))[0]
    corners = [depth[0, 0], depth[0, 7], depth[7, 0], depth[7, 7]]
    np.testing.assert_allclose(corners, [1, 2, 3, 4], rtol=1e-6)


def test_heading_turns_left_and_pitch_looks_up(make_renderer, quads):
    def wall(axis, value):
        corners = np.array([[-9, -9], [-9, 9], [9, 9], [9, -9]], float)
        return np.insert(corners, axis, value, axis=1)

    # A room with its walls at x = -3, x = 4, z = -5, z = 6, and the ceiling at y = 7, the floor at y = -8.
    sides = [(0, -3), (0, 4), (2, -5), (2, 6), (1, 7), (1, -8)]
    headings = np.radians([0, 90, -90, 180, 0, 0])
    pitches = np.radians([0, 0, 0, 0, 90, -90])
    poses = world_from_camera(np.zeros((6, 3)), headings, pitches)
    depth = draw(make_renderer(6, hfov_deg=20), quads([wall(*side) for side in sides]), poses)
    np.testing.assert_allclose(depth[:, 4, 4], [5, 3, 4, 6, 7, 8], rtol=1e-5)


def test_floor_depth_is_planar_not_radial(make_renderer, quads):
    floor = [[-99, -1.5, 99], [99, -1.5, 99], [99, -1.5, -99], [-99, -1.5, -99]]
    depth = draw(make_renderer(height=8, width=16, far=1000.0), quads(floor))[0]
    # Square pixels: tan of half the vertical field is 8 / 16. Row r looks down by t = ((r + 0.5) / 4 - 1) / 2
    # and meets the floor at 1.5 / t metres along the axis, whatever the column.
    slopes = ((np.arange(4, 8) + 0.5) / 4 - 1) / 2
    expected = np.repeat((1.5 / slopes)[:, None], 16, axis=1)
    np.testing.assert_allclose(depth[4:], expected, rtol=1e-4)
    assert (depth[:4] == 1000.0).all()


def test_field_of_view_is_horizontal(make_renderer, quads, facing):
    # hfov 60: half width at 1 m is tan(30) = 0.57735; a quad |x| < 0.29 covers 0.29 / 0.57735 * 50 = 25.1
    # pixels each side of the middle of 100.
    depth = draw(make_renderer(width=100, height=4, hfov_deg=60.0), quads(facing(-0.29, 0.29, -1, 1, 1.0)))[0]
    half = round(0.29 / math.tan(math.radians(30)) * 50)
    assert np.isclose(depth[0], 1.0).sum() == 2 * half == 50


def test_far_clamps_and_near_is_a_centimetre(make_renderer, quads, facing):
    scene = quads([facing(-9, 0, -9, 9, 9.99), facing(0, 99, -9, 9, 10.5)])
    depth = draw(make_renderer(), scene)[0]
    assert depth[4, 0] == pytest.approx(9.99, abs=1e-5)
    assert depth[4, 7] == 10.0
    close = quads([facing(-1, 0, -1, 1, 0.011), facing(0, 1, -1, 1, 0.009)])
    depth = draw(make_renderer(), close)[0]
    assert depth[4, 0] == pytest.approx(0.011, rel=1e-5)
    assert depth[4, 7] == 10.0


def test_surfaces_are_two_sided(make_renderer, quads, facing):
    corners = facing(-9, 9, -9, 9, 3.0)
    for scene in (quads(corners), quads(corners[::-1])):
        np.testing.assert_allclose(draw(make_renderer(), scene), 3.0, rtol=1e-6)


def test_a_triangle_through_the_camera_plane(make_renderer, quads):
    # The wall x = 1 passes beside the camera: in column c the ray (t, ., -1) meets it at depth 1 / t.
    wall = [[1, -50, 50], [1, 50, 50], [1, 50, -50], [1, -50, -50]]
    depth = draw(make_renderer(far=100.0), quads(wall))[0]
    slopes = (np.arange(4, 8) + 0.5) / 4 - 1
    np.testing.assert_allclose(depth[3, 4:], 1 / slopes, rtol=1e-5)
    assert (depth[3, :4] == 100.0).all()


def test_empty_scene_is_all_far(make_renderer, quads):
    assert (draw(make_renderer(), quads(np.zeros((0, 3)))) == 10.0).all()
