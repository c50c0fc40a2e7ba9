"""EXT_mesh_gpu_instancing, and numbers too large for the renderer."""

from __future__ import annotations

import numpy as np
import pytest

from gym_batchnav.errors import SceneError
from gym_batchnav.scenes import load_scene
from tests.unit.scenes.gltf_files import one_triangle

HALF = 0.5**0.5
TRANSLATION = np.array([[0, 0, 0], [5, 6, 7]], np.float32)
ROTATION = np.array([[0, 0, 0, 1], [0, HALF, 0, HALF]], np.float32)
SCALE = np.array([[1, 1, 1], [2, 1, 1]], np.float32)


def instanced(required=False, **attributes):
    file = one_triangle(translation=[100, 0, 0])
    numbers = {name: file.accessor(array) for name, array in attributes.items()}
    file.json["nodes"][0]["extensions"] = {"EXT_mesh_gpu_instancing": {"attributes": numbers}}
    if required:
        file.json["extensionsRequired"] = ["EXT_mesh_gpu_instancing"]
    return file


def test_one_copy_of_the_mesh_for_each_instance(tmp_path):
    file = instanced(required=True, TRANSLATION=TRANSLATION, ROTATION=ROTATION, SCALE=SCALE)
    scene = load_scene(file.save(tmp_path))
    # Second: scale x by 2, (1,0,0) -> (2,0,0); a quarter turn about +Y: -> (0,0,-2); plus (5,6,7); plus the
    # node's own (100,0,0).
    expected = [[100, 0, 0], [101, 0, 0], [100, 1, 0], [105, 6, 7], [105, 6, 5], [105, 7, 7]]
    np.testing.assert_allclose(scene.positions, expected, atol=1e-5)
    np.testing.assert_array_equal(scene.arrays.object_ids, [1, 2])


def test_attributes_may_be_left_out_and_rotations_may_be_bytes(tmp_path):
    scene = load_scene(instanced(SCALE=SCALE).save(tmp_path))
    np.testing.assert_allclose(scene.positions[3:], [[100, 0, 0], [102, 0, 0], [100, 1, 0]])
    file = instanced(ROTATION=np.array([[0, 127, 0, 0]], np.int8))
    file.json["accessors"][-1]["normalized"] = True
    # Half a turn about +Y takes (1,0,0) to (-1,0,0).
    scene = load_scene(file.save(tmp_path))
    np.testing.assert_allclose(scene.positions, [[100, 0, 0], [99, 0, 0], [100, 1, 0]], atol=1e-5)


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"TRANSLATION": TRANSLATION, "SCALE": SCALE[:1]}, "counts instances"),
        ({}, "counts instances"),
        ({"ROTATION": ROTATION * 0}, "no rotation"),
        ({"ROTATION": TRANSLATION}, "components"),
        ({"TRANSLATION": TRANSLATION * np.float32(np.nan)}, "NaN"),
    ],
)
def test_broken_instances_are_refused(tmp_path, attributes, message):
    with pytest.raises(SceneError, match=rf"EXT_mesh_gpu_instancing.*{message}"):
        load_scene(instanced(**attributes).save(tmp_path))


def test_a_file_of_others(shared_data):
    scene = load_scene(shared_data / "scenes" / "simple-instancing.glb")
    # A unit cube of 12 triangles on a 5 x 5 x 5 grid from 0 to 10, scaled 1 to 2, turned 0 to 90 degrees.
    assert len(scene.triangles) == 125 * 12
    assert len(np.unique(scene.arrays.object_ids)) == 125
    first = scene.positions[:24]
    np.testing.assert_array_equal([first.min(0), first.max(0)], [[0, 0, 0], [1, 1, 1]])
    assert scene.positions.max() <= 10 + 2 * 3**0.5
    a, b, c = np.moveaxis(scene.positions[scene.triangles].astype(float), 1, 0)
    volumes = np.einsum("fx,fx->f", a, np.cross(b, c)).reshape(125, 12).sum(1) / 6
    # Scales of 1 to 2 a side: volumes of 1 to 8, all of them outside out.
    assert volumes.min() == pytest.approx(1.0, abs=1e-4)
    assert volumes.max() == pytest.approx(8.0, abs=1e-3)


def test_texture_coordinates_beyond_float32_are_refused(tmp_path):
    file = one_triangle()
    transform = {"KHR_texture_transform": {"scale": [1e30, 1]}}
    texture = file.image(np.zeros((2, 2, 4), np.uint8))
    file.material(pbrMetallicRoughness={"baseColorTexture": {"index": texture, "extensions": transform}})
    primitive = file.json["meshes"][0]["primitives"][0]
    primitive["material"] = 0
    primitive["attributes"]["TEXCOORD_0"] = file.accessor(np.full((3, 2), 1e30, np.float32))
    with pytest.raises(SceneError, match=r"nodes\[0\] carries texture coordinates beyond"):
        load_scene(file.save(tmp_path))


@pytest.mark.parametrize("cutoff", [1.5, 1e299])
def test_a_cutoff_above_1_hides_everything(tmp_path, cutoff):
    file = one_triangle()
    file.json["meshes"][0]["primitives"][0]["material"] = file.material(alphaMode="MASK", alphaCutoff=cutoff)
    (material,) = load_scene(file.save(tmp_path)).arrays.materials
    assert material.base_color[3] < material.alpha_cutoff == 1.0
