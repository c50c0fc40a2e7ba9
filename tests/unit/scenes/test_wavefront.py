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
        ("  f\t1  2 3   # a comment", [[A, B, C]]),
        ("fo 1 2 3", [[A, B, C]]),
        ("f +1 2/ 3//", [[A, B, C]]),
        ("# C:\\author\\\nf 1 2 3", [[A, B, C]]),
        ("f 1 1 2\nf 1 2 3", [[A, B, C]]),
        ("l 1 2\np 1\ns off\nvn 0 0 1\nf 1//1 2//1 3//1", [[A, B, C]]),
    ],
)
def test_faces(tmp_path, faces, expected):
    assert corners(load(tmp_path, SQUARE + faces)) == expected


def test_backward_references_count_what_was_read_so_far(tmp_path):
    text = "v 0 0 0\nv 1 0 0\nv 1 1 0\nf -3 -2 -1\nv 0 0 5\nv 1 0 5\nv 1 1 5\nf -3 -2 -1\n"
    found = corners(load(tmp_path, text))
    assert found == [[A, B, C], [[0, 0, 5], [1, 0, 5], [1, 1, 5]]]


def test_forward_references(tmp_path):
    text = "vt 0 0\nf 1/1 2/2 3/3\n" + SQUARE + "vt 1 0\nvt 1 1\n"
    arrays = load(tmp_path, text)
    assert corners(arrays) == [[A, B, C]]
    np.testing.assert_array_equal(arrays.uvs[arrays.triangles], [[[0, 1], [1, 1], [1, 0]]])


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be", "cp1252"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_encodings_and_line_ends(tmp_path, encoding, end):
    """The first line counts too: a mark in front of it must not hide it."""
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    library, scene = "newmtl t\u00fcr\nKd 1 0 0\n", SQUARE + "mtllib \u00e4.mtl\nusemtl t\u00fcr\nf 1 2 3\n"
    (tmp_path / "\u00e4.mtl").write_bytes((mark + library).replace("\n", end).encode(encoding))
    (tmp_path / "scene.obj").write_bytes((mark + scene).replace("\n", end).encode(encoding))
    arrays = load_scene(tmp_path / "scene.obj").arrays
    assert corners(arrays) == [[A, B, C]]
    assert arrays.materials[1].base_color == (1, 0, 0, 1)


def test_faces_that_are_not_convex_are_filled(tmp_path):
    """A dart of area 16/2 - 2: a fan from its first corner would leave it and fill 10."""
    arrays = load(tmp_path, "v 0 0 0\nv 4 0 0\nv 4 4 0\nv 3 1 0\nf 1 2 3 4\n")
    a, b, c = np.moveaxis(arrays.positions[arrays.triangles], 1, 0)
    assert np.cross(b - a, c - a)[:, 2].tolist() == [4, 4]  # twice the areas of (B, C, D) and (D, A, B)


def test_faces_of_two_corners_are_left_out(tmp_path):
    with pytest.warns(SceneWarning, match=r"scene\.obj: 2 faces of fewer than 3 corners are not drawn"):
        assert corners(load(tmp_path, SQUARE + "f 1 2\nf 1\nf 1 2 3\n")) == [[A, B, C]]


def test_a_line_number_counts_continued_lines(tmp_path):
    with pytest.raises(SceneError, match=r"line 7: 'f 1 2 x' is broken"):
        load(tmp_path, SQUARE + "f 1 \\\n2 3\nf 1 2 x\n")


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


def test_vertex_colours_of_bytes(tmp_path):
    arrays = load(tmp_path, "v 0 0 0 255 0 0\nv 1 0 0 0 128 0\nv 1 1 0 0 0 0\nf 1 2 3\n")
    # 128 of 255 is linear 0.2159: 55 of 255.
    np.testing.assert_array_equal(arrays.colors, [[255, 0, 0, 255], [0, 55, 0, 255], [0, 0, 0, 255]])
    with pytest.warns(SceneWarning, match="1 vertex colours are NaN or infinite and are drawn white"):
        arrays = load(tmp_path, "v 0 0 0 nan 0 0\nv 1 0 0 0 1 0\nv 1 1 0 0 0 1\nf 1 2 3\n")
    np.testing.assert_array_equal(arrays.colors, [[255] * 4, [0, 255, 0, 255], [0, 0, 255, 255]])


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
    ("lines", "alpha"),
    [("d 1\nTr 1", 1), ("Tr 1\nd 1", 1), ("Tr 0.25", 0.75), ("d 0.25\nTr 0.25", 0.25), ("d -halo 0.5", 0.5)],
)
def test_where_opacity_and_transparency_disagree_opacity_counts(tmp_path, lines, alpha):
    text = "mtllib a.mtl\nusemtl m\n" + SQUARE + "f 1 2 3\n"
    assert load(tmp_path, text, a_mtl=f"newmtl m\n{lines}\n").materials[1].base_color[3] == alpha


def test_opacity_maps(tmp_path):
    """Opacity comes from a mask's brightness, or from its alpha channel where it has one."""
    color = np.full((1, 2, 3), [10, 20, 30], np.uint8)
    Image.fromarray(color).save(tmp_path / "color.png")
    Image.fromarray(np.array([[0, 255], [0, 255]], np.uint8)).save(tmp_path / "grey.png")
    Image.fromarray(np.array([[[9, 9, 9, 255], [9, 9, 9, 7]]], np.uint8)).save(tmp_path / "alpha.png")
    lines = {
        "a": "map_Kd color.png\nmap_d grey.png",
        "b": "map_d alpha.png",
        "c": "map_Kd color.png\nmap_d gone",
    }
    lines["d"] = "map_Kd alpha.png\nmap_d alpha.png"
    library = "".join(f"newmtl {name}\n{text}\n" for name, text in lines.items())
    faces = "".join(f"usemtl {name}\nf 1/1 2/1 3/1\n" for name in lines)
    with pytest.warns(SceneWarning, match="map_d 'gone' cannot be read"):
        arrays = load(tmp_path, "mtllib m.mtl\nvt 0 0\n" + SQUARE + faces, m_mtl=library)
    found = [arrays.textures[material.texture].pixels.tolist() for material in arrays.materials[1:]]
    assert found == [
        [[[10, 20, 30, 0], [10, 20, 30, 255]]],
        [[[255, 255, 255, 255], [255, 255, 255, 7]]],
        [[[10, 20, 30, 255], [10, 20, 30, 255]]],
        [[[9, 9, 9, 255], [9, 9, 9, 7]]],
    ]


def test_a_texture_line_without_a_name_is_left_out(tmp_path):
    text = "mtllib a.mtl\nusemtl m\n" + SQUARE + "f 1 2 3\n"
    with pytest.warns(SceneWarning, match="a line map_Kd names no file"):
        arrays = load(tmp_path, text, a_mtl="newmtl m\nKd 1 0 0\nmap_Kd -clamp on \n")
    assert (arrays.materials[1].base_color, arrays.textures) == ((1, 0, 0, 1), ())


@pytest.mark.parametrize(
    ("line", "wrap"),
    [
        ("map_Kd my tex.png", "repeat"),
        ("map_Kd -clamp on my tex.png", "clamp"),
        ("map_Kd -mm 0 1 -blendu off my tex.png", "repeat"),
        (r"map_Kd C:\Users\author\my tex.png", "repeat"),
        ("map_Kd /home/author/my tex.png", "repeat"),
        ("map_Kd ../textures/my tex.png", "repeat"),
        ('map_Kd "My Tex.PNG"', "repeat"),
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


def test_options_move_and_scale_texture_coordinates(tmp_path):
    """Two materials read one coordinate differently: u is scaled by 2 and moved by 0.5, v by 1 and 0."""
    Image.fromarray(np.zeros((2, 2, 3), np.uint8)).save(tmp_path / "t.png")
    faces = "vt 0.25 1\nusemtl m\nf 1/1 2/1 3/1\nusemtl n\nf 1/1 2/1 3/1\n"
    library = "newmtl m\nmap_Kd -s 2 -o 0.5 0 0 t.png\nnewmtl n\nmap_Kd t.png\n"
    arrays = load(tmp_path, "mtllib a.mtl\n" + SQUARE + faces, a_mtl=library)
    np.testing.assert_allclose(arrays.uvs[arrays.triangles], [[[1, 0]] * 3, [[0.25, 0]] * 3])
    assert [material.texture for material in arrays.materials] == [-1, 0, 0]


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


def test_two_libraries_of_a_folder(tmp_path):
    text = "mtllib lib/a.mtl lib/b.mtl\nusemtl m\n" + SQUARE + "f 1 2 3\nusemtl n\nf 1 2 3\n"
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "a.mtl").write_text("newmtl m\nKd 1 0 0\n")
    (tmp_path / "lib" / "b.mtl").write_text("newmtl n\nKd 0 0 1\n")
    arrays = load(tmp_path, text, b_mtl="newmtl n\nKd 0 1 0\n")
    assert [material.base_color[:3] for material in arrays.materials[1:]] == [(1, 0, 0), (0, 0, 1)]


def test_libraries_whose_names_hold_spaces(tmp_path):
    text = "mtllib my a.mtl my b.mtl\nusemtl m\n" + SQUARE + "f 1 2 3\nusemtl n\nf 1 2 3\n"
    for name, color in (("m", "1 0 0"), ("n", "0 0 1")):
        (tmp_path / f"my {'ab'[name == 'n']}.mtl").write_text(f"newmtl {name}\nKd {color}\n")
    arrays = load(tmp_path, text)
    assert [material.base_color[:3] for material in arrays.materials[1:]] == [(1, 0, 0), (0, 0, 1)]
    (tmp_path / "my b.mtl").unlink()
    with pytest.warns(SceneWarning, match="mtllib 'my a.mtl my b.mtl' cannot be read"):
        arrays = load(tmp_path, text)
    assert [material.base_color[:3] for material in arrays.materials[1:]] == [(1, 0, 0), (1, 1, 1)]


@pytest.mark.parametrize("place", ["materials/images", "images"])
def test_textures_are_looked_for_beside_their_library_first(tmp_path, place):
    (tmp_path / place).mkdir(parents=True)
    (tmp_path / "materials").mkdir(exist_ok=True)
    Image.fromarray(np.full((1, 1, 4), 77, np.uint8)).save(tmp_path / place / "t.png")
    (tmp_path / "materials" / "a.mtl").write_text("newmtl m\nmap_Kd .\\images\\t.png\n")
    text = "mtllib materials\\a.mtl\nvt 0 0\nusemtl m\n" + SQUARE + "f 1/1 2/1 3/1\n"
    assert load(tmp_path, text).textures[0].pixels.tolist() == [[[77] * 4]]


def test_two_libraries_in_one_line(tmp_path):
    text = "mtllib a.mtl b.mtl\nusemtl n\n" + SQUARE + "f 1 2 3\n"
    arrays = load(tmp_path, text, a_mtl="newmtl m\nKd 0 0 0\n", b_mtl="newmtl n\nKd 0 0 1\n")
    assert arrays.materials[1].base_color == (0, 0, 1, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f 1 2 3\n", "line 1: names vertex 3, but the file has 0"),
        (SQUARE + "f 1 2 5\n", "line 5: names vertex 5, but the file has 4"),
        (SQUARE + "f 1 2 0\n", "line 5: .*names vertex 0"),
        (SQUARE + "f 1 2 -5\n", "line 5: .*names vertex -5"),
        (SQUARE + "f 1/1 2/1 3/1\n", "line 5: names texture coordinate 1, but the file has 0"),
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
        (SQUARE + "f 1 1 2\n", "holds no triangles"),
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
    words = " ".join(f"{number}.mtl" for number in range(1001))
    with pytest.raises(SceneError, match="more than 1000 material libraries"):
        load(tmp_path, f"mtllib {words}\n" + SQUARE + "f 1 2 3\n")
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
