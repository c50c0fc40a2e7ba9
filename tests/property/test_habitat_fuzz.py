"""Damaged files of a Habitat data set raise SceneError and nothing else."""

from __future__ import annotations

import copy
import json
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gym_batchnav.errors import SceneError
from gym_batchnav.scenes.habitat import SceneDataSet
from tests.unit.scenes.habitat_files import data_set, write

INSTANCE = {
    "translation_origin": "COM",
    "object_instances": [
        {
            "template_name": "chair",
            "translation": [1, 2, 3],
            "rotation": [1, 0, 0, 0],
            "uniform_scale": 2,
            "non_uniform_scale": [1, 2, 3],
            "translation_origin": "asset_local",
        },
        {"template_name": "tall"},
    ],
    "articulated_object_instances": [{"template_name": "fridge"}],
    "navmesh_instance": "apt",
}
OBJECTS = {
    "paths": {".json": ["objects", "objects/*.json"], ".glb": ["objects/*.glb"]},
    "default_attributes": {"mass": 3, "COM": [0, 0, 0]},
    "configs": [{"original_file": "chair", "template_handle": "tall", "attributes": {"scale": [1, 5, 1]}}],
}
STAGE = {
    "render_asset": "room.glb",
    "up": [0, 0, 1],
    "front": [0, 1, 0],
    "origin": [1, 2, 3],
    "scale": [1, 1, 1],
}
FILES = {
    "x.scene_dataset_config.json": None,
    "scenes/apt_0.scene_instance.json": {"stage_instance": {"template_name": "room"}, **INSTANCE},
    "stages/room.stage_config.json": STAGE,
    "objects/chair.object_config.json": {
        "render_asset": "chair.glb",
        "COM": [1, 1, 1],
        "units_to_meters": 0.5,
    },
}
VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 10), st.integers(-(2**70), 2**70), st.floats(),
    st.sampled_from(["", ".", "..", "/", "*", "**", "[", "a\0", "../../*", "room", "NONE", "objects/../.."]),
    st.text(max_size=5), st.just([]), st.just({}), st.lists(st.floats(), max_size=4),
)  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("around") / "data" / "set"
    sections = {"objects": OBJECTS, "navmesh_instances": {"apt": "apt.navmesh"}}
    config = data_set(root, INSTANCE, **sections)
    FILES[config.name] = json.loads(config.read_text())
    (root / "apt.navmesh").write_bytes(b"")
    return root


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths of all values in a JSON document."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []
    return [path, *(place for key in keys for place in places(value[key], (*path, key)))]


def load(folder):
    for name, content in FILES.items():
        write(folder / name, content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return SceneDataSet(folder / "x.scene_dataset_config.json").load("apt_0")


def test_the_undamaged_set_loads(folder):
    scene = load(folder)
    assert scene.arrays.num_triangles == 8
    assert scene.navmesh_path.name == "apt.navmesh"


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_changed_values(folder, data):
    name = data.draw(st.sampled_from(sorted(FILES)))
    load(folder)
    content = copy.deepcopy(FILES[name])
    *way, last = data.draw(st.sampled_from(places(content)[1:]))
    target = content
    for key in way:
        target = target[key]
    if data.draw(st.booleans()) and isinstance(target, dict):
        del target[last]
    else:
        target[last] = data.draw(VALUES)
    (folder / name).write_text(json.dumps(content))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            scene = SceneDataSet(folder / "x.scene_dataset_config.json").load("apt_0")
        except SceneError as error:
            message = str(error)
        else:
            message = scene.scene_id
            assert np.isfinite(scene.positions).all()
            assert int(scene.arrays.triangles.max()) < len(scene.positions)
            assert scene.navmesh_path is None or scene.navmesh_path.is_relative_to(folder.resolve().parent)
    assert str(folder) in message
