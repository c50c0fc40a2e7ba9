"""Colours, textures and cut-outs of hand-made glTF files."""

from __future__ import annotations

import io
import math

import numpy as np
import pytest
from PIL import Image, features

from gym_batchnav.scenes import SceneWarning, load_scene
from tests.unit.scenes.gltf_files import GltfFile, one_triangle

UVS = np.array([[0, 0], [1, 0], [0, 1]], np.float32)
RED = np.full((2, 2, 4), (255, 0, 0, 255), np.uint8)


def textured(info=None, *, sampler=None, pixels=RED, uvs=UVS, **material) -> GltfFile:
    """A triangle with a textured material."""
    file = one_triangle()
    primitive = file.json["meshes"][0]["primitives"][0]
    primitive["attributes"]["TEXCOORD_0"] = file.accessor(uvs)
    texture = file.image(pixels, sampler=sampler)
    primitive["material"] = file.material(
        pbrMetallicRoughness={"baseColorTexture": {"index": texture, **(info or {})}}, **material
    )
    return file


def test_default_material_is_white(tmp_path):
    arrays = load_scene(one_triangle().save(tmp_path)).arrays
    assert arrays.materials[0].base_color == (1.0, 1.0, 1.0, 1.0)
    assert arrays.materials[0].texture == -1
    assert arrays.uvs is None
    assert arrays.colors is None


def test_texture_pixels_and_wrap(tmp_path):
    pixels = np.arange(2 * 3 * 4, dtype=np.uint8).reshape(2, 3, 4)
    pixels[..., 3] = 255
    file = textured(sampler={"wrapS": 33071, "wrapT": 33648}, pixels=pixels)
    texture = load_scene(file.save(tmp_path)).arrays.textures[0]
    np.testing.assert_array_equal(texture.pixels, pixels)
    assert texture.wrap == ("clamp", "mirror")


def test_one_image_with_two_wraps_makes_two_textures(tmp_path):
    file = textured()
    file.json["samplers"] = [{"wrapS": 33071}]
    file.json["textures"].append({"source": 0, "sampler": 0})
    material = file.material(pbrMetallicRoughness={"baseColorTexture": {"index": 1}})
    other = dict(file.json["meshes"][0]["primitives"][0], material=material)
    file.json["meshes"][0]["primitives"].append(other)
    arrays = load_scene(file.save(tmp_path)).arrays
    assert [texture.wrap for texture in arrays.textures] == [("repeat", "repeat"), ("clamp", "repeat")]
    np.testing.assert_array_equal(arrays.material_ids, [0, 1])


def test_second_texture_coordinate_set(tmp_path):
    file = textured({"texCoord": 1})
    other = np.array([[0.5, 0.5], [0.25, 0], [0, 0.75]], np.float32)
    file.json["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_1"] = file.accessor(other)
    np.testing.assert_array_equal(load_scene(file.save(tmp_path)).arrays.uvs, other)


def test_texture_transform_is_baked_in(tmp_path):
    # Scale by (2, 3), turn by 90 degrees counter-clockwise with v down, (u, v) -> (v, -u), then add (10, 20).
    # (1, 0) -> (2, 0) -> (0, -2) -> (10, 18);  (0, 1) -> (0, 3) -> (3, 0) -> (13, 20).
    extension = {"offset": [10, 20], "rotation": math.pi / 2, "scale": [2, 3]}
    file = textured({"extensions": {"KHR_texture_transform": extension}})
    uvs = load_scene(file.save(tmp_path)).arrays.uvs
    np.testing.assert_allclose(uvs, [[10, 20], [10, 18], [13, 20]], atol=1e-5)


def test_texture_transform_may_name_another_set(tmp_path):
    file = textured({"extensions": {"KHR_texture_transform": {"texCoord": 1}}})
    other = UVS * 0.5
    file.json["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_1"] = file.accessor(other)
    np.testing.assert_array_equal(load_scene(file.save(tmp_path)).arrays.uvs, other)


def test_vertex_colours(tmp_path):
    file = one_triangle()
    colors = np.array([[0, 0.5, 1], [1, 1, 1], [0.2, 0.2, 0.2]], np.float32)
    file.json["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"] = file.accessor(colors)
    file.primitive(np.eye(3, dtype=np.float32))
    found = load_scene(file.save(tmp_path)).arrays.colors
    # 0.5 * 255 = 127.5 rounds to the even 128; 0.2 * 255 = 51; the second primitive has none, so white.
    np.testing.assert_array_equal(found[:3], [[0, 128, 255, 255], [255] * 4, [51, 51, 51, 255]])
    np.testing.assert_array_equal(found[3:], np.full((3, 4), 255))


def test_normalised_vertex_colours(tmp_path):
    file = one_triangle()
    colors = np.array([[0, 128, 255, 7]] * 3, np.uint8)
    number = file.accessor(colors, normalized=True)
    file.json["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"] = number
    np.testing.assert_array_equal(load_scene(file.save(tmp_path)).arrays.colors, colors)


HALF = np.dstack([RED[..., :3], np.full((2, 2), 100, np.uint8)])


@pytest.mark.parametrize(
    ("material", "pixels", "cutoff"),
    [
        ({}, HALF, 0.0),
        ({"alphaMode": "MASK"}, HALF, 0.5),
        ({"alphaMode": "MASK", "alphaCutoff": 0.75}, HALF, 0.75),
        ({"alphaMode": "BLEND"}, HALF, 0.5),
        ({"alphaMode": "BLEND"}, RED, 0.0),
        ({"alphaMode": "MASK", "alphaCutoff": 0.3}, HALF, 0.0),
    ],
)
def test_alpha_modes(tmp_path, material, pixels, cutoff):
    """Where no texel can fall below the cut-off (100 / 255 = 0.39 here), there is none."""
    arrays = load_scene(textured(pixels=pixels, **material).save(tmp_path)).arrays
    assert arrays.materials[0].alpha_cutoff == cutoff


def test_black_surface_shows_what_it_emits(tmp_path):
    file = one_triangle()
    file.json["meshes"][0]["primitives"][0]["material"] = file.material(
        pbrMetallicRoughness={"baseColorFactor": [0, 0, 0, 1]}, emissiveFactor=[0.1, 0.2, 0.3]
    )
    assert load_scene(file.save(tmp_path)).arrays.materials[0].base_color == (0.1, 0.2, 0.3, 1.0)


def test_specular_glossiness_diffuse(tmp_path):
    file = one_triangle()
    extension = {"KHR_materials_pbrSpecularGlossiness": {"diffuseFactor": [0.5, 0.25, 0.125, 1]}}
    file.json["meshes"][0]["primitives"][0]["material"] = file.material(extensions=extension)
    assert load_scene(file.save(tmp_path)).arrays.materials[0].base_color == (0.5, 0.25, 0.125, 1.0)
    # Beside it only a base colour counts: it shows metals, whose diffuse colour is black.
    for pbr, expected in (({"metallicFactor": 0}, 0.5), ({"baseColorFactor": [0.75, 0, 0, 1]}, 0.75)):
        file.json["materials"][0]["pbrMetallicRoughness"] = pbr
        assert load_scene(file.save(tmp_path)).arrays.materials[0].base_color[0] == expected


def test_missing_image_gives_a_warning_and_grey(tmp_path):
    file = textured()
    file.json["images"][0] = {"uri": "nowhere.png"}
    with pytest.warns(SceneWarning, match=r"images\[0\].*nowhere.png.*grey"):
        arrays = load_scene(file.save(tmp_path)).arrays
    np.testing.assert_array_equal(arrays.textures[0].pixels, [[[128, 128, 128, 255]]])


@pytest.mark.parametrize("content", [b"", b"not an image", b"\x89PNG\r\n\x1a\n" + b"\0" * 40])
def test_broken_image_gives_a_warning_and_grey(tmp_path, content):
    file = textured()
    file.json["images"][0]["bufferView"] = file.view(content)
    with pytest.warns(SceneWarning, match=r"images\[0\] cannot be decoded"):
        arrays = load_scene(file.save(tmp_path)).arrays
    assert arrays.textures[0].pixels.shape == (1, 1, 4)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_whole_numbers_of_vertex_colours_are_shares_whatever_the_file_says(tmp_path, dtype):
    file = one_triangle()
    most = np.iinfo(dtype).max
    colors = np.array([[most, 0, most // 5, most]] * 3, dtype)
    file.json["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"] = file.accessor(colors)
    np.testing.assert_array_equal(load_scene(file.save(tmp_path)).arrays.colors, [[255, 0, 51, 255]] * 3)


@pytest.mark.parametrize(
    ("extension", "kind", "options"),
    [
        ("EXT_texture_avif", "AVIF", {"quality": 100}),
        ("MSFT_texture_dds", "DDS", {}),
        (None, "MPO", {"save_all": True, "append_images": [Image.new("RGB", (8, 8))]}),
    ],
)
def test_other_image_formats(tmp_path, extension, kind, options):
    if kind == "AVIF" and not features.check("avif"):
        pytest.skip("this Pillow has no AVIF")
    content = io.BytesIO()
    Image.new("RGB", (8, 8), (200, 100, 50)).save(content, kind, **options)
    file = one_triangle()
    primitive = file.json["meshes"][0]["primitives"][0]
    primitive["attributes"]["TEXCOORD_0"] = file.accessor(np.zeros((3, 2), np.float32))
    primitive["material"] = file.material(pbrMetallicRoughness={"baseColorTexture": {"index": 0}})
    file.json["images"] = [{"bufferView": file.view(content.getvalue())}]
    file.json["textures"] = [{"extensions": {extension: {"source": 0}}} if extension else {"source": 0}]
    file.json["extensionsRequired"] = [extension] if extension else []
    (texture,) = load_scene(file.save(tmp_path)).arrays.textures
    assert np.abs(texture.pixels.astype(int) - [200, 100, 50, 255]).max() <= 3
