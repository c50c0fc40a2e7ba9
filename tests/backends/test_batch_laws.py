"""A batch equals its views drawn alone, bit for bit, however it is split."""

from __future__ import annotations

import numpy as np
import pytest

from batchnav_renderer import CapacityError, RenderConfigError, RendererError

SIZE = {"height": 16, "width": 16, "outputs": ("depth", "rgb")}


@pytest.fixture
def world(clutter, random_poses):
    """Three scenes and 24 views spread over them out of order."""
    scenes = [clutter(seed, count) for seed, count in ((1, 30), (2, 5), (3, 90))]
    return scenes, np.arange(24) * 7 % 3, random_poses(24)


def images(renderer, scenes, which, poses):
    ids = np.array([renderer.add_scene(scene) for scene in scenes])
    renderer.set_views(ids[which], poses)
    return renderer.render()


def equal(left, right):
    return all(np.array_equal(left[name], right[name]) for name in ("depth", "rgb"))


def test_a_batch_is_its_views_one_by_one(make_renderer, world):
    scenes, which, poses = world
    batch = images(make_renderer(24, **SIZE), scenes, which, poses)
    single = make_renderer(1, **SIZE)
    ids = [single.add_scene(scene) for scene in scenes]
    for view in range(24):
        single.set_views([ids[which[view]]], poses[view : view + 1])
        alone = single.render()
        assert equal({name: array[view : view + 1] for name, array in batch.items()}, alone), view
    assert batch["depth"].min() < 5
    assert len(np.unique(batch["rgb"])) > 50


@pytest.mark.parametrize(
    "fields",
    [
        {"num_workers": 1},
        {"num_workers": 3},
        {"num_workers": 24},
        {"max_layers": 5},
        {"max_layers": 1, "num_workers": 2},
        {"chunk_triangles": 7},
        {"chunk_triangles": 4096},
        {"layer_stage": "geometry"},
    ],
    ids=str,
)
def test_nothing_of_the_split_shows(make_renderer, world, fields):
    scenes, which, poses = world
    reference = images(make_renderer(24, num_workers=2, **SIZE), scenes, which, poses)
    assert equal(reference, images(make_renderer(24, **{**SIZE, **fields}), scenes, which, poses))


def test_permuted_views_permute_the_images(make_renderer, world, rng):
    scenes, which, poses = world
    renderer = make_renderer(24, **SIZE)
    plain = images(renderer, scenes, which, poses)
    order = rng.permutation(24)
    shuffled = images(renderer, scenes, which[order], poses[order])
    assert equal({name: array[order] for name, array in plain.items()}, shuffled)


def test_some_views_drawn_anew(make_renderer, world):
    scenes, which, poses = world
    renderer = make_renderer(24, num_workers=2, **SIZE)
    whole = images(renderer, scenes, which, poses)
    for rows in ([3], [20, 1, 7], list(range(23))):
        renderer.set_views(which[rows], poses[rows])
        assert equal({name: array[rows] for name, array in whole.items()}, renderer.render())


def test_depth_alone_equals_depth_beside_colours(make_renderer, world):
    scenes, which, poses = world
    both = images(make_renderer(24, **SIZE), scenes, which, poses)
    for far in (10.0, 3.0):
        alone = images(make_renderer(24, height=16, width=16, far=far), scenes, which, poses)
        np.testing.assert_array_equal(alone["depth"], np.minimum(both["depth"], np.float32(far)))


def test_repeated_renders_are_equal(make_renderer, world):
    scenes, which, poses = world
    renderer = make_renderer(24, **SIZE)
    first = images(renderer, scenes, which, poses)
    again = renderer.render()
    assert equal(first, again)
    assert first["depth"] is not again["depth"]


def test_more_views_than_an_array_has_layers(make_renderer, quads, facing):
    count = 4500
    renderer = make_renderer(count, height=2, width=2, num_workers=1)
    number = renderer.add_scene(quads(facing(-99, 99, -99, 99, 1.0)))
    poses = np.tile(np.eye(4), (count, 1, 1))
    poses[:, 2, 3] = np.arange(count) / 1000.0  # backs away from the wall: depth 1, 1.001, 1.002 ...
    renderer.set_views(np.full(count, number), poses)
    depth = renderer.render()["depth"]
    assert depth.shape == (count, 2, 2, 1)
    np.testing.assert_allclose(depth[:, 0, 0, 0], 1 + np.arange(count) / 1000.0, rtol=1e-5)


def test_out_is_written_in_place(make_renderer, world):
    scenes, which, poses = world
    renderer = make_renderer(24, **SIZE)
    fresh = images(renderer, scenes, which, poses)
    out = {name: np.zeros_like(array) for name, array in fresh.items()}
    returned = renderer.render(out=out)
    assert returned["depth"] is out["depth"]
    assert equal(out, fresh)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda out: out.pop("rgb"),
        lambda out: out.update(extra=out["rgb"]),
        lambda out: out.update(depth=out["depth"].astype(np.float64)),
        lambda out: out.update(depth=out["depth"][:, ::-1]),
        lambda out: out.update(rgb=out["rgb"][:-1]),
    ],
)
def test_out_of_another_form_is_refused(make_renderer, world, spoil):
    scenes, which, poses = world
    renderer = make_renderer(24, **SIZE)
    out = dict(images(renderer, scenes, which, poses))
    spoil(out)
    with pytest.raises(RenderConfigError, match="out"):
        renderer.render(out=out)


def test_outputs_beyond_memory_are_refused(make_renderer, quads, facing, monkeypatch):
    def refuse(*_):
        raise MemoryError

    renderer = make_renderer()
    renderer.set_views([renderer.add_scene(quads(facing(-9, 9, -9, 9, 1.0)))], np.eye(4)[None])
    monkeypatch.setattr(np, "empty", refuse)
    with pytest.raises(CapacityError, match=r"\(1, 8, 8, 1\) does not fit into memory; lower num_views"):
        renderer.render()


def test_submit_and_collect(make_renderer, world):
    scenes, which, poses = world
    renderer = make_renderer(24, **SIZE)
    expected = images(renderer, scenes, which, poses)
    renderer.submit()
    with pytest.raises(RendererError, match="pending"):
        renderer.submit()
    with pytest.raises(RendererError, match="pending"):
        renderer.set_views(which, poses)
    assert equal(expected, renderer.collect())
    with pytest.raises(RendererError, match="submit"):
        renderer.collect()


def test_scenes_added_without_waiting(make_renderer, world):
    scenes, which, poses = world
    renderer = make_renderer(24, **SIZE)
    expected = images(renderer, scenes, which, poses)
    ids = np.array([renderer.add_scene(scene, wait=False) for scene in scenes])
    renderer.wait_for_scene(ids[0])
    assert renderer.scene_ready(ids[0])
    renderer.set_views(ids[which], poses)  # waits for the others
    assert all(renderer.scene_ready(number) for number in ids)
    assert equal(renderer.render(), expected)
    for unknown in (renderer.wait_for_scene, renderer.scene_ready):
        with pytest.raises(RenderConfigError, match="scene 99 is not resident"):
            unknown(99)
