"""Damaged glTF files raise SceneError and nothing else."""

from __future__ import annotations

import json
import warnings

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gym_batchnav.errors import SceneError
from gym_batchnav.scenes import load_scene
from tests.unit.scenes.gltf_files import GltfFile

SETTINGS = settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def rich_file() -> GltfFile:
    """A small file that uses most of what the reader knows."""
    file = GltfFile()
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], np.float32)
    primitive = file.primitive(points, np.array([0, 1, 2, 2, 1, 3], np.uint16))
    primitive["attributes"]["TEXCOORD_0"] = file.accessor(points[:, :2].copy())
    primitive["attributes"]["COLOR_0"] = file.accessor(np.full((4, 4), 200, np.uint8), normalized=True)
    texture = file.image(np.full((2, 2, 4), 90, np.uint8), sampler={"wrapS": 33071})
    primitive["material"] = file.material(
        alphaMode="MASK",
        pbrMetallicRoughness={
            "baseColorFactor": [1, 0.5, 0.25, 1],
            "baseColorTexture": {
                "index": texture,
                "extensions": {"KHR_texture_transform": {"rotation": 0.5, "scale": [2, 2]}},
            },
        },
    )
    file.json["nodes"] = [{"children": [1], "scale": [1, -1, 1]}, {"mesh": 0, "translation": [1, 2, 3]}]
    sparse = file.entry(points)
    sparse["sparse"] = {
        "count": 1,
        "indices": {"bufferView": file.view(b"\x01\x00\x00\x00"), "componentType": 5123},
        "values": {"bufferView": file.view(points[1].tobytes())},
    }
    file.primitive(file.raw_accessor(**sparse), mode=5)
    return file


GOOD = rich_file().glb()
TEXT = json.dumps(rich_file().json)
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 10),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=5),
    st.just([]),
    st.just({}),
    st.lists(st.integers(-1, 4), max_size=4),
)


def must_load_or_refuse(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            scene = load_scene(path)
        except SceneError as error:
            message = str(error)
        else:
            message = str(path)
            assert np.isfinite(scene.positions).all()
            assert int(scene.triangles.max()) < len(scene.positions)
    assert str(path) in message


def test_the_undamaged_file_loads(tmp_path):
    path = tmp_path / "good.glb"
    path.write_bytes(GOOD)
    assert load_scene(path).arrays.num_triangles == 4


@SETTINGS
@given(st.lists(st.tuples(st.integers(0, len(GOOD) - 1), st.integers(0, 255)), min_size=1, max_size=8))
def test_changed_bytes(tmp_path, changes):
    content = bytearray(GOOD)
    for offset, value in changes:
        content[offset] = value
    path = tmp_path / "changed.glb"
    path.write_bytes(bytes(content))
    must_load_or_refuse(path)


@SETTINGS
@given(st.integers(0, len(GOOD)), st.binary(max_size=12))
def test_cut_and_appended(tmp_path, length, tail):
    path = tmp_path / "cut.glb"
    path.write_bytes(GOOD[:length] + tail)
    must_load_or_refuse(path)


def places(value, path=()):
    """Paths to all values inside of a JSON value."""
    yield path
    for key, inner in (
        value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else [])
    ):
        yield from places(inner, (*path, key))


def check_changed(file, changes, folder):
    """Change values at places of a file's JSON, as far as they are there, and load it."""
    for place, value in changes:
        target = file.json
        try:
            for key in place[:-1]:
                target = target[key]
            target[place[-1]] = value
        except (KeyError, IndexError, TypeError):
            continue
    path = folder / "changed.glb"
    path.write_bytes(file.glb())
    must_load_or_refuse(path)


PLACES = [place for place in places(json.loads(TEXT)) if place]


@SETTINGS
@given(st.lists(st.tuples(st.sampled_from(PLACES), VALUES), min_size=1, max_size=3))
def test_changed_json(tmp_path, changes):
    check_changed(rich_file(), changes, tmp_path)
