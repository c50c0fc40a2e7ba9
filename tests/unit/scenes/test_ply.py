"""PLY files as exporters write them, by hand, and broken ones."""

from __future__ import annotations

import contextlib
import struct

import numpy as np
import pytest
from PIL import Image

from gym_batchnav.errors import SceneError
from gym_batchnav.scenes import SceneWarning, load_scene

A, B, C, D = [0, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0]
SQUARE = np.array([A, B, C, D])
ORDERS = {"binary_little_endian": "<", "binary_big_endian": ">", "ascii": "="}
XYZ = "property float x\nproperty float y\nproperty float z\n"
CORNERS = "property list uchar int vertex_indices\n"


def ply(order, faces, *, vertex="", rows=None, face="", before="", after="", comment="", end="\n"):
    """A PLY file of a square's corners; each face is (corners, other values by struct code)."""
    header = f"ply\nformat {order} 1.0\n{comment}{before}element vertex 4\n{XYZ}{vertex}"
    header += f"element face {len(faces)}\n{CORNERS}{face}{after}end_header\n"
    rows = [() for _ in SQUARE] if rows is None else rows
    lines = [(("3f", *point), *row) for point, row in zip(SQUARE.tolist(), rows, strict=True)]
    lines += [(("B", len(face)), (f"{len(face)}i", *face), *more) for face, *more in faces]
    return header.replace("\n", end).encode() + encode(order, lines)


def encode(order, lines):
    if order == "ascii":
        return "".join(" ".join(str(n) for _, *row in line for n in row) + "\n" for line in lines).encode()
    return b"".join(struct.pack(ORDERS[order] + code, *row) for line in lines for code, *row in line)


def load(folder, content):
    (folder / "a.ply").write_bytes(content)
    return load_scene(folder / "a.ply").arrays


def corners(arrays):
    return arrays.positions[arrays.triangles].tolist()


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_polygons_of_different_sizes(tmp_path, order, end):
    arrays = load(tmp_path, ply(order, [([0, 1, 2, 3],), ([2, 1, 0],), ([0, 1],), ([3, 2, 1],)], end=end))
    assert corners(arrays) == [[A, B, C], [A, C, D], [C, B, A], [D, C, B]]


@pytest.mark.parametrize("order", ORDERS)
def test_other_elements_and_properties_are_passed_over(tmp_path, order):
    faces = [([0, 1, 2], ("B2h", 2, 7, 8), ("f", 0.5)), ([0, 2, 3], ("B", 0), ("f", 0.5))]
    content = ply(
        order,
        faces,
        vertex="property double quality\n",
        rows=[(("d", 0.25),)] * 4,
        face="property list uchar short flags\nproperty float quality\n",
        before="element camera 0\nproperty float f\n",
        after="element edge 1\nproperty int vertex1\nproperty int vertex2\n",
    )
    assert corners(load(tmp_path, content + encode(order, [(("2i", 0, 1),)]))) == [[A, B, C], [A, C, D]]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    "names", [("red", "green", "blue"), ("diffuse_red", "diffuse_green", "diffuse_blue")]
)
@pytest.mark.parametrize(("kind", "code", "scale"), [("uchar", "3B", 255), ("float", "3f", 1.0)])
def test_vertex_colours(tmp_path, order, names, kind, code, scale):
    vertex = "".join(f"property {kind} {name}\n" for name in names)
    rows = [((code, scale, 0, 0),)] * 3 + [((code, 0, scale, scale),)]
    arrays = load(tmp_path, ply(order, [([0, 1, 2, 3],)], vertex=vertex, rows=rows))
    np.testing.assert_array_equal(arrays.colors, [[255, 0, 0, 255]] * 3 + [[0, 255, 255, 255]])


@pytest.mark.parametrize("order", ORDERS)
def test_face_colours_of_polygons(tmp_path, order):
    face = "property uchar red\nproperty uchar green\nproperty uchar blue\n"
    faces = [([0, 1, 2, 3], ("3B", 255, 0, 0)), ([2, 1, 0], ("3B", 0, 188, 0))]
    arrays = load(tmp_path, ply(order, faces, face=face))
    # sRGB 188 is linear 0.503: 128 of 255.
    expected = [[[255, 0, 0, 255]] * 3] * 2 + [[[0, 128, 0, 255]] * 3]
    np.testing.assert_array_equal(arrays.colors[arrays.triangles], expected)


@pytest.mark.parametrize("names", [("s", "t"), ("u", "v"), ("texture_u", "texture_v")])
def test_textures_by_vertex(tmp_path, names):
    pixels = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    Image.fromarray(pixels).save(tmp_path / "a b.png")
    content = ply(
        "ascii",
        [([0, 1, 2],)],
        vertex="".join(f"property float {name}\n" for name in names),
        rows=[(("2f", x / 4, y / 8),) for x, y, _ in SQUARE.tolist()],
        comment="comment TextureFile a b.png\n",
    )
    arrays = load(tmp_path, content)
    np.testing.assert_array_equal(arrays.textures[0].pixels, pixels)
    # The file's v points up. The texture is drawn as it is: its factor is white.
    np.testing.assert_allclose(arrays.uvs[arrays.triangles], [[[0, 1], [1, 1], [1, 0.5]]])
    assert arrays.materials[arrays.material_ids[0]].base_color == (1, 1, 1, 1)


@pytest.mark.parametrize("order", ORDERS)
def test_textures_by_corner_and_face(tmp_path, order):
    for number in range(2):
        Image.fromarray(np.full((1, 1, 4), 100 + number, np.uint8)).save(tmp_path / f"{number}.png")
    faces = [
        ([0, 1, 2], ("B6f", 6, 0, 0, 1, 0, 1, 1), ("i", 1)),
        ([0, 1, 2, 3], ("B8f", 8, 0, 0, 0.5, 0, 0.5, 0.5, 0, 0.5), ("i", 0)),
        ([2, 1, 0], ("B", 0), ("i", -1)),
    ]
    face = "property list uchar float texcoord\nproperty int texnumber\n"
    comment = "comment TextureFile 0.png\ncomment TextureFile 1.png\n"
    arrays = load(tmp_path, ply(order, faces, face=face, comment=comment))
    shown = [arrays.materials[material].texture for material in arrays.material_ids]
    assert shown == [1, 0, 0, -1]
    expected = [[[0, 1], [1, 1], [1, 0]], [[0, 1], [0.5, 1], [0.5, 0.5]], [[0, 1], [0.5, 0.5], [0, 0.5]]]
    np.testing.assert_allclose(arrays.uvs[arrays.triangles[:3]], expected)


def test_a_missing_texture_gives_grey(tmp_path):
    rows = [(("2f", 0, 0),)] * 4
    vertex, comment = "property float s\nproperty float t\n", "comment TextureFile gone.png\n"
    with pytest.warns(SceneWarning, match=r"TextureFile 'gone\.png' cannot be read .*grey stand-in"):
        arrays = load(tmp_path, ply("ascii", [([0, 1, 2],)], vertex=vertex, rows=rows, comment=comment))
    assert arrays.textures[0].pixels.shape == (1, 1, 4)


@pytest.mark.parametrize("order", ORDERS)
def test_triangle_strips(tmp_path, order):
    """Scans are stored so; -1 begins a new strip, and every second triangle is turned over."""
    strip = [0, 1, 2, 3, -1, 3, 2, 1, -1, 0, 1]
    header = f"ply\nformat {order} 1.0\nelement vertex 4\n{XYZ}element tristrips 1\n"
    header += "property list int int vertex_indices\nend_header\n"
    lines = [(("3f", *point),) for point in SQUARE.tolist()] + [
        (("i", len(strip)), (f"{len(strip)}i", *strip))
    ]
    assert corners(load(tmp_path, header.encode() + encode(order, lines))) == [
        [A, B, C],
        [B, D, C],
        [D, C, B],
    ]


GOOD = ply("binary_little_endian", [([0, 1, 2, 3],), ([0, 1, 2],)])
TEXT = ply("ascii", [([0, 1, 2],)])
BROKEN = {
    "nothing": (b"", "does not begin with the header"),
    "no end": (b"ply\nformat ascii 1.0\n", "does not begin with the header"),
    "no format": (b"ply\nend_header\n", "names no format"),
    "format": (GOOD.replace(b"little", b"middle"), "header line 'format .* is broken"),
    "type": (GOOD.replace(b"float y", b"quat y"), "header line 'property quat y' is broken"),
    "length type": (GOOD.replace(b"list uchar", b"list float"), "header line .* whole number"),
    "count": (GOOD.replace(b"vertex 4", b"vertex -4"), "header line 'element vertex -4' is broken"),
    "billions": (GOOD.replace(b"face 2", b"face 99999999999999"), "cut short: it claims 99999999999999 rows"),
    "more vertices": (
        GOOD.replace(b"vertex 4", b"vertex 4000000000"),
        "cut short: it claims 4000000000 rows",
    ),
    "twice": (GOOD.replace(b"element face", b"element vertex"), "names an element twice"),
    "same names": (GOOD.replace(b"float y", b"float x"), "header line .* name of another"),
    "cut": (GOOD[:-3], "cut short: it claims 2 rows of face"),
    "cut early": (GOOD[: GOOD.index(b"end_header") + 20], "cut short: it claims 4 rows of vertex"),
    "no y": (GOOD.replace(b"float y", b"float k"), "vertex elements have no property 'y'"),
    "vertex": (GOOD[:-4] + struct.pack("<i", 4), r"face 1 names vertex 4, but there are 4"),
    "negative": (GOOD[:-4] + struct.pack("<i", -1), r"face 1 names vertex -1"),
    "length": (TEXT.replace(b"3 0 1 2", b"300 0 1 2"), "a list of face has length 300"),
    "half": (TEXT.replace(b"3 0 1 2", b"2.5 0 1 2"), "a list of face has length -1"),
    "word": (TEXT.replace(b"3 0 1 2", b"3 0 1 x"), "holds what is no number"),
    "nan": (TEXT.replace(b"4.0 0.0", b"nan 0.0").replace(b"4 0 0", b"nan 0 0"), "'x' of vertex 1 is NaN"),
    "points": (ply("ascii", []), "holds no triangles, only vertex, face"),
    "lines": (ply("ascii", [([0, 1],)]), "holds no triangles"),
    "one corner": (ply("ascii", [([0, 0, 1],)]), "holds no triangles"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_are_refused(tmp_path, name):
    content, message = BROKEN[name]
    with pytest.raises(SceneError, match=rf"a\.ply: .*{message}"):
        load(tmp_path, content)


def test_damaged_bytes_load_or_are_refused(tmp_path, rng):
    """Any byte may be wrong: nothing but SceneError comes of it."""
    for content in (GOOD, TEXT):
        for _ in range(150):
            damaged = bytearray(content)
            for place in rng.integers(0, len(content), 3):
                damaged[place] = rng.integers(0, 256)
            with contextlib.suppress(SceneError):
                arrays = load(tmp_path, bytes(damaged[: rng.integers(1, 2 * len(content))]))
                assert arrays.num_triangles
