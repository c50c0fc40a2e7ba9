"""The device script runs from beginning to end in software."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.gpu import device_check


def findings(path: Path, *words: str) -> dict[str, dict]:
    """What the parts of the script found, none of which failed."""
    status = device_check.main(["--cpu", *words, "--json", str(path)])
    parts = json.loads(path.read_text())["parts"]
    assert {name: found["error"] for name, found in parts.items() if not found["ok"]} == {}
    assert status == 0
    return parts


@pytest.mark.slow
def test_the_script_in_software(tmp_path):
    parts = findings(tmp_path / "record.json")
    assert parts["bench render gl 4"]["frames_per_second"] > 0
    assert parts["bench train gl 4"]["frames_per_second"] > 0
    assert parts["leaks"]["steps"] == 30
    assert parts["interop of gl"]["interop"].startswith("not needed")


@pytest.mark.slow
def test_the_training_in_software(tmp_path):
    parts = findings(tmp_path / "record.json", "--training")
    assert parts["bench train bps-depth"]["frames_per_second"] > 0
    assert parts["training"]["frames"] == parts["training"]["curve"][-1]["frames"] > 0
    assert {"trained", "straight", "expert"} <= set(parts["training"]["agents"])


def test_on_a_gpu_commands_run_in_processes_of_their_own():
    """Which find the package wherever the script is called, and whose failure is told."""
    device_check.batchnav(device_check.ON_GPU, "--version", timeout_s=100)
    with pytest.raises(AssertionError, match="there is no command 'dance'"):
        device_check.batchnav(device_check.ON_GPU, "dance", timeout_s=100)


def test_a_part_that_fails_does_not_end_the_others():
    def fail():
        raise ValueError("broken")

    record = device_check.run(device_check.IN_SOFTWARE, {"one": fail, "two": lambda: {"found": 3}})
    assert not record["ok"]
    assert record["parts"]["one"]["error"].endswith("ValueError: broken\n")
    assert record["parts"]["two"]["found"] == 3
