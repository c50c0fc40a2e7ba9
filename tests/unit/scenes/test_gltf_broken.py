"""Broken glTF files are refused with a message that names the file and the place."""

from __future__ import annotations

import json
import math
import struct

import numpy as np
import pytest

from gym_batchnav.errors import NavMeshError, SceneError
from gym_batchnav.scenes import load_scene
from tests.unit.scenes.gltf_files import TRIANGLE, GltfFile, one_triangle


def edit(change) -> bytes:
    file = one_triangle()
    change(file)
    return file.glb()


def set_json(*path_and_value):
    *path, value = path_and_value

    def change(file: GltfFile) -> None:
        target = file.json
        for key in path[:-1]:
            target = target[key]
        target[path[-1]] = value

    return change


def bad_position(file: GltfFile) -> None:
    broken = TRIANGLE.copy()
    broken[1, 2] = math.nan
    file.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = file.accessor(broken)


def short_colors(file: GltfFile) -> None:
    number = file.accessor(np.ones((2, 3), np.float32))
    file.json["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"] = number


def cycle(file: GltfFile) -> None:
    file.json["nodes"] = [{"mesh": 0, "children": [1]}, {"children": [0]}]


def two_parents(file: GltfFile) -> None:
    file.json["nodes"] = [{"children": [1, 2]}, {"children": [2]}, {"mesh": 0}]


CHANGES = {
    "version": (set_json("asset", "version", "1.0"), r"asset.version is '1.0'"),
    "no asset": (set_json("asset", {}), r"asset.version"),
    "extension": (
        set_json("extensionsRequired", ["EXT_unheard_of"]),
        "'EXT_unheard_of', which is not supported",
    ),
    "index": (set_json("accessors", 0, "count", 2), r"primitives\[0\].indices names vertex 2.*2 positions"),
    "accessor length": (set_json("accessors", 0, "count", 400), r"accessors\[0\].count needs 4800 bytes"),
    "huge count": (set_json("accessors", 0, "count", 2**52), r"accessors\[0\].count"),
    "negative count": (set_json("accessors", 0, "count", -3), r"accessors\[0\].count is -3"),
    "fraction": (set_json("accessors", 0, "count", 2.5), r"accessors\[0\].count is 2.5"),
    "component type": (set_json("accessors", 0, "componentType", 5130), r"componentType is 5130"),
    "type": (set_json("accessors", 0, "type", "VEC5"), r"accessors\[0\].type is 'VEC5'"),
    "wrong width": (
        set_json("accessors", 0, "type", "VEC2"),
        r"POSITION reads accessors\[0\] of 2 components",
    ),
    "float indices": (set_json("accessors", 1, "componentType", 5122), r"no unsigned integers"),
    "stride": (set_json("bufferViews", 0, "byteStride", 4), r"byteStride of 4; an element takes 12"),
    "view length": (set_json("bufferViews", 0, "byteLength", 4000), r"bufferViews\[0\].byteLength reaches"),
    "buffer length": (set_json("buffers", 0, "byteLength", 4000), r"buffers\[0\].byteLength is 4000"),
    "no buffer": (set_json("bufferViews", 0, "buffer", 3), r"buffers\[3\], but the file has 1 buffers"),
    "no node": (set_json("scenes", 0, "nodes", [7]), r"scenes\[0\].nodes names nodes\[7\]"),
    "no mesh": (set_json("nodes", 0, "mesh", 5), r"nodes\[0\].mesh names meshes\[5\]"),
    "no scene": (set_json("scene", 4), r"scenes\[4\]"),
    "no material": (
        set_json("meshes", 0, "primitives", 0, "material", 2),
        r"primitives\[0\].material names materials\[2\], but the file has 0",
    ),
    "node is text": (set_json("nodes", 0, "node"), r"nodes holds 'node'; expected an object"),
    "nodes is text": (set_json("nodes", "nodes"), r"nodes is 'nodes'; expected a list"),
    "matrix": (set_json("nodes", 0, "matrix", [1, 2, 3]), r"nodes\[0\].matrix .*expected 16 numbers"),
    "nan matrix": (set_json("nodes", 0, "translation", [math.nan, 0, 0]), r"translation holds nan"),
    "infinite": (set_json("nodes", 0, "scale", [1e200, 1, 1]), r"nodes\[0\]"),
    "no rotation": (set_json("nodes", 0, "rotation", [0, 0, 0, 0]), r"rotation is .*no rotation"),
    "cycle": (cycle, r"nodes\[1\].children reaches nodes\[0\] a second time"),
    "two parents": (two_parents, r"reaches nodes\[2\] a second time"),
    "nan position": (bad_position, r"POSITION reads NaN or infinity from element 1"),
    "short colours": (short_colors, r"COLOR_0 has 2 elements, but POSITION has 3"),
    "alpha mode": (
        lambda file: set_json("meshes", 0, "primitives", 0, "material", file.material(alphaMode="X"))(file),
        r"materials\[0\].alphaMode is 'X'",
    ),
    "nothing": (set_json("meshes", 0, "primitives", []), "holds no triangles"),
    "escape": (set_json("buffers", 0, "uri", "../secret.bin"), "outside the scene's folder"),
    "hidden escape": (set_json("buffers", 0, "uri", "%2e%2e/secret.bin"), "outside the scene's folder"),
    "absolute": (set_json("buffers", 0, "uri", "/etc/hostname"), "outside the scene's folder"),
    "web": (set_json("buffers", 0, "uri", "https://example.org/a.bin"), "only data URIs and files beside"),
    "missing buffer": (
        set_json("buffers", 0, "uri", "gone.bin"),
        r"buffers\[0\].uri is 'gone.bin'.*cannot be",
    ),
    "base64": (set_json("buffers", 0, "uri", "data:;base64,%%%"), "broken base64"),
    "no comma": (set_json("buffers", 0, "uri", "data:nothing"), "without a comma"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_broken_content(tmp_path, name):
    change, message = CHANGES[name]
    folder = tmp_path / "scene"
    folder.mkdir()
    (tmp_path / "secret.bin").write_bytes(b"\0" * 4096)
    path = folder / "broken.glb"
    path.write_bytes(edit(change))
    with pytest.raises(SceneError, match=message) as caught:
        load_scene(path)
    assert str(path) in str(caught.value)


GOOD = one_triangle().glb()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "does not begin with 'glTF'"),
        (b"PK\x03\x04" + GOOD, "does not begin with 'glTF'"),
        (GOOD[:10], "is cut short"),
        (GOOD[:-8], "is cut short"),
        (b"glTF" + struct.pack("<I", 1) + GOOD[8:], "container version 1"),
        (GOOD[:12] + struct.pack("<I", 2**31) + GOOD[16:], "chunk at byte 12 reaches"),
        (GOOD[:16] + b"NOPE" + GOOD[20:], "first chunk is not JSON"),
        (GOOD[:20] + b"}" + GOOD[21:], "JSON is broken"),
    ],
)
def test_broken_container(tmp_path, content, message):
    path = tmp_path / "broken.glb"
    path.write_bytes(content)
    with pytest.raises(SceneError, match=message):
        load_scene(path)


@pytest.mark.parametrize("text", ["[]", "{", "[" * 100_000, '{"asset": {"version": 2}}'])
def test_broken_text(tmp_path, text):
    path = tmp_path / "broken.gltf"
    path.write_text(text)
    with pytest.raises(SceneError, match=r"broken\.gltf"):
        load_scene(path)


def test_no_binary_chunk(tmp_path):
    path = tmp_path / "bare.gltf"
    path.write_text(json.dumps(one_triangle().json))
    with pytest.raises(SceneError, match="no binary chunk"):
        load_scene(path)


def test_missing_and_unknown_files(tmp_path):
    with pytest.raises(SceneError, match=r"gone\.glb: there is no such scene file"):
        load_scene(tmp_path / "gone.glb")
    with pytest.raises(SceneError, match=r"'\.fbx' cannot be read; supported: \.glb, \.gltf"):
        load_scene(tmp_path / "scene.fbx")


def test_navmesh_beside_and_given(tmp_path):
    path = one_triangle().save(tmp_path)
    assert load_scene(path).navmesh_path is None
    beside = tmp_path / "scene.navmesh"
    beside.write_bytes(b"")
    assert load_scene(path).navmesh_path == beside
    other = tmp_path / "other.navmesh"
    with pytest.raises(NavMeshError, match=r"other\.navmesh: there is no such"):
        load_scene(path, other)
    other.write_bytes(b"")
    assert load_scene(path, other).navmesh_path == other


def test_zeros_after_the_json_and_unknown_chunks_do_no_harm(tmp_path):
    file = one_triangle()
    text, binary = json.dumps(file.json).encode() + b"\0" * 5, bytes(file.binary)
    chunks = [(0x4E4F534A, b"\xef\xbb\xbf" + text), (0x12345678, b"odd"), (0x004E4942, binary)]
    body = b"".join(struct.pack("<II", len(content), kind) + content for kind, content in chunks)
    path = tmp_path / "scene.glb"
    path.write_bytes(b"glTF" + struct.pack("<II", 2, 12 + len(body)) + body + b"left over")
    assert load_scene(path).arrays.num_triangles == 1


@pytest.mark.parametrize(("asset", "loads"), [({"version": "2.1"}, True), ({"minVersion": "2.1"}, False)])
def test_a_later_version_is_read_unless_it_must_be_known(tmp_path, asset, loads):
    file = one_triangle()
    file.json["asset"] |= asset
    path = file.save(tmp_path)
    if loads:
        assert load_scene(path).arrays.num_triangles == 1
    else:
        with pytest.raises(SceneError, match=r"asset\.minVersion is '2\.1'; glTF 2\.0 is supported"):
            load_scene(path)


def test_whole_numbers_may_be_written_with_a_point(tmp_path):
    file = one_triangle()
    file.json["scenes"], file.json["nodes"] = [{"nodes": [0.0]}], [{"children": [1e0]}, {"mesh": 0.0}]
    assert load_scene(file.save(tmp_path)).arrays.num_triangles == 1
    file.json["nodes"][0]["children"] = [1.5]
    with pytest.raises(SceneError, match=r"nodes\[0\]\.children holds 1\.5"):
        load_scene(file.save(tmp_path))
