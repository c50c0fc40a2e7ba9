"""EXT_meshopt_compression and KHR_meshopt_compression, with buffers that the tests compress themselves."""

from __future__ import annotations

import base64

import numpy as np
import pytest

from gym_batchnav.errors import SceneError
from gym_batchnav.scenes import load_scene
from tests.unit.scenes.gltf_files import GltfFile, hide_codecs

meshopt = pytest.importorskip("meshopt", reason="the extra 'formats' is not installed")

EXT, KHR = "EXT_meshopt_compression", "KHR_meshopt_compression"
POINTS = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 2, 0.5]], np.float32)
INDICES = np.array([0, 1, 2, 0, 2, 3, 3, 2, 4], np.uint16)


class MeshoptFile(GltfFile):
    """A file with compressed buffer views; buffer 1 only stands for what they decode to."""

    def __init__(self) -> None:
        super().__init__()
        self.fallback = bytearray()
        self.json["buffers"].append({"byteLength": 0, "extensions": {EXT: {"fallback": True}}})

    def compressed(self, array: np.ndarray, mode: str, content: bytes, extension: str = EXT, **more) -> int:
        """Append an array of rows as a compressed view; returns its accessor."""
        array = np.ascontiguousarray(array)
        stride = array.nbytes // len(array)
        view = self.json["bufferViews"][self.view(content)]
        view["extensions"] = {
            extension: {
                **{key: view[key] for key in ("buffer", "byteOffset", "byteLength")},
                **{"byteStride": stride, "count": len(array), "mode": mode},
                **more,
            }
        }
        view |= {"buffer": 1, "byteOffset": len(self.fallback), "byteLength": array.nbytes}
        if mode == "ATTRIBUTES":
            view["byteStride"] = stride
        self.fallback += array.tobytes()
        self.json["buffers"][1]["byteLength"] = len(self.fallback)
        number = len(self.json["bufferViews"]) - 1
        return self.raw_accessor(**self.entry(array), bufferView=number)


def sheet(*, mode="TRIANGLES", version=0, extension=EXT) -> MeshoptFile:
    file = MeshoptFile()
    content = meshopt.encode_gltf_buffer(POINTS, "ATTRIBUTES", version)
    primitive = file.primitive(file.compressed(POINTS, "ATTRIBUTES", content, extension))
    content = meshopt.encode_gltf_buffer(INDICES, mode)
    primitive["indices"] = file.compressed(INDICES, mode, content, extension)
    return file


@pytest.mark.parametrize(
    ("mode", "version", "extension"),
    [("TRIANGLES", 0, EXT), ("INDICES", 0, EXT), ("TRIANGLES", 1, KHR), ("INDICES", 1, KHR)],
)
def test_triangles_come_back(tmp_path, mode, version, extension):
    file = sheet(mode=mode, version=version, extension=extension)
    file.json["extensionsRequired"] = [extension]
    scene = load_scene(file.save(tmp_path))
    np.testing.assert_array_equal(scene.positions, POINTS)
    # The codec may turn a triangle so that another of its corners comes first.
    expected = INDICES.reshape(-1, 3)
    for found, triangle in zip(scene.triangles, expected, strict=True):
        assert any(np.array_equal(np.roll(found, turn), triangle) for turn in range(3))


def test_exponential_filter(tmp_path):
    encoded = meshopt.encode_filter_exp(POINTS, 15)
    file = MeshoptFile()
    content = meshopt.encode_gltf_buffer(encoded, "ATTRIBUTES")
    number = file.compressed(POINTS, "ATTRIBUTES", content, filter="EXPONENTIAL")
    file.primitive(number, INDICES)
    # 15 bits of a mantissa that one exponent fits to 2 m: steps of 0.12 mm.
    np.testing.assert_allclose(load_scene(file.save(tmp_path)).positions, POINTS, atol=2e-4)


def test_colour_filter(tmp_path):
    colors = np.array([[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1], [1, 1, 1, 1], [0.2, 0.4, 0.6, 1]])
    encoded = meshopt.encode_filter_color(colors, 4, 8)
    file = MeshoptFile()
    primitive = file.primitive(POINTS, INDICES)
    content = meshopt.encode_gltf_buffer(encoded, "ATTRIBUTES", 1)
    number = file.compressed(encoded, "ATTRIBUTES", content, KHR, filter="COLOR")
    file.json["accessors"][number] |= {"componentType": 5121, "type": "VEC4", "normalized": True}
    primitive["attributes"]["COLOR_0"] = number
    found = load_scene(file.save(tmp_path)).arrays.colors
    np.testing.assert_allclose(found / 255.0, colors, atol=0.02)


def extension_of(file, view=0):
    return file.json["bufferViews"][view]["extensions"][EXT]


def change(view, **values):
    def edit(file):
        extension_of(file, view).update(values)

    return edit


def change_view(view, **values):
    def edit(file):
        file.json["bufferViews"][view].update(values)

    return edit


def garbage(file):
    extension = extension_of(file)
    start = extension["byteOffset"]
    file.binary[start : start + extension["byteLength"]] = b"\xff" * extension["byteLength"]


def a_gigabyte(file):
    """Count and length agree, but 60 bytes cannot hold that much."""
    extension_of(file).update(count=2**30)
    file.json["bufferViews"][0]["byteLength"] = 12 * 2**30
    file.json["buffers"][1]["byteLength"] = 12 * 2**30


BROKEN = {
    "garbage": (garbage, "broken meshopt stream"),
    "cut": (change(0, byteLength=10), "broken meshopt stream"),
    "count": (change(0, count=4), "count is 4 of 12 bytes, but bufferViews.0. has 60 bytes"),
    "a gigabyte": (a_gigabyte, r"may unpack to"),
    "mode": (change(0, mode="FASTER"), "mode is 'FASTER'"),
    "filter": (change(0, filter="MAGIC"), "with filter 'MAGIC'"),
    "filter of another stride": (change(0, filter="QUATERNION"), "broken meshopt stream"),
    "stride": (change(0, byteStride=300), "byteStride is 300; expected a whole number from 0 to 256"),
    "no buffer": (change(0, buffer=7), r"names buffers\[7\]"),
    "far away": (change(0, byteOffset=2**40), "byteLength reaches byte"),
    "itself": (change(0, buffer=1), r"buffers\[1\].uri is missing"),
    "triangles in fours": (change(1, count=8, byteStride=2, mode="TRIANGLES"), "count is 8 of 2 bytes"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_streams_are_refused(tmp_path, name):
    edit, message = BROKEN[name]
    file = sheet()
    edit(file)
    with pytest.raises(SceneError, match=rf"scene\.glb: .*{message}"):
        load_scene(file.save(tmp_path))


def test_without_the_codec_the_fallback_buffer_is_read(tmp_path, monkeypatch):
    hide_codecs(monkeypatch, "meshopt")
    file = sheet()
    with pytest.raises(SceneError, match=rf'bufferViews\[0\].*{EXT} needs.*pip install "gym-batchnav'):
        load_scene(file.save(tmp_path))
    encoded = base64.b64encode(bytes(file.fallback)).decode()
    file.json["buffers"][1]["uri"] = f"data:application/octet-stream;base64,{encoded}"
    scene = load_scene(file.save(tmp_path))
    np.testing.assert_array_equal(scene.positions[scene.triangles.ravel()], POINTS[INDICES])
    file.json["extensionsRequired"] = [EXT]
    with pytest.raises(SceneError, match=rf"extensionsRequired names '{EXT}', which needs"):
        load_scene(file.save(tmp_path))
