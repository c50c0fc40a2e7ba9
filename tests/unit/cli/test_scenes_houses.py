"""``batchnav scenes houses`` and ``recipe``."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image

from gym_batchnav.cli import main
from gym_batchnav.cli.scenes.houses import caption
from gym_batchnav.cli.scenes.recipes import RECIPES, markdown
from gym_batchnav.nav import NavMesh, navmesh_for
from gym_batchnav.scenes import load_scene
from gym_batchnav.scenes.houses import HouseConfig, load_house, make_house


def houses(*arguments):
    return main(["scenes", "houses", *map(str, arguments)])


def test_figures_and_files_of_a_published_set(tmp_path):
    report, out = tmp_path / "houses.json", tmp_path / "out"
    assert houses("houses:val[2:4]", "--json", report, "--export", out) == 0
    found = json.loads(report.read_text())["houses"]
    expected = [load_house("val", number) for number in (2, 3)]
    assert [one["name"] for one in found] == [scene.scene_id for scene in expected]
    for one, scene in zip(found, expected, strict=True):
        mesh = navmesh_for(scene)
        assert one["triangles"] == scene.arrays.num_triangles
        assert one["walkable_m2"] == pytest.approx(mesh.area_m2, abs=0.01)
        assert one["islands"] == mesh.num_islands
        name = scene.scene_id.replace("/", "-")
        back = load_scene(out / f"{name}.glb")
        assert back.arrays.num_triangles == scene.arrays.num_triangles
        assert back.navmesh_path == out / f"{name}.navmesh"
        given = NavMesh.load(back.navmesh_path)
        assert given.area_m2 == pytest.approx(mesh.area_m2, rel=1e-5)
        points = mesh.sample(50, np.random.default_rng(0))
        np.testing.assert_allclose(given.snap(points), mesh.snap(points), atol=1e-3)


def test_knobs_of_the_generator(tmp_path):
    report = tmp_path / "houses.json"
    assert houses("--seeds", "5", "6", "--max-area", "100", "--no-furnished", "--json", report) == 0
    found = json.loads(report.read_text())["houses"]
    config = HouseConfig(max_area=100.0, furnished=False)
    expected = [make_house(seed, config).arrays.num_triangles for seed in (5, 6)]
    assert [one["triangles"] for one in found] == expected


def test_captions_tell_what_is_known():
    figures = {"walkable_m2": 74.28, "triangles": 116014, "storeys": 2, "rooms": ["hall", "living"]}
    assert caption(figures) == "2 rooms, 2 storeys, 74 m2 to walk on, 116,014 triangles"
    assert caption({**figures, "storeys": 1, "rooms": None}) == "74 m2 to walk on, 116,014 triangles"


def test_a_picture_sheet(tmp_path):
    sheet = tmp_path / "docs" / "sheet.png"
    assert houses("houses:val[:2]", "--sheet", sheet) == 0
    with Image.open(sheet) as picture:
        assert picture.mode == "P"
        pixels = np.asarray(picture.convert("RGB")).astype(int)
    # Two cells side by side, each with pictures of many colours.
    halves = np.array_split(pixels, 2, axis=1)
    assert all(len(np.unique(half.reshape(-1, 3), axis=0)) > 100 for half in halves)
    assert pixels[0, 0].tolist() == [255, 255, 255]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["houses:val/0", "--seeds", "1"], "are as they are"),
        (["houses:val/0", "--max-area", "90"], "are as they are"),
        (["houses:nowhere"], "houses:nowhere"),
        (["--seeds", "-1"], "seed=-1"),
        (["houses:val[:49]", "--sheet", "x.png"], "48 houses at most"),
    ],
)
def test_wrong_arguments_are_one_line(arguments, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert houses(*arguments) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1


def test_files_are_no_houses(room, capsys):
    assert houses(room()) == 2
    assert "is no built-in house" in capsys.readouterr().err


def test_recipes_are_listed_with_their_licences(capsys):
    assert main(["scenes", "recipe"]) == 0
    told = capsys.readouterr().out
    assert set(RECIPES) == {"gibson", "mp3d", "hm3d", "hssd", "replica_cad", "ai2thor"}
    assert all(recipe.name in told and recipe.title in told for recipe in RECIPES.values())


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_says_the_licence_the_steps_and_the_end(name, capsys):
    assert main(["scenes", "recipe", name]) == 0
    recipe = RECIPES[name]
    told = " ".join(capsys.readouterr().out.split())
    text = markdown(recipe)
    for words in (recipe.licence.name, recipe.licence.agreement, recipe.licence.allows):
        assert words in text
    assert f"]({recipe.licence.link})" in text
    for words in ("Licence:", "Who agrees:", "batchnav scenes check", "gym.make_vec"):
        assert words in told
    commands = [line for step in recipe.steps for line in step.commands]
    assert all(line in text for line in commands)
    assert len(commands) >= 2
    assert all(source.startswith("https://") for source in recipe.sources)


def test_an_unknown_recipe_is_told_with_the_nearest(capsys):
    assert main(["scenes", "recipe", "gibbson"]) == 2
    assert "did you mean 'gibson'?" in capsys.readouterr().err
