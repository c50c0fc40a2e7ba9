"""The workflow that tests on other systems: its commands are ones, its versions those that are declared."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import yaml

from gym_batchnav.cli.app import parse

ROOT = Path(__file__).resolve().parents[2]
JOBS = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8"))["jobs"]


def test_all_declared_versions_of_python_are_tested():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    assert JOBS["linux"]["strategy"]["matrix"]["python"] == declared


def test_commands_are_ones():
    lines = [shlex.split(step["run"]) for job in JOBS.values() for step in job["steps"] if "run" in step]
    for words in lines:
        if words[0] == "batchnav":
            parse(words[1:])
        elif words[0] == "python":
            assert (ROOT / words[1]).is_file()
    assert {words[0] for words in lines} == {"sudo", "python", "pip", "batchnav"}
    assert ["python", "bootstrap.py", "test", "--quick"] in lines
