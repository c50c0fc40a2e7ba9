"""The ray caster draws the same pictures as the other backends."""

from __future__ import annotations

import numpy as np
import pytest

from batchnav_renderer.camera import world_from_camera
from gym_batchnav.scenes import load_scene
from gym_batchnav.scenes.houses import make_house

SIZE = {"height": 48, "width": 64}


def cameras(positions, rng, count):
    """Cameras at eye height, anywhere inside the middle of the scene."""
    low, high = positions.min(axis=0), positions.max(axis=0)
    where = rng.uniform(low + 0.2 * (high - low), high - 0.2 * (high - low), (count, 3))
    where[:, 1] = low[1] + rng.uniform(0.5, 1.6, count)
    return world_from_camera(where, rng.uniform(-np.pi, np.pi, count), rng.uniform(-0.4, 0.4, count))


def both(make_renderer, arrays, poses, other="embree", **fields):
    """The images of the ray caster, then of another backend."""
    images = []
    for backend in ("gl-raycast", other):
        renderer = make_renderer(len(poses), **{**SIZE, "backend": backend, **fields})
        renderer.set_views(np.full(len(poses), renderer.add_scene(arrays)), poses)
        images.append(renderer.render())
    return images


def assert_alike(drawn, expected):
    close = np.abs(drawn["depth"] - expected["depth"]) <= 0.01 + 0.005 * expected["depth"]
    assert close.mean() >= 0.9995
    shades = np.abs(drawn["rgb"].astype(int) - expected["rgb"])[close[..., 0]]
    assert shades.mean() < 2.0
    assert expected["rgb"].std() > 20  # the pictures show something
    assert expected["depth"].std() > 0.3


@pytest.mark.parametrize("seed", [3, 11])
def test_houses(make_renderer, rng, seed):
    arrays = make_house(seed).arrays
    ours, embree = both(make_renderer, arrays, cameras(arrays.positions, rng, 24), outputs=("depth", "rgb"))
    assert_alike(ours, embree)


@pytest.mark.parametrize("other", ["gl", "embree"])
def test_ids_normals_and_headlight(make_renderer, rng, other):
    arrays = make_house(5).arrays
    poses = cameras(arrays.positions, rng, 24)
    outputs = ("rgb", "ids", "normals")
    ours, theirs = both(make_renderer, arrays, poses, other, outputs=outputs, shading="headlight")
    same = (ours["ids"] == theirs["ids"])[..., 0]
    assert len(np.unique(theirs["ids"])) > 10
    assert same.mean() > 0.997  # the rest are pixels on the edges of thin things
    assert (np.abs(ours["normals"] - theirs["normals"])[same].max(-1) < 0.01).mean() > 0.998
    assert np.abs(ours["rgb"].astype(int) - theirs["rgb"])[same].mean() < 2.0


@pytest.mark.slow
def test_a_scanned_house(make_renderer, rng, shared_data):
    arrays = load_scene(shared_data / "scenes" / "aws_small_house.glb").arrays
    poses = cameras(arrays.positions, rng, 32)
    ours, embree = both(make_renderer, arrays, poses, outputs=("depth", "rgb", "ids"), max_texture_size=512)
    assert_alike(ours, embree)
    assert len(np.unique(embree["ids"])) > 10
    assert (ours["ids"] == embree["ids"]).mean() > 0.998
