"""Embree and OpenGL draw the same pictures of the same scenes."""

from __future__ import annotations

import os

import numpy as np
import pytest

from batchnav_renderer import EGLError
from batchnav_renderer.camera import world_from_camera
from gym_batchnav.scenes import load_scene
from gym_batchnav.scenes.houses import make_house

SIZE = {"height": 48, "width": 64, "outputs": ("depth", "rgb"), "device": "cpu"}


def both(make_renderer, arrays, poses, **fields):
    """The images of the two backends; skips without GL, except where BATCHNAV_REQUIRE names "egl"."""
    images = []
    for backend in ("gl", "embree"):
        try:
            renderer = make_renderer(len(poses), **{**SIZE, "backend": backend, **fields})
        except EGLError as error:
            if "egl" in os.environ.get("BATCHNAV_REQUIRE", "").split(","):
                raise
            pytest.skip(f"no headless GL: {error}")
        renderer.set_views(np.full(len(poses), renderer.add_scene(arrays)), poses)
        images.append(renderer.render())
    return images


def assert_alike(drawn, expected):
    close = np.abs(drawn["depth"] - expected["depth"]) <= 0.01 + 0.005 * expected["depth"]
    assert close.mean() >= 0.995
    shades = np.abs(drawn["rgb"].astype(int) - expected["rgb"])[close[..., 0]]
    assert shades.mean() < 2.0
    assert expected["rgb"].std() > 20  # the pictures show something
    assert expected["depth"].std() > 0.3


def random_cameras(positions, rng, count):
    low, high = positions.min(axis=0), positions.max(axis=0)
    where = rng.uniform(low + 0.2 * (high - low), high - 0.2 * (high - low), (count, 3))
    return world_from_camera(where, rng.uniform(-np.pi, np.pi, count), rng.uniform(-0.4, 0.4, count))


@pytest.mark.parametrize("seed", [3, 11])
def test_houses(make_renderer, rng, seed):
    arrays = make_house(seed).arrays
    gl, embree = both(make_renderer, arrays, random_cameras(arrays.positions, rng, 24))
    assert_alike(embree, gl)


@pytest.mark.slow
def test_a_scanned_house(make_renderer, rng, shared_data):
    arrays = load_scene(shared_data / "scenes" / "aws_small_house.glb").arrays
    gl, embree = both(make_renderer, arrays, random_cameras(arrays.positions, rng, 24))
    assert_alike(embree, gl)


@pytest.mark.parametrize(("height", "width", "hfov"), [(37, 23, 60.0), (9, 66, 120.0)])
def test_odd_resolutions(make_renderer, clutter, random_poses, height, width, hfov):
    size = {"height": height, "width": width, "hfov_deg": hfov}
    gl, embree = both(make_renderer, clutter(1, 200), random_poses(40), **size)
    assert embree["depth"].shape == (40, height, width, 1)
    wrong = np.abs(embree["depth"] - gl["depth"]) > 0.01 + 0.005 * gl["depth"]
    assert wrong.mean() <= 0.01
    assert (np.abs(embree["rgb"].astype(int) - gl["rgb"]).max(-1) > 4).mean() <= 0.01


def test_a_single_pixel_looks_along_the_axis(make_renderer, clutter, random_poses):
    poses, depths = random_poses(40), []
    for size in (1, 3):
        renderer = make_renderer(40, height=size, width=size)
        renderer.set_views(np.full(40, renderer.add_scene(clutter(1, 200))), poses)
        depths.append(renderer.render()["depth"][:, size // 2, size // 2, 0])
    np.testing.assert_allclose(depths[0], depths[1], rtol=1e-4)
