"""Every code block of README.md and docs/**/*.md does what it shows; docs_blocks.py says how it is run."""

from __future__ import annotations

import contextlib
import io
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

from gym_batchnav.cli import main
from gym_batchnav.cli.app import parse
from gym_batchnav.cli.args import TrainArgs
from gym_batchnav.cli.training.plan import plan_training
from gym_batchnav.scenes import Scene, save_scene
from tests.packaging.docs_blocks import PAGES, ROOT, Block, blocks, commands

CODE, OTHER = {"python", "sh"}, {"text", "yaml", "", "{eval-rst}", "{toctree}"}
ALL = {path.relative_to(ROOT).as_posix(): blocks(path) for path in PAGES}
PYTHON = {page: [block for block in found if block.language == "python"] for page, found in ALL.items()}
SHELL = [block for found in ALL.values() for block in found if block.language == "sh"]
LAUNCHER = ["-m", "gym_batchnav.cli"]


def of_batchnav(words: list[str]) -> list[str] | None:
    """The arguments of ``batchnav`` in a command, also under torchrun; None where it is another one."""
    if words[0] == "batchnav":
        return words[1:]
    if words[0] == "torchrun" and LAUNCHER[1] in words:
        place = words.index(LAUNCHER[1])
        assert words[place - 1] == LAUNCHER[0]
        return words[place + 1 :]
    return None


LINES = [
    pytest.param(words, id=f"{block}: {' '.join(words)[:70]}") for block in SHELL for words in commands(block)
]
"""Every shell command of every page."""


def test_blocks_are_found_where_they_are():
    assert len(PYTHON["README.md"]) >= 1
    assert len(SHELL) > 20
    # Whatever is fenced is looked at here, or no code that one would run.
    every = [block for found in ALL.values() for block in found]
    assert [str(block) for block in every if block.language not in CODE | OTHER] == []
    # Each fence has its end: pages hold two marks for each block.
    for path in PAGES:
        fences = re.findall(r"^ *`{3,}", path.read_text(encoding="utf-8"), flags=re.M)
        assert len(fences) == 2 * len(ALL[path.relative_to(ROOT).as_posix()]), path


def test_what_is_not_run_says_why():
    for found in ALL.values():
        for block in found:
            if block.reason is not None:
                assert len(block.reason.split()) >= 3, block
                assert not block.changes, f"{block} is not run, and yet made small"
            said = block.changes or block.reason or block.setup or block.prints
            assert block.language in CODE or not said, block


@pytest.mark.parametrize("words", LINES)
def test_commands_are_ones(words):
    """Options and names of ours exist, of any command of a page; a training can be planned from them."""
    if (arguments := of_batchnav(words)) is not None:
        made = parse(arguments)
        if isinstance(made, TrainArgs) and not (made.config or "home.glb" in (made.scenes or ())):
            assert plan_training(made).num_envs > 0
    elif words[0].startswith("python") and len(words) > 1 and words[1].endswith(".py"):
        # Scripts that are not ours come from elsewhere in the same block.
        assert (ROOT / words[1]).is_file() or words[1] == "download_mp.py"
    elif words[:2] == ["pip", "install"]:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
        extras = project["optional-dependencies"]
        for word in words[2:]:
            named = re.search(r"\[(.*)\]", word)
            assert named is None or set(named[1].split(",")) <= set(extras)


@pytest.mark.parametrize("page", [page for page, found in PYTHON.items() if found])
def test_python_compiles(page):
    for block in PYTHON[page]:
        compile(block.small, str(block), "exec")
        compile(block.setup, f"setup of {block}", "exec")


def runs(block: Block) -> bool:
    return block.reason is None


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """An empty folder to be in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page, found in PYTHON.items() if any(map(runs, found))])
def test_python_runs(page, folder):
    """All blocks of a page, in order, in one namespace; what one prints is what its page says."""
    namespace: dict[str, object] = {"__name__": "__main__"}
    for block in filter(runs, PYTHON[page]):
        exec(compile(block.setup, f"setup of {block}", "exec"), namespace)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block.small, str(block), "exec"), namespace)
        if block.prints is not None:
            assert re.fullmatch(block.prints, printed.getvalue().strip(), flags=re.S), printed.getvalue()


@pytest.fixture
def workplace(folder, quads) -> Path:
    """A folder with what shell blocks name: a scene of one's own, and a folder of such."""
    low, high = np.array([-3.0, 0.0, -3.0]), np.array([3.0, 2.5, 3.0])
    (x0, y0, z0), (x1, y1, z1) = low, high
    floor = [(x0, y0, z0), (x0, y0, z1), (x1, y0, z1), (x1, y0, z0)]
    walls = [
        [(xa, y0, za), (xb, y0, zb), (xb, y1, zb), (xa, y1, za)]
        for (xa, _, za), (xb, _, zb) in zip(floor, [*floor[1:], floor[0]], strict=True)
    ]
    room = Scene(scene_id="home", arrays=quads([floor, *walls]))
    for place in (folder / "scans", folder / "docs" / "images"):
        place.mkdir(parents=True)
    for place in (folder, folder / "scans"):
        save_scene(room, place / "home.glb")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("block", [block for block in SHELL if runs(block)], ids=str)
def test_shell_runs(block, workplace, monkeypatch, capsys):
    """Blocks of commands of ours that are cheap; the others say why they are not run."""
    if "scenes cache" in block.code:
        monkeypatch.setenv("BATCHNAV_CACHE", str(workplace / "cache"))
    for words in commands(block, block.small):
        assert words[0] == "batchnav", f"{block}: only commands of batchnav are run here, not {words}"
        assert main(words[1:]) == 0, capsys.readouterr().err
