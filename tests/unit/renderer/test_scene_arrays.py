"""Scene arrays refuse what no backend can draw, and say which field it was."""

from __future__ import annotations

import numpy as np
import pytest

from batchnav_renderer import Material, RenderConfigError, SceneArrays, Texture

NAN, INF = float("nan"), float("inf")
PIXELS = np.zeros((2, 2, 4), np.uint8)


def triangle(**fields):
    arrays = {
        "positions": np.eye(3, dtype=np.float32),
        "triangles": np.array([[0, 1, 2]], np.uint32),
        "material_ids": np.zeros(1, np.int32),
        **fields,
    }
    return SceneArrays(**arrays)


def uvs(value):
    array = np.zeros((3, 2), np.float32)
    array[1, 0] = value
    return array


@pytest.mark.parametrize("value", [NAN, INF, -INF])
def test_texture_coordinates_and_positions_are_finite(value):
    with pytest.raises(RenderConfigError, match=r"SceneArrays\.uvs .*row 1 .*allowed: finite"):
        triangle(uvs=uvs(value))
    positions = np.eye(3, dtype=np.float32)
    positions[2, 0] = value
    with pytest.raises(RenderConfigError, match=r"SceneArrays\.positions .*row 2 .*allowed: finite"):
        triangle(positions=positions)


@pytest.mark.parametrize(
    "field",
    [
        {"base_color": (NAN, 1.0, 1.0, 1.0)},
        {"base_color": (1.0, INF, 1.0, 1.0)},
        {"base_color": (1.0, 1e39, 1.0, 1.0)},  # beyond the largest float32, 3.4e38
        {"base_color": (1.0, 1.0, 1.0)},
        {"base_color": 1.0},
        {"base_color": ("a", 1.0, 1.0, 1.0)},
        {"alpha_cutoff": NAN},
        {"alpha_cutoff": -0.1},
        {"alpha_cutoff": 1.1},
        {"alpha_cutoff": None},
        {"texture": 0},
        {"texture": -2},
        {"texture": None},
        {"texture": 0.5},
    ],
    ids=str,
)
def test_fields_of_materials_are_named(field):
    (name,) = field
    with pytest.raises(RenderConfigError, match=rf"materials\[1\]\.{name} is .*allowed"):
        triangle(materials=(Material(), Material(**field)))


@pytest.mark.parametrize(
    "pixels",
    [
        np.zeros((0, 2, 4), np.uint8),
        np.zeros((2, 0, 4), np.uint8),
        np.zeros((2, 2, 3), np.uint8),
        np.zeros((2, 4), np.uint8),
        np.zeros((4,), np.uint8),
        np.zeros((2, 2, 4), np.float32),
        [[[0, 0, 0, 0]]],
        None,
    ],
    ids=lambda pixels: str(getattr(pixels, "shape", pixels)),
)
def test_pixels_are_images(pixels):
    with pytest.raises(RenderConfigError, match=r"textures\[1\]\.pixels .*expected"):
        triangle(textures=(Texture(pixels=PIXELS), Texture(pixels=pixels)))


@pytest.mark.parametrize("wrap", [("repeat", "border"), ("repeat",), "repeat", None, (["clamp"], "clamp")])
def test_wrap_modes_are_known(wrap):
    with pytest.raises(RenderConfigError, match=r"textures\[0\]\.wrap is .*mirror"):
        triangle(textures=(Texture(pixels=PIXELS, wrap=wrap),))


@pytest.mark.parametrize(
    "name", ["positions", "triangles", "material_ids", "uvs", "colors", "object_ids", "materials", "textures"]
)
def test_lists_are_no_arrays_and_numbers_no_tuples(name):
    wrong = 3 if name in ("materials", "textures") else [[0, 0, 0]]
    with pytest.raises(RenderConfigError, match=rf"SceneArrays\.{name} is .*expected"):
        triangle(**{name: wrong})


def test_extreme_but_allowed_values():
    material = Material(base_color=(-1.0, 3e38, np.float32(0.5), 1), texture=0, alpha_cutoff=1)
    scene = triangle(uvs=uvs(3e38), materials=(material,), textures=(Texture(pixels=PIXELS),))
    assert scene.num_triangles == 1
