"""The axis that points up, the scale, and warnings of scenes that seem to have others."""

from __future__ import annotations

import numpy as np
import pytest

from gym_batchnav.errors import ConfigError
from gym_batchnav.scenes import SceneWarning, load_scene
from tests.unit.scenes.gltf_files import GltfFile


def box(tmp_path, size):
    """A file with two triangles that span a box from the origin."""
    x, y, z = size
    file = GltfFile()
    points = np.array([[0, 0, 0], [x, 0, 0], [x, y, z], [0, y, z]], np.float32)
    file.primitive(points, np.array([0, 1, 2, 0, 2, 3], np.uint8))
    return file.save(tmp_path)


def volume(scene):
    """Six times the signed volume that the triangles span with a point; its sign tells left from right."""
    a, b, c = np.moveaxis(scene.positions[scene.triangles].astype(float) - [0.1, 0.2, 0.3], 1, 0)
    return float(np.einsum("fx,fx->", a, np.cross(b, c)))


@pytest.mark.parametrize(
    ("up", "scale", "expected"),
    [
        ("y", 1.0, [[0, 0, 0], [3, 0, 0], [3, 2, 4], [0, 2, 4]]),
        (None, 2, [[0, 0, 0], [6, 0, 0], [6, 4, 8], [0, 4, 8]]),
        ("z", 1.0, [[0, 0, 0], [3, 0, 0], [3, 4, -2], [0, 4, -2]]),
        ("z", 0.5, [[0, 0, 0], [1.5, 0, 0], [1.5, 2, -1], [0, 2, -1]]),
        ("x", 1.0, [[0, 0, 0], [0, 3, 0], [-2, 3, 4], [-2, 0, 4]]),
    ],
)
def test_scenes_are_turned_and_scaled(tmp_path, up, scale, expected):
    scene = load_scene(box(tmp_path, (3, 2, 4)), up=up, scale=scale)
    np.testing.assert_allclose(scene.positions, expected)
    assert scene.positions.dtype == np.float32
    assert scene.positions.flags.c_contiguous


def test_turning_does_not_mirror(tmp_path):
    file = GltfFile()
    points = np.array([[0, 0, 0], [2, 0, 0], [0, 3, 0], [0, 0, 4]], np.float32)
    file.primitive(points, np.array([0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2], np.uint8))
    path = file.save(tmp_path)
    # 2 * 3 * 4 = 24, six times the volume of the tetrahedron, whichever axis is up.
    for up in ("x", "y", "z"):
        assert volume(load_scene(path, up=up)) == pytest.approx(24.0)


@pytest.mark.parametrize(
    ("size", "message"),
    [
        (
            (6483, 2197, 9995),
            r"6\.48e\+03 x 2\.2e\+03 x 1e\+04 m large.*in millimetres; if so, pass scale=0.001",
        ),
        ((8000, 5, 8000), "in millimetres"),
        ((1900, 300, 1140), "in centimetres; if so, pass scale=0.01"),
        ((0.3, 0.1, 0.2), "too small to walk in"),
        ((11, 10, 3), "as if z were up; if so, pass up='z'"),
    ],
)
def test_suspicious_sizes_give_a_warning(tmp_path, size, message):
    with pytest.warns(SceneWarning, match=rf"scene\.glb: is .*{message}"):
        load_scene(box(tmp_path, size))


@pytest.mark.parametrize(
    "size",
    [(19, 3, 11), (0.6, 2.5, 0.6), (100, 40, 75), (9.3, 8.2, 26.6), (20, 3, 1.5), (2, 6, 2), (300, 0, 300)],
)
def test_usual_sizes_give_none(tmp_path, size, recwarn):
    load_scene(box(tmp_path, size))
    assert not recwarn.list


def test_vertices_that_no_triangle_uses_do_not_count(tmp_path, recwarn):
    path = tmp_path / "a.obj"
    path.write_text("v 0 0 0\nv 2 0 0\nv 0 2 2\nv 1e6 1e6 1e6\nf 1 2 3\n")
    load_scene(path)
    assert not recwarn.list


@pytest.mark.parametrize(
    "options",
    [
        {"up": "w"},
        {"up": 2},
        {"scale": 0},
        {"scale": -1.0},
        {"scale": float("nan")},
        {"scale": "1"},
        {"scale": True},
    ],
)
def test_other_options_are_refused(tmp_path, options):
    with pytest.raises(ConfigError, match=rf"{next(iter(options))}=.*allowed"):
        load_scene(box(tmp_path, (3, 2, 4)), **options)
