"""The examples run, with tiny settings, and stay short."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
RUNS = {
    "random_agent.py": ("--num-envs 4 --steps 5 --scenes houses:train[:1]", "frames/s"),
    "train_ppo.py": (
        "--scenes houses:train/0 --frames 128 --num-envs 4 --resolution 16 --episodes 2 --run-dir run",
        "spl:",
    ),
    "train_any_env.py": ("--frames 2048 --num-envs 4 --run-dir run", "over 32 episodes"),
    "sb3_ppo.py": (
        "--scenes houses:train/0 --eval-scenes houses:train/0 --frames 64 --num-envs 4 --resolution 36 "
        "--episodes 2 --run-dir run",
        "SPL:",
    ),
    "standalone_renderer.py": ("", "height 1.0 m: "),
    "zero_copy_torch.py": ("--num-envs 4 --steps 5 --scenes houses:val[:1]", "none was copied"),
    "cleanrl_ppo.py": ("--total-timesteps 256 --num-envs 4 --scenes houses:val[:1]", "256 steps: success"),
    "custom_task.py": ("--num-envs 4 --steps 20 --scenes houses:val[:1]", "mean return"),
    "imitation.py": (
        "--frames 64 --num-envs 4 --episodes 2 --scenes houses:val[:1] --eval-scenes houses:val[:1]",
        "success 0.",
    ),
    "own_scene.py": ("", "on foot"),
    "record_video.py": ("--scenes houses:val/0 --side 48 --episodes 1 --most-steps 3 -o way.mp4", "way.mp4"),
}
"""Name to arguments, and words that must be printed."""


def test_every_example_is_run_here():
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(RUNS)


def test_the_table_lists_every_file():
    table = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| \[([^]]+)\]\(([^)]+)\) \|", table, flags=re.MULTILINE)
    assert all(name == link for name, link in listed)
    files = {path.relative_to(EXAMPLES).as_posix() for path in EXAMPLES.rglob("*") if path.is_file()}
    hidden = {
        name for name in files if "__pycache__" in name or name.endswith((".dockerignore", "README.md"))
    }
    assert sorted(name for name, _ in listed) == sorted(files - hidden)


@pytest.mark.parametrize("name", RUNS)
def test_examples_are_models_of_good_usage(name):
    code = (EXAMPLES / name).read_text(encoding="utf-8")
    described = ast.get_docstring(ast.parse(code))
    assert f"python examples/{name}" in described
    assert code.endswith('if __name__ == "__main__":\n    main()\n') or "tyro.cli(main)" in code


@pytest.mark.parametrize("name", RUNS)
def test_examples_are_short(name):
    assert len((EXAMPLES / name).read_text(encoding="utf-8").splitlines()) < 80


def test_task_of_ones_own_fits_into_40_lines():
    tree = ast.parse((EXAMPLES / "custom_task.py").read_text(encoding="utf-8"))
    (task,) = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    assert task.end_lineno - task.lineno + 1 < 40


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_example_runs(name, tmp_path):
    arguments, words = RUNS[name]
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *arguments.split()],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert words in done.stdout


@pytest.mark.slow
def test_own_scene_example_takes_a_scene_file(shared_data, tmp_path):
    scene = shared_data / "scenes" / "aws_small_house.glb"
    navmesh = shared_data / "navmesh" / "aws_small_house.navmesh"
    command = [sys.executable, str(EXAMPLES / "own_scene.py"), str(scene), "--navmesh", str(navmesh)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "145,844 triangles" in done.stdout
