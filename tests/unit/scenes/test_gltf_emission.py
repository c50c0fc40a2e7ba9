"""Surfaces that emit: what is added to the base colour of an unlit picture."""

from __future__ import annotations

import numpy as np
import pytest

from gym_batchnav.scenes import SceneWarning, load_scene
from gym_batchnav.scenes.color import linear_from_srgb_bytes, srgb_bytes_from_linear
from tests.unit.scenes.gltf_files import GltfFile, one_triangle

UVS = np.array([[0, 0], [1, 0], [0, 1]], np.float32)


def shining(base=None, shine=None, *, shine_info=None, extensions=None, **entry) -> GltfFile:
    """A triangle whose material has a base texture and an emissive texture, where they are given."""
    file = one_triangle()
    primitive = file.json["meshes"][0]["primitives"][0]
    primitive["attributes"]["TEXCOORD_0"] = file.accessor(UVS)
    primitive["attributes"]["TEXCOORD_1"] = file.accessor(UVS / 2)
    pbr = entry.setdefault("pbrMetallicRoughness", {})
    if base is not None:
        pbr["baseColorTexture"] = {"index": file.image(np.asarray(base, np.uint8))}
    if shine is not None:
        entry["emissiveTexture"] = {"index": file.image(np.asarray(shine, np.uint8)), **(shine_info or {})}
    primitive["material"] = file.material(**entry, **({"extensions": extensions} if extensions else {}))
    return file


def test_factors_are_added_and_clipped(tmp_path):
    file = shining(
        pbrMetallicRoughness={"baseColorFactor": [0.5, 0.5, 0.9, 0.5]}, emissiveFactor=[0, 0.25, 0.3]
    )
    arrays = load_scene(file.save(tmp_path)).arrays
    assert arrays.materials[0].base_color == (0.5, 0.75, 1.0, 0.5)
    assert arrays.textures == ()


def test_strength_multiplies_the_factor(tmp_path):
    strong = {"KHR_materials_emissive_strength": {"emissiveStrength": 2.0}}
    file = shining(
        pbrMetallicRoughness={"baseColorFactor": [0, 0, 0, 1]},
        emissiveFactor=[0.125, 0.25, 1],
        extensions=strong,
    )
    assert load_scene(file.save(tmp_path)).arrays.materials[0].base_color == (0.25, 0.5, 1.0, 1.0)


def test_unlit_materials_do_not_emit(tmp_path):
    file = shining(
        pbrMetallicRoughness={"baseColorFactor": [0.5, 0.5, 0.5, 1]},
        emissiveFactor=[1, 1, 1],
        extensions={"KHR_materials_unlit": {}},
    )
    assert load_scene(file.save(tmp_path)).arrays.materials[0].base_color == (0.5, 0.5, 0.5, 1.0)


# sRGB 188 is linear 0.503 (half the light); sRGB 137 is linear 0.250.
HALF, QUARTER = 188, 137


def test_textures_are_added_in_linear_light(tmp_path):
    base = [[[HALF, 0, 0, 200], [QUARTER, 255, 0, 255]]]
    shine = [[[QUARTER, 255, 0, 9], [HALF, 255, HALF, 9]]]
    arrays = load_scene(shining(base, shine, emissiveFactor=[1, 1, 1]).save(tmp_path)).arrays
    (texture,) = arrays.textures
    # 0.503 + 0.250 = 0.753, which is sRGB 225; alpha is the base colour's.
    expected = [[[225, 255, 0, 200], [225, 255, HALF, 255]]]
    np.testing.assert_allclose(texture.pixels.astype(int), expected, atol=1)
    assert arrays.materials[0].texture == 0
    assert arrays.materials[0].base_color == (1.0, 1.0, 1.0, 1.0)


def test_factor_and_texture_in_all_mixtures(tmp_path):
    texels = np.full((2, 2, 4), (HALF, 255, 0, 255))
    # Base texture with an emissive factor: 0.503 * 0.5 + 0.25 = 0.501 (sRGB 188), 0.75 (225), 0.25 (137).
    pbr = {"baseColorFactor": [0.5, 0.5, 0.5, 1]}
    mixed = shining(texels, emissiveFactor=[0.25, 0.25, 0.25], pbrMetallicRoughness=dict(pbr))
    (texture,) = load_scene(mixed.save(tmp_path)).arrays.textures
    np.testing.assert_allclose(texture.pixels[0, 0].astype(int), [188, 225, 137, 255], atol=1)
    # Emissive texture on a plain base: 0.5 + 0.503 * 0.5 = 0.751 (225), 1, 0.5 (188).
    other = shining(None, texels, emissiveFactor=[0.5, 0.5, 0.5], pbrMetallicRoughness=dict(pbr))
    (texture,) = load_scene(other.save(tmp_path)).arrays.textures
    np.testing.assert_allclose(texture.pixels[0, 0].astype(int), [225, 255, 188, 255], atol=1)


def test_an_emissive_texture_of_another_size_is_resampled(tmp_path):
    base = np.zeros((4, 4, 4), np.uint8)
    base[..., 3] = 255
    shine = np.full((2, 2, 4), HALF)
    (texture,) = load_scene(shining(base, shine, emissiveFactor=[1, 1, 1]).save(tmp_path)).arrays.textures
    np.testing.assert_allclose(texture.pixels[..., :3].astype(int), np.full((4, 4, 3), HALF), atol=1)


def test_a_black_surface_keeps_the_coordinates_of_what_it_emits(tmp_path):
    file = shining(
        np.full((2, 2, 4), 255),
        np.full((3, 3, 4), (10, 20, 30, 255)),
        shine_info={"texCoord": 1},
        emissiveFactor=[1, 1, 1],
        pbrMetallicRoughness={"baseColorFactor": [0, 0, 0, 1]},
    )
    arrays = load_scene(file.save(tmp_path)).arrays
    np.testing.assert_array_equal(arrays.uvs, UVS / 2)
    np.testing.assert_array_equal(arrays.textures[0].pixels[0, 0], [10, 20, 30, 255])


def test_other_coordinates_leave_emission_out_with_a_warning(tmp_path):
    base, shine = np.full((2, 2, 4), 100), np.full((2, 2, 4), 200)
    file = shining(base, shine, shine_info={"texCoord": 1}, emissiveFactor=[1, 1, 1])
    with pytest.warns(SceneWarning, match=r"materials\[0\].emissiveTexture is read at other coordinates"):
        arrays = load_scene(file.save(tmp_path)).arrays
    np.testing.assert_array_equal(arrays.textures[0].pixels, base)
    np.testing.assert_array_equal(arrays.uvs, UVS)


def test_srgb_bytes_survive_the_way_to_linear_and_back():
    linear = linear_from_srgb_bytes()
    np.testing.assert_array_equal(srgb_bytes_from_linear(linear), np.arange(256))
    # IEC 61966-2-1: 10 / 255 / 12.92 = 0.003035; 255 is 1.
    np.testing.assert_allclose(linear[[0, 10, 255]], [0, 0.0030353, 1], atol=1e-7)
