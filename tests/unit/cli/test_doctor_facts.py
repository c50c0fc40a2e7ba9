"""What ``batchnav doctor`` finds out, from faked roots, environments and packages."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from batchnav_renderer import EGLError
from batchnav_renderer.embree import library
from gym_batchnav.cli.doctor import cuda, graphics, processor, software, speed, speed_figures, storage, system
from gym_batchnav.cli.doctor.privacy import private

ROOT = Path(__file__).parents[3]


def write(root, files):
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def test_facts_of_a_faked_root(tmp_path, monkeypatch):
    icd = '{"ICD": {"library_path": "%s"}}'
    files = {
        "proc/driver/nvidia/version": "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Tue",
        "proc/version": "Linux version 5.15.90.1-microsoft-standard-WSL2",
        "usr/share/glvnd/egl_vendor.d/50_mesa.json": icd % "libEGL_mesa.so.0",
        "etc/glvnd/egl_vendor.d/10_nvidia.json": icd % "libEGL_nvidia.so.0",
        "etc/glvnd/egl_vendor.d/20_other.json": "nonsense",
        "usr/lib64/libEGL_mesa.so.0": "",
        "usr/lib64/libEGL.so.1": "",
        "usr/lib64/libcuda.so.570.86.1": "",
        "opt/x/libEGL.so.1": "",
        "dev/dri/card0": "",
        "dev/dri/renderD128": "",
        "dev/dri/by-path": "",
        "dev/nvidia0": "",
        ".dockerenv": "",
    }
    write(tmp_path, files)
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name not in ("card0", "nvidia0"))
    monkeypatch.setattr(system, "cuda_facts", lambda root: {"driver": system_driver(root)})
    environment = {
        "CUDA_VISIBLE_DEVICES": "0", "HOME": "/root", "OMP_NUM_THREADS": "1",
        "LD_LIBRARY_PATH": f"{tmp_path}/opt/x:", "BATCHNAV_CACHE": f"{tmp_path}/cache",
    }  # fmt: skip
    facts = system.system_facts(tmp_path, environment)
    assert facts["cuda"]["driver"] == "580.159.04"
    assert facts["wsl"] is True
    assert facts["container"] == "docker"
    assert facts["egl"]["vendor_files"] == [
        "/usr/share/glvnd/egl_vendor.d/50_mesa.json",
        "/etc/glvnd/egl_vendor.d/10_nvidia.json",
        "/etc/glvnd/egl_vendor.d/20_other.json",
    ]
    assert facts["egl"]["broken_vendor_files"] == [
        "/etc/glvnd/egl_vendor.d/10_nvidia.json (libEGL_nvidia.so.0 is not there)",
        "/etc/glvnd/egl_vendor.d/20_other.json (not readable)",
    ]
    assert facts["egl"]["libraries"] == ["/opt/x/libEGL.so.1", "/usr/lib64/libEGL.so.1"]
    assert facts["driver_libraries"] == [{"path": "/usr/lib64/libcuda.so.570.86.1", "version": "570.86.1"}]
    assert facts["library_path"] == [{"folder": f"{tmp_path}/opt/x", "holds": ["libEGL"], "exists": True}]
    assert facts["dri"] == [
        {"path": "/dev/dri/card0", "usable": False},
        {"path": "/dev/dri/renderD128", "usable": True},
    ]
    assert facts["nvidia"] == [{"path": "/dev/nvidia0", "usable": False}]
    assert facts["environment"].keys() == {"CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH", "BATCHNAV_CACHE"}
    assert facts["threads"] == {"OMP_NUM_THREADS": "1"}
    assert facts["storage"]["cache"]["folder"] == f"{tmp_path}/cache/scenes"
    assert facts["versions"]["numpy"] == np.__version__
    json.dumps(facts)


def system_driver(root):
    from gym_batchnav.cli.doctor.cuda import driver_version

    return driver_version(root)


def test_facts_of_an_empty_root(tmp_path, monkeypatch):
    def no_egl():
        raise EGLError("libEGL.so.1 cannot be loaded")

    monkeypatch.setattr(graphics, "EGL", no_egl)
    monkeypatch.setattr(library, "candidates", lambda: [])
    monkeypatch.setitem(sys.modules, "torch", None)
    facts = system.system_facts(tmp_path, {"BATCHNAV_CACHE": "off"})
    assert (facts["cuda"]["driver"], facts["wsl"], facts["container"], facts["dri"]) == (
        None,
        False,
        None,
        [],
    )
    assert facts["egl"]["error"] == "libEGL.so.1 cannot be loaded"
    assert "pip install embreex" in facts["embree"]["error"]
    assert "torch" in facts["cuda"]["torch_error"]
    assert facts["storage"]["cache"] == {"off": True}
    assert facts["processor"]["quota_cores"] is None
    assert facts["processor"]["memory_limit_gib"] is None


@pytest.mark.parametrize(
    ("files", "cores", "gib"),
    [
        # The second version; of the limits of a group and of those above it the least holds.
        (
            {
                "proc/self/cgroup": "0::/jobs/mine\n",
                "sys/fs/cgroup/jobs/cpu.max": "400000 100000\n",
                "sys/fs/cgroup/jobs/mine/cpu.max": "150000 100000\n",
                "sys/fs/cgroup/jobs/mine/memory.max": f"{3 * 2**30}\n",
            },
            1.5,
            3.0,
        ),
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "max 100000\n"}, None, None),
        # In a container its own group is at the top, though the path is the host's.
        (
            {
                "proc/self/cgroup": "0::/docker/0123\n",
                "sys/fs/cgroup/cpu.max": "200000 50000",
                "sys/fs/cgroup/memory.max": "max",
            },
            4.0,
            None,
        ),
        # The first version, with both controllers in one folder; a limit of 2^63 is none.
        (
            {
                "proc/self/cgroup": "5:cpu,cpuacct:/\n4:memory:/\n",
                "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "50000",
                "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000",
                "sys/fs/cgroup/memory/memory.limit_in_bytes": str(2**63 - 4096),
            },
            0.5,
            None,
        ),
        (
            {
                "proc/self/cgroup": "5:cpu,cpuacct:/\n",
                "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "-1",
            },
            None,
            None,
        ),
    ],
)
def test_limits_of_control_groups(tmp_path, files, cores, gib):
    write(tmp_path, files)
    assert processor.quota_cores(tmp_path) == cores
    assert processor.memory_limit_gib(tmp_path) == gib


def test_requirements_that_are_not_met(monkeypatch):
    monkeypatch.setattr(software, "_version", {"numpy": "2.4.6", "torch": "2.13.0+cpu"}.get)
    requires = [
        "numpy<2.3,>=1.22", "torch>=2.4", "llvmlite>=0.40", "wandb>=1; extra == 'wandb'",
        "numpy>=3; python_version < '3'",
    ]  # fmt: skip
    assert list(software.judged("numba", "0.60", requires)) == [
        {"package": "numba 0.60", "needs": "numpy<2.3,>=1.22", "found": "2.4.6"},
        {"package": "numba 0.60", "needs": "llvmlite>=0.40", "found": "missing"},
    ]
    assert list(software.judged("numba", None, requires)) == []


def test_the_extras_are_those_of_the_project():
    import tomllib

    from packaging.requirements import Requirement

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    theirs = {
        extra: tuple(Requirement(text).name for text in texts)
        for extra, texts in project["optional-dependencies"].items()
        if extra in software.EXTRAS
    }
    assert theirs == software.EXTRAS


@pytest.mark.parametrize(
    ("name", "record"),
    [
        ("embree", "render-houses-depth-64-embree"),
        ("gl in software", "render-houses-depth-64-gl"),
        ("step", "step-houses-depth-64-embree"),
    ],
)
def test_the_stored_figures_are_those_of_the_records(name, record):
    found = json.loads((ROOT / f"docs/benchmarks/{record}.json").read_text(encoding="utf-8"))
    assert speed_figures.STORED[name] == pytest.approx(found["frames_per_second"], rel=0.1)
    assert found["machine"]["cores"] == speed_figures.STORED_CORES
    assert found["arguments"]["num_envs"] == speed.VIEWS
    assert found["machine"]["cpu"] in speed_figures.STORED_ON


def test_a_folder_that_is_not_there_is_judged_by_where_it_would_be_made(tmp_path):
    found = storage.storage_facts({"BATCHNAV_CACHE": str(tmp_path / "a/b"), "NUMBA_CACHE_DIR": str(tmp_path)})
    assert found["cache"]["writable"] is True
    assert found["cache"]["mib"] == 0.0
    assert found["kernels"]["folder"] == str(tmp_path)
    (tmp_path / "file").write_text("")
    found = storage.storage_facts({"BATCHNAV_CACHE": str(tmp_path / "file/b")})
    assert found["cache"]["writable"] is False
    # Whoever asks, and root too, which permissions hold back from nothing.
    assert not storage.storage_facts({"NUMBA_CACHE_DIR": "/proc/kernels"})["kernels"]["writable"]
    assert "BATCHNAV_CACHE_GIB" in storage.storage_facts({"BATCHNAV_CACHE_GIB": "many"})["cache"]["error"]


def test_findings_name_neither_home_nor_user_nor_machine():
    found = private(
        {"a": ["/home/jane/x", "/home/janet/x", "at jane@lab3:2"], "b": {"c": 3, "d": "janes"}, "e": None},
        Path("/home/jane"),
        {"jane": "USER", "lab3": "HOST"},
    )
    assert found == {"a": ["~/x", "/home/janet/x", "at USER@HOST:2"], "b": {"c": 3, "d": "janes"}, "e": None}
    assert private("/a/b", Path("/"), {}) == "/a/b"


def test_a_window_needs_a_display(monkeypatch):
    from gym_batchnav.cli.doctor.window import try_window

    monkeypatch.setitem(sys.modules, "glfw", None)
    assert "pip install 'gym-batchnav[viewer]'" in try_window()["error"]


@pytest.mark.slow
def test_torch_is_asked_and_the_speeds_of_this_machine_are_measured(monkeypatch):
    import torch

    monkeypatch.setattr(speed, "SECONDS", 0.01)
    monkeypatch.setattr(speed, "VIEWS", 8)
    found = {name: value for part in speed.measured("cpu", ["embree"]) for name, value in part.items()}
    assert found.keys() == {"embree", "step"}
    assert found["embree"]["per_second"] > found["step"]["per_second"] * 0.1 > 0
    facts = cuda.cuda_facts(Path("/"))
    assert facts["torch_error"] is None
    assert len(facts["devices"]) == len(facts["uuids"]) == (torch.cuda.device_count())
    assert (found["embree"]["compared_with"], found["step"]["backend"]) == ("embree", "embree")
