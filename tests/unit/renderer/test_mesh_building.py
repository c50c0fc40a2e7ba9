"""Chunks, mesh packing and batch plans."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from batchnav_renderer import CapacityError, Material, SceneArrays, Texture
from batchnav_renderer.gl.chunks import build_chunks
from batchnav_renderer.gl.mesh import DrawGroup, MeshSettings, build_mesh
from batchnav_renderer.gl.plan import COMMAND_BYTES, plan_batches
from batchnav_renderer.gl.textures import ImageKind


def settings(**fields):
    values = {"rgb": True, "ids": False, "max_texture_size": 64, "chunk_triangles": 16, **fields}
    return MeshSettings(**values)


def test_chunks_partition_the_triangles_by_group(rng):
    centers = rng.uniform(0, 10, (1000, 3)).astype(np.float32)
    groups = rng.integers(0, 3, 1000)
    chunks = build_chunks(centers, groups, 16)
    np.testing.assert_array_equal(np.sort(chunks.order), np.arange(1000))
    lengths = np.diff(chunks.starts)
    assert lengths.min() >= 1
    assert lengths.max() <= 16
    # All chunks of a group but the last are full: ceil(n / 16) chunks each.
    assert len(lengths) == sum(-(-int(count) // 16) for count in np.bincount(groups))
    for group in range(3):
        assert (lengths[chunks.groups == group][:-1] == 16).all()
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
    empty = SceneArrays(
        positions=np.zeros((0, 3), np.float32),
        triangles=np.zeros((0, 3), np.uint32),
        material_ids=np.zeros(0, np.int32),
    )
    mesh = build_mesh(settings(), empty)
    assert mesh.segments == ()
    assert mesh.triangles.size == mesh.chunks.size == 0


def scene(rng, **fields):
    triangles = rng.integers(0, 50, (200, 3)).astype(np.uint32)
    return SceneArrays(
        positions=rng.normal(size=(50, 3)).astype(np.float32),
        triangles=triangles,
        material_ids=rng.integers(0, 2, 200).astype(np.int32),
        materials=(Material(base_color=(1, 0, 0, 1)), Material(base_color=(0, 0.5, 0, 1), alpha_cutoff=0.25)),
        **fields,
    )


def stored(mesh, per_triangle):
    """Rows of the triangles that chunks hold, of an array with a row for each place of a page."""
    counts = mesh.chunks["index_count"].reshape(-1) // 3
    rows = per_triangle.reshape(len(counts), -1, *per_triangle.shape[2:])
    return np.concatenate([chunk[:count] for chunk, count in zip(rows, counts, strict=True)])


def test_packing_keeps_every_triangle_and_its_material(rng):
    objects = np.arange(200, dtype=np.int32)
    arrays = scene(rng, object_ids=objects)
    mesh = build_mesh(settings(ids=True), arrays)
    numbers = stored(mesh, mesh.objects)
    np.testing.assert_array_equal(np.sort(numbers), objects)
    triangles = stored(mesh, mesh.triangles)
    np.testing.assert_array_equal(mesh.positions[triangles], arrays.positions[arrays.triangles[numbers]])
    # Factor 1 is 65535; 0.25 of 2^17 - 1 rounds to 32768, in the 17 bits from the 15th on.
    colors, info = mesh.attributes["color"][triangles], mesh.attributes["info"][triangles]
    red = arrays.material_ids[numbers] == 0
    np.testing.assert_array_equal(np.unique(colors[red].reshape(-1, 4), axis=0), [[65535, 0, 0, 65535]])
    np.testing.assert_array_equal(np.unique(colors[~red].reshape(-1, 4), axis=0), [[0, 32768, 0, 65535]])
    assert set(info[red].ravel()) == {0}
    assert set(info[~red].ravel()) == {32768 << 15}
    # A page holds 32 chunks of 16 triangles, so each group takes one.
    assert mesh.segments == ((DrawGroup(), 0, 1), (DrawGroup(cutout=True), 1, 1))
    np.testing.assert_array_equal(red, np.arange(200) < red.sum())


def test_groups_begin_on_a_page_of_their_own(rng):
    arrays = scene(rng)
    mesh = build_mesh(settings(chunk_triangles=1024), arrays)  # two chunks a page
    assert mesh.chunks.shape == (2, 2)
    assert mesh.triangles.shape == (2, 2048, 3)
    mesh = build_mesh(settings(chunk_triangles=5000), arrays)  # a chunk is a page
    assert mesh.triangles.shape == (2, 5000, 3)
    mesh = build_mesh(settings(chunk_triangles=1), arrays)  # 32 chunks a page
    assert mesh.triangles.shape == (sum(-(-n // 32) for n in np.bincount(arrays.material_ids)), 32, 3)


def test_chunk_bounds_hold_their_triangles_tightly(rng):
    mesh = build_mesh(settings(), scene(rng))
    chunks = mesh.chunks.reshape(-1)
    triangles = mesh.triangles.reshape(len(chunks), -1, 3)
    assert (chunks["index_count"] > 0).sum() >= 200 // 16
    for chunk, corners in zip(chunks, triangles, strict=True):
        points = mesh.positions[corners[: chunk["index_count"] // 3]].reshape(-1, 3)
        if len(points):
            assert (np.abs(points - chunk["center"]) <= chunk["extent"]).all()
            np.testing.assert_allclose(np.ptp(points, axis=0), 2 * chunk["extent"], atol=1e-3)


def test_unused_vertices_are_dropped(rng):
    arrays = SceneArrays(
        positions=rng.normal(size=(100, 3)).astype(np.float32),
        triangles=np.array([[90, 5, 7]], np.uint32),
        material_ids=np.zeros(1, np.int32),
    )
    mesh = build_mesh(settings(), arrays)
    np.testing.assert_array_equal(mesh.positions, arrays.positions[[90, 5, 7]])
    np.testing.assert_array_equal(stored(mesh, mesh.triangles), [[0, 1, 2]])


def test_opaque_depth_needs_no_attributes(rng):
    arrays = scene(rng)
    assert build_mesh(settings(rgb=False), arrays).attributes is not None  # one material is cut out
    plain = SceneArrays(
        positions=arrays.positions, triangles=arrays.triangles, material_ids=np.zeros(200, np.int32)
    )
    mesh = build_mesh(settings(rgb=False), plain)
    assert mesh.attributes is mesh.vertex_images is mesh.objects is None


def test_an_image_is_kept_once_for_each_use(rng):
    pixels = rng.integers(0, 256, (20, 30, 4), dtype=np.uint8)
    arrays = SceneArrays(
        positions=np.eye(3, dtype=np.float32),
        triangles=np.tile(np.arange(3, dtype=np.uint32), (4, 1)),
        material_ids=np.arange(4, dtype=np.int32),
        materials=(
            Material(texture=0), Material(texture=0, base_color=(1, 0, 0, 1)),
            Material(texture=0, alpha_cutoff=0.5), Material(texture=1),
        ),
        textures=(Texture(pixels=pixels, wrap=("mirror", "clamp")), Texture(pixels=pixels)),
    )  # fmt: skip
    mesh = build_mesh(settings(), arrays)
    assert [image.kind for image in mesh.images] == [
        ImageKind(32, False), ImageKind(32, True), ImageKind(32, False)
    ]  # fmt: skip
    # One vertex for each material and corner; "mirror" is 2 and "clamp" 1: 2 << 11 | 1 << 13 = 12288.
    by_color = {
        tuple(color): image
        for color, image in zip(mesh.attributes["color"].tolist(), mesh.vertex_images.tolist(), strict=True)
    }
    assert by_color[(65535, 0, 0, 65535)] == 0
    assert set(mesh.attributes["info"][mesh.vertex_images == 0]) == {12288}
    assert set(mesh.attributes["info"][mesh.vertex_images == 2]) == {0}
    depth = build_mesh(settings(rgb=False), arrays)
    assert [image.kind for image in depth.images] == [ImageKind(32, True)]


def test_meshes_can_be_pickled(rng):
    mesh = build_mesh(settings(), scene(rng))
    again = pickle.loads(pickle.dumps(mesh))
    np.testing.assert_array_equal(again.triangles, mesh.triangles)
    assert again.segments == mesh.segments


PLAIN, CUT = DrawGroup(), DrawGroup(cutout=True)
SEGMENTS = {
    3: [(PLAIN, np.array([4, 0])), (CUT, np.array([7]))],
    8: [(PLAIN, np.array([2]))],
    9: [],
}


def test_plan_by_hand():
    (batch,) = plan_batches(np.array([8, 3, 9, 8]), SEGMENTS, 0, 4, 100, 1 << 20, 32)
    assert batch.groups == (PLAIN, CUT)
    np.testing.assert_array_equal(batch.pages, [4, 0, 7, 2])
    # A page of 32 chunks has at most 16 runs. Plain commands: 16 + 32 + 16 = 64, so the cut-out ones begin
    # there. Masks: one for each page of each view, 1 + 2 + 1 + 1.
    expected = [[0, 3, 1, 0, 0, 0], [1, 0, 2, 0, 0, 1], [1, 2, 1, 1, 64, 3], [3, 3, 1, 0, 0, 4]]
    np.testing.assert_array_equal(batch.items, expected)
    assert batch.num_masks == 5
    assert batch.first_command == (0, 64)
    assert batch.max_commands == (64, 16)


def test_plan_splits_by_views_and_by_room():
    ids = np.full(10, 3)
    assert [(b.start, b.stop) for b in plan_batches(ids, SEGMENTS, 2, 10, 3, 1 << 20, 32)] == [
        (2, 5),
        (5, 8),
        (8, 10),
    ]
    # A view of scene 3 needs 48 commands: room for 100 holds two views.
    batches = plan_batches(ids, SEGMENTS, 0, 5, 100, 100 * COMMAND_BYTES, 32)
    assert [batch.num_views for batch in batches] == [2, 2, 1]
    with pytest.raises(CapacityError, match="chunk_triangles"):
        plan_batches(ids, SEGMENTS, 0, 5, 100, 47 * COMMAND_BYTES, 32)


def test_plan_of_empty_scenes():
    (batch,) = plan_batches(np.array([9, 9]), SEGMENTS, 0, 2, 10, 1 << 20, 32)
    assert batch.groups == ()
    assert batch.items.shape == (0, 6)
