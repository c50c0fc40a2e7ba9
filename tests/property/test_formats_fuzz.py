"""Damaged files of all formats, and damaged streams inside of sound files, raise SceneError and nothing else.

A native decoder that crashed on one of them would end the test run.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gym_batchnav.scenes import load_scene
from tests.property.test_scenes_fuzz import SETTINGS, VALUES, check_changed, must_load_or_refuse, places
from tests.unit.scenes import basis_files
from tests.unit.scenes.gltf_files import TRIANGLE, GltfFile

POINTS = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 2, 0.5], [3, 0, 1]], np.float32)
INDICES = np.array([0, 1, 2, 0, 2, 3, 3, 2, 4, 2, 1, 5], np.uint16)
CHANGES = st.lists(st.tuples(st.integers(0, 2**16), st.integers(0, 255)), min_size=1, max_size=8)


def damaged(content: bytes, changes, length=None) -> bytes:
    """Content with some bytes changed, cut to a share of ``length`` / 65536."""
    changed = bytearray(content)
    for offset, value in changes:
        changed[offset % len(changed)] = value
    return bytes(changed[: len(changed) if length is None else len(changed) * length >> 16])


LENGTHS = st.one_of(st.none(), st.integers(0, 2**16))


def draco_streams():
    """Streams of all methods and levels; the first counts are of faces and points."""
    draco = pytest.importorskip("DracoPy", reason="the extra 'formats' is not installed")
    x, y = np.meshgrid(np.arange(5), np.arange(5), indexing="ij")
    grid = np.stack([x, y, x * y % 3], -1).reshape(-1, 3).astype(np.float32)
    corner = (np.arange(4)[:, None] * 5 + np.arange(4)).ravel()
    faces = np.stack([corner, corner + 5, corner + 1], 1).astype(np.uint32)
    more = {"tex_coord": grid[:, :2].astype(float), "colors": (grid * 50).astype(np.uint8)}
    for level in (0, 1, 7, 10):
        yield draco.encode(grid, faces, compression_level=level)
        yield draco.encode(grid, faces, compression_level=level, **more)
    yield draco.encode(grid, faces, preserve_order=True, create_metadata=True)


def draco_file(content: bytes) -> GltfFile:
    """A primitive in a Draco stream, with accessors that allow 300 vertices and faces."""
    file = GltfFile()
    primitive = file.primitive(file.raw_accessor(componentType=5126, type="VEC3", count=300))
    primitive["indices"] = file.raw_accessor(componentType=5125, type="SCALAR", count=900)
    extension = {"bufferView": file.view(content), "attributes": {"POSITION": 0}}
    primitive["extensions"] = {"KHR_draco_mesh_compression": extension}
    return file


@settings(SETTINGS, max_examples=250)
@given(st.integers(0, 8), CHANGES, LENGTHS)
def test_draco(tmp_path, number, changes, length):
    content = list(draco_streams())[number]
    path = tmp_path / "a.glb"
    path.write_bytes(draco_file(damaged(content, changes, length)).glb())
    must_load_or_refuse(path)


FILTERS = ("NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL", "COLOR")


@settings(SETTINGS, max_examples=250)
@given(
    st.sampled_from(["ATTRIBUTES", "TRIANGLES", "INDICES"]),
    st.sampled_from([0, 1]),
    CHANGES,
    LENGTHS,
    st.sampled_from(FILTERS),
    st.integers(0, 40),
)
def test_meshopt(tmp_path, mode, version, changes, length, filter_name, count):
    codec = pytest.importorskip("meshopt", reason="the extra 'formats' is not installed")
    rows = POINTS if mode == "ATTRIBUTES" else INDICES
    content = damaged(codec.encode_gltf_buffer(rows, mode, version), changes, length)
    file = GltfFile()
    primitive = file.primitive(POINTS, INDICES)
    stride, count = rows.nbytes // len(rows), count or len(rows)
    number = file.accessor(rows)
    view = file.json["bufferViews"][file.json["accessors"][number]["bufferView"]]
    start = file.json["bufferViews"][file.view(content)]["byteOffset"]
    compression = {"buffer": 0, "byteOffset": start, "byteLength": len(content), "byteStride": stride}
    compression |= {"count": count, "mode": mode, "filter": filter_name}
    view |= {"byteLength": count * stride, "extensions": {"EXT_meshopt_compression": compression}}
    if mode == "ATTRIBUTES":
        primitive["attributes"]["POSITION"] = number
    else:
        primitive["indices"] = number
    path = tmp_path / "a.glb"
    path.write_bytes(file.glb())
    must_load_or_refuse(path)


TEXTURES = (
    basis_files.ETC1S,
    basis_files.ETC1S_ALPHA,
    basis_files.UASTC_ZSTD,
    basis_files.plain_ktx2(),
    basis_files.basis_file(),
)


@settings(SETTINGS, max_examples=250)
@given(st.sampled_from(TEXTURES), CHANGES, LENGTHS)
def test_basis(tmp_path, content, changes, length):
    pytest.importorskip("opengl_basisu", reason="the extra 'formats' is not installed")
    file = GltfFile()
    primitive = file.primitive(TRIANGLE)
    primitive["attributes"]["TEXCOORD_0"] = file.accessor(np.zeros((3, 2), np.float32))
    file.json["images"] = [{"bufferView": file.view(damaged(content, changes, length))}]
    file.json["textures"] = [{"extensions": {"KHR_texture_basisu": {"source": 0}}}]
    primitive["material"] = file.material(pbrMetallicRoughness={"baseColorTexture": {"index": 0}})
    path = tmp_path / "a.glb"
    path.write_bytes(file.glb())
    must_load_or_refuse(path)


OBJ = b"""mtllib a.mtl
o one
v 0 0 0 1 0.5 0
v 1 0 0
v 0 1 0
vt 0 0.5
usemtl m
f 1/1 2/1 3/1
f -1 -2 -3
"""
MTL = b"newmtl m\nKd 1 0.5 0.25\nd 0.5\nmap_Kd -clamp on a.png\n"
LINES = st.sampled_from(
    [
        b"f 1 2 3 1 2 3",
        b"v",
        b"vt 1",
        b"f //",
        b"f 1/ 2/ 3/",
        b"usemtl",
        b"mtllib .",
        b"o",
        b"f 1e5 2 3",
        b"\xff\0",
    ]
)


@SETTINGS
@given(CHANGES, LENGTHS, st.lists(LINES, max_size=2), st.booleans())
def test_obj(tmp_path, changes, length, lines, in_library):
    path = tmp_path / "a.obj"
    obj, mtl = (OBJ, damaged(MTL, changes, length)) if in_library else (damaged(OBJ, changes, length), MTL)
    path.write_bytes(b"\n".join([obj, *lines]))
    (tmp_path / "a.mtl").write_bytes(mtl)
    must_load_or_refuse(path)


def mesh_files():
    """One file of each kind that trimesh writes, by suffix."""
    trimesh = pytest.importorskip("trimesh", reason="the extra 'formats' is not installed")
    mesh = trimesh.Trimesh(POINTS, INDICES.reshape(-1, 3), process=False, vertex_colors=[9, 200, 30, 255])
    for kind, suffix in (
        ("ply", "ply"),
        ("stl", "stl"),
        ("stl_ascii", "stl"),
        ("off", "off"),
        ("dae", "dae"),
    ):
        content = mesh.export(file_type=kind)
        yield suffix, content if isinstance(content, bytes) else content.encode()
    yield "ply", mesh.export(file_type="ply", encoding="ascii")


@settings(SETTINGS, max_examples=120)
@given(st.integers(0, 5), CHANGES, LENGTHS)
def test_mesh_files(tmp_path, number, changes, length):
    suffix, content = list(mesh_files())[number]
    path = tmp_path / f"a.{suffix}"
    path.write_bytes(damaged(content, changes, length))
    must_load_or_refuse(path)


def modern_file() -> GltfFile:
    """A file that uses extensions, a skin, morph targets, instances and emission."""
    file = GltfFile()
    primitive = file.primitive(POINTS, INDICES)
    primitive["attributes"] |= {
        "TEXCOORD_0": file.accessor(POINTS[:, :2].copy()),
        "JOINTS_0": file.accessor(np.zeros((len(POINTS), 4), np.uint8)),
        "WEIGHTS_0": file.accessor(np.ones((len(POINTS), 4), np.float32)),
    }
    primitive["targets"] = [{"POSITION": file.accessor(POINTS[::-1].copy())}]
    file.json["meshes"][0]["weights"] = [0.5]
    texture = file.image(np.full((2, 2, 4), 90, np.uint8))
    file.json["images"].append({"bufferView": file.view(basis_files.ETC1S)})
    file.json["textures"].append({"extensions": {"KHR_texture_basisu": {"source": 1}}})
    primitive["material"] = file.material(
        pbrMetallicRoughness={"baseColorTexture": {"index": 1}},
        emissiveFactor=[0.5, 0.5, 0.5],
        emissiveTexture={"index": texture},
        extensions={"KHR_materials_emissive_strength": {"emissiveStrength": 2}},
    )
    matrices = np.tile(np.eye(4, dtype=np.float32).reshape(1, 16), (2, 1))
    file.json["skins"] = [{"joints": [0, 1], "inverseBindMatrices": file.accessor(matrices)}]
    instances = {"TRANSLATION": file.accessor(POINTS), "SCALE": file.accessor(POINTS + 1)}
    file.json["nodes"] = [
        {"mesh": 0, "skin": 0, "weights": [0.25], "children": [1]},
        {"mesh": 0, "extensions": {"EXT_mesh_gpu_instancing": {"attributes": instances}}},
    ]
    return file


FIELDS = [place for place in places(modern_file().json) if place]


@pytest.mark.filterwarnings("ignore::gym_batchnav.scenes.SceneWarning")
def test_the_undamaged_file_loads(tmp_path):
    pytest.importorskip("opengl_basisu", reason="the extra 'formats' is not installed")
    # One skinned copy and six instances of four triangles.
    assert load_scene(modern_file().save(tmp_path)).arrays.num_triangles == 28


@settings(SETTINGS, max_examples=250)
@given(st.lists(st.tuples(st.sampled_from(FIELDS), VALUES), min_size=1, max_size=3))
def test_changed_json(tmp_path, changes):
    check_changed(modern_file(), changes, tmp_path)
