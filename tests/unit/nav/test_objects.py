"""View points of objects, and sets of goals."""

from __future__ import annotations

import numpy as np
import pytest

from gym_batchnav.errors import SceneError
from gym_batchnav.nav import NavMesh
from gym_batchnav.nav._blocked import blocked
from gym_batchnav.nav.objects import ARM, view_points
from tests.unit.envs.doubles import scene_of_boxes

FLOOR = ("floor", (0, -0.1, 0), (8, 0, 6))


def square(width=8.0, depth=6.0, height=0.0):
    points = [(0, 0), (width, 0), (width, depth), (0, depth)]
    return NavMesh.from_polygons(np.array([(x, height, z) for x, z in points], np.float32), ((0, 1, 2, 3),))


def aside(points, low, high):
    """Distance of points from a box, seen from above."""
    gaps = [np.maximum(np.maximum(low[a] - points[:, a], points[:, a] - high[a]), 0) for a in (0, 2)]
    return np.hypot(*gaps)


def test_points_are_on_the_ground_at_the_object_and_apart():
    low, high = (3.0, 0.0, 2.0), (4.0, 0.9, 2.5)
    points = view_points(scene_of_boxes("boxes", [FLOOR, ("table", low, high)]), square(), ["table", "bed"])
    assert list(points) == ["table"]
    table = points["table"]
    assert table.dtype == np.float32
    assert (table[:, 1] == 0.0).all()
    assert aside(table, low, high).max() <= ARM + 1e-6
    gaps = np.linalg.norm(table[:, None] - table[None], axis=2) + np.eye(len(table))
    assert gaps.min() >= 0.45 - 1e-6
    # Wherever one stands within an arm's length of it, a place is less than a metre away.
    x, z = np.meshgrid(np.arange(2.4, 4.6, 0.1), np.arange(1.4, 3.1, 0.1))
    around = np.stack([x, np.zeros_like(x), z], axis=2).reshape(-1, 3)
    around = around[aside(around, low, high) <= ARM]
    assert np.linalg.norm(around[:, None] - table[None], axis=2).min(axis=1).max() < 1.0


def test_every_object_of_a_class_has_its_points():
    boxes = [(FLOOR), ("chair", (1, 0, 1), (1.5, 1, 1.5)), ("chair", (6, 0, 4), (6.5, 1, 4.5))]
    chairs = view_points(scene_of_boxes("boxes", boxes), square(), ["chair"])["chair"]
    near = [aside(chairs, low, high) <= ARM + 1e-6 for _, low, high in boxes[1:]]
    assert near[0].any()
    assert near[1].any()
    assert (near[0] | near[1]).all()


@pytest.mark.parametrize(("wall", "sides"), [("wall", {1}), ("misc", {-1, 1})])
def test_no_arm_reaches_through_a_wall(wall, sides):
    """A picture on the far side (x > 4) of a wall of 0.1 m; the ground goes on beneath both."""
    picture = ("picture", (4.05, 1.2, 2.5), (4.07, 1.8, 3.5))
    boxes = [FLOOR, (wall, (3.95, 0, 0), (4.05, 2.5, 6)), picture]
    points = view_points(scene_of_boxes("boxes", boxes), square(), ["picture"])["picture"]
    assert set(np.sign(points[:, 0] - 4.0).tolist()) == sides


def test_ground_of_the_own_storey_alone():
    """Two floors, at 0 and 3 m: a vase on a table upstairs, and a lamp under the ceiling downstairs."""
    upper, lower = (np.array([(x, y, z) for x, z in ((0, 0), (8, 0), (8, 6), (0, 6))]) for y in (3.0, 0.0))
    mesh = NavMesh.from_polygons(
        np.concatenate([upper, lower]).astype(np.float32), ((0, 1, 2, 3), (4, 5, 6, 7))
    )
    boxes = [FLOOR, ("vase", (2, 3.8, 2), (2.2, 4, 2.2)), ("lamp", (6, 2.5, 4), (6.2, 2.7, 4.2))]
    scene = scene_of_boxes("storeys", boxes)
    assert (view_points(scene, mesh, ["vase"])["vase"][:, 1] == 3.0).all()
    with pytest.raises(SceneError, match="storeys: nobody can stand at an object of the classes lamp"):
        view_points(scene, mesh, ["lamp"])


def test_objects_beyond_reach_are_left_out():
    boxes = [FLOOR, ("bed", (8.7, 0, 2), (9.5, 0.5, 3)), ("bed", (1, 0, 1), (2, 0.5, 2))]
    beds = view_points(scene_of_boxes("boxes", boxes), square(), ["bed"])["bed"]
    assert beds[:, 0].max() < 2.7


def test_scenes_without_classes_are_refused():
    scene = scene_of_boxes("plain", [FLOOR])
    object.__setattr__(scene, "object_classes", None)
    with pytest.raises(SceneError, match="plain: does not say"):
        view_points(scene, square(), ["chair"])


def test_blocked_by_hand():
    triangle = np.array([[[0, 0, 0], [2, 0, 0], [0, 2, 0]]], float)
    starts = np.array(
        [[0.5, 0.5, 1], [0.5, 0.5, 1], [1.5, 1.5, 1], [0.5, 0.5, 2], [-0.1, 0.5, 1], [0, 1, 1]], float
    )
    ends = np.array(
        [[0.5, 0.5, -1], [0.5, 0.5, 0.1], [1.5, 1.5, -1], [1.5, 0.3, -2], [-0.1, 0.5, -1], [1, 1, 1]], float
    )
    found = np.empty(6, bool)
    blocked(starts, ends, triangle, found)
    # Through it; short of it; beyond the long side (x + y > 2); aslant through (1, 0.4); beside; along it.
    assert found.tolist() == [True, False, False, True, False, False]
    blocked(starts, ends, triangle[:0], found)
    assert not found.any()


def test_goal_set_answers_as_closest_goal(rng):
    mesh = square()
    starts, goals = (rng.uniform(0, 6, (n, 3)).astype(np.float32) * np.float32([1, 0, 1]) for n in (40, 7))
    length, index = mesh.closest_of(starts, mesh.goal_set(goals))
    expected = np.linalg.norm(starts[:, None].astype(float) - goals[None], axis=2)
    assert length == pytest.approx(expected.min(axis=1), abs=1e-5)
    assert index.tolist() == expected.argmin(axis=1).tolist()
    one, two = mesh.closest_goal(starts, goals)
    assert np.array_equal(one, length)
    assert np.array_equal(two, index)
    assert np.isinf(mesh.closest_of(starts, mesh.goal_set(np.empty((0, 3))))[0]).all()
