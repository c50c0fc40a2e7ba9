"""Positions, indices and the node hierarchy of hand-made glTF files."""

from __future__ import annotations

import json

import numpy as np
import pytest

from gym_batchnav.scenes import SceneWarning, load_scene
from tests.unit.scenes.gltf_files import TRIANGLE, GltfFile, one_triangle


def normals(scene):
    a, b, c = np.moveaxis(scene.positions[scene.triangles], 1, 0)
    return np.cross(b - a, c - a)


def test_triangle_without_transform(tmp_path):
    scene = load_scene(one_triangle().save(tmp_path))
    np.testing.assert_array_equal(scene.positions, TRIANGLE)
    np.testing.assert_array_equal(scene.triangles, [[0, 1, 2]])
    assert scene.positions.dtype == np.float32
    assert scene.triangles.dtype == np.uint32
    assert scene.scene_id == str(tmp_path / "scene.glb")
    assert scene.walkable is None
    assert scene.navmesh_path is None


def test_matrix_is_stored_by_columns(tmp_path):
    # Columns: 2x, 3y, 4z, then the translation (10, 20, 30).
    matrix = [2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4, 0, 10, 20, 30, 1]
    scene = load_scene(one_triangle(matrix=matrix).save(tmp_path))
    np.testing.assert_allclose(scene.positions, [[10, 20, 30], [12, 20, 30], [10, 23, 30]])


def test_translation_rotation_scale_in_that_order(tmp_path):
    # Scale x by 2: (1,0,0) -> (2,0,0); a quarter turn about +Y: -> (0,0,-2); then add (5,6,7).
    half = 0.5**0.5
    node = {"translation": [5, 6, 7], "rotation": [0, half, 0, half], "scale": [2, 1, 1]}
    scene = load_scene(one_triangle(**node).save(tmp_path))
    np.testing.assert_allclose(scene.positions, [[5, 6, 7], [5, 6, 5], [5, 7, 7]], atol=1e-6)


def test_children_inherit_and_meshes_repeat(tmp_path):
    file = one_triangle(translation=[1, 0, 0], children=[1])
    file.json["nodes"].append({"mesh": 0, "scale": [2, 2, 2], "translation": [0, 0, 3]})
    scene = load_scene(file.save(tmp_path))
    # Child: 2 p + (0,0,3), then + (1,0,0).
    np.testing.assert_allclose(scene.positions[3:], [[1, 0, 3], [3, 0, 3], [1, 2, 3]])
    np.testing.assert_array_equal(scene.arrays.object_ids, [1, 2])


def test_negative_scale_keeps_the_front_in_front(tmp_path):
    scene = load_scene(one_triangle(scale=[-1, 1, 1]).save(tmp_path))
    # Mirrored in x the triangle still faces +z.
    np.testing.assert_allclose(normals(scene), [[0, 0, 1]])
    assert scene.positions[:, 0].min() == -1.0


def test_scene_selection(tmp_path):
    file = one_triangle()
    file.json["nodes"].append({"mesh": 0, "translation": [0, 0, 9]})
    file.json["scenes"] = [{"nodes": [0]}, {"nodes": [1]}]
    file.json["scene"] = 1
    assert load_scene(file.save(tmp_path)).positions[0, 2] == 9.0


def test_without_scenes_all_roots_are_shown(tmp_path):
    file = one_triangle(children=[1])
    file.json["nodes"] += [{"mesh": 0}, {"mesh": 0}]
    del file.json["scene"], file.json["scenes"]
    assert load_scene(file.save(tmp_path)).arrays.num_triangles == 3


def test_interleaved_vertices(tmp_path):
    file = GltfFile()
    table = np.zeros((4, 5), np.float32)
    table[:, :3] = [[9, 9, 9], [0, 0, 1], [1, 0, 1], [0, 1, 1]]
    table[:, 3:] = [[9, 9], [0.25, 0.5], [0.5, 0.75], [1, 0]]
    view = file.view(table.tobytes(), byteStride=20)
    # The first record is skipped by the offset: 20 bytes.
    common = {"bufferView": view, "componentType": 5126, "count": 3}
    position = file.raw_accessor(**common, type="VEC3", byteOffset=20)
    primitive = file.primitive(position)
    primitive["attributes"]["TEXCOORD_0"] = file.raw_accessor(**common, type="VEC2", byteOffset=32)
    texture = file.image(np.zeros((2, 2, 3), np.uint8))
    primitive["material"] = file.material(pbrMetallicRoughness={"baseColorTexture": {"index": texture}})
    scene = load_scene(file.save(tmp_path))
    np.testing.assert_array_equal(scene.positions, table[1:, :3])
    np.testing.assert_array_equal(scene.arrays.uvs, table[1:, 3:])


@pytest.mark.parametrize("based", [True, False])
def test_sparse_accessor(tmp_path, based):
    file = GltfFile()
    entry = file.entry(TRIANGLE)
    if based:
        entry["bufferView"] = file.view(TRIANGLE.tobytes())
    entry["sparse"] = {
        "count": 2,
        "indices": {"bufferView": file.view(np.array([0, 2], np.uint8).tobytes()), "componentType": 5121},
        "values": {"bufferView": file.view(np.array([[7, 8, 9], [4, 5, 6]], np.float32).tobytes())},
    }
    file.primitive(file.raw_accessor(**entry))
    middle = [1, 0, 0] if based else [0, 0, 0]
    np.testing.assert_array_equal(load_scene(file.save(tmp_path)).positions, [[7, 8, 9], middle, [4, 5, 6]])


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
def test_index_types(tmp_path, dtype):
    file = GltfFile()
    file.primitive(TRIANGLE, np.array([2, 0, 1], dtype))
    np.testing.assert_array_equal(load_scene(file.save(tmp_path)).triangles, [[2, 0, 1]])


@pytest.mark.parametrize(
    ("dtype", "raw", "expected"),
    [
        (np.int8, [[127, -127, -128], [0, 64, 0], [0, 0, 127]], [1.0, -1.0, -1.0]),
        (np.uint8, [[255, 0, 51], [0, 64, 0], [0, 0, 127]], [1.0, 0.0, 0.2]),
        (np.int16, [[32767, -32768, 0], [0, 64, 0], [0, 0, 127]], [1.0, -1.0, 0.0]),
        (np.uint16, [[65535, 0, 13107], [0, 64, 0], [0, 0, 127]], [1.0, 0.0, 0.2]),
    ],
)
def test_normalised_positions(tmp_path, dtype, raw, expected):
    """KHR_mesh_quantization: n / max for unsigned, max(n / max, -1) for signed integers."""
    file = GltfFile()
    file.json["extensionsRequired"] = ["KHR_mesh_quantization"]
    padded = np.zeros((3, 4), dtype)
    padded[:, :3] = raw
    view = file.view(padded.tobytes(), byteStride=4 * padded.itemsize)
    code = file.entry(padded)["componentType"]
    file.primitive(
        file.raw_accessor(bufferView=view, componentType=code, type="VEC3", count=3, normalized=True)
    )
    np.testing.assert_allclose(load_scene(file.save(tmp_path)).positions[0], expected, atol=1e-6)


def test_strip_and_fan(tmp_path):
    square = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 2, 0]], np.float32)
    file = GltfFile()
    file.primitive(square, mode=5)
    scene = load_scene(file.save(tmp_path))
    # Every second triangle of the strip is turned, so that all face +z.
    np.testing.assert_array_equal(scene.triangles, [[0, 1, 2], [1, 3, 2], [2, 3, 4]])
    assert (normals(scene)[:, 2] > 0).all()

    fan = GltfFile()
    fan.primitive(np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], np.float32), mode=6)
    scene = load_scene(fan.save(tmp_path))
    np.testing.assert_array_equal(scene.triangles, [[1, 2, 0], [2, 3, 0]])


def test_degenerate_triangles_of_a_strip_are_dropped(tmp_path):
    file = GltfFile()
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [5, 0, 0], [6, 0, 0], [5, 1, 0]], np.float32)
    file.primitive(points, np.array([0, 1, 2, 2, 3, 3, 4, 5], np.uint16), mode=5)
    # (3, 4, 5) is the sixth of the strip, an odd one (counted from 0), and so turned over.
    np.testing.assert_array_equal(load_scene(file.save(tmp_path)).triangles, [[0, 1, 2], [3, 5, 4]])


def test_points_are_left_out_with_a_warning(tmp_path):
    file = one_triangle()
    file.primitive(TRIANGLE, mode=0)
    with pytest.warns(SceneWarning, match=r"points and lines are not drawn; left out: 1 of POINTS"):
        scene = load_scene(file.save(tmp_path))
    assert scene.arrays.num_triangles == 1


def test_unused_vertices_are_dropped(tmp_path):
    file = GltfFile()
    points = np.arange(30, dtype=np.float32).reshape(10, 3) ** 2 / 16
    file.primitive(points, np.array([9, 4, 6], np.uint8))
    scene = load_scene(file.save(tmp_path))
    np.testing.assert_array_equal(scene.positions, points[[4, 6, 9]])
    np.testing.assert_array_equal(scene.positions[scene.triangles[0]], points[[9, 4, 6]])


def test_data_uri_and_outside_buffer(tmp_path):
    scene = load_scene(one_triangle().save(tmp_path, "inline.gltf"))
    np.testing.assert_array_equal(scene.positions, TRIANGLE)
    file = one_triangle()
    (tmp_path / "sub dir").mkdir()
    (tmp_path / "sub dir" / "data.bin").write_bytes(bytes(file.binary))
    file.json["buffers"][0]["uri"] = "sub%20dir/data.bin"
    path = tmp_path / "outside.gltf"
    path.write_text(json.dumps(file.json))
    np.testing.assert_array_equal(load_scene(path).positions, TRIANGLE)


def test_real_files(shared_data):
    """Triangle counts as the data's own description gives them."""
    counts = {"ifc_duplex.glb": 26_348, "gazebo_cafe.glb": 23_834, "quest_living_room.glb": 62_102}
    for name, count in counts.items():
        assert load_scene(shared_data / "scenes" / name).arrays.num_triangles == count


@pytest.mark.slow
def test_aws_small_house(shared_data):
    scene = load_scene(
        shared_data / "scenes" / "aws_small_house.glb", shared_data / "navmesh" / "aws_small_house.navmesh"
    )
    assert scene.arrays.num_triangles == 145_844
    assert len(scene.arrays.textures) == 46
    np.testing.assert_allclose(np.ptp(scene.positions, axis=0)[[0, 2]], [19.0, 11.4], atol=0.1)
    assert scene.navmesh_path is not None
