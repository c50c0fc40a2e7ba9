"""Tiny scenes whose figures are known by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from gym_batchnav.cli import main
from tests.unit.cli.boxes import box, write_obj


@pytest.fixture
def room(tmp_path: Path) -> Callable[..., Path]:
    """Writes a room of 6 x 3 x 4 m (x, y, z), or other boxes, as an OBJ file."""

    def make(name: str = "room.obj", boxes=None, **more) -> Path:
        return write_obj(tmp_path / name, boxes or [box((0, 0, 0), (6, 3, 4), inward=True)], **more)

    return make


@pytest.fixture
def check(tmp_path: Path) -> Callable[..., tuple[int, list[dict]]]:
    """Runs ``batchnav scenes check`` and gives its status and what it found."""

    def run(*arguments: object) -> tuple[int, list[dict]]:
        report = tmp_path / "found.json"
        status = main(["scenes", "check", *map(str, arguments), "--json", str(report)])
        return status, json.loads(report.read_text(encoding="utf-8"))["scenes"]

    return run
