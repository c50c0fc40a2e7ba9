"""The number of GL calls does not depend on the number of views or scenes."""

from __future__ import annotations

import pytest


def count_calls(renderer, scenes, poses):
    ids = [renderer.add_scene(scene) for scene in scenes]
    renderer.set_views([ids[view % len(ids)] for view in range(len(poses))], poses)
    renderer.render()
    (worker,) = renderer._backend._workers
    worker.api.calls.clear()
    renderer.render()
    return dict(worker.api.calls)


@pytest.mark.parametrize("outputs", [("depth",), ("depth", "rgb")])
def test_calls_are_constant(make_renderer, clutter, random_poses, outputs):
    few = count_calls(make_renderer(2, num_workers=1, outputs=outputs), [clutter(1, 3)], random_poses(2))
    scenes = [clutter(seed, 20) for seed in range(12)]
    many = count_calls(make_renderer(300, num_workers=1, outputs=outputs), scenes, random_poses(300))
    assert few == many
    assert many["glMultiDrawElementsIndirectCountARB"] == 1
    assert sum(many.values()) <= 30
