"""What is drawn depends on scene and camera alone: for all outputs, bit for bit."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from batchnav_renderer import Material, SceneArrays, Texture
from batchnav_renderer.camera import world_from_camera

ALL = ("depth", "rgb", "ids", "normals")
NUM_VIEWS = 23
SETTINGS = [{}, {"depth_dtype": "float16", "shading": "headlight"}]
ids_of_settings = ["plain", "half and headlight"]


def papered(clutter, rng, seed, count):
    """A scene of textured boxes, half of them cut out, with an id for each."""
    plain = clutter(seed, count)
    pixels = rng.integers(0, 256, (32, 32, 4), dtype=np.uint8)
    return SceneArrays(
        positions=plain.positions,
        triangles=plain.triangles,
        material_ids=np.repeat(np.arange(count, dtype=np.int32) % 2, 12),
        uvs=rng.uniform(0, 2, (len(plain.positions), 2)).astype(np.float32),
        colors=plain.colors,
        object_ids=np.repeat(np.arange(count, dtype=np.int32), 12),
        materials=(Material(texture=0), Material(texture=0, alpha_cutoff=0.5)),
        textures=(Texture(pixels=pixels, wrap=("repeat", "mirror")),),
    )


@pytest.fixture
def world(clutter, random_poses, rng):
    """Two scenes, views spread over them out of order, and a field of view for each."""
    scenes = [papered(clutter, rng, 1, 60), clutter(2, 40)]
    return scenes, np.arange(NUM_VIEWS) * 5 % 7 % 2, random_poses(NUM_VIEWS), rng.uniform(40, 120, NUM_VIEWS)


@pytest.fixture
def draw(make_renderer):
    def run(world, rows=slice(None), outputs=ALL, **fields):
        scenes, which, poses, hfov = world
        size = {"height": 18, "width": 27, "outputs": outputs}
        renderer = make_renderer(NUM_VIEWS, **{**size, **fields})
        ids = np.array([renderer.add_scene(scene) for scene in scenes])
        renderer.set_views(ids[which[rows]], poses[rows], hfov[rows])
        return renderer.render()

    return run


def assert_equal(left, right):
    for name in right:
        np.testing.assert_array_equal(left[name], right[name], err_msg=name)


@pytest.mark.parametrize("settings", SETTINGS, ids=ids_of_settings)
def test_a_batch_is_its_views_one_by_one(draw, world, make_renderer, settings):
    batch = draw(world, **settings)
    scenes, which, poses, hfov = world
    single = make_renderer(1, height=18, width=27, outputs=ALL, **settings)
    ids = [single.add_scene(scene) for scene in scenes]
    for view in range(NUM_VIEWS):
        single.set_views([ids[which[view]]], poses[view : view + 1], hfov[view : view + 1])
        assert_equal({name: batch[name][view : view + 1] for name in ALL}, single.render())
    assert len(np.unique(batch["ids"])) > 20
    assert len(np.unique(batch["rgb"])) > 100
    assert batch["depth"].astype(float).std() > 1


@pytest.mark.parametrize("settings", SETTINGS, ids=ids_of_settings)
def test_permuted_views_permute_the_images(draw, world, rng, settings):
    order = rng.permutation(NUM_VIEWS)
    plain = draw(world, **settings)
    assert_equal({name: plain[name][order] for name in ALL}, draw(world, order, **settings))


@pytest.mark.parametrize("num_workers", [1, 2, 5, NUM_VIEWS, 100])
def test_the_number_of_workers_changes_nothing(draw, world, num_workers):
    assert_equal(draw(world, num_workers=3), draw(world, num_workers=num_workers))


@pytest.mark.parametrize(
    "outputs", [names for count in (1, 2, 3) for names in itertools.combinations(ALL, count)], ids="+".join
)
def test_outputs_do_not_change_each_other(draw, world, outputs):
    together = draw(world)
    # Depth alone ends its rays behind ``far``; what is drawn is the same.
    assert_equal(together, draw(world, outputs=outputs))


@pytest.mark.parametrize("size", [(1, 1), (1, 70), (67, 1), (4, 64), (5, 65), (3, 3)], ids=str)
def test_every_size_is_a_window_of_the_same_rays(make_renderer, clutter, random_poses, size):
    height, width = size
    scene, poses = clutter(3, 80), random_poses(6)
    images = []
    # A wider and higher image with the same pixels: its field of view grows with the tangent.
    for scale in (1, 3):
        renderer = make_renderer(6, height=scale * height, width=scale * width, outputs=ALL)
        hfov = np.degrees(2 * np.arctan(scale * np.tan(np.radians(30.0))))
        renderer.set_views([renderer.add_scene(scene)] * 6, poses, np.full(6, hfov))
        images.append(renderer.render())
    for name, cropped in images[0].items():
        inner = images[1][name][:, height : 2 * height, width : 2 * width]
        assert (np.abs(cropped - inner.astype(np.float64)) > 0.01).mean() < 0.02


def ball(parts):
    """A closed sphere of radius 3 m around the origin, of 2 * parts * parts triangles that share corners."""
    around, up = np.meshgrid(np.arange(parts) / parts * 2 * np.pi, np.arange(parts + 1) / parts * np.pi)
    points = 3 * np.stack([np.sin(up) * np.cos(around), np.cos(up), np.sin(up) * np.sin(around)], -1)
    row, column = np.divmod(np.arange(parts * parts), parts)
    a, b = row * parts + column, row * parts + (column + 1) % parts
    faces = np.concatenate([np.stack([a, b, b + parts], 1), np.stack([a, b + parts, a + parts], 1)])
    return SceneArrays(
        positions=points.reshape(-1, 3).astype(np.float32),
        triangles=faces.astype(np.uint32),
        material_ids=np.zeros(len(faces), np.int32),
    )


def test_no_ray_leaves_a_closed_mesh(make_renderer, rng):
    # 64 cameras of 48 x 48 pixels inside a ball of 80,000 triangles: most pixels are near some edge.
    scene = ball(200)
    where = rng.uniform(-1, 1, (64, 3))
    poses = world_from_camera(where, rng.uniform(-np.pi, np.pi, 64), rng.uniform(-1, 1, 64))
    depth = {}
    for watertight in (True, False):
        renderer = make_renderer(64, height=48, width=48, watertight=watertight)
        renderer.set_views(np.full(64, renderer.add_scene(scene)), poses)
        depth[watertight] = renderer.render()["depth"]
    assert depth[True].max() < 5.0
    assert (np.abs(depth[True] - depth[False]) > 1e-3).mean() < 1e-4
    # Trees of another kind: they round differently.
    assert (depth[True] != depth[False]).any()
