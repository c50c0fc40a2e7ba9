"""OBJ files and their MTL materials, written by hand."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from gym_batchnav.errors import SceneError
from gym_batchnav.scenes import SceneWarning, load_scene

SQUARE = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"


def load(folder, text, **files):
    """Load ``scene.obj`` from a folder with some other files."""
    for name, content in files.items():
        (folder / name.replace("_", ".")).write_text(content)
    path = folder / "scene.obj"
    path.write_text(text)
    return load_scene(path).arrays


def corners(arrays):
    return arrays.positions[arrays.triangles].tolist()


A, B, C, D = [0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]


@pytest.mark.parametrize(
    ("faces", "expected"),
    [
        ("f 1 2 3", [[A, B, C]]),
        ("f 1 2 3 4", [[A, B, C], [A, C, D]]),
        ("f -4 -3 -2", [[A, B, C]]),
        ("f 1 2 \\\n 3", [[A, B, C]]),
        ("f 1 2 3\r\nf 1 3 4\r\n", [[A, B, C], [A, C, D]]),
        ("  f\t1  2 3   # no comment", None),
        ("f 1 1 2\nf 1 2 3", [[A, B, C]]),
        ("l 1 2\np 1\ns off\nvn 0 0 1\nf 1//1 2//1 3//1", [[A, B, C]]),
    ],
)
def test_faces(tmp_path, faces, expected):
    if expected is None:
        with pytest.raises(SceneError, match="line 5"):
            load(tmp_path, SQUARE + faces)
    else:
        assert corners(load(tmp_path, SQUARE + faces)) == expected


def test_backward_references_count_what_was_read_so_far(tmp_path):
    text = "v 0 0 0\nv 1 0 0\nv 1 1 0\nf -3 -2 -1\nv 0 0 5\nv 1 0 5\nv 1 1 5\nf -3 -2 -1\n"
    found = corners(load(tmp_path, text))
    assert found == [[A, B, C], [[0, 0, 5], [1, 0, 5], [1, 1, 5]]]


def test_texture_coordinates_split_vertices_and_point_down(tmp_path):
    text = SQUARE + "vt 0 0\nvt 1 0.25\nvt 0.5 1 0\nf 1/1 2/2 3/3\nf 1/2/9 3/3 4/1\n"
    arrays = load(tmp_path, text.replace("/9", ""))
    # Corner A has two texture coordinates, so it becomes two vertices: 5 in all. v is turned over: 1 - v.
    assert len(arrays.positions) == 5
    expected = [[[0, 1], [1, 0.75], [0.5, 0]], [[1, 0.75], [0.5, 0], [0, 1]]]
    np.testing.assert_allclose(arrays.uvs[arrays.triangles], expected)


def test_objects_count_by_name(tmp_path):
    faces = "f 1 2 3\no chair\nf 1 2 3\ng seat\nf 1 3 4\no table\nf 1 2 3\no chair\nf 1 2 3\n"
    # What stands before any name shares the number of the first.
    np.testing.assert_array_equal(load(tmp_path, SQUARE + faces).object_ids, [1, 1, 1, 2, 1])
    grouped = "g a\nf 1 2 3\ng b\nf 1 2 3\n"
    np.testing.assert_array_equal(load(tmp_path, SQUARE + grouped).object_ids, [1, 2])


def test_vertex_colours_are_display_values(tmp_path):
    arrays = load(tmp_path, "v 0 0 0 1 0 0\nv 1 0 0 0.5 0.5 0.5\nv 1 1 0\nf 1 2 3\n")
    # sRGB 0.5 is linear 0.214: 55 of 255. A vertex without a colour is white.
    np.testing.assert_array_equal(arrays.colors, [[255, 0, 0, 255], [55, 55, 55, 255], [255] * 4])


MTL = """
newmtl red
Kd 1 0.5 0
newmtl glass  pane
Kd 0.5
d 0.25
newmtl lamp
Kd 0 0 0
Ke 0 1 0
Tr 0.5
newmtl odd
Kd spectral file.rfl
"""


def test_materials(tmp_path):
    names = ("red", "glass  pane", "red", "lamp", "odd")
    text = "mtllib a.mtl\n" + SQUARE + "f 1 2 3\n" + "".join(f"usemtl {name}\nf 1 2 3\n" for name in names)
    arrays = load(tmp_path, text, a_mtl=MTL)
    np.testing.assert_array_equal(arrays.material_ids, [0, 1, 2, 1, 3, 4])
    colors = [material.base_color for material in arrays.materials]
    # sRGB 0.5 is linear 0.21404.
    np.testing.assert_allclose(
        colors,
        [[1, 1, 1, 1], [1, 0.21404, 0, 1], [0.21404] * 3 + [0.25], [0, 1, 0, 0.5], [1, 1, 1, 1]],
        atol=1e-5,
    )
    # Only what is less than half opaque is cut out.
    assert [material.alpha_cutoff for material in arrays.materials] == [0, 0, 0.5, 0, 0]


@pytest.mark.parametrize(
    ("line", "wrap"),
    [
        ("map_Kd my tex.png", "repeat"),
        ("map_Kd -clamp on my tex.png", "clamp"),
        ("map_Kd -mm 0 1 -blendu off my tex.png", "repeat"),
        (r"map_Kd C:\Users\author\my tex.png", "repeat"),
        ("map_Kd /home/author/my tex.png", "repeat"),
        ("map_Kd ../textures/my tex.png", "repeat"),
    ],
)
def test_textures(tmp_path, line, wrap):
    pixels = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    Image.fromarray(pixels).save(tmp_path / "my tex.png")
    text = "mtllib a.mtl\nusemtl m\nvt 0 0\n" + SQUARE + "f 1/1 2/1 3/1\n"
    arrays = load(tmp_path, text, a_mtl=f"newmtl m\nKd 0 0 0\n{line}\n")
    np.testing.assert_array_equal(arrays.textures[0].pixels, pixels)
    assert arrays.textures[0].wrap == (wrap, wrap)
    # A factor of 0 would hide the texture, so it is taken for one that was left out.
    assert arrays.materials[1].base_color[:3] == (1, 1, 1)


def test_a_scaled_texture_is_drawn_unscaled_with_a_warning(tmp_path):
    Image.fromarray(np.zeros((2, 2, 3), np.uint8)).save(tmp_path / "t.png")
    text = "mtllib a.mtl\nusemtl m\nvt 0 0\n" + SQUARE + "f 1/1 2/1 3/1\n"
    with pytest.warns(SceneWarning, match="moves or scales its texture"):
        arrays = load(tmp_path, text, a_mtl="newmtl m\nmap_Kd -s 2 2 -o 0.5 t.png\n")
    assert arrays.textures[0].pixels.shape == (2, 2, 4)


@pytest.mark.parametrize(
    ("library", "message"),
    [
        (None, r"mtllib 'a\.mtl' cannot be read .*white"),
        ("newmtl other\n", "usemtl names 'm', which no library defines"),
        ("newmtl m\nmap_Kd gone.png\n", r"map_Kd 'gone\.png' cannot be read .*grey stand-in"),
        ("newmtl m\nmap_Kd scene.obj\n", r"map_Kd 'scene\.obj' cannot be read \(cannot identify.*grey"),
        ("newmtl m\nmap_Kd ../../etc/hostname\n", r"map_Kd '../../etc/hostname' cannot be read"),
    ],
)
def test_missing_materials_and_textures_give_a_warning(tmp_path, library, message):
    files = {} if library is None else {"a_mtl": library}
    with pytest.warns(SceneWarning, match=message):
        arrays = load(tmp_path, "mtllib a.mtl\nusemtl m\n" + SQUARE + "f 1 2 3\n", **files)
    assert arrays.num_triangles == 1


def test_two_libraries_in_one_line(tmp_path):
    text = "mtllib a.mtl b.mtl\nusemtl n\n" + SQUARE + "f 1 2 3\n"
    arrays = load(tmp_path, text, a_mtl="newmtl m\nKd 0 0 0\n", b_mtl="newmtl n\nKd 0 0 1\n")
    assert arrays.materials[1].base_color == (0, 0, 1, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f 1 2 3\n", r"line 1: 'f 1 2 3' is broken \(it names vertex 1, but 0 were read so far\)"),
        (SQUARE + "f 1 2 5\n", "line 5: .*names vertex 5, but 4"),
        (SQUARE + "f 1 2 0\n", "line 5: .*names vertex 0"),
        (SQUARE + "f 1 2 -5\n", "line 5: .*names vertex -5"),
        (SQUARE + "f 1 2\n", "line 5: .*2 corners"),
        (SQUARE + "f 1/1 2/1 3/1\n", "line 5: .*names texture coordinate 1, but 0"),
        (SQUARE + "f 1 2 x\n", "line 5: .*invalid literal"),
        (SQUARE + "f 1 2 99999999999999999999999\n", "line 5: "),
        ("v 0 0\n", "line 1: 'v 0 0' is broken .2 numbers"),
        ("v 0 0 zero\n", "line 1: .*could not convert"),
        ("vt\n", "line 1: 'vt' is broken"),
        ("v nan 0 0\n" + SQUARE + "f 1 2 3\n", "NaN or infinite"),
        ("v 1e999 0 0\n" + SQUARE + "f 1 2 3\n", "NaN or infinite"),
        ("v 1e200 0 0\n" + SQUARE + "f 1 2 3\n", "cannot be drawn"),
        ("", "holds no triangles"),
        (SQUARE, "holds no triangles"),
        ("\0\1\2" * 40, "holds no triangles"),
    ],
)
def test_broken_files_are_refused(tmp_path, text, message):
    with pytest.raises(SceneError, match=rf"scene\.obj: .*{message}"):
        load(tmp_path, text)


def test_one_library_is_read_once_and_many_are_refused(tmp_path, recwarn):
    arrays = load(tmp_path, "mtllib gone.mtl\n" * 2000 + SQUARE + "f 1 2 3\n")
    assert arrays.num_triangles == 1
    assert len(recwarn.list) == 1
    names = "".join(f"mtllib {number}.mtl\n" for number in range(1001))
    with pytest.raises(SceneError, match="more than 1000 material libraries"):
        load(tmp_path, names + SQUARE + "f 1 2 3\n")


def test_a_library_under_many_names_is_refused(tmp_path, monkeypatch):
    """90 KB that 40 lines call by other names: 3.6 MB of lines to read."""
    monkeypatch.setattr("gym_batchnav.scenes.budget._FREE_BYTES", 2**20)
    content = "newmtl m\n" * 10_000
    names = "".join(f"mtllib {'./' * number}a.mtl\n" for number in range(40))
    with pytest.raises(SceneError, match=r"mtllib .*may unpack to"):
        load(tmp_path, names + SQUARE + "f 1 2 3\n", a_mtl=content)


def test_broken_libraries_are_refused(tmp_path):
    with pytest.raises(SceneError, match=r"scene\.obj: a\.mtl, line 2: 'Kd 1 x 0' is broken"):
        load(tmp_path, "mtllib a.mtl\n" + SQUARE + "f 1 2 3\n", a_mtl="newmtl m\nKd 1 x 0\n")


def test_a_file_of_others(shared_data):
    arrays = load_scene(shared_data / "scenes" / "recast_dungeon.obj").arrays
    assert arrays.num_triangles == 10_133
    assert len(arrays.positions) == 5101
