"""The device script runs from beginning to end in software."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("device_check.py")


@pytest.mark.slow
def test_the_script_in_software(tmp_path):
    file = tmp_path / "record.json"
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--cpu", "--json", str(file)],
        capture_output=True, text=True, timeout=280, check=False,
    )  # fmt: skip
    record = json.loads(file.read_text())
    failed = {name: found["error"] for name, found in record["parts"].items() if not found["ok"]}
    assert failed == {}
    assert done.returncode == 0, done.stderr
    assert record["parts"]["bench render gl 4"]["frames_per_second"] > 0
    assert record["parts"]["bench train gl 4"]["frames_per_second"] > 0
    assert record["parts"]["leaks"]["steps"] == 30
    assert record["parts"]["interop of gl"]["interop"].startswith("not needed")


@pytest.mark.slow
def test_the_training_in_software(tmp_path):
    file = tmp_path / "record.json"
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--cpu", "--training", "--json", str(file)],
        capture_output=True, text=True, timeout=280, check=False,
    )  # fmt: skip
    parts = json.loads(file.read_text())["parts"]
    assert {name: found["error"] for name, found in parts.items() if not found["ok"]} == {}
    assert done.returncode == 0, done.stderr
    assert parts["bench train bps-depth"]["frames_per_second"] > 0
    assert parts["training"]["frames"] == parts["training"]["curve"][-1]["frames"] > 0
    assert {"trained", "straight", "expert"} <= set(parts["training"]["agents"])
