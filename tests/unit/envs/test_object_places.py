"""Where objects are is found once, kept, and handed over by workers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gym_batchnav.config import HM3D_CATEGORIES, EnvConfig
from gym_batchnav.envs.loading import Loading
from gym_batchnav.envs.worker import pack_scene, unpack_scene
from gym_batchnav.scenes import resolve_scenes
from tests.unit.envs.cached_scenes import kinds


def test_places_are_kept_by_what_was_asked_for(how, work):
    (house,) = resolve_scenes("houses:val/0")
    asking = replace(how, categories=("chair", "bed"))
    first = asking.load(house)
    assert work == ["0000"]
    assert kinds(how) == ["ground", "objects"]
    second = asking.load(house)
    assert work == ["0000"]
    assert list(first.objects) == list(second.objects) == ["chair", "bed"]
    for name, points in first.objects.items():
        assert np.array_equal(points, second.objects[name])
    # Who asks for nothing finds the ground alone; who asks for others finds these.
    assert how.load(house).objects is None
    assert work == ["0000"]
    others = replace(how, categories=("sofa", "chair")).load(house)
    assert work == ["0000"] * 2
    assert list(others.objects) == ["sofa", "chair"]
    assert np.array_equal(others.objects["chair"], first.objects["chair"])


def test_workers_hand_the_places_over():
    (house,) = resolve_scenes("houses:val/0")
    loaded = Loading(categories=("chair",)).load(house)
    again = unpack_scene(pack_scene(loaded))
    assert np.array_equal(again.objects["chair"], loaded.objects["chair"])
    assert np.isfinite(loaded.ground.snap(loaded.objects["chair"])).all()


def test_an_environment_asks_for_its_categories_only_where_its_task_needs_them():
    config = EnvConfig()
    assert Loading.of(config).categories is None
    assert Loading.of(config, objects=True).categories == HM3D_CATEGORIES
