"""docs/sb3.md names the arguments and tasks that there are."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import gymnasium as gym
import pytest

adapter = pytest.importorskip("gym_batchnav.integrations.sb3", exc_type=ImportError)

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "sb3.md").read_text(encoding="utf-8")


def test_the_table_lists_the_arguments_with_their_defaults():
    rows = re.findall(r"^\| (`\w+=.*?) \|", PAGE, flags=re.MULTILINE)
    listed = dict(re.findall(r"`(\w+)=(.+?)`", " ".join(rows)))
    parameters = inspect.signature(adapter.make_sb3_vec_env).parameters
    own = {name: p for name, p in parameters.items() if p.kind is inspect.Parameter.KEYWORD_ONLY}
    assert {name: repr(p.default).replace("'", '"') for name, p in own.items()} == listed


def test_the_tasks_of_the_page_are_those_that_are_registered():
    batches = {name for name in gym.registry if name.startswith("Batch")}
    assert set(re.findall(r"Batch\w+-v0", PAGE)) == {name for name in batches if "Test" not in name}


def test_links_lead_somewhere():
    links = re.findall(r"\]\((?!https?:)([^)#]+)", PAGE)
    assert links
    assert [link for link in links if not (ROOT / "docs" / link).exists()] == []
