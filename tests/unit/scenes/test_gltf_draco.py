"""KHR_draco_mesh_compression, with primitives that the tests compress themselves."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from gym_batchnav.errors import SceneError
from gym_batchnav.scenes import load_scene
from gym_batchnav.scenes.draco_header import draco_counts
from tests.unit.scenes.gltf_files import GltfFile, hide_codecs

DracoPy = pytest.importorskip("DracoPy", reason="the extra 'formats' is not installed")

SIDE = 6
NAME = "KHR_draco_mesh_compression"


def grid():
    """Points (36, 3) of an uneven sheet and triangles (50, 3)."""
    x, y = np.meshgrid(np.arange(SIDE), np.arange(SIDE), indexing="ij")
    points = np.stack([x, y, (x * y) % 3], -1).reshape(-1, 3).astype(np.float32)
    corner = (np.arange(SIDE - 1)[:, None] * SIDE + np.arange(SIDE - 1)).ravel()
    a, b = [corner, corner + SIDE, corner + 1], [corner + 1, corner + SIDE, corner + SIDE + 1]
    return points, np.concatenate([np.stack(a, 1), np.stack(b, 1)]).astype(np.uint32)


def compressed(*, fallback=False, **options) -> GltfFile:
    """A file whose only primitive is a compressed sheet."""
    points, faces = grid()
    content = DracoPy.encode(points, faces, quantization_bits=16, **options)
    numbers = {entry["attribute_type"]: entry["unique_id"] for entry in DracoPy.decode(content).attributes}
    file = GltfFile()
    if fallback:
        primitive = file.primitive(points, faces.ravel())
    else:
        position = file.raw_accessor(componentType=5126, type="VEC3", count=len(points))
        primitive = file.primitive(position)
        primitive["indices"] = file.raw_accessor(componentType=5125, type="SCALAR", count=faces.size)
    primitive["extensions"] = {
        NAME: {"bufferView": file.view(content), "attributes": {"POSITION": numbers[0]}}
    }
    return file


def sorted_triangles(positions, triangles):
    """Triangles as sorted rows of 9 coordinates, each turned to begin with its least corner."""
    corners = np.round(np.asarray(positions, float)[np.asarray(triangles, int)], 2) + 0.0
    turned = [np.roll(rows, -min(range(3), key=lambda i: tuple(rows[i])), axis=0) for rows in corners]
    return sorted(tuple(rows.ravel()) for rows in turned)


@pytest.mark.parametrize(
    "options",
    [
        {"compression_level": 0},
        {"compression_level": 1},
        {"compression_level": 7},
        {"compression_level": 10},
        {"preserve_order": True},
        {"create_metadata": True},
    ],
)
def test_triangles_come_back(tmp_path, options):
    file = compressed(**options)
    file.json["extensionsRequired"] = [NAME]
    scene = load_scene(file.save(tmp_path))
    points, faces = grid()
    # 5 m in 16 bits: steps of 0.08 mm, far below the 1 cm that is compared.
    assert sorted_triangles(scene.positions, scene.triangles) == sorted_triangles(points, faces)


def test_indices_may_be_left_to_the_compressed_data(tmp_path):
    file = compressed()
    del file.json["meshes"][0]["primitives"][0]["indices"]
    scene = load_scene(file.save(tmp_path))
    assert sorted_triangles(scene.positions, scene.triangles) == sorted_triangles(*grid())


def test_attributes_keep_their_meaning(tmp_path):
    points, faces = grid()
    uvs = points[:, :2].astype(np.float64) / 8
    colors = np.stack([points[:, 0] * 50, points[:, 1] * 50, points[:, 2] * 100, 255 - points[:, 0]], -1)
    content = DracoPy.encode(
        points, faces, quantization_bits=16, tex_coord=uvs, colors=colors.astype(np.uint8)
    )
    numbers = {entry["attribute_type"]: entry["unique_id"] for entry in DracoPy.decode(content).attributes}
    file = GltfFile()
    position = file.raw_accessor(componentType=5126, type="VEC3", count=4 * len(points))
    primitive = file.primitive(position)
    primitive["indices"] = file.raw_accessor(componentType=5125, type="SCALAR", count=faces.size)
    primitive["attributes"] |= {
        "TEXCOORD_0": file.raw_accessor(componentType=5126, type="VEC2", count=4 * len(points)),
        "COLOR_0": file.raw_accessor(componentType=5121, type="VEC4", count=4 * len(points), normalized=True),
    }
    attributes = {"POSITION": numbers[0], "TEXCOORD_0": numbers[3], "COLOR_0": numbers[2]}
    primitive["extensions"] = {NAME: {"bufferView": file.view(content), "attributes": attributes}}
    texture = file.image(np.zeros((2, 2, 4), np.uint8))
    primitive["material"] = file.material(pbrMetallicRoughness={"baseColorTexture": {"index": texture}})
    arrays = load_scene(file.save(tmp_path)).arrays
    found = np.round(arrays.positions)
    np.testing.assert_allclose(arrays.uvs, found[:, :2] / 8, atol=1e-3)
    expected = [found[:, 0] * 50, found[:, 1] * 50, found[:, 2] * 100, 255 - found[:, 0]]
    np.testing.assert_array_equal(arrays.colors, np.stack(expected, -1))


def broken(change):
    file = compressed()
    change(file)
    return file


def replace_content(change):
    def edit(file):
        extension = file.json["meshes"][0]["primitives"][0]["extensions"][NAME]
        view = file.json["bufferViews"][extension["bufferView"]]
        start = view["byteOffset"]
        old = bytes(file.binary[start : start + view["byteLength"]])
        extension["bufferView"] = file.view(change(old))

    return edit


def set_count(accessor, count):
    def edit(file):
        file.json["accessors"][accessor]["count"] = count

    return edit


def unknown_attribute(file):
    file.json["meshes"][0]["primitives"][0]["extensions"][NAME]["attributes"]["POSITION"] = 77


# A million faces as a varint of three bytes: 0xC0 0x84 0x3D.
MILLION = b"\xc0\x84\x3d"
BROKEN = {
    "no header": (replace_content(lambda old: b"nothing" * 9), "does not begin with a Draco header"),
    "empty": (replace_content(lambda old: b""), "does not begin with a Draco header"),
    "cut": (replace_content(lambda old: old[: len(old) // 2]), "broken Draco data"),
    "cut header": (replace_content(lambda old: old[:12]), "cut short"),
    "version": (replace_content(lambda old: old[:6] + b"\x01" + old[7:]), "bitstream 2.1"),
    "point cloud": (
        replace_content(lambda old: DracoPy.encode(np.eye(9, 3).astype(np.float32))),
        "kind 0",
    ),
    "a million faces": (
        replace_content(lambda old: old[:12] + MILLION * 2 + old[14:]),
        "holds 1000000 faces and 1000000 vertices, but its accessors have 50 faces",
    ),
    "fewer indices": (set_count(1, 147), "holds 50 faces .* have 49 faces"),
    "fewer vertices": (set_count(0, 35), "36 vertices, but .* 35 vertices"),
    "attribute": (unknown_attribute, r"POSITION is 77, but the Draco data has attributes \[0\]"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_data_is_refused(tmp_path, name):
    change, message = BROKEN[name]
    with pytest.raises(SceneError, match=rf"scene.glb: meshes\[0\].primitives\[0\].*{message}"):
        load_scene(broken(change).save(tmp_path))


def test_a_claim_within_its_accessors_is_still_bounded(tmp_path):
    """2^28 faces and as many vertices, claimed by header and accessors alike: 54 GB of tables in Draco."""
    file = broken(replace_content(lambda old: old[:12] + b"\xff\xff\xff\x7f" * 2 + old[14:]))
    for number in (0, 1):
        file.json["accessors"][number]["count"] = 2**30
    with pytest.raises(SceneError, match="may unpack to"):
        load_scene(file.save(tmp_path))


def test_without_the_codec_plain_accessors_are_read(tmp_path, monkeypatch):
    path = compressed(fallback=True).save(tmp_path)
    hide_codecs(monkeypatch, "DracoPy")
    points, faces = grid()
    scene = load_scene(path)
    np.testing.assert_array_equal(scene.positions[scene.triangles], points[faces])


@pytest.mark.parametrize(
    ("required", "place"), [(True, "extensionsRequired"), (False, r"primitives\[0\].extensions.KHR_draco")]
)
def test_without_codec_and_accessors_the_error_says_what_to_install(tmp_path, monkeypatch, required, place):
    file = compressed()
    if required:
        file.json["extensionsRequired"] = [NAME]
    hide_codecs(monkeypatch, "DracoPy")
    with pytest.raises(SceneError, match=rf'{place}.* DracoPy.*pip install "gym-batchnav\[formats\]"'):
        load_scene(file.save(tmp_path))


def test_header_counts_of_both_methods():
    points, faces = grid()
    for level in (0, 1, 7, 10):
        content = DracoPy.encode(points, faces, compression_level=level)
        assert draco_counts(content) == (50, 36)
    # Metadata: one attribute (id 3) with an entry "ab" of 2 bytes and one nested element "n" without entries;
    # then the mesh's own, empty. After it, 5 faces and 4 vertices, sequential.
    element = b"\x01\x02ab\x02xy\x01\x01n\x00\x00"
    metadata = b"\x01\x03" + element + b"\x00\x00"
    header = b"DRACO" + struct.pack("<4BH", 2, 2, 1, 0, 0x8000)
    assert draco_counts(header + metadata + b"\x05\x04") == (5, 4)
