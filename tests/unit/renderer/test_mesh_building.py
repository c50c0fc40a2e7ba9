"""Chunks, mesh packing and batch plans."""

from __future__ import annotations

import numpy as np
import pytest

from batchnav_renderer import CapacityError, Material, SceneArrays
from batchnav_renderer.gl.chunks import build_chunks
from batchnav_renderer.gl.mesh import DrawGroup, build_mesh
from batchnav_renderer.gl.plan import COMMAND_BYTES, plan_batches


def test_chunks_partition_the_triangles_by_group(rng):
    centers = rng.uniform(0, 10, (1000, 3)).astype(np.float32)
    groups = rng.integers(0, 3, 1000)
    chunks = build_chunks(centers, groups, 16)
    np.testing.assert_array_equal(np.sort(chunks.order), np.arange(1000))
    lengths = np.diff(chunks.starts)
    assert lengths.min() >= 1
    assert lengths.max() <= 16
    # All chunks of a group but one are full: ceil(n / 16) chunks each.
    assert len(lengths) == sum(-(-int(count) // 16) for count in np.bincount(groups))
    for chunk, (first, last) in enumerate(zip(chunks.starts[:-1], chunks.starts[1:], strict=True)):
        assert set(groups[chunks.order[first:last]]) == {chunks.groups[chunk]}


def test_chunks_are_compact():
    # 64 points on a line, shuffled: chunks of 8 must be the 8 consecutive eighths.
    values = np.random.default_rng(1).permutation(64)
    centers = np.zeros((64, 3), np.float32)
    centers[:, 1] = values
    chunks = build_chunks(centers, np.zeros(64, np.int64), 8)
    np.testing.assert_array_equal(
        values[chunks.order].reshape(8, 8) // 8, np.repeat(np.arange(8), 8).reshape(8, 8)
    )


def test_no_triangles():
    chunks = build_chunks(np.zeros((0, 3), np.float32), np.zeros(0, np.int64), 8)
    assert len(chunks.order) == len(chunks.groups) == 0


def scene(rng, **fields):
    triangles = rng.integers(0, 50, (200, 3)).astype(np.uint32)
    return SceneArrays(
        positions=rng.normal(size=(50, 3)).astype(np.float32),
        triangles=triangles,
        material_ids=rng.integers(0, 2, 200).astype(np.int32),
        materials=(Material(base_color=(1, 0, 0, 1)), Material(base_color=(0, 0.5, 0, 1), alpha_cutoff=0.25)),
        **fields,
    )


def test_packing_keeps_every_triangle_and_its_material(rng):
    arrays = scene(rng)
    mesh = build_mesh(arrays, [DrawGroup(), DrawGroup(cutout=True)], {}, 16)
    corners = mesh.positions[mesh.indices].reshape(-1, 9)
    expected = arrays.positions[arrays.triangles].reshape(-1, 9)
    np.testing.assert_array_equal(corners[np.lexsort(corners.T)], expected[np.lexsort(expected.T)])
    # Factor 1 is 65535; red belongs to material 0, which comes first; 0.25 of 2^20 - 1 rounds to 262144.
    split = 3 * int((arrays.material_ids == 0).sum())
    colors, info = mesh.attributes["color"][mesh.indices], mesh.attributes["info"][mesh.indices]
    np.testing.assert_array_equal(colors[:split], np.tile([65535, 0, 0, 65535], (split, 1)))
    np.testing.assert_array_equal(np.unique(colors[split:], axis=0), [[0, 32768, 0, 65535]])
    assert set(info[:split]) == {0}
    assert set(info[split:] >> 12) == {262144}
    assert [(group.cutout, first) for group, first, _ in mesh.segments] == [
        (False, 0),
        (True, mesh.segments[0][2]),
    ]


def test_chunk_bounds_hold_their_triangles(rng):
    mesh = build_mesh(scene(rng), [DrawGroup(), DrawGroup()], {}, 16)
    for chunk in mesh.chunks:
        first, count = chunk["first_index"], chunk["index_count"]
        points = mesh.positions[mesh.indices[first : first + count]]
        assert (np.abs(points - chunk["center"]) <= chunk["extent"]).all()


def test_unused_vertices_are_dropped(rng):
    arrays = SceneArrays(
        positions=rng.normal(size=(100, 3)).astype(np.float32),
        triangles=np.array([[90, 5, 7]], np.uint32),
        material_ids=np.zeros(1, np.int32),
    )
    mesh = build_mesh(arrays, [DrawGroup()], {}, 16)
    np.testing.assert_array_equal(mesh.positions, arrays.positions[[90, 5, 7]])
    np.testing.assert_array_equal(mesh.indices, [0, 1, 2])


PLAIN, CUT = DrawGroup(), DrawGroup(cutout=True)
SEGMENTS = {3: [(PLAIN, 0, 40), (CUT, 40, 2)], 8: [(PLAIN, 42, 5)], 9: []}


def test_plan_by_hand():
    (batch,) = plan_batches(np.array([8, 3, 9, 8]), SEGMENTS, 0, 4, 100, 1 << 20)
    assert batch.groups == (PLAIN, CUT)
    # 40 chunks: 16 runs of the full batch of 32, and 4 of the other 8; 5 chunks: 3 runs; 2 chunks: 1 run.
    # Plain commands: 3 + 20 + 3 = 26, so the cut-out ones begin at 26.
    expected = [[0, 42, 5, 0, 0], [1, 0, 40, 0, 0], [1, 40, 2, 1, 26], [3, 42, 5, 0, 0]]
    np.testing.assert_array_equal(batch.items, expected)
    assert batch.first_command == (0, 26)
    assert batch.max_commands == (26, 1)


def test_plan_splits_by_views_and_by_room():
    ids = np.full(10, 3)
    assert [(b.start, b.stop) for b in plan_batches(ids, SEGMENTS, 2, 10, 3, 1 << 20)] == [
        (2, 5),
        (5, 8),
        (8, 10),
    ]
    # A view of scene 3 needs 21 commands: room for 45 holds two views.
    batches = plan_batches(ids, SEGMENTS, 0, 5, 100, 45 * COMMAND_BYTES)
    assert [batch.num_views for batch in batches] == [2, 2, 1]
    with pytest.raises(CapacityError, match="chunk_triangles"):
        plan_batches(ids, SEGMENTS, 0, 5, 100, 20 * COMMAND_BYTES)


def test_plan_of_empty_scenes():
    (batch,) = plan_batches(np.array([9, 9]), SEGMENTS, 0, 2, 10, 1 << 20)
    assert batch.groups == ()
    assert batch.items.shape == (0, 5)
