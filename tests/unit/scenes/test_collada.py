"""COLLADA files as exporters write them, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from gym_batchnav.errors import SceneError
from gym_batchnav.scenes import SceneWarning, load_scene

pytest.importorskip("collada", reason="the extra 'formats' is not installed")

A, B, C, D = [0, 0, 0], [4, 0, 0], [4, 4, 0], [3, 1, 0]  # a dart
VERTEX = '<input semantic="VERTEX" source="#v" offset="0"/>'
TRIANGLE = f'<triangles count="1" material="m">{VERTEX}<p>0 1 2</p></triangles>'
RED = "<diffuse><color>1 0 0 1</color></diffuse>"
BIND = '<bind_material><technique_common><instance_material symbol="m" target="#{}">{}</instance_material>'
BIND += "</technique_common></bind_material>"
SHOWN = f'<instance_geometry url="#g">{BIND.format("mat", "")}</instance_geometry>'


def source(name, values, names):
    params = "".join(f'<param name="{one}" type="float"/>' for one in names)
    count = len(values.split())
    array = f'<float_array id="{name}-a" count="{count}">{values}</float_array>'
    accessor = f'<accessor count="{count // len(names)}" source="#{name}-a" stride="{len(names)}">'
    technique = f"<technique_common>{accessor}{params}</accessor></technique_common>"
    return f'<source id="{name}">{array}{technique}</source>'


def collada(
    primitive=TRIANGLE,
    *,
    shader=RED,
    nodes=f'<node id="n">{SHOWN}</node>',
    sources="",
    params="",
    libraries="",
    positions="0 0 0 4 0 0 4 4 0 3 1 0",
    kind="lambert",
    asset="<up_axis>Y_UP</up_axis>",
):
    return f"""<?xml version="1.0" encoding="ENCODING"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset>{asset}</asset>
<library_effects><effect id="e"><profile_COMMON>{params}<technique sid="c">
<{kind}>{shader}</{kind}></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="mat"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>{source("p", positions, "XYZ")}{sources}
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>{primitive}</mesh></geometry>
</library_geometries>{libraries}<library_visual_scenes><visual_scene id="s">{nodes}</visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"""


def load(folder, text, encoding="utf-8"):
    (folder / "a.dae").write_bytes(text.replace("ENCODING", encoding.removesuffix("-sig")).encode(encoding))
    return load_scene(folder / "a.dae").arrays


def corners(arrays):
    return arrays.positions[arrays.triangles].tolist()


@pytest.mark.parametrize(
    ("primitive", "expected"),
    [
        (TRIANGLE, [[A, B, C]]),
        # The dart must be cut along B D, which a fan from A would miss.
        (f'<polylist count="1">{VERTEX}<vcount>4</vcount><p>0 1 2 3</p></polylist>', [[B, C, D], [D, A, B]]),
        (f'<polygons count="1">{VERTEX}<p>0 1 2 3</p></polygons>', [[B, C, D], [D, A, B]]),
        (
            f'<polylist count="2">{VERTEX}<vcount>3 3</vcount><p>0 1 2 2 1 0</p></polylist>',
            [[A, B, C], [C, B, A]],
        ),
        (f'<tristrips count="1">{VERTEX}<p>0 1 3 2</p></tristrips>', [[A, B, D], [D, B, C]]),
        (f'<trifans count="1">{VERTEX}<p>0 1 2 3</p></trifans>', [[A, B, C], [A, C, D]]),
        (f'<lines count="1">{VERTEX}<p>0 1</p></lines>{TRIANGLE}', [[A, B, C]]),
    ],
)
def test_primitives(tmp_path, primitive, expected):
    assert corners(load(tmp_path, collada(primitive))) == expected


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings(tmp_path, encoding):
    arrays = load(tmp_path, collada(asset='<unit meter="2"/><up_axis>Z_UP</up_axis>'), encoding)
    np.testing.assert_allclose(corners(arrays), [[A, [8, 0, 0], [8, 0, -8]]])


def test_transforms_and_mirrors(tmp_path):
    """Turned by 90 degrees about z after scaling by 2: (x, y) becomes (1 - 2 y, 2 x); then mirrored."""
    turned = "<translate>1 0 0</translate><rotate>0 0 1 90</rotate><scale>2 2 2</scale>"
    nodes = f'<node id="a">{turned}<node id="b">{SHOWN}</node></node>'
    nodes += f'<node id="c"><scale>-1 1 1</scale>{SHOWN}</node>'
    arrays = load(tmp_path, collada(nodes=nodes))
    expected = [[[1, 0, 0], [1, 8, 0], [-7, 8, 0]], [[-4, 4, 0], [-4, 0, 0], A]]
    np.testing.assert_allclose(corners(arrays), expected, atol=1e-5)
    np.testing.assert_array_equal(arrays.object_ids, [1, 2])


@pytest.mark.parametrize(
    ("kind", "shader", "expected"),
    [
        ("lambert", RED, [1, 0, 0, 1]),
        # sRGB 0.5 is linear 0.21404; the alpha of a diffuse colour means nothing.
        ("phong", "<diffuse><color>0.5 0 0 0</color></diffuse>", [0.21404, 0, 0, 1]),
        ("constant", "<emission><color>0 1 0 1</color></emission>", [0, 1, 0, 1]),
        ("blinn", f"<emission><color>0 0 1 1</color></emission>{RED}", [1, 0, 1, 1]),
        ("lambert", f"{RED}<transparency><float>0</float></transparency>", [1, 0, 0, 1]),
        (
            "lambert",
            f'{RED}<transparent opaque="A_ONE"><color>0 0 0 0.5</color></transparent>'
            "<transparency><float>0.5</float></transparency>",
            [1, 0, 0, 0.25],
        ),
        (
            "lambert",
            f'{RED}<transparent opaque="RGB_ZERO"><color>1 1 1 1</color></transparent>'
            "<transparency><float>0.75</float></transparency>",
            [1, 0, 0, 0.25],
        ),
        (
            "lambert",
            f'{RED}<transparent opaque="A_ONE"><color>0 0 0 0</color></transparent>',
            [1, 0, 0, 1],
        ),
    ],
)
def test_colours_and_opacity(tmp_path, kind, shader, expected):
    arrays = load(tmp_path, collada(shader=shader, kind=kind))
    np.testing.assert_allclose(arrays.materials[arrays.material_ids[0]].base_color, expected, atol=1e-4)


def test_vertex_colours(tmp_path):
    primitive = f'<polylist count="1">{VERTEX}<input semantic="COLOR" source="#k" offset="1"/>'
    primitive += "<vcount>3</vcount><p>0 1 1 0 2 1</p></polylist>"
    arrays = load(tmp_path, collada(primitive, sources=source("k", "1 0 0 0 0.5 1", "RGB")))
    # 0.5 is the byte 128, which is linear 0.2159: 55 of 255.
    blue, red = [0, 55, 255, 255], [255, 0, 0, 255]
    np.testing.assert_array_equal(arrays.colors[arrays.triangles], [[blue, red, blue]])


def test_the_texture_coordinates_that_the_material_names(tmp_path):
    pixels = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    Image.fromarray(pixels).save(tmp_path / "t.png")
    image = '<library_images><image id="i"><init_from>t.png</init_from></image></library_images>'
    params = '<newparam sid="f"><surface type="2D"><init_from>i</init_from></surface></newparam>'
    params += '<newparam sid="h"><sampler2D><source>f</source></sampler2D></newparam>'
    inputs = '<input semantic="TEXCOORD" source="#t0" offset="1" set="0"/>'
    inputs += '<input semantic="TEXCOORD" source="#t1" offset="1" set="3"/>'
    primitive = (
        f'<triangles count="2" material="m">{VERTEX}{inputs}<p>0 0 1 1 2 1 2 1 1 1 0 0</p></triangles>'
    )
    bound = BIND.format("mat", '<bind_vertex_input semantic="UV" input_semantic="TEXCOORD" input_set="3"/>')
    text = collada(
        primitive,
        shader='<diffuse><texture texture="h" texcoord="UV"/></diffuse>',
        params=params,
        sources=source("t0", "9 9 9 9", "ST") + source("t1", "0 0 1 0.25", "ST"),
        libraries=image,
        nodes=f'<node><instance_geometry url="#g">{bound}</instance_geometry></node>' * 3,
    )
    arrays = load(tmp_path, text)
    expected = [[[0, 1], [1, 0.75], [1, 0.75]], [[1, 0.75], [1, 0.75], [0, 1]]]
    np.testing.assert_allclose(arrays.uvs[arrays.triangles], expected * 3)
    # One image of three instances is kept once.
    assert len(arrays.textures) == 1
    np.testing.assert_array_equal(arrays.textures[0].pixels, pixels)


def test_skins_stand_as_they_were_bound(tmp_path):
    joints = '<source id="j"><Name_array id="j-a" count="1">B</Name_array><technique_common>'
    joints += '<accessor source="#j-a" count="1" stride="1"><param name="JOINT" type="Name"/></accessor>'
    joints += "</technique_common></source>"
    identity = "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1"
    inverse = source("b", identity, ["TRANSFORM"]).replace('count="16" source', 'count="1" source')
    inverse = inverse.replace('stride="1"', 'stride="16"').replace('type="float"', 'type="float4x4"')
    pair = '<input semantic="JOINT" source="#j"{}/><input semantic="{}" source="#{}"{}/>'
    weights = pair.format(' offset="0"', "WEIGHT", "w", ' offset="1"')
    skin = f"""<library_controllers><controller id="k"><skin source="#g">
<bind_shape_matrix>1 0 0 5 0 1 0 0 0 0 1 0 0 0 0 1</bind_shape_matrix>{joints}{inverse}
{source("w", "1", ["WEIGHT"])}
<joints>{pair.format("", "INV_BIND_MATRIX", "b", "")}</joints>
<vertex_weights count="4">{weights}<vcount>1 1 1 1</vcount><v>0 0 0 0 0 0 0 0</v></vertex_weights>
</skin></controller></library_controllers>"""
    text = collada(libraries=skin, nodes='<node id="n"><instance_controller url="#k"/></node>')
    assert corners(load(tmp_path, text)) == [[[5, 0, 0], [9, 0, 0], [9, 4, 0]]]


def test_materials_that_are_not_there_are_drawn_white(tmp_path):
    arrays = load(tmp_path, collada(nodes=f"<node>{SHOWN.replace('#mat', '#gone')}</node>"))
    assert corners(arrays) == [[A, B, C]]
    assert arrays.materials[arrays.material_ids[0]].base_color == (1, 1, 1, 1)


def test_broken_parts_are_left_out_with_a_warning(tmp_path):
    nodes = f'<node>{SHOWN}</node><node><instance_geometry url="#gone"/></node>'
    with pytest.warns(
        SceneWarning, match=r"a\.dae: 1 broken parts are left out; the first: .*#gone not found"
    ):
        assert corners(load(tmp_path, collada(nodes=nodes))) == [[A, B, C]]


@pytest.mark.filterwarnings("ignore::gym_batchnav.scenes.SceneWarning")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            collada(TRIANGLE.replace("0 1 2", "0 1 9")),
            "holds no triangles; its first broken part: .*maxindex=9",
        ),
        (collada(TRIANGLE.replace("0 1 2", "0 1")), "cannot be read as dae"),
        (collada(positions="0 0 0 nan 0 0 4 4 0 3 1 0"), "source 'p' has a position NaN or infinite"),
        (collada(positions="0 0 0 1e39 0 0 4 4 0 3 1 0"), "cannot be drawn|cannot be read"),
        (
            collada(nodes='<node><instance_geometry url="#gone"/></node>'),
            "holds no triangles; its first .*#gone",
        ),
        (
            collada().replace("<scene>", "<!--").replace("</scene>", "-->").replace("visual_scene", "v"),
            "holds no",
        ),
        (collada(f'<lines count="1">{VERTEX}<p>0 1</p></lines>'), "holds no triangles"),
    ],
)
def test_broken_files_are_refused(tmp_path, text, message):
    with pytest.raises(SceneError, match=rf"a\.dae: .*({message})"):
        load(tmp_path, text)
