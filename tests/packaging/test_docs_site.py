"""The pages say what is true of the code, are complete, and can be read on GitHub as on the site.

The test command builds the site with warnings as errors, which finds broken links and docstrings.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from PIL import Image

import batchnav_renderer
import gym_batchnav
from gym_batchnav.config import PRESETS, SENSORS, EnvConfig
from gym_batchnav.nav import NavMesh
from gym_batchnav.rl import TrainConfig
from gym_batchnav.scenes import resolve_scenes
from gym_batchnav.sim import BatchState, Explore, Flee, ImageNav, ObjectNav, PointNav, Simulator, Task
from tests.packaging.docs_blocks import PAGES, ROOT

DOCS = ROOT / "docs"
PUBLIC = (
    *("gym_batchnav", "gym_batchnav.config", "gym_batchnav.envs", "gym_batchnav.nav", "gym_batchnav.rl"),
    *("gym_batchnav.scenes", "gym_batchnav.scenes.houses", "batchnav_renderer"),
)
"""Packages whose public names users may use."""


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def script(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rows(text: str, title: str) -> list[list[str]]:
    """Cells of the first table below a heading."""
    below = text.partition(f"\n{title}\n")[2]
    table = re.search(r"^\|.*?(?=^[^|]|\Z)", below, flags=re.M | re.S)[0].splitlines()
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in table[2:]]


def code(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


# What is generated.


def test_tables_of_arguments_are_those_of_the_fields():
    reference = script("reference")
    for path, parts in reference.blocks().items():
        text = path.read_text("utf-8")
        assert reference.filled(text, parts) == text, f"run python docs/reference.py: {path} is stale"


def test_every_keyword_has_a_row_with_a_meaning():
    text = page("environment.md").partition("## Every keyword")[2]
    found = re.findall(r"^\| `(\w+)` \| (.+?) \| (.{10,}) \|$", text, flags=re.M)
    assert sorted(name for name, _, _ in found) == sorted(field.name for field in fields(EnvConfig))
    assert "### More" not in text, "put the new field into a group of docs/reference.py"
    # By hand, one of each kind of default.
    told = {name: default for name, default, _ in found}
    assert (told["resolution"], told["sensors"]) == ("`(64, 64)`", '`("depth",)`')
    assert (told["velocity"], told["device"], told["hfov_deg"]) == ("`VelocityControl()`", "`None`", "`90.0`")


def test_fields_without_a_docstring_are_refused(tmp_path, monkeypatch):
    (tmp_path / "undocumented.py").write_text(
        "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    told: int = 1\n"
        '    """Said ``so`` | or so."""\n    untold: int = 2\n'
    )
    monkeypatch.syspath_prepend(tmp_path)
    reference, module = script("reference"), importlib.import_module("undocumented")
    with pytest.raises(ValueError, match="Config has fields without a docstring: untold"):
        reference.field_texts(module.Config)
    assert reference.markdown("Said ``so`` | or\n    so.") == r"Said `so` \| or so."


def test_presets_stand_beside_each_other():
    found = {code(row[0])[0]: row[1:] for row in rows(page("environment.md"), "## Presets")}
    assert set(found) == {name for values in PRESETS.values() for name in values}
    assert found["turn_angle_deg"] == ["`10.0`", "`10.0`", "`30.0`"]
    assert found["max_episode_steps"] == ["`500`", "`499`", "`500`"]


# What is written by hand, against the code.


def test_ids_are_those_that_are_registered():
    ids = {code(row[0])[0] for row in rows(page("environment.md"), "## Ids")}
    ours = [spec for spec in gym.registry.values() if str(spec.entry_point).startswith("gym_batchnav.")]
    assert ids == {spec.id for spec in ours}


def test_observations_are_those_of_the_sensors():
    named = {code(row[0])[0]: row for row in rows(page("environment.md"), "## Observations")}
    assert set(named) == {*SENSORS, "pointgoal"}
    env = gym.make("BatchPointNav-v0", sensors=SENSORS, resolution=(5, 7), scenes="houses:val/0")
    for name, space in env.observation_space.spaces.items():
        _, shape, dtype, _ = named[name]
        size = "(" + ", ".join(map(str, space.shape)) + ("," if len(space.shape) == 1 else "") + ")"
        assert size.replace("5, 7", "H, W") in shape
        assert dtype == space.dtype.name


@pytest.mark.parametrize("task", [PointNav, ImageNav, ObjectNav, Flee, Explore])
def test_infos_are_those_of_the_simulator(task: type[Task]):
    told = {}
    for key, dtype, _, of in rows(page("environment.md"), "## Infos"):
        point = "PointNav, ImageNav, ObjectNav"
        tasks = {"all": task.__name__, "the same": point}.get(of, of)
        if task.__name__ in tasks:
            told[code(key)[0]] = dtype
    infos = Simulator(2, EnvConfig(), task).infos()
    assert told == {key: value.dtype.name for key, value in infos.items()}


def test_state_of_a_task_is_named_as_it_is():
    text = page("custom_task.md")
    below = text.partition("What `state` has")[2].partition("\n\n")[0]
    known = {field.name for field in fields(BatchState)}
    assert set(code(below)) <= known
    methods = {name.removesuffix("()") for row in rows(text, "## The whole of it") for name in code(row[0])}
    assert {name.partition("(")[0] for name in methods} <= set(dir(Task))
    # All that a task must have.
    assert Task.__abstractmethods__ <= {name.partition("(")[0] for name in methods}


def test_names_on_the_pages_for_movers_exist():
    """Keywords, methods of meshes and settings in the right columns are ours."""
    keywords = {field.name for field in fields(EnvConfig)} | {"preset", "num_envs", "seed"}
    for name in ("habitat.md", "bps.md", "environment.md", "scenes.md", "agent.md"):
        cells = [line.split(" | ", 1)[-1] for line in page(name).splitlines() if line.startswith("| ")]
        for item in [item for cell in cells for item in code(cell)]:
            if (keyword := re.match(r"(\w+)=(?!=)", item)) and not item.startswith("policy."):
                own = {"task", "render_mode", "render_backend", "backend", "integration", "stop", "scenes"}
                assert keyword[1] in keywords | own, (name, item)
    for name in re.findall(r"`NavMesh\.(\w+)", page("habitat.md")):
        assert hasattr(NavMesh, name), name
    settings = TrainConfig().to_dict()
    for part, setting in re.findall(r"`(ppo|policy)\.(\w+)", page("bps.md")):
        assert setting in settings[part]


def test_api_pages_hold_every_public_name():
    documented = []
    for path in (DOCS / "api").glob("*.md"):
        for kind, name in re.findall(r"^\.\. auto(\w+):: (\S+)$", path.read_text("utf-8"), flags=re.M):
            package, _, last = name.rpartition(".")
            parent = importlib.import_module(name if kind == "module" else package)
            made = parent if kind == "module" else getattr(parent, last)
            inside = vars(made).values() if kind == "module" else ()
            documented += [made, *inside]
    known = {id(item) for item in documented}
    for package in PUBLIC:
        module = importlib.import_module(package)
        public = {name: getattr(module, name) for name in module.__all__}
        missing = [name for name, item in public.items() if callable(item) and id(item) not in known]
        assert missing == [], f"{package}: add them to a page of docs/api"
    assert batchnav_renderer.BatchRenderer in documented
    assert gym_batchnav.Task in documented


def entries(path: Path) -> Iterator[tuple[str, str, set[str]]]:
    """Lines of docstrings at the place of entries of "Args:" or "Raises:": section, line, arguments."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and (text := ast.get_docstring(node)):
            made = node.body if isinstance(node, ast.ClassDef) else [node]
            functions = [item for item in made if isinstance(item, ast.FunctionDef)]
            names = {
                arg.arg
                for function in functions
                for arg in ast.walk(function.args)
                if isinstance(arg, ast.arg)
            }
            names |= {item.target.id for item in made if isinstance(item, ast.AnnAssign)}
            for section, body in re.findall(r"^(Args|Raises):\n((?:(?: {4}.*)?\n?)+)", text, flags=re.M):
                for line in re.findall(r"^ {4}(\S.*)$", body, flags=re.M):
                    yield section, line, names


@pytest.mark.parametrize("package", ["gym_batchnav", "renderer/batchnav_renderer"])
def test_docstrings_indent_what_goes_on(package):
    """A line that goes on with an entry is indented; else it stands as an argument on the page of the API."""
    odd, count = [], 0
    for path in (ROOT / package).rglob("*.py"):
        for section, line, names in entries(path):
            count += 1
            name = re.match(r"\*{0,2}(\w+)(?:, \w+)*:( |$)", line)
            known = name and (name[1] in names if section == "Args" else name[1][0].isupper())
            odd += [] if known else [f"{path.name}: {line}"]
    assert odd == []
    assert count > 100


# What conf.py makes of docstrings and pages.


def test_fields_show_their_default_and_keep_their_colons():
    lines = ["Clearance: in metres. Built-in houses: at most 1.5."]
    script("conf").describe_attribute(
        None, "attribute", "gym_batchnav.EnvConfig.agent_height", None, None, lines
    )
    # An empty comment comes first, so that nothing before a colon is taken for a type.
    assert lines[:2] == ["..", ""]
    assert lines[2:] == ["Clearance: in metres. Built-in houses: at most 1.5.", "", "Default: ``1.5``."]
    required = ["Letters."]
    script("conf").describe_attribute(None, "attribute", "gym_batchnav.Camera.name", None, None, required)
    assert required == ["..", "", "Letters."]


def test_arrays_go_by_name_and_configurations_are_short():
    conf = script("conf")
    told = f"(points: {conf.ARRAY_LIKE}, *, sliding: bool = True)"
    found = conf.short_signature(
        None,
        "method",
        "",
        None,
        None,
        told,
        "~numpy.ndarray[tuple[~typing.Any, ...], ~numpy.dtype[~numpy.float32]]",
    )
    assert found == ("(points: ArrayLike, *, sliding: bool = True)", "NDArray[~numpy.float32]")
    assert conf.short_signature(None, "class", "", EnvConfig, None, "(*, scenes)", None) == ("(...)", None)


def test_files_of_the_root_keep_their_links():
    class App:
        class env:  # noqa: N801  (Sphinx's name)
            note_dependency = staticmethod(lambda path: None)

    source = ["as on GitHub"]
    script("conf").from_the_root(App, "changelog", source)
    assert "](distributed.md)" in source[0]
    assert "](docs/" not in source[0]
    assert source[0].startswith("# Changelog")
    other = ["stays"]
    script("conf").from_the_root(App, "concepts", other)
    assert other == ["stays"]


# How it hangs together.


def test_every_page_is_in_the_contents():
    listed = re.findall(r"^(?:[a-z_0-9]+/)*[\w]+$", page("index.md"), flags=re.M)
    pages = {path.relative_to(DOCS).with_suffix("").as_posix() for path in PAGES if DOCS in path.parents}
    assert sorted(listed) == sorted(pages - {"index"})


@pytest.mark.parametrize(
    "path", [*PAGES, ROOT / "CHANGELOG.md"], ids=lambda path: path.relative_to(ROOT).as_posix()
)
def test_links_lead_somewhere_on_github(path):
    """To files that are there, and to headings that they have."""
    text = re.sub(r"^ *```.*?^ *```", "", path.read_text("utf-8"), flags=re.M | re.S)
    for link in re.findall(r"\]\((?!https?:|mailto:)([^)\s]+)\)", text):
        name, _, anchor = link.partition("#")
        target = path.parent / name if name else path
        assert target.exists(), link
        if anchor:
            titles = re.findall(r"^#+ (.*)$", target.read_text("utf-8"), flags=re.M)
            assert anchor in {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}, (
                link
            )


@pytest.mark.parametrize("name", list(script("pictures").PICTURES))
def test_pictures_show_the_houses_of_today(name):
    """Where this fails, the houses are others than those on the picture: run python docs/pictures.py."""
    pictures = script("pictures")
    sets = {"concepts-batch.png": pictures.MOSAIC, "concepts-scenes.png": pictures.SWAPPED}
    with Image.open(DOCS / "images" / name) as picture:
        shown = picture.text[pictures.KEY].split()
        assert np.asarray(picture.convert("L")).std() > 20
    assert shown == [ref.scene_id for ref in resolve_scenes(sets.get(name, pictures.HOUSE))]
    assert f"images/{name}" in page("watching.md" if name == "watching.png" else "concepts.md")


def test_the_test_command_builds_the_site_with_warnings_as_errors():
    tree = ast.parse((ROOT / "bootstrap.py").read_text("utf-8"))
    lists = [
        [item.value for item in node.elts if isinstance(item, ast.Constant)]
        for node in ast.walk(tree)
        if isinstance(node, ast.List)
    ]
    (command,) = [words for words in lists if "sphinx" in words]
    assert {"-W", "--keep-going", "docs", "build/docs"} <= set(command)


def test_what_builds_the_site_is_pinned():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    assert "docs" in re.search(r"\[(.*)\]", extras["dev"][0])[1].split(",")
    pinned = (ROOT / "constraints.txt").read_text("utf-8").lower().replace("_", "-")
    for need in extras["docs"]:
        assert f"\n{re.split('[<>=]', need.lower())[0]}==" in pinned
