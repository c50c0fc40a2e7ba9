"""Skins and morph targets at rest, hidden nodes, and several scenes."""

from __future__ import annotations

import numpy as np
import pytest

from gym_batchnav.errors import SceneError
from gym_batchnav.scenes import SceneWarning, load_scene
from gym_batchnav.scenes.gltf import assemble
from gym_batchnav.scenes.gltf.fields import Fields
from tests.unit.scenes.gltf_files import TRIANGLE, GltfFile, one_triangle


def inverse_bind(*translations) -> np.ndarray:
    """Matrices by columns that move by -t."""
    matrices = np.tile(np.eye(4, dtype=np.float32), (len(translations), 1, 1))
    matrices[:, 3, :3] = -np.array(translations, np.float32)
    return matrices.reshape(-1, 16)


def skinned(weights, joints=((0, 1, 0, 0),) * 3) -> GltfFile:
    """A triangle under two joints; its own node stands far away, which must not matter."""
    file = one_triangle(translation=[500, 0, 0], skin=0)
    primitive = file.json["meshes"][0]["primitives"][0]
    primitive["attributes"]["JOINTS_0"] = file.accessor(np.array(joints, np.uint8))
    primitive["attributes"]["WEIGHTS_0"] = file.accessor(np.array(weights, np.float32))
    file.json["nodes"] += [{"translation": [1, 0, 0], "children": [2]}, {"translation": [0, 2, 0]}]
    file.json["scenes"][0]["nodes"] = [0, 1]
    matrices = file.accessor(inverse_bind([1, 0, 0], [1, 0, 0]))
    file.json["skins"] = [{"joints": [1, 2], "inverseBindMatrices": matrices}]
    return file


def test_skins_follow_their_joints(tmp_path):
    # Joint 0 stands where it was bound and moves nothing. Joint 1 was bound at (1,0,0) and stands at (1,2,0):
    # it moves by (0,2,0). The second vertex is moved by a quarter of that; weights of (2, 2) are halves.
    scene = load_scene(skinned([[1, 0, 0, 0], [0.75, 0.25, 0, 0], [2, 2, 0, 0]]).save(tmp_path))
    np.testing.assert_allclose(
        scene.positions, np.add(TRIANGLE, [[0, 0, 0], [0, 0.5, 0], [0, 1, 0]]), atol=1e-6
    )


def test_vertices_without_weights_follow_their_first_joint(tmp_path):
    scene = load_scene(skinned(np.zeros((3, 4)), joints=((1, 0, 0, 0),) * 3).save(tmp_path))
    np.testing.assert_allclose(scene.positions, np.add(TRIANGLE, [0, 2, 0]), atol=1e-6)


def test_a_skin_without_matrices_takes_the_joints_themselves(tmp_path):
    file = skinned([[0, 1, 0, 0]] * 3)
    del file.json["skins"][0]["inverseBindMatrices"]
    scene = load_scene(file.save(tmp_path))
    np.testing.assert_allclose(scene.positions, np.add(TRIANGLE, [1, 2, 0]), atol=1e-6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda json: json["skins"][0].update(joints=[1, 9]), r"skins\[0\].joints names nodes\[9\]"),
        (lambda json: json["skins"][0].update(joints=[]), r"skins\[0\].joints"),
        (lambda json: json["skins"][0].update(joints=[1]), "has 1 joints, but a vertex names joint 1"),
        (lambda json: json["skins"][0].update(joints=[1, 2, 0]), "has 2 matrices for 3 joints"),
        (lambda json: json["nodes"][0].update(skin=4), r"nodes\[0\].skin names skins\[4\]"),
        (lambda json: json["skins"][0].update(inverseBindMatrices=0), "of 3 components"),
    ],
)
def test_broken_skins_are_refused(tmp_path, change, message):
    file = skinned([[0, 1, 0, 0]] * 3)
    change(file.json)
    with pytest.raises(SceneError, match=message):
        load_scene(file.save(tmp_path))


def morphed(node=None, mesh=None) -> GltfFile:
    file = one_triangle()
    up, right = np.tile([[0, 1, 0]], (3, 1)), np.tile([[1, 0, 0]], (3, 1))
    file.json["meshes"][0]["primitives"][0]["targets"] = [
        {"POSITION": file.accessor(shift.astype(np.float32))} for shift in (up, right)
    ]
    if node is not None:
        file.json["nodes"][0]["weights"] = node
    if mesh is not None:
        file.json["meshes"][0]["weights"] = mesh
    return file


@pytest.mark.parametrize(
    ("node", "mesh", "shift"),
    [
        (None, None, [0, 0, 0]),
        (None, [0.5, 2], [2, 0.5, 0]),
        ([1, 0], [0.5, 2], [0, 1, 0]),
        ([-1], None, [0, -1, 0]),
    ],
)
def test_morph_targets_are_added_by_their_default_weights(tmp_path, node, mesh, shift):
    scene = load_scene(morphed(node, mesh).save(tmp_path))
    np.testing.assert_allclose(scene.positions, np.add(TRIANGLE, shift))


def test_two_nodes_may_morph_one_mesh_differently(tmp_path):
    file = morphed(node=[1, 0])
    file.json["nodes"].append({"mesh": 0, "weights": [0, 3]})
    file.json["scenes"][0]["nodes"] = [0, 1]
    scene = load_scene(file.save(tmp_path))
    np.testing.assert_allclose(
        scene.positions, np.concatenate([np.add(TRIANGLE, [0, 1, 0]), np.add(TRIANGLE, [3, 0, 0])])
    )


def test_sparse_morph_targets(tmp_path):
    file = one_triangle()
    number = file.raw_accessor(
        componentType=5126,
        type="VEC3",
        count=3,
        sparse={
            "count": 1,
            "indices": {"bufferView": file.view(b"\x02"), "componentType": 5121},
            "values": {"bufferView": file.view(np.array([0, 0, 7], np.float32).tobytes())},
        },
    )
    file.json["meshes"][0] |= {"weights": [1]}
    file.json["meshes"][0]["primitives"][0]["targets"] = [{"POSITION": number}]
    scene = load_scene(file.save(tmp_path))
    np.testing.assert_allclose(scene.positions, np.add(TRIANGLE, [[0, 0, 0], [0, 0, 0], [0, 0, 7]]))


def test_a_morph_target_of_another_length_is_refused(tmp_path):
    file = morphed(mesh=[1, 1])
    target = file.json["meshes"][0]["primitives"][0]["targets"][1]
    target["POSITION"] = file.accessor(np.zeros((2, 3), np.float32))
    with pytest.raises(SceneError, match=r"targets\[1\].POSITION has 2 elements, but there are 3 vertices"):
        load_scene(file.save(tmp_path))


def test_hidden_nodes_and_their_children_are_left_out(tmp_path):
    file = one_triangle(children=[1])
    hidden = {"KHR_node_visibility": {"visible": False}}
    file.json["nodes"] += [{"mesh": 0, "children": [2], "extensions": hidden}, {"mesh": 0}]
    assert load_scene(file.save(tmp_path)).arrays.num_triangles == 1
    hidden["KHR_node_visibility"]["visible"] = True
    assert load_scene(file.save(tmp_path)).arrays.num_triangles == 3


def test_several_scenes_without_a_default(tmp_path):
    file = one_triangle()
    file.json["nodes"].append({"mesh": 0, "translation": [0, 0, 9]})
    file.json["scenes"] = [{"nodes": [0]}, {"nodes": [1]}]
    del file.json["scene"]
    with pytest.warns(SceneWarning, match=r"holds 2 scenes and names none as the default; scenes\[0\]"):
        scene = load_scene(file.save(tmp_path))
    assert scene.positions[0, 2] == 0.0


def test_points_and_lines_give_one_warning_for_the_file(tmp_path, recwarn):
    file = one_triangle()
    for mode in (0, 1, 2, 3, 0):
        file.primitive(TRIANGLE, mode=mode)
    load_scene(file.save(tmp_path))
    (warning,) = recwarn.list
    assert "left out: 1 of LINES, 1 of LINE_LOOP, 1 of LINE_STRIP, 2 of POINTS" in str(warning.message)


@pytest.mark.parametrize(
    "name",
    [
        *("KHR_lights_punctual", "KHR_materials_unlit", "KHR_materials_ior", "KHR_materials_variants"),
        *("KHR_materials_volume_scatter", "CESIUM_primitive_outline", "KHR_physics_rigid_bodies"),
    ],
)
def test_extensions_without_effect_may_be_required(tmp_path, name):
    file = one_triangle(extensions={"KHR_lights_punctual": {"light": 0}})
    file.json["extensions"] = {"KHR_lights_punctual": {"lights": [{"type": "point"}]}}
    file.json["extensionsRequired"] = [name]
    np.testing.assert_array_equal(load_scene(file.save(tmp_path)).positions, TRIANGLE)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16])
def test_integer_positions_and_texture_coordinates(tmp_path, dtype):
    """KHR_mesh_quantization without normalisation: the numbers as they are, scaled by the node."""
    file = GltfFile()
    file.json["extensionsRequired"] = ["KHR_mesh_quantization"]
    points = np.array([[0, 0, 0, 0], [100, 0, 0, 0], [0, 50, 25, 0]], dtype)
    code = file.entry(points)["componentType"]

    def padded(array, kind):
        view = file.view(array.tobytes(), byteStride=4 * array.itemsize)
        return file.raw_accessor(bufferView=view, componentType=code, type=kind, count=3)

    primitive = file.primitive(padded(points, "VEC3"))
    primitive["attributes"]["TEXCOORD_0"] = padded(points, "VEC2")
    info = {"index": file.image(np.zeros((2, 2, 4), np.uint8))}
    info["extensions"] = {"KHR_texture_transform": {"scale": [0.01, 0.02]}}
    primitive["material"] = file.material(pbrMetallicRoughness={"baseColorTexture": info})
    file.json["nodes"][0]["scale"] = [0.02, 0.02, 0.02]
    arrays = load_scene(file.save(tmp_path)).arrays
    np.testing.assert_allclose(arrays.positions, [[0, 0, 0], [2, 0, 0], [0, 1, 0.5]], atol=1e-6)
    np.testing.assert_allclose(arrays.uvs, [[0, 0], [1, 0], [0, 1]], atol=1e-6)


def test_joints_of_no_weight_may_be_any(tmp_path):
    file = skinned([[1, 0, 0, 0]] * 3, joints=[[0, 200, 200, 200]] * 3)
    np.testing.assert_allclose(load_scene(file.save(tmp_path)).positions, TRIANGLE, atol=1e-6)


def test_long_lists_are_read_once_for_all_nodes(tmp_path, monkeypatch):
    """A skin and a mesh's weights that many nodes share cost their length once, not once a node."""
    read = []
    real = Fields.number_list
    monkeypatch.setattr(Fields, "number_list", lambda self, key: read.append(key) or real(self, key))
    real_matrices = assemble.joint_matrices
    monkeypatch.setattr(assemble, "joint_matrices", lambda *args: read.append("skin") or real_matrices(*args))
    file = skinned([[1, 0, 0, 0]] * 3)
    file.json["meshes"][0]["weights"] = [0.0] * 50
    file.json["nodes"] += [dict(file.json["nodes"][0]) for _ in range(20)]
    file.json["scenes"][0]["nodes"] += range(3, 23)
    assert load_scene(file.save(tmp_path)).arrays.num_triangles == 21
    assert sorted(read) == ["skin", "weights"]
