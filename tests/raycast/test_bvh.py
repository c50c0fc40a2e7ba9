"""Trees hold every triangle once, inside of boxes that hold it, whatever the triangles are."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from batchnav_renderer import RenderConfigError
from batchnav_renderer.bvh import MAX_LEAF, MAX_LEVELS, Bvh, build_bvh

COORDINATES = st.one_of(
    st.integers(-3, 3).map(float), st.floats(-1e4, 1e4, width=32), st.sampled_from([0.0, 1e-30, -3e38, 3e38])
)


def soup(corners):
    """A mesh whose triangles share no vertices, from (F, 3, 3) corners."""
    positions = np.asarray(corners, np.float32).reshape(-1, 3)
    return positions, np.arange(len(positions), dtype=np.uint32).reshape(-1, 3)


def slots_of(tree, number):
    """(slot, box low and high, inner child or None, triangles) of each slot in use.

    Boxes are float64 and wider by what float64 loses when it adds 1e-30 to 1: far less than rays allow for.
    """
    words = tree.nodes[number]
    corner = words[:3].view(np.float32).astype(np.float64)
    raw = np.ascontiguousarray(words).view(np.uint8).astype(int)
    step = 2.0 ** (raw[12:15] - 127)
    lost = 1e-12 * step
    inner, child = raw[15], int(words[4])
    for slot in range(8):
        low, high = (corner + raw[begin + slot : begin + 24 : 8] * step for begin in (32, 56))
        low, high = low - lost, high + lost
        count, offset = raw[24 + slot] & 7, raw[24 + slot] >> 3
        if inner >> slot & 1:
            yield slot, low, high, child, []
            child += 1
        elif count:
            first = int(words[5]) + offset
            yield slot, low, high, None, list(range(first, first + count))


def check(positions, triangles):
    """Walk a tree; asserts all that ``build_bvh`` promises, and returns the tree."""
    tree = build_bvh(positions, triangles)
    corners = positions[triangles].astype(np.float64)
    held, visited = [], set()

    def walk(number, level):
        """Triangles below a node."""
        assert level < MAX_LEVELS
        assert number not in visited
        visited.add(number)
        below = []
        for _, low, high, child, places in slots_of(tree, number):
            assert len(places) <= MAX_LEAF
            mine = tree.order[places].tolist() if child is None else walk(child, level + 1)
            held.extend(mine if child is None else [])
            assert (corners[mine] >= low).all()
            assert (corners[mine] <= high).all()
            below += mine
        return below

    walk(0, 0)
    assert sorted(held) == list(range(len(triangles)))
    assert len(visited) == len(tree.nodes)
    return tree


def test_no_triangle():
    tree = check(*soup(np.zeros((0, 3, 3))))
    assert tree.nodes.shape == (1, 20)


def test_one_triangle():
    tree = check(*soup([[[0, 0, 0], [1, 0, 0], [0, 2, 0]]]))
    assert len(list(slots_of(tree, 0))) == 1


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(*[COORDINATES] * 9), min_size=1, max_size=60))
def test_any_triangles(rows):
    check(*soup(rows))


@pytest.mark.parametrize("count", [2, 4, 5, 33, 3000])
def test_equal_triangles(count):
    check(*soup([[[0, 0, 0], [1, 0, 0], [0, 2, 0]]] * count))


def test_points_and_lines():
    check(
        *soup([[[x, 0, 0]] * 3 for x in range(50)] + [[[0, 0, 0], [x, x, x], [9, 9, 9]] for x in range(50)])
    )


def test_sizes_that_double_do_not_make_the_tree_deep():
    # Each triangle is twice as far away as the one before: the cheapest splits cut off one at a time.
    scales = 2.0 ** np.arange(-120, 120)
    check(*soup(scales[:, None, None] * np.array([[1, 0, 0], [1.1, 0, 0], [1, 0.1, 0.1]])))


def test_a_room_full_of_boxes(clutter):
    scene = clutter(1, 1500)
    tree = check(scene.positions, scene.triangles)
    # Eight children a node and up to four triangles a leaf: far fewer nodes than triangles.
    assert len(tree.nodes) < len(scene.triangles) / 5


def test_equal_arrays_give_equal_trees(clutter):
    scene = clutter(1, 200)
    left, right = (build_bvh(scene.positions.copy(), scene.triangles.copy()) for _ in range(2))
    assert left.to_bytes() == right.to_bytes()


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_slots_say_on_which_side_a_child_lies(axis):
    # Two groups of 5 triangles, far apart along one axis: bit `axis` of a slot tells them apart.
    corners = np.array([[[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0.1]]] * 10)
    corners += np.arange(10)[:, None, None] * 0.01
    corners[5:, :, axis] += 100
    tree = build_bvh(*soup(corners))
    for slot, low, _, _, _ in slots_of(tree, 0):
        assert (slot >> axis & 1) == (low[axis] > 50)


def test_bytes_and_pickles_bring_a_tree_back(clutter):
    scene = clutter(1, 100)
    tree = build_bvh(scene.positions, scene.triangles)
    for back in (Bvh.from_bytes(tree.to_bytes()), pickle.loads(pickle.dumps(tree))):
        np.testing.assert_array_equal(back.nodes, tree.nodes)
        np.testing.assert_array_equal(back.order, tree.order)
        assert back.nodes.dtype == back.order.dtype == np.uint32


@pytest.mark.parametrize(
    "spoil",
    [lambda data: b"", lambda data: data[:-4], lambda data: data + b"\0", lambda data: b"x" + data[1:]],
)
def test_other_bytes_are_refused(clutter, spoil):
    scene = clutter(1, 10)
    data = build_bvh(scene.positions, scene.triangles).to_bytes()
    with pytest.raises(RenderConfigError, match="no stored BVH of this version; build it anew"):
        Bvh.from_bytes(spoil(data))
