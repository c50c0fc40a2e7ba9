"""Files that a scene names: odd names, data URIs, links, and what is not read."""

from __future__ import annotations

import base64
import io
import json
import os

import numpy as np
import pytest
from PIL import Image

from gym_batchnav.errors import SceneError
from gym_batchnav.scenes import SceneWarning, load_scene
from tests.unit.scenes.gltf_files import TRIANGLE, one_triangle


def outside(folder, uri, name=None):
    """A .gltf whose buffer is the file ``name`` (None for none), which it calls ``uri``."""
    file = one_triangle()
    if name is not None:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(bytes(file.binary))
    file.json["buffers"][0]["uri"] = uri
    path = folder / "scene.gltf"
    path.write_text(json.dumps(file.json))
    return path


@pytest.mark.parametrize(
    ("uri", "name"),
    [
        ("data.bin", "data.bin"),
        ("./a/../data.bin", "data.bin"),
        ("with space & (odd) [name] #1.bin", "with space & (odd) [name] #1.bin"),
        ("with%20space.bin", "with space.bin"),
        ("with%20space.bin", "with%20space.bin"),
        ("100%.bin", "100%.bin"),
        ("%E5%AE%B6/%C3%BC.bin", "家/ü.bin"),
        ("家/ü.bin", "家/ü.bin"),
        ("sub\\dir\\data.bin", "sub/dir/data.bin"),
        ("data.bin?v=1", "data.bin?v=1"),
        ("data.bin?v=1#part", "data.bin"),
        ("Data.BIN", "data.bin"),
        ("SUB/data.bin", "Sub/DATA.bin"),
        ("caf\u00e9/data.bin", "cafe\u0301/data.bin"),
        ("%C3%BC.bin", "U\u0308.bin"),
    ],
)
def test_odd_names_are_found(tmp_path, uri, name):
    (tmp_path / "a").mkdir()
    np.testing.assert_array_equal(load_scene(outside(tmp_path, uri, name)).positions, TRIANGLE)


@pytest.mark.parametrize(
    "header",
    [
        *("data:application/octet-stream;base64", "data:;base64", "data:application/gltf-buffer;base64"),
        *("DATA:application/octet-stream;BASE64", "data:;charset=utf-8; base64 "),
    ],
)
@pytest.mark.parametrize(
    "spoil", [lambda text: text, lambda text: text.rstrip("="), lambda text: text[:8] + "\n " + text[8:]]
)
def test_data_uris(tmp_path, header, spoil):
    encoded = base64.b64encode(bytes(one_triangle().binary)).decode()
    scene = load_scene(outside(tmp_path, f"{header},{spoil(encoded)}"))
    np.testing.assert_array_equal(scene.positions, TRIANGLE)


def test_percent_encoded_data_uri(tmp_path):
    encoded = "".join(f"%{byte:02X}" for byte in one_triangle().binary)
    np.testing.assert_array_equal(
        load_scene(outside(tmp_path, f"data:application/octet-stream,{encoded}")).positions, TRIANGLE
    )


def test_images_in_files_and_data_uris(tmp_path):
    pixels = np.arange(2 * 3 * 4, dtype=np.uint8).reshape(2, 3, 4)
    content = io.BytesIO()
    Image.fromarray(pixels).save(content, "PNG")
    (tmp_path / "tex tures").mkdir()
    (tmp_path / "tex tures" / "ä.png").write_bytes(content.getvalue())
    inline = "data:image/png;base64," + base64.b64encode(content.getvalue()).decode()
    (tmp_path / "moved.png").write_bytes(content.getvalue())
    moved = ("C:\\Users\\author\\moved.png", "file:///home/author/moved.png", "../textures/moved.png")
    for uri in ("tex%20tures/%C3%A4.png", inline, *moved):
        file = one_triangle()
        primitive = file.json["meshes"][0]["primitives"][0]
        primitive["attributes"]["TEXCOORD_0"] = file.accessor(np.zeros((3, 2), np.float32))
        file.json |= {"images": [{"uri": uri}], "textures": [{"source": 0}]}
        primitive["material"] = file.material(pbrMetallicRoughness={"baseColorTexture": {"index": 0}})
        (texture,) = load_scene(file.save(tmp_path)).arrays.textures
        np.testing.assert_array_equal(texture.pixels, pixels)


ESCAPES = [
    *("../secret.bin", "%2e%2e/secret.bin", "..%2Fsecret.bin", "a/../../secret.bin", "..\\secret.bin"),
    *("/etc/hostname", "link.bin", "linked/secret.bin", "file:///etc/hostname", "https://example.org/a.bin"),
    *("\0", "", ".", "folder"),
]


@pytest.mark.parametrize("uri", ESCAPES)
def test_nothing_outside_the_folder_is_read(tmp_path, uri):
    secret = bytes(one_triangle().binary)
    (tmp_path / "secret.bin").write_bytes(secret)
    folder = tmp_path / "scene"
    (folder / "folder").mkdir(parents=True)
    (folder / "a").mkdir()
    (folder / "link.bin").symlink_to(tmp_path / "secret.bin")
    (folder / "linked").symlink_to(tmp_path)
    with pytest.raises(SceneError, match=r"scene\.gltf: buffers\[0\]\.uri is "):
        load_scene(outside(folder, uri))


def test_names_that_only_case_tells_apart_are_not_guessed(tmp_path):
    path = outside(tmp_path, "data.bin", "DATA.bin")
    (tmp_path / "Data.bin").write_bytes(b"")
    with pytest.raises(SceneError, match=r"'data\.bin', which cannot be read \(there is no such file\)"):
        load_scene(path)


def test_case_leads_out_of_the_folder_no_more_than_anything_else(tmp_path):
    folder = tmp_path / "scene"
    folder.mkdir()
    (tmp_path / "secret.bin").write_bytes(bytes(one_triangle().binary))
    (folder / "Link").symlink_to(tmp_path)
    for uri in ("LINK/secret.bin", "LINK/SECRET.bin", "link/../Link/secret.bin"):
        with pytest.raises(SceneError, match=r"buffers\[0\]\.uri is .*(outside the|no such file)"):
            load_scene(outside(folder, uri))


def test_a_huge_file_is_not_read(tmp_path):
    path = outside(tmp_path, "data.bin", "data.bin")
    with (tmp_path / "data.bin").open("r+b") as file:
        file.truncate(2**33)  # takes no room on the disk
    with pytest.raises(SceneError, match=r"buffers\[0\]\.uri is 'data\.bin', which has more than 4294967296"):
        load_scene(path)


def test_a_pipe_in_the_folder_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.bin")
    with pytest.raises(SceneError, match=r"'pipe\.bin', which cannot be read"):
        load_scene(outside(tmp_path, "pipe.bin"))


def test_an_image_outside_the_folder_gives_grey(tmp_path):
    folder = tmp_path / "scene"
    folder.mkdir()
    Image.fromarray(np.zeros((2, 2, 3), np.uint8)).save(tmp_path / "secret.png")
    file = one_triangle()
    file.json |= {"images": [{"uri": "../secret.png"}], "textures": [{"source": 0}]}
    primitive = file.json["meshes"][0]["primitives"][0]
    primitive["material"] = file.material(pbrMetallicRoughness={"baseColorTexture": {"index": 0}})
    with pytest.warns(SceneWarning, match=r"images\[0\].*outside the scene's folder.*grey"):
        (texture,) = load_scene(file.save(folder)).arrays.textures
    np.testing.assert_array_equal(texture.pixels, [[[128, 128, 128, 255]]])
