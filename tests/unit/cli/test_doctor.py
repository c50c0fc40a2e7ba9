"""``batchnav doctor`` over faked systems: what stuck users have, and the fix that each is told."""

from __future__ import annotations

import copy
import json
import os
import sys

import numpy as np
import pytest

from batchnav_renderer import EGLError, EmbreeError, RenderConfig
from batchnav_renderer.embree import library
from gym_batchnav.cli import main
from gym_batchnav.cli.doctor import picture, run, system
from gym_batchnav.cli.doctor.problems import find_problems

SOFTWARE = {"index": 0, "cuda_ordinal": None, "software": True, "uuid": None, "drm": None}
NVIDIA = {"index": 1, "cuda_ordinal": 0, "software": False, "uuid": "GPU-1", "drm": "/dev/dri/card0"}
DRAWN = {"ok": True, "info": {"backend": "embree", "device": "cpu", "reason": "why", "software": False}}
ON_GPU = {"backend": "gl", "device": "cuda", "software": False, "reason": "why", "gl_renderer": "NVIDIA L40S"}
HEALTHY = {
    "versions": {"python": "3.11.7"},
    "embree": {"version": "4.4.0", "library": "libembree4.so"},
    "cuda": {"driver": "580.1", "torch_built_for": "13.0", "available": True, "devices": ["NVIDIA L40S"]},
    "egl": {"devices": [SOFTWARE, NVIDIA], "vendor_files": ["/usr/share/glvnd/egl_vendor.d/10_nvidia.json"]},
    "dri": [{"path": "/dev/dri/card0", "usable": False}, {"path": "/dev/dri/renderD128", "usable": True}],
    "container": False,
    "wsl": False,
    "environment": {},
    "device": None,
    "auto": {"ok": True, "info": {**ON_GPU, "interop": "shared: a ring of 2 on cuda:0"}},
    "self_test": {"embree": DRAWN, "gl": {"ok": True, "info": ON_GPU}},
}


def changed(**fields):
    """The healthy system, with parts of its facts changed."""
    facts = copy.deepcopy(HEALTHY)
    for name, value in fields.items():
        facts[name] = {**facts[name], **value} if isinstance(value, dict) else value
    return facts


def only_problem(facts):
    (problem,) = find_problems(facts)
    return f"{problem.what} | {problem.fix}"


def test_a_healthy_system_has_no_problem():
    assert find_problems(HEALTHY) == []


def test_neither_gpu_nor_driver_is_no_problem():
    cuda = {"driver": None, "torch_built_for": None, "available": False, "devices": []}
    software = {"ok": True, "info": {**ON_GPU, "software": True, "device": "cpu"}}
    assert find_problems(
        changed(cuda=cuda, egl={"devices": [SOFTWARE]}, dri=[], self_test={"gl": software}, auto=DRAWN)
    ) == []  # fmt: skip


NO_EGL_GPU = {"devices": [SOFTWARE]}
STUCK = [
    ({"egl": {"error": "libEGL.so.1 cannot be loaded (x); y", "devices": []}}, "apt-get install libegl1"),
    ({"egl": NO_EGL_GPU, "container": True}, "NVIDIA_DRIVER_CAPABILITIES is '' | .*CAPABILITIES=all"),
    (
        {
            "egl": NO_EGL_GPU,
            "container": True,
            "environment": {"NVIDIA_DRIVER_CAPABILITIES": "compute,utility"},
        },
        "'compute,utility'",
    ),
    ({"egl": {**NO_EGL_GPU, "vendor_files": ["50_mesa.json"]}}, "no file for it .*10_nvidia.json"),
    ({"egl": NO_EGL_GPU}, "though the driver is there .*libnvidia-gl"),
    ({"egl": NO_EGL_GPU, "wsl": True}, "WSL2 gives no EGL device"),
    ({"dri": [{"path": "/dev/dri/renderD128", "usable": False}]}, "renderD128 .*usermod -aG render"),
    ({"cuda": {"torch_built_for": None, "available": False}}, "for the CPU alone .*CUDA build of torch"),
    ({"cuda": {"available": False}}, "torch for CUDA 13.0 finds no GPU with driver 580.1"),
    (
        {"cuda": {"available": False}, "environment": {"CUDA_VISIBLE_DEVICES": ""}},
        "hides all GPUs .*unset CUDA_VISIBLE_DEVICES",
    ),
    ({"embree": {"error": "the library cannot be loaded; fix"}}, "force-reinstall embreex"),
    (
        {"self_test": {"gl": {"ok": False, "error": "no EGL device is 'cuda:0'\nFix: set it up"}}},
        "gl cannot draw: no EGL device is 'cuda:0' | set it up",
    ),
    (
        {"self_test": {"gl": {"ok": False, "wrong_pixels": 256, "worst_error_m": 10.0, "info": ON_GPU}}},
        "gl draws a wrong picture: 256 of 256 pixels, up to 10 m off .*driver",
    ),
    (
        {"self_test": {"gl": {"ok": True, "info": {"software": True, "gl_renderer": "llvmpipe"}}}},
        r"gl draws in software \(llvmpipe\) though .*device='cuda:0'",
    ),
    (
        {"auto": {"ok": True, "info": {**ON_GPU, "interop": "copied: WSL2 cannot share"}}},
        "by a copy: copied: WSL2 cannot share",
    ),
]


@pytest.mark.parametrize(("fields", "expected"), STUCK)
def test_each_stuck_case_is_one_line_with_its_fix(fields, expected):
    import re

    assert re.search(expected, only_problem(changed(**fields)))


def test_software_that_was_asked_for_is_no_problem():
    drawn = {"ok": True, "info": {"software": True, "gl_renderer": "llvmpipe"}}
    assert find_problems(changed(device="cpu", self_test={"gl": drawn})) == []


def test_one_cause_is_told_once():
    """A missing library shows in the facts and in what fails to draw."""
    message = "the Embree 4 library cannot be loaded"
    facts = changed(embree={"error": message}, self_test={"embree": {"ok": False, "error": message}})
    assert "embreex" in only_problem(facts)


def test_facts_of_a_faked_root(tmp_path, monkeypatch):
    for name, text in {
        "proc/driver/nvidia/version": "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Tue",
        "proc/version": "Linux version 5.15.90.1-microsoft-standard-WSL2",
        "usr/share/glvnd/egl_vendor.d/50_mesa.json": "{}",
        "etc/glvnd/egl_vendor.d/10_nvidia.json": "{}",
        "dev/dri/card0": "",
        "dev/dri/renderD128": "",
        "dev/dri/by-path": "",
        ".dockerenv": "",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(os, "access", lambda path, mode: path.name != "card0")
    facts = system.system_facts(tmp_path, {"CUDA_VISIBLE_DEVICES": "0", "HOME": "/root"})
    assert facts["cuda"]["driver"] == "580.159.04"
    assert facts["wsl"] is True
    assert facts["container"] is True
    assert facts["egl"]["vendor_files"] == [
        "/usr/share/glvnd/egl_vendor.d/50_mesa.json",
        "/etc/glvnd/egl_vendor.d/10_nvidia.json",
    ]
    assert facts["dri"] == [
        {"path": "/dev/dri/card0", "usable": False},
        {"path": "/dev/dri/renderD128", "usable": True},
    ]
    assert facts["environment"] == {"CUDA_VISIBLE_DEVICES": "0"}
    assert facts["versions"]["numpy"] == np.__version__
    json.dumps(facts)


def test_facts_of_an_empty_root(tmp_path, monkeypatch):
    def no_egl():
        raise EGLError("libEGL.so.1 cannot be loaded")

    monkeypatch.setattr(system, "EGL", no_egl)
    monkeypatch.setattr(library, "candidates", lambda: [])
    facts = system.system_facts(tmp_path, {})
    assert (facts["cuda"]["driver"], facts["wsl"], facts["container"], facts["dri"]) == (
        None,
        False,
        False,
        [],
    )
    assert facts["egl"]["error"] == "libEGL.so.1 cannot be loaded"
    assert "pip install embreex" in facts["embree"]["error"]


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
    found = picture.draw_apart("embree", "cpu")
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


def test_errors_crashes_and_hangs_are_findings(monkeypatch):
    def fails(config: RenderConfig) -> None:
        raise EmbreeError("no library")

    monkeypatch.setattr(picture, "BatchRenderer", fails)
    assert picture.draw_known("embree", None) == {"ok": False, "error": "no library"}
    monkeypatch.setattr(picture, "sys", type("Sys", (), {"executable": "/bin/false"}))
    assert "ended with status 1" in picture.draw_apart("gl", None)["error"]
    monkeypatch.setattr(picture, "sys", type("Sys", (), {"executable": sys.executable}))
    monkeypatch.setattr(picture, "_TIMEOUT_S", 0.001)
    assert "the driver hangs" in picture.draw_apart("gl", None)["error"]


@pytest.fixture
def machine(monkeypatch):
    """Lets ``doctor`` see given facts and backends."""

    def set_up(facts, pictures):
        monkeypatch.setattr(run, "system_facts", lambda: copy.deepcopy(facts))
        monkeypatch.setattr(run, "draw_apart", lambda backend, device, images="numpy": pictures(backend))

    return set_up


def test_status_0_where_a_backend_draws(machine, capsys):
    failed = {"ok": False, "error": "it lacks everything; take backend='embree'\nmore"}
    machine(HEALTHY, lambda backend: failed if backend == "gl-raycast" else DRAWN)
    assert main(["doctor"]) == 0
    shown = capsys.readouterr().out
    assert "draws right" in shown
    assert "gl-raycast cannot draw: it lacks everything" in shown
    assert "1: CUDA device 0, GPU-1, /dev/dri/card0" in shown


def test_status_1_where_none_draws(machine, capsys, tmp_path):
    machine(HEALTHY, lambda backend: {"ok": False, "error": f"{backend} is broken"})
    assert main(["doctor", "--json", str(tmp_path / "found.json")]) == 1
    assert capsys.readouterr().out.count("problem: ") == 3
    found = json.loads((tmp_path / "found.json").read_text())
    assert [problem["what"] for problem in found["problems"]] == [
        f"{backend} cannot draw: {backend} is broken" for backend in run.BACKENDS
    ]


def test_json_on_standard_output(machine, capsys):
    machine(HEALTHY, lambda backend: DRAWN)
    assert main(["doctor", "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["self_test"].keys() == set(run.BACKENDS)
    assert found["auto"]["info"]["reason"] == "why"


def test_the_device_is_passed_on(monkeypatch, tmp_path):
    asked = []

    def note(backend, device, images="numpy"):
        asked.append((backend, device, images))
        return DRAWN

    monkeypatch.setattr(run, "system_facts", lambda: copy.deepcopy(HEALTHY))
    monkeypatch.setattr(run, "draw_apart", note)
    assert main(["doctor", "--device", "cuda:1", "--json", str(tmp_path / "found.json")]) == 0
    assert ("auto", "cuda:1", "torch") in asked
    assert ("gl", "cuda:1", "numpy") in asked
