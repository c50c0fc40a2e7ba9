"""Small files that would unpack to gigabytes are refused before the memory is taken."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from gym_batchnav.errors import SceneError
from gym_batchnav.scenes import SceneWarning, load_scene
from gym_batchnav.scenes.budget import Budget
from tests.unit.scenes.gltf_files import GltfFile, one_triangle

TOO_MUCH = r"scene\.glb: .*would bring what the file unpacks to .* may unpack to"


def test_budget_is_a_gibibyte_and_64_bytes_for_each_byte_read():
    budget = Budget("a.glb")
    budget.read(1000)
    budget.spend(2**30 + 64_000, "everything")
    with pytest.raises(SceneError, match=r"a.glb: one more would .* from 1073805824 to 1073805825 bytes"):
        budget.spend(1, "one more")


def many_instances() -> GltfFile:
    """Accessors without a buffer view hold zeros: a billion instances from nothing."""
    file = one_triangle()
    number = file.raw_accessor(componentType=5126, type="VEC3", count=2**30)
    extension = {"attributes": {"TRANSLATION": number}}
    file.json["nodes"][0]["extensions"] = {"EXT_mesh_gpu_instancing": extension}
    return file


def many_vertices() -> GltfFile:
    file = GltfFile()
    file.primitive(file.raw_accessor(componentType=5126, type="VEC3", count=2**31))
    return file


def many_copies() -> GltfFile:
    """3,000 nodes share a mesh of 3,000 primitives: nine million parts from 200 KB."""
    file = one_triangle()
    file.json["meshes"][0]["primitives"] *= 3000
    file.json["nodes"] = [{"mesh": 0}] * 3000
    file.json["scenes"][0]["nodes"] = list(range(3000))
    return file


def many_views_of_one_buffer() -> GltfFile:
    """2,000 accessors read the same 6 MB: 12 GB."""
    file = GltfFile()
    view = file.view(np.zeros(6_000_000, np.uint8).tobytes())
    for _ in range(2000):
        number = file.raw_accessor(bufferView=view, componentType=5126, type="VEC3", count=500_000)
        file.primitive(number, np.arange(3, dtype=np.uint8))
    return file


def many_strips() -> GltfFile:
    """2,000 primitives read one index accessor of 300,000: 600 million triangles."""
    file = one_triangle()
    number = file.accessor(np.zeros(300_000, np.uint8))
    primitive = dict(file.json["meshes"][0]["primitives"][0], indices=number, mode=5)
    file.json["meshes"][0]["primitives"] = [primitive] * 2000
    return file


def many_morphs() -> GltfFile:
    """5,000 targets that are all the same 1.2 MB."""
    file = GltfFile()
    number = file.accessor(np.ones((100_000, 3), np.float32))
    primitive = file.primitive(number)
    primitive["targets"] = [{"POSITION": number}] * 5000
    file.json["meshes"][0]["weights"] = [1e-9] * 5000
    return file


BOMBS = {
    one.__name__: one
    for one in (
        *(many_instances, many_vertices, many_copies),
        *(many_views_of_one_buffer, many_strips, many_morphs),
    )
}


@pytest.mark.parametrize("name", BOMBS)
def test_geometry_bombs(tmp_path, name, monkeypatch):
    if name in ("many_copies", "many_strips"):  # the whole budget takes a few seconds
        monkeypatch.setattr("gym_batchnav.scenes.budget._FREE_BYTES", 2**25)
    path = BOMBS[name]().save(tmp_path)
    with pytest.raises(SceneError, match=TOO_MUCH):
        load_scene(path)


def bomb_png(width: int, height: int) -> bytes:
    """A well-formed PNG of one-bit zeros: 1,000 times smaller than its pixels' bits."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return (
            struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        )

    packer = zlib.compressobj(9)
    row = bytes(1 + -(-width // 8)) * 64
    data = b"".join(packer.compress(row) for _ in range(height // 64)) + packer.flush()
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def with_images(contents: list[bytes]) -> GltfFile:
    file = one_triangle()
    primitive = file.json["meshes"][0]["primitives"][0]
    primitive["attributes"]["TEXCOORD_0"] = file.accessor(np.zeros((3, 2), np.float32))
    file.json |= {"images": [], "textures": []}
    views = {content: file.view(content) for content in dict.fromkeys(contents)}
    primitives = []
    for number, content in enumerate(contents):
        file.json["images"].append({"bufferView": views[content]})
        file.json["textures"].append({"source": number})
        material = file.material(pbrMetallicRoughness={"baseColorTexture": {"index": number}})
        primitives.append({**primitive, "material": material})
    file.json["meshes"][0]["primitives"] = primitives
    return file


@pytest.mark.parametrize("size", [(65536, 65536), (2**31 - 1, 2**31 - 64), (20_000, 10_048)])
def test_one_image_of_too_many_pixels_is_replaced(tmp_path, size):
    header = bomb_png(64, 64)
    content = header[:16] + struct.pack(">II", *size) + header[24:29]
    content += struct.pack(">I", zlib.crc32(content[12:29])) + header[33:]
    with pytest.warns(SceneWarning, match=r"images\[0\] cannot be decoded \(.*pixels"):
        (texture,) = load_scene(with_images([content]).save(tmp_path)).arrays.textures
    assert texture.pixels.shape == (1, 1, 4)


def test_many_images_of_many_pixels_are_refused(tmp_path):
    """Ten times 64 million pixels from the same 8 KB."""
    path = with_images([bomb_png(8192, 8192)] * 10).save(tmp_path)
    assert path.stat().st_size < 20_000
    with pytest.raises(SceneError, match=rf"images\[4\] {TOO_MUCH[len('scene.glb: .*') + 1 :]}"):
        load_scene(path)


def test_deep_grey_keeps_its_brightness(tmp_path):
    deep = np.array([[0, 257 * 7], [257 * 200, 65535]], np.uint16)
    content = io.BytesIO()
    Image.fromarray(deep).save(content, "PNG")
    (texture,) = load_scene(with_images([content.getvalue()]).save(tmp_path)).arrays.textures
    np.testing.assert_array_equal(texture.pixels[..., 0], [[0, 7], [200, 255]])
    assert (texture.pixels[..., 3] == 255).all()


@pytest.mark.parametrize("kind", ["EPS", "PDF", "ICO"])
def test_formats_that_do_more_than_decode_are_not_opened(tmp_path, kind):
    content = io.BytesIO()
    Image.new("RGB", (32, 32)).save(content, kind)
    with pytest.warns(SceneWarning, match=r"images\[0\] cannot be decoded \(cannot identify"):
        load_scene(with_images([content.getvalue()]).save(tmp_path))
