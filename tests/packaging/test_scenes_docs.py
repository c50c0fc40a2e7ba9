"""docs/scenes.md is true: its recipes are those of the command; test_docs_blocks.py runs its code."""

from __future__ import annotations

import re
from pathlib import Path

from PIL import Image

from gym_batchnav.cli.scenes.houses import SHEET_KEY
from gym_batchnav.cli.scenes.recipes import RECIPES, markdown
from gym_batchnav.scenes import resolve_scenes
from gym_batchnav.scenes.houses import SPLITS
from gym_batchnav.scenes.loading import SUPPORTED_SUFFIXES

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "scenes.md").read_text(encoding="utf-8")
START, END = "<!-- recipes: made by batchnav scenes recipe --markdown -->\n", "<!-- end of recipes -->"


def commands() -> list[str]:
    blocks = re.findall(r"^ *```sh\n(.*?)^ *```", PAGE, flags=re.MULTILINE | re.DOTALL)
    lines = [line.split("#")[0].strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line.startswith("batchnav ")]


def test_the_recipes_are_those_of_the_command():
    text = PAGE[PAGE.index(START) + len(START) : PAGE.index(END)]
    # After a change, put what 'batchnav scenes recipe --markdown' prints between the two marks.
    assert text == "\n".join(markdown(recipe) for recipe in RECIPES.values())


def test_all_commands_are_shown():
    shown = {line.split()[2] for line in commands()}
    assert shown == {"check", "bake", "cache", "houses"}
    assert "batchnav scenes recipe NAME" in PAGE


def test_links_and_pictures_lead_somewhere():
    links = re.findall(r"\]\((?!https?:)([^)]+)\)", PAGE)
    anchors = {
        re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-")
        for title in re.findall(r"^#+ (.*)$", PAGE, flags=re.MULTILINE)
    }
    assert [link for link in links if link.startswith("#") and link[1:] not in anchors] == []
    files = [link for link in links if not link.startswith("#")]
    assert "images/houses.png" in files
    assert [link for link in files if not (ROOT / "docs" / link).exists()] == []


def test_the_splits_are_as_large_as_it_says():
    rows = re.findall(r"^\| `houses:(\w+)` \| ([\d,]+) \|", PAGE, flags=re.MULTILINE)
    assert {name: int(count.replace(",", "")) for name, count in rows} == {
        name: split.count for name, split in SPLITS.items()
    }


def test_every_format_is_named():
    assert [suffix for suffix in SUPPORTED_SUFFIXES if f"`{suffix}`" not in PAGE] == []


def test_pictures_are_small_enough_for_a_repository():
    for path in (ROOT / "docs" / "images").iterdir():
        assert path.stat().st_size < (2.5e6 if path.suffix == ".gif" else 1.5e6)
        if path.suffix != ".svg":  # which has no pixels
            with Image.open(path) as picture:
                assert picture.width >= 600


def test_the_sheet_shows_what_its_command_says():
    assert 'batchnav scenes houses "houses:val[:12]" --sheet docs/images/houses.png' in commands()
    # Where this fails, the houses are others than those on the picture: give that command again.
    with Image.open(ROOT / "docs" / "images" / "houses.png") as picture:
        assert picture.text[SHEET_KEY].split() == [ref.scene_id for ref in resolve_scenes("houses:val[:12]")]
