"""Shapes that furniture is made of: closed, oriented outwards, of the size that was asked for."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

from gym_batchnav.scenes.houses.shapes import (
    cloth,
    cuboid,
    cushion,
    folds,
    join,
    lathe,
    leaves,
    loft,
    mirrored,
    moved,
    panel,
    prism,
    rounded_box,
    sheet,
    slab,
    soft_box,
    tilted,
    tipped,
    tube,
    turned,
)

BALL = ((0, 0), (50, 13), (87, 50), (100, 100), (87, 150), (50, 187), (0, 200))
LEAVES = np.array([[0, 0, 0, 3, 2, 200, 60, 40], [0, 100, 0, 11, 4, 200, 60, 10]])
CLOSED = {
    "cuboid": cuboid(100, 200, 300),
    "odd cuboid": cuboid(101, 7, 33),
    "rounded box": rounded_box(400, 100, 300, 20, bottom=True),
    "rounder box": rounded_box(400, 100, 300, 20, 3, bottom=True),
    "soft box": soft_box(600, 150, 700, 50, bottom=True),
    "cylinder": lathe(((0, 0), (100, 0), (100, 200), (0, 200)), 24),
    "ball": lathe(BALL, 24),
    "cup": lathe(((0, 0), (36, 0), (40, 8), (40, 95), (36, 95), (33, 20), (0, 16)), 12),
    "tube": tube(((0, 0, 0), (0, 100, 0), (50, 150, 0), (150, 150, 0)), 10, 8),
    "taper": tube(((10, 3, 5), (60, 400, -20)), 10, 6, end=20),
    "prism": prism(((100, 100), (100, -100), (-100, -100), (-100, 100)), 50),
    "slab": slab(((0, 0), (60, -10), (100, 0)), ((0, 100), (60, 140), (100, 120)), 30),
    "cushion": cushion(450, 430, 150),
}
OPEN = {
    "panel": panel(400, 700, 18),
    "sheet": sheet(400, 300, 2, 2),
    "standing box": rounded_box(400, 100, 300, 20),
    "tub": loft(1700, 740, 90, ((0, 0), (0, 556), (6, 570), (50, 572), (110, 260)), 3),
    "stadium": loft(360, 520, 178, ((80, 0), (64, 200), (0, 350), (10, 402)), 4),
    "cloth": cloth(1600, 1400, 45, 180),
    "folds": folds(500, 2000, 90, 6),
    "leaves": leaves(LEAVES),
}


def triangles(shape):
    corners = shape.corners.astype(np.float64)
    return np.concatenate([corners[:, [0, 1, 2]], corners[:, [0, 2, 3]]])


def volume(shape) -> float:
    a, b, c = np.moveaxis(triangles(shape), 1, 0)
    return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0


def area(shape) -> float:
    a, b, c = np.moveaxis(triangles(shape), 1, 0)
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()) / 2.0


def size(shape):
    points = shape.corners.reshape(-1, 3)
    return (points.max(axis=0) - points.min(axis=0)).tolist()


@pytest.mark.parametrize("name", [*CLOSED, *OPEN])
def test_quads_are_sound(name):
    shape = (CLOSED | OPEN)[name]
    for array in shape:
        assert array.dtype == np.int64
    assert shape.texture.shape == (len(shape.corners), 4, 2)
    a, b, c = np.moveaxis(triangles(shape), 1, 0)
    assert np.linalg.norm(np.cross(b - a, c - a), axis=1).min() > 0.0
    # Normals are unit-ish and on the front side of their quads.
    lengths = np.linalg.norm(shape.normals.astype(np.float64), axis=2)
    assert lengths.min() > 6000
    assert lengths.max() < 21000
    flat = np.cross(shape.corners[:, 2] - shape.corners[:, 0], shape.corners[:, 3] - shape.corners[:, 1])
    facing = (shape.normals / lengths[..., None] * flat[:, None]).sum(axis=2)
    assert (facing / np.linalg.norm(flat, axis=1)[:, None]).min() > -0.05


@pytest.mark.parametrize("name", CLOSED)
def test_closed_shapes_have_no_holes(name):
    """The areas of all faces, each as long as its outward normal, cancel, and the volume is positive."""
    shape = CLOSED[name]
    a, b, c = np.moveaxis(triangles(shape), 1, 0)
    total = np.cross(b - a, c - a).sum(axis=0) / 2.0
    assert np.abs(total).max() <= 1e-3 * area(shape)
    assert volume(shape) > 0.0


@pytest.mark.parametrize("name", ["tube", "taper", "ball", "cylinder", "cup", "soft box", "rounded box"])
def test_edges_of_closed_shapes_meet(name):
    """Every directed edge of the outline of a quad is met by its opposite, but for flat ends in strips."""
    edges: set[tuple] = set()
    for quad in CLOSED[name].corners.tolist():
        edges |= {(tuple(start), tuple(end)) for start, end in zip(quad, quad[1:] + quad[:1], strict=True)}
    assert all((end, start) in edges for start, end in edges)


def test_sizes_and_volumes_by_hand():
    assert volume(CLOSED["cuboid"]) == 100 * 200 * 300
    assert size(CLOSED["cuboid"]) == [100, 200, 300]
    assert size(CLOSED["odd cuboid"]) == [101, 7, 33]
    # A rounded box lacks, of the box around it, the corners outside of quarter circles along its 12 edges.
    lacking = (1 - pi / 4) * 20**2 * 4 * (400 + 100 + 300)
    whole = 400 * 100 * 300
    assert volume(CLOSED["rounder box"]) == pytest.approx(whole - lacking, rel=0.02)
    assert size(CLOSED["rounder box"]) == [400, 100, 300]
    assert size(CLOSED["soft box"]) == [600, 150, 700]
    assert 0.85 * 600 * 150 * 700 < volume(CLOSED["soft box"]) < 600 * 150 * 700
    # A prism over a regular 24-gon: half n r^2 sin(2 pi / n) h.
    assert volume(CLOSED["cylinder"]) == pytest.approx(12 * 100**2 * np.sin(pi / 12) * 200, rel=0.01)
    assert volume(CLOSED["ball"]) == pytest.approx(4 / 3 * pi * 100**3, rel=0.1)
    assert volume(CLOSED["prism"]) == 200 * 200 * 50
    # The slab's face: trapezoids 60 wide of heights 100 and 150, and 40 wide of heights 150 and 120.
    assert volume(CLOSED["slab"]) == (60 * 125 + 40 * 135) * 30
    # The tube: an octagon times the length of its middle line, somewhat less for the bends.
    octagon = 4 * 10**2 * np.sin(pi / 4)
    assert volume(CLOSED["tube"]) == pytest.approx(octagon * (100 + 50 * 2**0.5 + 100), rel=0.08)


def test_flat_faces_of_rounded_boxes_are_shaded_flat():
    shape = rounded_box(400, 100, 300, 20, bottom=True)
    level = (shape.corners[..., 1] == 100).all(axis=1)
    assert level.sum() == 3
    assert (shape.normals[level] == [0, 10000, 0]).all()


def test_crowns_rise_in_the_middle():
    flat, crowned = soft_box(600, 150, 700, 50), soft_box(600, 150, 700, 50, 20)
    assert flat.corners[..., 1].max() == 150
    assert crowned.corners[..., 1].max() == 170


def test_shapes_stand_on_their_own_zero():
    for name in ("cuboid", "rounded box", "soft box", "cylinder", "cushion", "prism"):
        assert CLOSED[name].corners[..., 1].min() == 0
    assert panel(400, 700, 18).corners[..., 2].min() == 0
    assert size(panel(400, 700, 18)) == [400, 700, 18]
    assert folds(500, 2000, 90, 6).corners[..., 2].min() >= 0
    assert size(folds(500, 2000, 90, 6))[:2] == pytest.approx([500, 2000], abs=6)


def test_movements_keep_shapes_as_they_are():
    ball = join(lathe(BALL, 12), moved(cuboid(40, 60, 80), 200, 30, 10))
    whole = volume(ball)
    assert whole > 0
    for other in (mirrored(ball), tipped(ball, "x"), tipped(ball, "z"), moved(ball, 5, -6, 7)):
        assert volume(other) == pytest.approx(whole, rel=0.005)  # Quads may bend along the other diagonal.
    assert volume(turned(ball, 3, 4, 5)) == pytest.approx(whole, rel=0.02)
    assert volume(tilted(ball, 12, -5, 13)) == pytest.approx(whole, rel=0.02)
    post = cuboid(20, 500, 20)
    assert tipped(post, "x").corners[..., 0].max() == 500
    assert tipped(post, "z").corners[..., 2].max() == 500
    # Leant backwards by the angle with sine 5 / 13: the top goes 500 * 5 / 13 = 192 back.
    assert tilted(post, 12, -5, 13).corners[..., 2].min() == -192 - 10


def test_grain_runs_along_the_longer_side():
    """The second texture coordinate spans the long way of a board."""
    board = rounded_box(900, 30, 400, 5, bottom=True)
    top = (board.corners[..., 1] == 30).all(axis=1)
    spans = np.ptp(board.texture[top].reshape(-1, 2), axis=0)
    assert spans[1] > spans[0]
    assert spans.tolist() == [390, 890]


def test_leaves_are_seen_from_both_sides():
    shape = leaves(LEAVES)
    assert len(shape.corners) == 2 * 2 * 3
    half = len(shape.corners) // 2
    # Both sides lie three millimetres apart, so that neither shows through the other.
    thick = np.linalg.norm(shape.corners[half:] - shape.corners[:half, ::-1], axis=2)
    assert thick.min() >= 2.2
    assert thick.max() <= 3.8
    assert (shape.normals[half:] == -shape.normals[:half, ::-1]).all()
    # The first leaf: rises by 200 sin 30 = 100 and droops by 40 percent of 200 = 80; its tip is 20 up.
    tip = shape.corners[half + 2, :2]
    assert set(tip[:, 1].tolist()) == {20}
