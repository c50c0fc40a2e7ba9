"""KHR_texture_basisu, GOOGLE_texture_basis and EXT_texture_webp."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from gym_batchnav.errors import SceneError
from gym_batchnav.scenes import SceneWarning, load_scene
from tests.unit.scenes.basis_files import (
    ETC1S,
    ETC1S_ALPHA,
    PIXELS,
    UASTC_ZSTD,
    basis_file,
    plain_ktx2,
    with_header,
    with_level,
)
from tests.unit.scenes.gltf_files import GltfFile, hide_codecs, one_triangle

pytest.importorskip("opengl_basisu", reason="the extra 'formats' is not installed")

OPAQUE = np.dstack([PIXELS[..., :3], np.full((8, 12), 255, np.uint8)])
GREY = [[[128, 128, 128, 255]]]


def textured(content: bytes, extension="KHR_texture_basisu", fallback=None) -> GltfFile:
    """A triangle with one texture in an extension, and perhaps a PNG beside it."""
    file = one_triangle()
    primitive = file.json["meshes"][0]["primitives"][0]
    primitive["attributes"]["TEXCOORD_0"] = file.accessor(np.zeros((3, 2), np.float32))
    if fallback is None:
        file.json["images"], file.json["textures"] = [], [{}]
    else:
        file.image(fallback)
    file.json["images"].append({"bufferView": file.view(content)})
    file.json["textures"][0]["extensions"] = {extension: {"source": len(file.json["images"]) - 1}}
    primitive["material"] = file.material(pbrMetallicRoughness={"baseColorTexture": {"index": 0}})
    return file


@pytest.mark.parametrize(
    ("content", "expected", "extension"),
    [
        (ETC1S, OPAQUE, "KHR_texture_basisu"),
        (ETC1S_ALPHA, PIXELS, "KHR_texture_basisu"),
        (UASTC_ZSTD, PIXELS, "KHR_texture_basisu"),
        (plain_ktx2(), PIXELS, "KHR_texture_basisu"),
        (basis_file(), PIXELS, "GOOGLE_texture_basis"),
        (basis_file(flipped=True), PIXELS[::-1], "GOOGLE_texture_basis"),
    ],
    ids=["etc1s", "etc1s alpha", "uastc zstd", "uastc", "basis", "flipped"],
)
def test_texels_come_back(tmp_path, content, expected, extension):
    file = textured(content, extension)
    file.json["extensionsRequired"] = [extension]
    (texture,) = load_scene(file.save(tmp_path)).arrays.textures
    # ETC1S keeps five bits a channel and a table of brightnesses: these colours come back within 2.
    assert texture.pixels.dtype == np.uint8
    np.testing.assert_allclose(texture.pixels.astype(int), expected.astype(int), atol=2)


def test_the_compressed_image_is_preferred_where_its_codec_is_installed(tmp_path, monkeypatch):
    other = np.full((3, 3, 4), 77, np.uint8)
    path = textured(UASTC_ZSTD, fallback=other).save(tmp_path)
    np.testing.assert_array_equal(load_scene(path).arrays.textures[0].pixels, PIXELS)
    hide_codecs(monkeypatch, "opengl_basisu")
    np.testing.assert_array_equal(load_scene(path).arrays.textures[0].pixels, other)


def test_without_the_codec(tmp_path, monkeypatch):
    hide_codecs(monkeypatch, "opengl_basisu")
    file = textured(ETC1S)
    with pytest.warns(SceneWarning, match=r'images\[0\].*opengl_basisu.*"gym-batchnav\[formats\]".*grey'):
        (texture,) = load_scene(file.save(tmp_path)).arrays.textures
    np.testing.assert_array_equal(texture.pixels, GREY)
    file.json["extensionsRequired"] = ["KHR_texture_basisu"]
    with pytest.raises(SceneError, match=r'KHR_texture_basisu.*opengl_basisu: pip install "gym-batchnav'):
        load_scene(file.save(tmp_path))


FIRST = 184  # where the only level of the UASTC files begins
BROKEN = {
    "cut": (UASTC_ZSTD[:-20], r"level 0 claims bytes 184 to 255 of 235"),
    "cut in the header": (ETC1S[:50], "of 50 bytes; its header takes 80"),
    "only magic": (ETC1S[:12], "of 12 bytes"),
    "no payload": (with_header(UASTC_ZSTD, vk_format=37), "broken Basis texture"),
    "no width": (with_header(ETC1S, width=0), "0 x 8 x 0 texels"),
    "a cube": (with_header(ETC1S, faces=6), "6 faces"),
    "an array": (with_header(ETC1S, layers=9), "9 layers"),
    "a volume": (with_header(ETC1S, depth=4), "12 x 8 x 4 texels"),
    "levels": (with_header(ETC1S, levels=200), "200 levels"),
    "a claimed gigabyte": (with_level(UASTC_ZSTD, FIRST, 71, 2**30), "unpacks to 1073741824, at most 96"),
    "wrong size": (with_level(plain_ktx2(), FIRST, 80, 80), "broken Basis texture"),
    "far away": (with_level(plain_ktx2(), 2**62, 96, 96), "claims bytes 4611686018427387904"),
    "large": (with_header(ETC1S, width=2**15, height=2**15), r"32768 x 32768 pixels; at most 134217728"),
    "larger": (with_header(ETC1S, width=2**32 - 1, height=2**32 - 1), "4294967295 x 4294967295"),
    "broken .basis": (basis_file()[:60], r"broken \.basis texture"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_textures_give_a_warning_and_grey(tmp_path, name):
    content, message = BROKEN[name]
    with pytest.warns(SceneWarning, match=rf"images\[0\] cannot be decoded \(.*{message}.*grey"):
        (texture,) = load_scene(textured(content).save(tmp_path)).arrays.textures
    np.testing.assert_array_equal(texture.pixels, GREY)


@pytest.mark.parametrize("fallback", [None, np.zeros((1, 1, 4), np.uint8)])
def test_webp(tmp_path, fallback):
    content = io.BytesIO()
    Image.fromarray(PIXELS).save(content, "WEBP", lossless=True, exact=True)
    file = textured(content.getvalue(), "EXT_texture_webp", fallback)
    (texture,) = load_scene(file.save(tmp_path)).arrays.textures
    np.testing.assert_array_equal(texture.pixels, PIXELS)
