"""STL and OFF files as exporters write them, by hand, and broken ones."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from gym_batchnav.errors import SceneError
from gym_batchnav.scenes import load_scene

A, B, C, D = [0, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0]


def load(folder, name, content):
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return load_scene(folder / name).arrays


def corners(arrays):
    return arrays.positions[arrays.triangles].tolist()


FACET = struct.pack("<12fH", 0, 0, 1, *A, *B, *C, 0)


def stl(header=b"", count=1, facets=FACET):
    return header.ljust(80, b" ") + struct.pack("<I", count) + facets


LOOP = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 4 0 0\nvertex 4 4 0\nendloop\nendfacet\n"


@pytest.mark.parametrize(
    "content",
    [
        stl(),
        stl(b"solid of a binary file"),
        stl(b"solid of a binary file", facets=FACET + b"left over"),
        stl(facets=FACET + b"\0\0"),
        f"solid a\n{LOOP}endsolid a\n",
        f"\n  SOLID a\n{LOOP.upper()}ENDSOLID\n",
        f"solid\r\n{LOOP}endsolid\n".replace("\n", "\r\n"),
        f"solid a\n{LOOP}".replace(" 4 ", " 4.0E+00\t"),
        f"solid empty\nendsolid\nsolid a\n{LOOP}",
    ],
)
def test_stl(tmp_path, content):
    assert corners(load(tmp_path, "a.stl", content)) == [[A, B, C]]


def test_stl_loops_of_four_corners(tmp_path):
    text = f"solid a\n{LOOP.replace('endloop', 'vertex 0 4 0' + chr(10) + 'endloop')}{LOOP}"
    assert corners(load(tmp_path, "a.stl", text)) == [[A, B, C], [A, C, D], [A, B, C]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "cut short: 0 bytes"),
        ("solid nothing\nendsolid\n", "holds no triangles"),
        (stl(count=0, facets=b""), "holds no triangles"),
        (stl(count=2), "cut short: its header claims 2 facets, which take 184 bytes, but it has 134"),
        (stl(count=2**32 - 1), "cut short: its header claims 4294967295 facets"),
        (f"solid a\n{LOOP}"[:60], "cut short: its last loop does not end"),
        (f"solid a\n{LOOP}".replace("4 4 0", "4 four 0"), "vertex that is not three numbers"),
        (f"solid a\n{LOOP}".replace("4 4 0", "4 nan 0"), "NaN or infinite"),
    ],
)
def test_broken_stl_is_refused(tmp_path, content, message):
    with pytest.raises(SceneError, match=rf"a\.stl: .*{message}"):
        load(tmp_path, "a.stl", content)


POINTS = "0 0 0\n4 0 0\n4 4 0\n0 4 0\n"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (f"OFF\n4 1 0\n{POINTS}3 0 1 2\n", [[A, B, C]]),
        (f"OFF 4 1 0\n{POINTS}4 0 1 2 3\n", [[A, B, C], [A, C, D]]),
        (f"# a\nOFF # b\n# c\n\n4 2\n{POINTS}# d\n4 0 1 2 3 # e\n3 2 1 0", [[A, B, C], [A, C, D], [C, B, A]]),
        (f"OFF\r\n4 1 0\r\n{POINTS}3 0 1 2\r\n", [[A, B, C]]),
        (f"NOFF\n4 1 0\n{POINTS.replace(chr(10), ' 0 0 1' + chr(10))}3 0 1 2\n", [[A, B, C]]),
        (f"OFF4 1 0\n{POINTS}3 0 1 2\n", [[A, B, C]]),
    ],
)
def test_off(tmp_path, content, expected):
    arrays = load(tmp_path, "a.off", content)
    assert corners(arrays) == expected
    assert arrays.colors is None


@pytest.mark.parametrize("color", ["255 188 0 255", "1.0 0.737 0.0 1.0", "255 188 0"])
def test_off_colours(tmp_path, color):
    """sRGB 188 is linear 0.503: 128 of 255."""
    rows = POINTS.replace("\n", f" {color}\n")
    np.testing.assert_array_equal(
        load(tmp_path, "a.off", f"COFF\n4 1 0\n{rows}3 0 1 2\n").colors, [[255, 128, 0, 255]] * 4
    )
    faces = load(tmp_path, "a.off", f"OFF\n4 1 0\n{POINTS}4 0 1 2 3 {color}\n")
    np.testing.assert_array_equal(faces.colors, [[255, 128, 0, 255]] * 4)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is no text of OFF in 3 dimensions"),
        ("OFF BINARY\n", "is no text of OFF in 3 dimensions"),
        (f"4OFF\n4 1 0\n{POINTS}3 0 1 2\n", "is no text of OFF in 3 dimensions"),
        ("OFF\n", "counts of vertices and faces are missing"),
        ("OFF\n4 9999999999 0\n", "claims 4 vertices and 9999999999 faces in 1 lines"),
        (f"OFF\n-4 1 0\n{POINTS}3 0 1 2\n", "claims -4 vertices"),
        (f"OFF\n4 1 0\n{POINTS}3 0 1 7\n", "face 0 names vertex 7, but there are 4"),
        (f"OFF\n4 1 0\n{POINTS}3 0 1 -1\n", "face 0 names vertex -1"),
        (f"OFF\n4 1 0\n{POINTS}3 0 1\n", "a face has fewer corners than it says"),
        (f"OFF\n4 1 0\n{POINTS}-3 0 1 2\n", "a face has fewer corners than it says"),
        (f"OFF\n4 1 0\n{POINTS.replace('4 4 0', '4 4')}3 0 1 2\n", r"its vertices have \[2, 3\] numbers"),
        (f"OFF\n4 1 0\n{POINTS.replace('4 4 0', '4 x 0')}3 0 1 2\n", "cannot be read as off"),
        (f"OFF\n4 1 0\n{POINTS.replace('4 4 0', '4 inf 0')}3 0 1 2\n", "NaN or infinite"),
        (f"OFF\n4 1 0\n{POINTS}3 0 1 99999999999999999999\n", "cannot be read as off"),
        (f"OFF\n4 1 0\n{POINTS}2 0 1\n", "holds no triangles"),
    ],
)
def test_broken_off_is_refused(tmp_path, content, message):
    with pytest.raises(SceneError, match=rf"a\.off: .*{message}"):
        load(tmp_path, "a.off", content)
