"""Scenes to glTF and back."""

from __future__ import annotations

import json
import struct
from dataclasses import replace

import numpy as np
import pytest

from batchnav_renderer import BatchRenderer, Material, RenderConfig, SceneArrays, Texture
from batchnav_renderer.camera import world_from_camera
from gym_batchnav.errors import SceneError
from gym_batchnav.scenes import Scene, load_scene, save_scene
from gym_batchnav.scenes.houses import load_house


def small_scene():
    """Two objects, three materials, a texture with holes, vertex colours."""
    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 256, (4, 8, 4), np.uint8)
    arrays = SceneArrays(
        positions=rng.normal(size=(9, 3)).astype(np.float32),
        triangles=np.array([[0, 1, 2], [3, 4, 5], [6, 7, 8], [2, 1, 8]], np.uint32),
        material_ids=np.array([2, 0, 1, 0], np.int32),
        object_ids=np.array([2, 1, 1, 2], np.int32),
        uvs=rng.uniform(-1, 2, (9, 2)).astype(np.float32),
        colors=rng.integers(0, 256, (9, 4), np.uint8),
        materials=(
            Material(base_color=(0.0123, 0.5, 1.0, 1.0)),
            Material(texture=0, alpha_cutoff=0.25),
            Material(base_color=(0.7, 0.1, 0.001, 0.5)),
        ),
        textures=(Texture(pixels=pixels, wrap=("mirror", "clamp")),),
    )
    return Scene(scene_id="small", arrays=arrays)


def corners(arrays):
    """Of each triangle, in a canonical order: object, positions, coordinates and colours of its corners.

    Where there is no texture, there need be no coordinates.
    """
    rows = np.concatenate([arrays.positions, arrays.colors.astype(np.float32)], axis=1)
    flat = rows[arrays.triangles].reshape(arrays.num_triangles, -1)
    textured = np.array([material.texture >= 0 for material in arrays.materials])[arrays.material_ids]
    uvs = arrays.uvs[arrays.triangles].reshape(arrays.num_triangles, -1) * textured[:, None]
    # Zeros have one sign alone, so that they sort alike.
    keyed = np.column_stack([arrays.object_ids, flat, uvs]) + 0.0
    return keyed[np.lexsort(keyed.T)]


def document_of(path):
    content = path.read_bytes()
    length = struct.unpack_from("<I", content, 12)[0]
    return json.loads(content[20 : 20 + length])


def test_all_comes_back_bit_by_bit(tmp_path):
    scene = small_scene()
    save_scene(scene, tmp_path / "small.glb", {1: "bed", 2: "floor"})
    back = load_scene(tmp_path / "small.glb").arrays
    np.testing.assert_array_equal(corners(back), corners(scene.arrays))
    for material, number in ((0, 0), (1, 1), (2, 2)):
        ours, theirs = scene.arrays.materials[material], back.materials[number]
        assert theirs.base_color == pytest.approx(ours.base_color, rel=1e-6)
        assert theirs.alpha_cutoff == ours.alpha_cutoff
    np.testing.assert_array_equal(back.textures[0].pixels, scene.arrays.textures[0].pixels)
    assert back.textures[0].wrap == ("mirror", "clamp")


def test_objects_are_nodes_with_names_and_ids(tmp_path):
    save_scene(small_scene(), tmp_path / "small.glb", {1: "bed"})
    nodes = document_of(tmp_path / "small.glb")["nodes"]
    assert [node["name"] for node in nodes] == ["bed_1", "object_2"]
    assert [node["extras"] for node in nodes] == [{"object_id": 1, "class": "bed"}, {"object_id": 2}]


def test_a_house_looks_the_same_afterwards(tmp_path):
    house = load_house("val", 3)
    save_scene(house, tmp_path / "house.glb")
    # Ids are counted anew where some have no triangles.
    ids = np.unique(house.arrays.object_ids, return_inverse=True)[1].astype(np.int32) + 1
    house = replace(house, arrays=replace(house.arrays, object_ids=ids.reshape(-1)))
    back = load_scene(tmp_path / "house.glb")
    np.testing.assert_array_equal(corners(back.arrays), corners(house.arrays))
    low, high = house.positions.min(axis=0), house.positions.max(axis=0)
    rng = np.random.default_rng(0)
    where = rng.uniform(low + 0.5, high - 0.5, (32, 3))
    where[:, 1] = 1.25
    poses = world_from_camera(where, rng.uniform(-np.pi, np.pi, 32))
    config = RenderConfig(num_views=32, outputs=("rgb", "depth", "ids"), backend="embree", device="cpu")
    images = []
    with BatchRenderer(config) as renderer:
        for scene in (house, back):
            renderer.set_views([renderer.add_scene(scene.arrays)] * 32, poses)
            images.append({name: np.array(image) for name, image in renderer.render().items()})
    # Where two triangles lie on each other, the one that is drawn may change with their order.
    same = images[0]["ids"] == images[1]["ids"]
    assert same.mean() > 0.999
    assert np.abs(images[0]["depth"] - images[1]["depth"])[same].max() < 1e-3
    difference = np.abs(images[0]["rgb"].astype(int) - images[1]["rgb"])
    assert difference.mean() < 0.05
    assert images[0]["rgb"].std() > 20


def test_a_scene_of_plain_triangles(tmp_path):
    arrays = SceneArrays(
        positions=np.eye(3, dtype=np.float32),
        triangles=np.array([[0, 1, 2]], np.uint32),
        material_ids=np.zeros(1, np.int32),
    )
    save_scene(Scene(scene_id="plain", arrays=arrays), tmp_path / "plain.glb")
    back = load_scene(tmp_path / "plain.glb").arrays
    np.testing.assert_array_equal(back.positions[back.triangles], np.eye(3)[None])
    assert (back.textures, back.colors) == ((), None)


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(SceneError, match=r"no\.glb: cannot be written"):
        save_scene(small_scene(), tmp_path / "nowhere" / "no.glb")
    assert list(tmp_path.iterdir()) == []
