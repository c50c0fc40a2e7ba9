"""docs/sb3.md is true: its arguments exist and its Python runs, in small rooms and for a few steps."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import gymnasium as gym
import pytest
import torch

from tests.unit.envs.doubles import two_rooms

sb3 = pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")
adapter = pytest.importorskip("gym_batchnav.integrations.sb3")

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "sb3.md").read_text(encoding="utf-8")
SMALL = {"render_backend": "constant", "scene_workers": 0, "max_episode_steps": 4, "straight_ratio": 1.0}


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


@pytest.mark.slow
def test_the_python_runs(tmp_path, monkeypatch, capsys):
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
    code = "\n".join(blocks)
    code = re.sub(r"learn\([\d_]+", "learn(64", code)
    code = re.sub(r"n_eval_episodes=\d+", "n_eval_episodes=4", code)
    code = re.sub(r"eval_freq=[\d_]+", "eval_freq=8", code)
    make, make_one, made = adapter.make_sb3_vec_env, gym.make, []

    def small(num_envs=1, *args, **kwargs):
        # What the page says has to be allowed, although it is not what runs.
        make(num_envs, *args, **kwargs).envs.close()
        size = min(kwargs.get("resolution", (36, 36)), (36, 36))
        few = {**kwargs, "scenes": two_rooms(2), "resolution": size, **SMALL}
        made.append(make(min(num_envs, 4), *args, **few))
        return made[-1]

    monkeypatch.setattr(adapter, "make_sb3_vec_env", small)
    monkeypatch.setattr(
        gym,
        "make",
        lambda name, **kwargs: make_one(
            name, **{**SMALL, **kwargs, "scenes": two_rooms(1), "render_backend": "auto"}
        ),
    )
    monkeypatch.chdir(tmp_path)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    exec(compile(code, "docs/sb3.md", "exec"), {})
    torch.set_num_threads(threads)
    for envs in made:
        envs.close()
    assert len(blocks) == 11
    success, spl = capsys.readouterr().out.splitlines()[-1].split()
    assert 0 <= float(spl) <= float(success) <= 1
    assert (tmp_path / "model.zip").exists()
    written = {path.name for path in (tmp_path / "runs" / "sb3").iterdir()}
    assert {"train.monitor.csv", "best_model.zip"} <= written
