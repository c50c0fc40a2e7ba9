"""PLY, STL, OFF and COLLADA files written by trimesh, and broken COLLADA files."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from gym_batchnav.errors import SceneError
from gym_batchnav.scenes import SceneWarning, load_scene
from tests.unit.scenes.gltf_files import hide_codecs

trimesh = pytest.importorskip("trimesh", reason="the extra 'formats' is not installed")

POINTS = np.array([[0, 0, 0], [2, 0, 0], [0, 3, 0], [0, 0, 4]], np.float64)
FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
COLORS = np.array([[255, 0, 0, 255], [0, 255, 0, 255], [188, 188, 188, 255], [0, 0, 0, 255]], np.uint8)


def tetrahedron(**more):
    return trimesh.Trimesh(POINTS, FACES, process=False, **more)


def corners(arrays):
    return sorted(
        map(tuple, np.round(arrays.positions[arrays.triangles].astype(float).reshape(-1, 9), 5).tolist())
    )


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("a.ply", {}),
        ("a.ply", {"encoding": "ascii"}),
        ("a.STL", {"file_type": "stl"}),
        ("a.stl", {"file_type": "stl_ascii"}),
        ("a.off", {}),
    ],
)
def test_triangles_come_back(tmp_path, name, options):
    content = tetrahedron().export(file_type=options.pop("file_type", name[-3:]), **options)
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    arrays = load_scene(tmp_path / name).arrays
    assert corners(arrays) == sorted(map(tuple, POINTS[FACES].reshape(-1, 9).tolist()))
    np.testing.assert_array_equal(arrays.object_ids, [1, 1, 1, 1])


def test_vertex_colours_are_display_values(tmp_path):
    tetrahedron(vertex_colors=COLORS).export(tmp_path / "a.ply")
    arrays = load_scene(tmp_path / "a.ply").arrays
    # sRGB 188 is linear 0.503: 128 of 255.
    expected = np.where(COLORS == 188, 128, COLORS)
    order = [int(np.argmin(np.abs(POINTS - point).sum(1))) for point in arrays.positions]
    np.testing.assert_array_equal(arrays.colors, expected[order])


def test_face_colours(tmp_path):
    faces = "\n".join(f"3 {a} {b} {c} 255 0 {number}" for number, (a, b, c) in enumerate(FACES))
    header = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
    header += "element face 4\nproperty list uchar int vertex_indices\n"
    header += "".join(f"property uchar {name}\n" for name in ("red", "green", "blue")) + "end_header\n"
    points = "\n".join(" ".join(map(str, point)) for point in POINTS)
    (tmp_path / "a.ply").write_text(f"{header}{points}\n{faces}\n")
    arrays = load_scene(tmp_path / "a.ply").arrays
    found = arrays.colors[arrays.triangles]
    assert (found[..., 0] == 255).all()
    assert (found[..., 1] == 0).all()
    assert corners(arrays) == sorted(map(tuple, POINTS[FACES].reshape(-1, 9).tolist()))


def collada(folder, *, axis="Y_UP", meter="1", image=None):
    """A COLLADA file of the tetrahedron, perhaps textured."""
    mesh = tetrahedron()
    if image is not None:
        material = trimesh.visual.material.PBRMaterial(baseColorFactor=[255, 255, 255, 255])
        mesh.visual = trimesh.visual.TextureVisuals(uv=POINTS[:, :2] / 4, material=material)
    text = mesh.export(file_type="dae").decode()
    assert "<up_axis>Y_UP</up_axis>" in text
    text = text.replace("Y_UP", axis).replace("<up_axis>", f'<unit name="u" meter="{meter}"/><up_axis>')
    if image is not None:
        text = with_image(text, image)
    path = folder / "a.dae"
    path.write_text(text)
    return path


def with_image(text, name):
    """Put an image in the place of the diffuse colour."""
    library = f'<library_images><image id="i"><init_from>{name}</init_from></image></library_images>'
    start, end = text.index("<diffuse>"), text.index("</diffuse>")
    text = text[:start] + '<diffuse><texture texture="s" texcoord="UV"/>' + text[end:]
    params = (
        '<newparam sid="f"><surface type="2D"><init_from>i</init_from></surface></newparam>'
        '<newparam sid="s"><sampler2D><source>f</source></sampler2D></newparam>'
    )
    text = text.replace("<profile_COMMON>", f"<profile_COMMON>{params}")
    return text.replace("<library_effects>", f"{library}<library_effects>")


@pytest.mark.parametrize(
    ("axis", "meter", "expected"),
    [
        ("Y_UP", "1", POINTS),
        ("Y_UP", "0.01", POINTS * 0.01),
        # With z up (x, y, z) becomes (x, z, -y); with x up it becomes (-y, x, z).
        ("Z_UP", "1", POINTS[:, [0, 2, 1]] * [1, 1, -1]),
        ("X_UP", "2", POINTS[:, [1, 0, 2]] * [-2, 2, 2]),
    ],
)
@pytest.mark.filterwarnings("ignore::gym_batchnav.scenes.SceneWarning")
def test_collada_declares_its_axis_and_unit(tmp_path, axis, meter, expected):
    pytest.importorskip("collada", reason="the extra 'formats' is not installed")
    arrays = load_scene(collada(tmp_path, axis=axis, meter=meter)).arrays
    assert corners(arrays) == sorted(map(tuple, np.round(expected[FACES] + 0.0, 5).reshape(-1, 9).tolist()))


def test_an_axis_that_is_given_overrides_the_files(tmp_path):
    pytest.importorskip("collada", reason="the extra 'formats' is not installed")
    arrays = load_scene(collada(tmp_path, axis="Z_UP"), up="y").arrays
    assert corners(arrays) == sorted(map(tuple, POINTS[FACES].reshape(-1, 9).tolist()))


def test_collada_textures_and_their_absence(tmp_path):
    pytest.importorskip("collada", reason="the extra 'formats' is not installed")
    pixels = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    path = collada(tmp_path, image="file:///home/author/tex%20ture.png")
    with pytest.warns(
        SceneWarning, match=r"a\.dae: an image 'file:///home/.* cannot be read .*grey stand-in"
    ):
        assert load_scene(path).arrays.textures[0].pixels.shape == (1, 1, 4)
    Image.fromarray(pixels).save(tmp_path / "tex ture.png")
    arrays = load_scene(path).arrays
    np.testing.assert_array_equal(arrays.textures[0].pixels, pixels)
    expected = POINTS[:, :2] / 4 * [1, -1] + [0, 1]
    order = [int(np.argmin(np.abs(POINTS - point).sum(1))) for point in arrays.positions]
    np.testing.assert_allclose(arrays.uvs, expected[order], atol=1e-6)


BROKEN = {
    "a.dae": [
        (b"<COLLADA", "cannot be read as dae"),
        (b"not xml", "cannot be read as dae"),
        (
            b'<!DOCTYPE a [<!ENTITY b "'
            + b"x" * 1000
            + b'">'
            + b"".join(
                b'<!ENTITY b%d "%s">' % (n, b"&b%s;" % (b"%d" % (n - 1) if n else b"") * 40)
                for n in range(12)
            )
            + b"]><COLLADA>&b11;</COLLADA>",
            "cannot be read as dae",
        ),
    ],
}


@pytest.mark.parametrize(
    ("name", "number"), [(name, i) for name, items in BROKEN.items() for i in range(len(items))]
)
def test_broken_files_are_refused(tmp_path, name, number):
    if name == "a.dae":
        pytest.importorskip("collada", reason="the extra 'formats' is not installed")
    content, message = BROKEN[name][number]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SceneError, match=rf"{name}: .*({message})"):
        load_scene(tmp_path / name)


def with_nodes(folder, library, scene):
    """The tetrahedron with other nodes in its scene and in a library beside it."""
    text = collada(folder).read_text()
    start, end = text.index("<node "), text.index("</visual_scene>")
    geometry = text[text.index("<geometry id=") + len("<geometry id=") :].split('"')[1]
    text = text[:start] + scene.replace("GEOMETRY", geometry) + text[end:]
    nodes = f"<library_nodes>{library.replace('GEOMETRY', geometry)}</library_nodes>"
    path = folder / "a.dae"
    path.write_text(text.replace("<library_visual_scenes>", f"{nodes}<library_visual_scenes>"))
    return path


SHOWN = '<instance_geometry url="#GEOMETRY"/>'


def test_nodes_of_a_library_are_drawn_where_they_are_named(tmp_path):
    pytest.importorskip("collada", reason="the extra 'formats' is not installed")
    library = f'<node id="n">{SHOWN}</node>'
    scene = '<node id="a"><instance_node url="#n"/><instance_node url="#n"/></node>'
    arrays = load_scene(with_nodes(tmp_path, library, scene)).arrays
    assert arrays.num_triangles == 8
    assert set(arrays.object_ids) == {1, 2}


def test_nodes_that_stand_for_billions_are_refused(tmp_path):
    """Each of 40 nodes names the one before it twice: 2^40 tetrahedra from 3 KB."""
    pytest.importorskip("collada", reason="the extra 'formats' is not installed")
    twice = '<node id="n{}"><instance_node url="#n{}"/><instance_node url="#n{}"/></node>'
    library = f'<node id="n0">{SHOWN}</node>' + "".join(twice.format(i + 1, i, i) for i in range(40))
    path = with_nodes(tmp_path, library, '<node id="a"><instance_node url="#n40"/></node>')
    with pytest.raises(SceneError, match=r"a\.dae: its nodes and their instances would bring .* unpack to"):
        load_scene(path)


def test_nodes_in_themselves_are_refused(tmp_path):
    pytest.importorskip("collada", reason="the extra 'formats' is not installed")
    library = '<node id="n"><instance_node url="#m"/></node><node id="m"><instance_node url="#n"/></node>'
    path = with_nodes(tmp_path, library, '<node id="a"><instance_node url="#n"/></node>')
    with pytest.raises(SceneError, match=r"a\.dae: its nodes are nested deeper than 200, or in themselves"):
        load_scene(path)


def test_without_the_package_the_error_says_what_to_install(tmp_path, monkeypatch):
    (tmp_path / "a.dae").write_bytes(b"<COLLADA/>")
    hide_codecs(monkeypatch, "collada")
    with pytest.raises(SceneError, match=r'a\.dae: needs the package collada.*"gym-batchnav\[formats\]"'):
        load_scene(tmp_path / "a.dae")


def test_a_file_of_others(shared_data):
    scene = load_scene(shared_data / "scenes" / "houseexpo_1451_zup.ply", up="z")
    assert scene.arrays.num_triangles == 1732
    # A floor plan of 11.28 x 10.75 m, extruded to 3 m.
    np.testing.assert_allclose(np.ptp(scene.positions, axis=0), [11.28, 3.0, 10.75], atol=0.01)
