"""The README says what is true: its commands are those of CI; test_docs_blocks.py runs its code."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

from gym_batchnav.config import SENSORS, EnvConfig

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


AGENT = (ROOT / "docs" / "agent.md").read_text(encoding="utf-8")


def blocks(language: str, page: str = README) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)


def commands() -> set[str]:
    lines = "".join(blocks("sh")).splitlines()
    return {line.split("#")[0].strip() for line in lines if line.strip()}


def test_the_two_commands_stand_in_the_readme():
    assert {"python3 bootstrap.py train", "python3 bootstrap.py test"} <= commands()


def test_ci_runs_the_test_command_of_the_readme_and_nothing_else():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert script[0] == "#!/usr/bin/env bash"
    plain = ("set ", "cd ", "export ", "#")
    assert [line for line in script if line.strip() and not line.startswith(plain)] == [
        "python3 bootstrap.py test"
    ]
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


def test_links_to_files_lead_somewhere():
    links = re.findall(r"\]\((?!https?:)([^)#]+)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_page_on_the_agent_names_all_there_is_and_no_more():
    """Arguments and sensors of the page are those of the configuration."""
    names = {field.name for field in fields(EnvConfig)}
    assert set(re.findall(r"`(\w+)=", AGENT)) - {"integration", "stop", "preset"} <= names
    assert {f"`{name}`" for name in SENSORS} <= set(re.findall(r"`\w+`", AGENT))
