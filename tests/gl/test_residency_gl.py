"""Scenes come and go while the renderer runs."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from batchnav_renderer import CapacityError, Material, RenderConfigError, RendererError, Texture

ORIGIN = np.eye(4)[None]


def state(renderer):
    residency = renderer._backend._residency
    pools = [residency.vertex_pages, residency.pages, *residency.layers.values()]
    return [(pool.used, pool.capacity, tuple(sorted(pool._free))) for pool in pools], renderer.memory


def textured(quads, facing, rng, distance):
    size = int(rng.choice([8, 16, 32]))
    pixels = rng.integers(0, 256, (size, size, 4), dtype=np.uint8)
    return quads(
        facing(-99, 99, -99, 99, distance),
        [[0, 0], [0, 1], [1, 1], [1, 0]],
        materials=(Material(texture=0),),
        textures=(Texture(pixels=pixels),),
    )


@pytest.mark.parametrize("swaps", [200, pytest.param(1000, marks=pytest.mark.slow)])
def test_swaps_leave_memory_where_it_was(make_renderer, quads, facing, clutter, rng, swaps):
    renderer = make_renderer(2, outputs=("depth", "rgb"), num_workers=2)
    fixed = renderer.add_scene(textured(quads, facing, rng, 2.0))
    warm = [renderer.add_scene(clutter(seed, 40)) for seed in range(3)]
    warm += [renderer.add_scene(textured(quads, facing, rng, 3.0)) for _ in range(9)]
    renderer.set_views([fixed, fixed], np.tile(np.eye(4), (2, 1, 1)))
    before = renderer.render()
    for number in warm:
        renderer.remove_scene(number)
    reference = state(renderer)
    for step in range(swaps):
        count = int(rng.integers(1, 40))
        held = [
            renderer.add_scene(clutter(step, count)),
            renderer.add_scene(textured(quads, facing, rng, 1.0)),
        ]
        renderer.set_views([held[1], fixed], np.tile(np.eye(4), (2, 1, 1)))
        if step % 20 == 0:
            depth = renderer.render()["depth"]
            assert depth[0, 4, 4, 0] == pytest.approx(1.0)
            assert depth[1, 4, 4, 0] == pytest.approx(2.0)
        renderer.set_views([fixed, fixed], np.tile(np.eye(4), (2, 1, 1)))
        for number in rng.permutation(held):
            renderer.remove_scene(int(number))
    assert state(renderer) == reference
    after = renderer.render()
    np.testing.assert_array_equal(before["rgb"], after["rgb"])
    np.testing.assert_array_equal(before["depth"], after["depth"])


def test_growth_keeps_what_is_there(make_renderer, quads, facing, clutter, rng):
    renderer = make_renderer(1, outputs=("depth", "rgb"))
    first = renderer.add_scene(textured(quads, facing, rng, 2.0))
    renderer.set_views([first], ORIGIN)
    before = renderer.render()
    for seed in range(6):
        renderer.add_scene(clutter(seed, 20 * 2**seed))
        renderer.add_scene(textured(quads, facing, rng, 1.0))
    after = renderer.render()
    np.testing.assert_array_equal(before["rgb"], after["rgb"])
    np.testing.assert_array_equal(before["depth"], after["depth"])


def test_scenes_in_view_cannot_be_removed(make_renderer, quads, facing):
    renderer = make_renderer(1)
    near, far = (renderer.add_scene(quads(facing(-9, 9, -9, 9, distance))) for distance in (1.0, 2.0))
    renderer.set_views([near], ORIGIN)
    with pytest.raises(RenderConfigError, match=f"scene {near} is shown by the current views"):
        renderer.remove_scene(near)
    renderer.set_views([far], ORIGIN)
    renderer.remove_scene(near)
    assert renderer.scene_ids == (far,)
    with pytest.raises(RenderConfigError, match=f"scene {near} is not resident"):
        renderer.remove_scene(near)
    with pytest.raises(RenderConfigError, match=rf"names \[{near}\]; resident are \[{far}\]"):
        renderer.set_views([near], ORIGIN)


def test_a_scene_replaced_under_the_same_views(make_renderer, quads, facing):
    renderer = make_renderer(1)
    for distance in (1.0, 2.0, 3.0):
        number = renderer.add_scene(quads(facing(-9, 9, -9, 9, distance)))
        renderer.set_views([number], ORIGIN)
        assert renderer.render()["depth"][0, 4, 4, 0] == pytest.approx(distance)
        if number:
            renderer.remove_scene(number - 1)


@pytest.mark.parametrize(
    ("ids", "poses", "message"),
    [
        ([0, 0], np.tile(np.eye(4), (2, 1, 1)), "scene_ids has shape"),
        ([0.0], ORIGIN, "scene_ids has shape .* float64"),
        ([5], ORIGIN, "scene_ids names"),
        ([-1], ORIGIN, "scene_ids names"),
        ([0], np.eye(4), "world_from_camera has shape"),
        ([0], np.full((1, 4, 4), np.nan), "world_from_camera.0. holds NaN"),
        ([0], np.full((1, 4, 4), np.inf), "world_from_camera.0. holds NaN"),
        ([0], np.zeros((1, 4, 4)), "no invertible affine transform"),
        ([0], np.eye(4)[None].astype(complex), "world_from_camera has shape .* complex"),
    ],
)
def test_wrong_views_are_refused_by_name(make_renderer, quads, facing, ids, poses, message):
    renderer = make_renderer(1)
    renderer.add_scene(quads(facing(-9, 9, -9, 9, 1.0)))
    with pytest.raises(RendererError, match="call set_views first"):
        renderer.render()
    with pytest.raises(RenderConfigError, match=message):
        renderer.set_views(ids, poses)


def test_a_scene_too_large_leaves_all_as_it_was(make_renderer, quads, facing, clutter):
    renderer = make_renderer(1)
    number = renderer.add_scene(quads(facing(-9, 9, -9, 9, 2.0)))
    before = state(renderer)
    renderer._backend._residency.pages._limit = 2
    with pytest.raises(CapacityError, match=r"pages of 2048 triangles: 4 are needed and 2 can be held"):
        renderer.add_scene(clutter(1, 500))
    assert [used for used, _, _ in state(renderer)[0]] == [used for used, _, _ in before[0]]
    assert renderer.scene_ids == (number,)
    renderer.set_views([number], ORIGIN)
    assert renderer.render()["depth"][0, 4, 4, 0] == pytest.approx(2.0)


def test_scenes_come_and_go_while_others_are_drawn(make_renderer, quads, facing, clutter, rng, random_poses):
    # Between submit and collect the scenes that are drawn stay as they are, though pages change hands and
    # buffers grow; two workers share one display, two have their own.
    renderer = make_renderer(8, outputs=("depth", "rgb", "ids"), height=32, width=32, num_workers=4)
    poses = random_poses(8)
    shown = [renderer.add_scene(clutter(1, 100)), renderer.add_scene(textured(quads, facing, rng, 2.0))]
    renderer.set_views(np.array(shown)[[0, 0, 0, 1, 0, 0, 0, 1]], poses)
    before = renderer.render()
    others = [renderer.add_scene(clutter(2, 60)), renderer.add_scene(textured(quads, facing, rng, 3.0))]
    for step in range(12):
        renderer.submit()
        renderer.remove_scene(others.pop(0))
        new = clutter(step, 50 * (step + 1)) if step % 2 else textured(quads, facing, rng, 1.0)
        others.append(renderer.add_scene(new, wait=False))
        images = renderer.collect()
        for name, expected in before.items():
            np.testing.assert_array_equal(images[name], expected)
    renderer.set_views([others[-1]] * 8, poses)
    alone = make_renderer(8, outputs=("depth",), height=32, width=32, num_workers=1)
    alone.set_views([alone.add_scene(clutter(11, 600))] * 8, poses)
    np.testing.assert_array_equal(renderer.render()["depth"], alone.render()["depth"])


def test_prepared_scenes_can_come_from_another_process(make_renderer, quads, facing, rng):
    scene = textured(quads, facing, rng, 2.0)
    images = []
    for prepared in (False, True):
        renderer = make_renderer(1, outputs=("depth", "rgb"))
        if prepared:
            preparer = pickle.loads(pickle.dumps(renderer.preparer))
            number = renderer.add_scene(pickle.loads(pickle.dumps(preparer(scene))))
        else:
            number = renderer.add_scene(scene)
        renderer.set_views([number], ORIGIN)
        images.append(renderer.render())
    np.testing.assert_array_equal(images[0]["rgb"], images[1]["rgb"])
