"""Subdivided scenes: more triangles, the same surfaces."""

from __future__ import annotations

import numpy as np
import pytest

from batchnav_renderer.types import Material, SceneArrays
from gym_batchnav.cli.bench.subdivide import subdivide


def scene() -> SceneArrays:
    """Two right triangles: legs of 4 m in the plane z = 0, and legs of 1 m and 2 m in the plane x = 9."""
    return SceneArrays(
        positions=np.array(
            [[0, 0, 0], [4, 0, 0], [0, 4, 0], [9, 0, 0], [9, 1, 0], [9, 0, 2]], dtype=np.float32
        ),
        triangles=np.array([[0, 1, 2], [3, 4, 5]], dtype=np.uint32),
        material_ids=np.array([0, 1], dtype=np.int32),
        uvs=np.array([[0, 0], [1, 0], [0, 1], [5, 5], [5, 6], [7, 5]], dtype=np.float32),
        colors=np.array(
            [[0, 0, 0, 255], [100, 0, 0, 255], [0, 200, 0, 255], *[[8, 8, 8, 8]] * 3], dtype=np.uint8
        ),
        object_ids=np.array([3, 5], dtype=np.int32),
        materials=(Material(), Material()),
    )


def normals(arrays: SceneArrays) -> np.ndarray:
    """Twice the area of each triangle along its normal (F, 3)."""
    a, b, c = (arrays.positions[arrays.triangles[:, corner]] for corner in range(3))
    return np.cross(b - a, c - a)


@pytest.mark.parametrize("parts", [1, 2, 3, 4])
def test_pieces_are_equal_and_make_up_the_whole(parts):
    fine = subdivide(scene(), parts)
    count = parts**2
    assert fine.num_triangles == 2 * count
    # Twice the areas: 4 * 4 = 16 along +z, 1 * 2 = 2 along +x; all pieces of a triangle are equal.
    expected = [[0, 0, 16 / count]] * count + [[2 / count, 0, 0]] * count
    assert np.allclose(normals(fine), expected, atol=1e-6)
    assert fine.material_ids.tolist() == [0] * count + [1] * count
    assert fine.object_ids.tolist() == [3] * count + [5] * count


@pytest.mark.parametrize("parts", [2, 3])
def test_no_two_pieces_lie_on_each_other(parts):
    fine = subdivide(scene(), parts)
    middles = fine.positions[fine.triangles].mean(axis=1)
    assert len(np.unique(middles.round(4), axis=0)) == 2 * parts**2
    # In the first triangle x + y <= 4 holds for all middles.
    first = middles[: parts**2]
    assert (first >= 0).all()
    assert (first[:, 0] + first[:, 1] < 4).all()


def test_new_vertices_lie_between_the_old_ones():
    fine = subdivide(scene(), 2)
    # Of the first triangle: corner 0; the middles of its two sides; corner 1, the middle across, corner 2.
    assert fine.positions[:6, :2].tolist() == [[0, 0], [2, 0], [0, 2], [4, 0], [2, 2], [0, 4]]
    assert fine.uvs[:6].tolist() == [[0, 0], [0.5, 0], [0, 0.5], [1, 0], [0.5, 0.5], [0, 1]]
    assert fine.colors[:6, :2].tolist() == [[0, 0], [50, 0], [0, 100], [100, 0], [50, 100], [0, 200]]
    assert fine.colors.dtype == np.uint8


def test_what_is_absent_stays_absent_and_one_part_changes_nothing():
    plain = SceneArrays(
        positions=np.eye(3, dtype=np.float32),
        triangles=np.array([[0, 1, 2]], dtype=np.uint32),
        material_ids=np.zeros(1, dtype=np.int32),
    )
    fine = subdivide(plain, 4)
    assert fine.num_triangles == 16
    assert fine.uvs is fine.colors is fine.object_ids is None
    assert subdivide(plain, 1) is plain
