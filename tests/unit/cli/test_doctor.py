"""``batchnav doctor`` as a whole: its picture, its processes, what it prints, and its exit status."""

from __future__ import annotations

import copy
import json
import re
import time
from pathlib import Path

import pytest

from batchnav_renderer import EmbreeError, RenderConfig
from gym_batchnav.cli import main
from gym_batchnav.cli.doctor import apart, picture, run
from tests.unit.cli.doctor_systems import DRAWN, HEALTHY, LAPTOP, LLVMPIPE, changed


def write(root, files):
    for name, text in files.items():
        (root / name).write_text(text)


def test_the_known_picture_by_hand():
    """Pixel (row, column) looks along slopes (2 column - 15) / 16 to the right, (15 - 2 row) / 16 upwards."""
    depth, ids = picture.known_picture()
    assert (depth[15, 0], ids[15, 0]) == (pytest.approx(16 / 15), 1)  # lowest row, slope -15/16: the floor
    assert (depth[9, 0], ids[9, 0]) == (pytest.approx(16 / 3), 1)  # slope -3/16, left half: the floor
    assert (depth[9, 15], ids[9, 15]) == (2.0, 2)  # the same row on the right: the wall hides it
    assert (depth[8, 0], ids[8, 0]) == (10.0, 1)  # slope -1/16: the floor at 16 m, beyond far
    assert (depth[0, 0], ids[0, 0]) == (10.0, -1)  # the sky
    assert (depth[0, 8], ids[0, 8]) == (2.0, 2)
    assert (depth[11, 8], depth[12, 8]) == (2.0, pytest.approx(16 / 9))  # slopes -7/16 and -9/16


def test_embree_draws_the_known_picture_in_a_process_of_its_own():
    with apart.Apart() as processes:
        found = processes.submit("gym_batchnav.cli.doctor.picture", "embree", "cpu", "numpy").result()
    assert found["ok"], found
    assert found["wrong_pixels"] == 0
    assert found["worst_error_m"] < 1e-4
    assert found["info"]["backend"] == "embree"


def test_a_wrong_picture_is_seen(monkeypatch):
    depth, ids = picture.known_picture()
    depth[3, 4] = 2.5
    monkeypatch.setattr(picture, "known_picture", lambda: (depth, ids))
    found = picture.draw_known("embree", "cpu")
    assert (found["ok"], found["wrong_pixels"]) == (False, 1)
    assert found["worst_error_m"] == pytest.approx(7.5)  # the sky reads 10


def test_errors_of_drawing_are_findings(monkeypatch):
    def fails(config: RenderConfig) -> None:
        raise EmbreeError("no library")

    monkeypatch.setattr(picture, "BatchRenderer", fails)
    assert picture.draw_known("embree", None) == {"ok": False, "error": "no library"}


def test_crashes_hangs_and_chatter_of_processes_are_findings(tmp_path, monkeypatch):
    write(
        tmp_path,
        {
            "chatty.py": "print('a driver says hello')\nprint('{\"a\": 1}')\nprint('{\"b\": {\"c\": 2}}')\n",
            "crashing.py": "import os, sys\nprint('{\"a\": 1}', flush=True)\nsys.stderr.write('bad\\n')\n"
            "sys.stderr.flush()\nos.abort()\n",
            "silent.py": "",
            "hanging.py": "import time\ntime.sleep(60)\n",
        },
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with apart.Apart(at_once=3) as processes:
        chatty, crashing, silent = (processes.submit(name) for name in ("chatty", "crashing", "silent"))
        assert chatty.result() == {"a": 1, "b": {"c": 2}}
        assert crashing.result() == {"a": 1, "ok": False, "error": "it ended with status -6: bad"}
        assert silent.result() == {"ok": False, "error": "it said nothing"}
        monkeypatch.setattr(apart, "TIMEOUT_S", 0.05)
        assert "the driver hangs" in processes.submit("hanging").result()["error"]
        monkeypatch.setattr(apart, "TIMEOUT_S", 60.0)
        left = processes.submit("hanging")
        while not processes._running:
            time.sleep(0.01)
    # Leaving ends what still runs, as at Ctrl-C.
    assert left.result()["ok"] is False


@pytest.fixture
def machine(monkeypatch):
    """Lets ``doctor`` see given facts and what processes say."""

    def set_up(facts, said):
        class Said:
            def __init__(self, value):
                self.value = value

            def result(self):
                return copy.deepcopy(self.value)

        class Faked:
            def __enter__(self):
                return self

            def __exit__(self, *_):
                pass

            def submit(self, module, *arguments):
                return Said(said(module.rpartition(".")[2], *arguments))

        monkeypatch.setattr(run, "system_facts", lambda: copy.deepcopy(facts))
        monkeypatch.setattr(run, "Apart", Faked)

    return set_up


def saying(pictures, facts=HEALTHY):
    """What processes say: the given pictures by backend, else what the facts hold."""

    def said(module, *arguments):
        if module == "picture":
            return pictures(arguments[0])
        return facts[{"driver": "gl", "window": "window", "speed": "speed"}[module]]

    return said


def test_status_0_where_a_backend_draws(machine, capsys):
    failed = {"ok": False, "error": "it lacks everything; take backend='embree'\nmore"}
    machine(HEALTHY, saying(lambda backend: failed if backend == "gl-raycast" else DRAWN))
    assert main(["doctor"]) == 0
    shown = capsys.readouterr().out
    assert "draws right" in shown
    assert "warning: gl-raycast cannot draw: it lacks everything" in shown
    assert "1: CUDA device 0, GPU-1, /dev/dri/card0" in shown
    assert "NVIDIA L40S, EGL device 1, GPU-1" in shown
    # 9,000 on 2 cores over 7,500 on 2 cores.
    assert "9,000 images/s, 1.20 of the stored 7,500 core for core (2 cores of an AMD EPYC)" in shown
    assert "lacks cuda-bindings: pip install 'gym-batchnav[cuda]'" in shown
    assert shown.splitlines()[-1] == ("Ready: embree on 2 cores, about 9,000 images/s at 64 x 64. 1 warning.")


def test_a_laptop_without_a_gpu_reads_no_problems(machine, capsys):
    machine(LAPTOP, saying(lambda backend: LLVMPIPE if backend.startswith("gl") else DRAWN, LAPTOP))
    assert main(["doctor"]) == 0
    shown = capsys.readouterr().out
    assert shown.endswith("Ready: embree on 2 cores, about 9,000 images/s at 64 x 64. No problems.\n")
    assert not re.search("^(error|warning|hint):", shown, re.MULTILINE)


def test_status_1_where_none_draws(machine, capsys, tmp_path):
    machine(HEALTHY, saying(lambda backend: {"ok": False, "error": f"{backend} is broken"}))
    assert main(["doctor", "--json", str(tmp_path / "found.json")]) == 1
    shown = capsys.readouterr().out
    assert shown.count("error: ") == 3
    assert shown.endswith("Not ready: no backend draws the known picture. 3 errors.\n")
    found = json.loads((tmp_path / "found.json").read_text())
    assert [problem["what"] for problem in found["problems"]] == [
        f"{backend} cannot draw: {backend} is broken" for backend in run.BACKENDS
    ]
    assert found["speed"] == {}


def test_json_on_standard_output(machine, capsys, monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: Path("/home/jane"))
    facts = changed(environment={"LD_LIBRARY_PATH": "/home/jane/lib"})
    machine(facts, saying(lambda backend: DRAWN))
    assert main(["doctor", "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["self_test"].keys() == set(run.BACKENDS)
    assert found["auto"]["info"]["reason"] == "why"
    assert found["environment"] == {"LD_LIBRARY_PATH": "~/lib"}
    assert found["gl"]["limits"] == {"texture_size": 32768}
    assert found["verdict"].startswith("Ready: embree")
    assert {"versions", "processor", "storage", "extras", "window", "date", "cuda", "egl"} <= found.keys()


def test_the_device_is_passed_on_and_what_is_right_is_measured(machine, tmp_path):
    asked = []

    def note(module, *arguments):
        asked.append((module, *arguments))
        failed = {"ok": False, "error": "x"}
        return saying(lambda backend: failed if backend == "gl" else DRAWN)(module, *arguments)

    machine(HEALTHY, note)
    assert main(["doctor", "--device", "cuda:1", "--json", str(tmp_path / "found.json")]) == 0
    assert ("picture", "auto", "cuda:1", "torch") in asked
    assert ("picture", "gl", "cuda:1", "numpy") in asked
    assert ("driver", "cuda:1") in asked
    assert ("speed", "cuda:1", "embree", "gl-raycast") in asked
    asked.clear()
    assert main(["doctor", "--no-speed", "--json", str(tmp_path / "found.json")]) == 0
    assert not any(module == "speed" for module, *_ in asked)


def test_a_measurement_that_crashes_keeps_what_it_had(machine, capsys):
    machine(HEALTHY, saying(
        lambda backend: DRAWN,
        {**HEALTHY, "speed": {"embree": {"per_second": 8000, "compared_with": "embree"}, "ok": False,
                              "error": "it ended with status -11: no message"}},
    ))  # fmt: skip
    assert main(["doctor"]) == 0
    shown = capsys.readouterr().out
    assert "8,000 images/s" in shown
    assert re.search("measurement +failed: it ended with status -11", shown)


def test_json_without_a_file_goes_to_standard_output(machine, capsys):
    machine(HEALTHY, saying(lambda backend: DRAWN))
    assert main(["doctor", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"].startswith("Ready: embree")
    assert main(["doctor", "--json", "--no-speed"]) == 0
    assert json.loads(capsys.readouterr().out)["speed"] == {}


def test_not_ready_where_no_scene_can_be_loaded(machine, capsys):
    facts = copy.deepcopy(HEALTHY)
    facts["storage"]["cache"] = {"error": "BATCHNAV_CACHE_GIB='abc' is not allowed"}
    machine(facts, saying(lambda backend: DRAWN))
    assert main(["doctor"]) == 1
    assert capsys.readouterr().out.endswith(
        "Not ready: no scene can be loaded: BATCHNAV_CACHE_GIB='abc' is not allowed. 1 error.\n"
    )


def test_a_device_that_is_none_is_refused_before_anything_is_tried(machine, capsys):
    machine(HEALTHY, lambda *_: pytest.fail("something was tried"))
    assert main(["doctor", "--device", "banana"]) == 2
    assert "device='banana' is not allowed" in capsys.readouterr().err
