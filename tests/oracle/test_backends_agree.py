"""All backends against exact rays and each other: 500 random views of four real scenes and ten houses."""

from __future__ import annotations

import itertools
import os
from typing import Any

import numpy as np
import pytest

from batchnav_renderer import BatchRenderer, EGLError, RenderConfig
from batchnav_renderer.camera import world_from_camera
from gym_batchnav.scenes import load_scene
from gym_batchnav.scenes.houses import make_house

embree_scene = pytest.importorskip("embreex.rtcore_scene", reason="embreex is not installed")
embree_mesh = pytest.importorskip("embreex.mesh_construction", reason="embreex is not installed")

VIEWS, SIZE, NEAR, FAR = 500, 64, 0.01, 10.0
REAL = ("aws_small_house", "gazebo_cafe", "ifc_duplex", "quest_living_room")
BACKENDS = ("embree", "gl", "gl-raycast")
Images = dict[str, Any]


class Rays:
    """Single rays through the pixel centres, cast by embreex; a ray (x, y, -1) t has depth t."""

    def __init__(self, arrays, poses):
        self.positions, self.triangles = arrays.positions, arrays.triangles.astype(np.int32)
        self.objects = (
            np.zeros(len(arrays.triangles), np.int32) if arrays.object_ids is None else arrays.object_ids
        )
        ticks = (np.arange(SIZE) + 0.5) / SIZE * 2 - 1
        rays = np.stack([*np.meshgrid(ticks, -ticks), np.full((SIZE, SIZE), -1.0)], -1).reshape(-1, 3)
        self.directions = np.einsum("nij,pj->npi", poses[:, :3, :3], rays).reshape(-1, 3).astype(np.float32)
        origins = np.repeat(poses[:, :3, 3], len(rays), axis=0).astype(np.float32)
        self.origins = origins + np.float32(NEAR) * self.directions

    def cast(self, triangles, which=slice(None)):
        """Depth, and number of the triangle or -1."""
        scene = embree_scene.EmbreeScene(robust=True)
        embree_mesh.TriangleMesh(scene, self.positions, triangles)
        found = scene.run(self.origins[which], self.directions[which], output=1)
        return found["tfar"] + np.float32(NEAR), found["primID"].astype(np.int64)

    def images(self) -> Images:
        depth, numbers = self.cast(self.triangles)
        ids = np.where(numbers >= 0, self.objects[numbers.clip(0)], -1)
        shape = (-1, SIZE, SIZE, 1)
        return {"depth": np.minimum(depth, FAR).reshape(shape), "ids": ids.reshape(shape)}

    def confirms(self, images: Images, exact: Images):
        """Pixels whose id is exact, or whose object alone is hit at the exact depth: where objects touch in
        a plane, rounding decides which of them is seen."""
        good = (images["ids"] == exact["ids"]).reshape(-1)
        claimed, depth = images["ids"].reshape(-1), exact["depth"].reshape(-1)
        for number in np.unique(claimed[~good]):
            asked = np.flatnonzero(~good & (claimed == number))
            mine = self.triangles[self.objects == number]
            if len(mine):
                good[asked] = np.abs(np.minimum(self.cast(mine, asked)[0], FAR) - depth[asked]) <= 1e-3
        return good.reshape(images["ids"].shape)


def drawn(backend, arrays, poses) -> Images:
    config = RenderConfig(
        num_views=len(poses),
        outputs=("depth", "rgb", "ids", "normals"),
        device="cpu",
        backend=backend,
        height=SIZE,
        width=SIZE,
        far=FAR,
    )
    with BatchRenderer(config) as renderer:
        renderer.set_views(np.full(len(poses), renderer.add_scene(arrays)), poses)
        return renderer.render()


def assert_agree(name, one: Images, other: Images):
    """Depth, colours and normals of two images; of these, what both have."""
    near = np.abs(one["depth"] - other["depth"]) <= 0.01 + 0.005 * other["depth"]
    assert near.mean() >= 0.995, f"{name}: depth agrees on {near.mean():.4%}"
    same = one["ids"] == other["ids"]
    assert same.mean() >= 0.97, f"{name}: the same id is seen on {same.mean():.4%}"
    if "rgb" in one and "rgb" in other:
        difference = np.abs(one["rgb"].astype(int) - other["rgb"])[same[..., 0]].mean()
        assert difference <= 8, f"{name}: colours differ by {difference:.2f} levels"
        seen = (same & near)[..., 0] & (other["ids"][..., 0] >= 0)
        along = (one["normals"] * other["normals"]).sum(-1)[seen] > 0.999
        assert along.mean() >= 0.99, f"{name}: normals agree on {along.mean():.4%}"


def cameras(positions, rng):
    low, high = positions.min(axis=0), positions.max(axis=0)
    where = rng.uniform(low + 0.1 * (high - low), high - 0.1 * (high - low), (VIEWS, 3))
    return world_from_camera(where, rng.uniform(-np.pi, np.pi, VIEWS), rng.uniform(-0.5, 0.5, VIEWS))


def check(arrays, rng):
    poses = cameras(arrays.positions, rng)
    rays = Rays(arrays, poses)
    images = {"embreex": rays.images()}
    for backend in BACKENDS:
        try:
            images[backend] = drawn(backend, arrays, poses)
        except EGLError as error:
            if backend == "embree" or "egl" in os.environ.get("BATCHNAV_REQUIRE", "").split(","):
                raise
            pytest.skip(f"no headless GL: {error}")
    assert images["embreex"]["depth"].std() > 0.3  # the pictures show something
    assert images["embree"]["rgb"].std() > 10
    for name in BACKENDS:
        share = rays.confirms(images[name], images["embreex"]).mean()
        assert share >= 0.99, f"{name}: ids are right on {share:.4%}"
    for one, other in itertools.combinations(images, 2):
        assert_agree(f"{other} against {one}", images[other], images[one])


@pytest.mark.slow
@pytest.mark.parametrize("name", REAL)
def test_real_scenes(rng, shared_data, name):
    check(load_scene(shared_data / "scenes" / f"{name}.glb").arrays, rng)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_houses(rng, seed):
    check(make_house(seed).arrays, rng)
