"""The compiled part of building a BVH: binary splits, then nodes of eight children.

Kernels allocate nothing; ``bvh.py`` hands them their memory. Binary nodes: node 0 is the root, the children
of an inner node are neighbours.
"""

from __future__ import annotations

import math

import numpy as np

from .embree._jit import Array, kernel, part

WIDTH = 8
"""Children of a wide node."""
LEAF = 4
"""Most triangles of a leaf."""
LEVELS = 12
"""Most wide nodes on a path from the root to a leaf: what a traversal's stack must hold."""
_DEPTH = 3 * LEVELS  # a wide node takes up three binary levels or more
_BINS = 16
BIN_ROWS = 3 * _BINS
_NODE_COST = 1.0  # of looking at one more box, in tests of a triangle
_HUGE = np.float32(np.inf)
_MOST_QUANTA = 255
_SMALLEST_EXPONENT, _EXPONENT_BIAS = -126, 127


@part
def _half_area(box: Array, row: int) -> float:
    """Half the surface of a box (low x, y, z, high x, y, z)."""
    x, y, z = (
        np.float64(box[row, 3]) - np.float64(box[row, 0]),
        np.float64(box[row, 4]) - np.float64(box[row, 1]),
        np.float64(box[row, 5]) - np.float64(box[row, 2]),
    )
    return x * y + y * z + z * x


@part
def _empty(box: Array, row: int) -> None:
    for axis in range(3):
        box[row, axis], box[row, 3 + axis] = _HUGE, -_HUGE


@part
def _include(box: Array, row: int, other: Array, number: int) -> None:
    for axis in range(3):
        box[row, axis] = min(box[row, axis], other[number, axis])
        box[row, 3 + axis] = max(box[row, 3 + axis], other[number, 3 + axis])


@part
def _bin(center: Array, number: int, axis: int, scale: Array) -> int:
    """Bin of a triangle's centre along an axis."""
    place = int((center[number, axis] - scale[0, axis]) * scale[1, axis])
    return min(max(place, 0), _BINS - 1)


@kernel
def _measure(boxes: Array, centers: Array, order: Array, first: int, count: int, node: Array, at: int,
             scale: Array) -> None:  # fmt: skip
    """Bounds of a range of triangles into ``node[at]``, and of their centres as bins into ``scale``."""
    _empty(node, at)
    for axis in range(3):
        scale[0, axis], scale[1, axis] = _HUGE, -_HUGE
    for place in range(first, first + count):
        number = order[place]
        _include(node, at, boxes, number)
        for axis in range(3):
            scale[0, axis] = min(scale[0, axis], centers[number, axis])
            scale[1, axis] = max(scale[1, axis], centers[number, axis])
    for axis in range(3):
        extent = scale[1, axis] - scale[0, axis]
        factor = np.float32(_BINS) / extent if extent > 0 else _HUGE
        scale[1, axis] = factor if factor < _HUGE else np.float32(0.0)


@kernel
def _fill_bins(boxes: Array, centers: Array, order: Array, first: int, count: int, scale: Array,
               bins: Array, counts: Array) -> None:  # fmt: skip
    """Bounds and number of the triangles in each bin of each axis."""
    for row in range(BIN_ROWS):
        _empty(bins, row)
        counts[row] = 0
    for place in range(first, first + count):
        number = order[place]
        for axis in range(3):
            if scale[1, axis] > 0:
                row = axis * _BINS + _bin(centers, number, axis, scale)
                _include(bins, row, boxes, number)
                counts[row] += 1


@kernel
def _best_split(
    bins: Array, counts: Array, scale: Array, right: Array, count: int, most: int
) -> tuple[int, int, float]:
    """(axis, first bin of the right side, cost) of the cheapest split; axis -1 where there is none.

    The cost of a side is its surface times its triangles (MacDonald and Booth, "Heuristics for ray tracing
    using space subdivision", 1990). Neither side may hold more than ``most`` triangles.
    """
    best_axis, best_bin, best = -1, 0, np.inf
    for axis in range(3):
        if scale[1, axis] == 0:
            continue
        _empty(right, _BINS)
        for place in range(_BINS - 1, 0, -1):
            _include(right, _BINS, bins, axis * _BINS + place)
            for side in range(6):
                right[place, side] = right[_BINS, side]
        _empty(right, _BINS)
        on_left = 0
        for place in range(1, _BINS):
            row = axis * _BINS + place - 1
            _include(right, _BINS, bins, row)
            on_left += counts[row]
            on_right = count - on_left
            if on_left == 0 or on_right == 0 or on_left > most or on_right > most:
                continue
            cost = _half_area(right, _BINS) * on_left + _half_area(right, place) * on_right
            if cost < best:
                best_axis, best_bin, best = axis, place, cost
    return best_axis, best_bin, best


@kernel
def _partition(
    centers: Array, order: Array, first: int, count: int, axis: int, split: int, scale: Array
) -> int:
    """Bring the triangles of the bins below ``split`` to the front; returns how many they are."""
    low, high = first, first + count - 1
    while low <= high:
        if _bin(centers, order[low], axis, scale) < split:
            low += 1
        else:
            order[low], order[high] = order[high], order[low]
            high -= 1
    return low - first


@kernel
def split(boxes: Array, centers: Array, order: Array, nodes: Array, links: Array, stack: Array,
          scratch: Array, counts: Array) -> int:  # fmt: skip
    """Build the binary tree by the surface area heuristic in bins.

    After Wald, "On fast construction of SAH-based bounding volume hierarchies" (2007).

    Args:
        boxes: (F, 6) float32 bounds of the triangles, F at least 1.
        centers: (F, 3) float32 middles of these.
        order: (F,) int32 triangle numbers; a leaf's triangles become neighbours.
        nodes: (2 F, 6) float32 bounds of the nodes, written.
        links: (2 F, 3) int32, written: left child or -1, first triangle in ``order``, number of triangles.
        stack: (64, 2) int32 of scratch.
        scratch: (48 + 17 + 2, 6) float32 of scratch.
        counts: (48,) int32 of scratch.

    Returns:
        Number of nodes.
    """
    bins, right, scale = scratch[:BIN_ROWS], scratch[BIN_ROWS:-2], scratch[-2:]
    links[0, 1], links[0, 2] = 0, len(order)
    stack[0, 0], stack[0, 1] = 0, 0
    waiting, used = 1, 1
    while waiting:
        waiting -= 1
        at, depth = stack[waiting, 0], stack[waiting, 1]
        first, count = links[at, 1], links[at, 2]
        links[at, 0] = -1
        _measure(boxes, centers, order, first, count, nodes, at, scale)
        # The sides must still fit into leaves when they are halved from here to the greatest depth.
        spare = _DEPTH - 1 - depth
        if count == 1 or spare < 0:
            continue
        most = min(count, LEAF << min(spare, 28))
        _fill_bins(boxes, centers, order, first, count, scale, bins, counts)
        axis, place, cost = _best_split(bins, counts, scale, right, count, most)
        area = _half_area(nodes, at)
        if count <= LEAF and not cost + _NODE_COST * area < area * count:
            continue
        on_left = count >> 1 if axis < 0 else _partition(centers, order, first, count, axis, place, scale)
        for side in range(2):
            links[used + side, 1] = first + on_left * side
            links[used + side, 2] = count - on_left if side else on_left
            stack[waiting, 0], stack[waiting, 1] = used + side, depth + 1
            waiting += 1
        links[at, 0] = used
        used += 2
    return used


@kernel
def measure_heights(links: Array, heights: Array) -> None:
    """Levels of inner nodes below and including each node; (M, 3) int32 as of ``split`` to (M,) int32."""
    for at in range(len(links) - 1, -1, -1):
        left = links[at, 0]
        heights[at] = 0 if left < 0 else 1 + max(heights[left], heights[left + 1])


@kernel
def _gather(nodes: Array, links: Array, heights: Array, root: int, level: int, children: Array) -> int:
    """Open the nodes below ``root`` until there are eight children, the largest first; returns how many.

    What would not fit into the levels that are left is opened before.
    """
    children[0] = root
    if links[root, 0] < 0:
        return 1
    found = 1
    first = True
    while found < WIDTH:
        best, best_area, tallest = -1, -1.0, 3 * (LEVELS - 1 - level)
        for place in range(found):
            child = children[place]
            if links[child, 0] < 0:
                continue
            if heights[child] > tallest:
                best, best_area, tallest = place, np.inf, heights[child]
            elif _half_area(nodes, child) > best_area:
                best, best_area = place, _half_area(nodes, child)
        if best < 0 and not first:
            break
        first = False
        opened = links[children[best], 0]
        children[best], children[found] = opened, opened + 1
        found += 1
    return found


@kernel
def _assign_slots(nodes: Array, root: int, children: Array, found: int, slots: Array) -> None:
    """Give each child a slot whose three bits say on which side of the node it lies, best matches first.

    Rays then meet the children of ascending ``slot ^ mask`` front to back, ``mask`` the axes along which they
    run downwards (Ylitie, Karras and Laine, "Efficient incoherent ray traversal on GPUs through compressed
    wide BVHs", 2017).
    """
    for slot in range(WIDTH):
        slots[slot] = -1
    for _ in range(found):
        best, best_child, best_slot = -np.inf, -1, -1
        for place in range(found):
            child = children[place]
            if child < 0:
                continue
            for slot in range(WIDTH):
                if slots[slot] >= 0:
                    continue
                match = 0.0
                for axis in range(3):
                    offset = np.float64(nodes[child, axis]) - np.float64(nodes[root, axis])
                    offset += np.float64(nodes[child, 3 + axis]) - np.float64(nodes[root, 3 + axis])
                    match += offset if (slot >> axis) & 1 else -offset
                if best_child < 0 or match > best:
                    best, best_child, best_slot = match, place, slot
        slots[best_slot] = children[best_child]
        children[best_child] = -1


@kernel
def _write_boxes(nodes: Array, root: int, slots: Array, floats: Array, bytes_: Array, at: int) -> None:
    """Bounds of the children in steps of a power of two from the node's lowest corner, rounded outwards."""
    for axis in range(3):
        low, high = np.float64(nodes[root, axis]), np.float64(nodes[root, 3 + axis])
        floats[at, axis] = nodes[root, axis]
        exponent = _SMALLEST_EXPONENT
        if high > low:
            exponent = max(math.frexp((high - low) / _MOST_QUANTA)[1], exponent)
        step = math.ldexp(1.0, exponent)
        bytes_[at, 12 + axis] = exponent + _EXPONENT_BIAS
        for slot in range(WIDTH):
            child = slots[slot]
            # An empty slot holds a box that is inside out.
            begin, end = _MOST_QUANTA, 0
            if child >= 0:
                begin = math.floor((np.float64(nodes[child, axis]) - low) / step)
                end = math.ceil((np.float64(nodes[child, 3 + axis]) - low) / step)
            bytes_[at, 32 + 8 * axis + slot] = begin
            bytes_[at, 56 + 8 * axis + slot] = min(end, _MOST_QUANTA)


@kernel
def widen(nodes: Array, links: Array, heights: Array, order: Array, stack: Array, children: Array,
          slots: Array, words: Array, floats: Array, bytes_: Array, final: Array) -> int:  # fmt: skip
    """Turn the binary tree into wide nodes, laid out as ``bvh.Bvh`` says.

    Args:
        nodes: (M, 6) float32 of ``split``.
        links: (M, 3) int32 of ``split``.
        heights: (M,) int32.
        order: (F,) int32 of ``split``.
        stack: (8 * 12 + 1, 3) int32 of scratch: wide node, binary node, level.
        children: (8,) int32 of scratch.
        slots: (8,) int32 of scratch.
        words: (W, 20) uint32, zeros, written; W at least the number of inner nodes and at least 1.
        floats: the same memory as float32.
        bytes_: the same memory as bytes, (W, 80).
        final: (F,) uint32, written: the triangles as leaves hold them.

    Returns:
        Number of wide nodes.
    """
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, 0, 0
    waiting, used, placed = 1, 1, 0
    while waiting:
        waiting -= 1
        at, root, level = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2]
        found = _gather(nodes, links, heights, root, level, children)
        _assign_slots(nodes, root, children, found, slots)
        _write_boxes(nodes, root, slots, floats, bytes_, at)
        words[at, 4], words[at, 5] = used, placed
        inner, offset = 0, 0
        for slot in range(WIDTH):
            child = slots[slot]
            if child < 0:
                continue
            if links[child, 0] >= 0:
                inner |= 1 << slot
                stack[waiting, 0], stack[waiting, 1], stack[waiting, 2] = used, child, level + 1
                waiting += 1
                used += 1
                continue
            count = links[child, 2]
            bytes_[at, 24 + slot] = count | offset << 3
            for place in range(links[child, 1], links[child, 1] + count):
                final[placed] = order[place]
                placed += 1
            offset += count
        bytes_[at, 15] = inner
    return used
