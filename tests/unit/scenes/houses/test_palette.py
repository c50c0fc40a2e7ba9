"""Styles of interiors and the materials that they become."""

from __future__ import annotations

import itertools
from dataclasses import fields

import numpy as np
import pytest

from gym_batchnav.scenes.houses import make_house
from gym_batchnav.scenes.houses.dice import Dice
from gym_batchnav.scenes.houses.finishes import FIT, Palette
from gym_batchnav.scenes.houses.palette import floor_finish, make_style, wall_finish, wood_floor
from gym_batchnav.scenes.houses.textures import RUGS, TEXTURES, linear, linear_mean
from gym_batchnav.scenes.houses.themes import COMBINATIONS, THEMES

KINDS = ("hall", "living", "kitchen", "dining", "bedroom", "bath", "study", "storage")


def test_themes_name_textures_that_exist():
    for theme in THEMES.values():
        named = (*theme.floors, *theme.tiles, *theme.carpets, *theme.walls, *theme.fabrics)
        assert set(named) <= set(TEXTURES)
        assert {stone for stone, _ in theme.stones} <= set(TEXTURES)
        assert set(theme.rugs) <= set(range(RUGS))
        for scheme in theme.schemes:
            assert (len(scheme.accents), len(scheme.fabrics)) == (2, 3)


def test_combinations_are_many_and_differ():
    """At least 60, no two with the same woods, walls and fabrics."""
    assert len(COMBINATIONS) >= 60
    looks = []
    for name, pair, number in COMBINATIONS:
        theme = THEMES[name]
        scheme = theme.schemes[number]
        looks.append(np.array([*theme.woods[pair], scheme.wall, *scheme.accents, *scheme.fabrics], float))
    for a, b in itertools.combinations(looks, 2):
        # sRGB distance summed over the eight colours that run through the house.
        assert np.linalg.norm(a - b, axis=1).sum() >= 50


@pytest.fixture(scope="module")
def styles():
    return [make_style(Dice(seed, 7)) for seed in range(120)]


def test_dice_reach_all_themes(styles):
    assert {id(style.theme) for style in styles} == {id(theme) for theme in THEMES.values()}


def test_equal_dice_give_equal_styles():
    a, b = make_style(Dice(3)), make_style(Dice(3))
    assert a.palette.finishes == b.palette.finishes


def test_every_field_of_a_style_is_a_finish(styles):
    for style in styles[:10]:
        count = len(style.palette.finishes)
        for field in fields(style):
            if field.name not in ("palette", "theme", "scheme", "views", "floor_wood"):
                assert 0 <= getattr(style, field.name) < count


def test_finishes_have_the_colour_of_their_tint(styles):
    """The mean colour on a surface is the tint's, but for pale tints of darker textures."""
    dice = Dice(5)
    for style in styles[:40]:
        for kind in KINDS:
            floor_finish(dice, style, kind, wood_floor(dice, style))
            wall_finish(dice, style, kind)
        palette = style.palette
        materials, images = palette.pack(np.ones(len(palette.finishes), bool))
        for finish, material, mean in zip(palette.finishes, materials, palette.colors, strict=True):
            assert max(material.base_color) <= 1.0
            if finish.texture and linear_mean(finish.texture)[1] == (1.0, 1.0, 1.0):
                continue
            if finish.texture == "checker":  # Its tint is that of the lighter half.
                continue
            wanted = [linear(channel) for channel in finish.tint]
            assert mean == pytest.approx(wanted, rel=0.13, abs=0.005), finish
        assert len(images) == len({finish.texture for finish in palette.finishes if finish.texture})


def test_linear_is_the_srgb_curve():
    for channel in range(256):
        value = channel / 255
        exact = value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        assert linear(channel) == pytest.approx(exact, abs=0.003)


def test_walls_and_floors_suit_every_room(styles):
    seen: dict[str, set[str]] = {kind: set() for kind in KINDS}
    dice = Dice(9)
    for style in styles:
        for kind in KINDS:
            number = floor_finish(dice, style, kind, wood_floor(dice, style))
            floor = style.palette.finishes[number]
            seen[kind].add(floor.texture)
            assert 200 <= floor.repeat <= 4000
            wall = wall_finish(dice, style, kind)
            assert 200 <= style.palette.finishes[wall].repeat <= 4000
    assert not any(
        name.startswith("carpet") for kind in ("bath", "kitchen", "storage") for name in seen[kind]
    )
    assert any(name.startswith("carpet") for name in seen["bedroom"])
    assert min(len(names) for names in seen.values()) >= 5


def test_pack_keeps_what_is_used_in_order():
    palette = Palette()
    plain = palette.finish("", (255, 0, 0))
    unused = palette.finish("velvet", (10, 20, 30), 2000)
    books = palette.finish("books1", repeat=FIT)
    pane = palette.finish("etched", (200, 210, 220), 5000, cutoff=128)
    again = palette.finish("books1", (255, 250, 240), FIT)
    assert (plain, unused, books, pane, again) == (0, 1, 2, 3, 4)
    assert palette.finish("", (255, 0, 0)) == plain
    materials, images = palette.pack(np.array([True, False, True, True, True]))
    assert [material.texture for material in materials] == [-1, 0, 1, 0]
    assert len(images) == 2
    assert materials[0].base_color == (1.0, 0.0, 0.0, 1.0)
    assert [material.alpha_cutoff for material in materials] == [0, 0, pytest.approx(0.5, abs=0.01), 0]
    assert palette.repeats.tolist() == [1000, 2000, 0, 5000, 0]


def test_what_glows_gives_light():
    style = make_style(Dice(1))
    palette, view = style.palette, style.view(Dice(2))
    emission = palette.emission
    assert (emission.any(axis=1) == palette.glowing).all()
    warm, cool, screen = emission[style.lamp], emission[view], emission[style.screen]
    assert warm[0] > warm[2] > 0
    assert cool[2] > cool[0] > 0
    assert screen.max() < 0.3 * cool.max()


def test_houses_carry_only_what_they_show():
    arrays = make_house(4).arrays
    assert set(np.unique(arrays.material_ids)) == set(range(len(arrays.materials)))
    named = {material.texture for material in arrays.materials} - {-1}
    assert named == set(range(len(arrays.textures)))
    assert len({texture.pixels.tobytes() for texture in arrays.textures}) == len(arrays.textures)
    assert len(arrays.textures) <= 48
