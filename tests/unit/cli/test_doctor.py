"""``batchnav doctor`` over faked systems: what stuck users have, and the fix that each is told."""

from __future__ import annotations

import copy
import json
import os
import re
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from batchnav_renderer import EGLError, EmbreeError, RenderConfig
from batchnav_renderer.embree import library
from gym_batchnav.cli import main
from gym_batchnav.cli.doctor import (
    apart,
    cuda,
    graphics,
    picture,
    processor,
    run,
    software,
    speed,
    speed_figures,
    storage,
    system,
)
from gym_batchnav.cli.doctor.devices import device_map
from gym_batchnav.cli.doctor.interop import interop_answer
from gym_batchnav.cli.doctor.privacy import private
from gym_batchnav.cli.doctor.problems import find_problems

ROOT = Path(__file__).parents[3]
SOFTWARE = {"index": 0, "cuda_ordinal": None, "software": True, "uuid": None, "drm": None}
NVIDIA = {"index": 1, "cuda_ordinal": 0, "software": False, "uuid": "GPU-1", "drm": "/dev/dri/card0"}
DRAWN = {"ok": True, "info": {"backend": "embree", "device": "cpu", "reason": "why", "software": False}}
ON_GPU = {"backend": "gl", "device": "cuda", "software": False, "reason": "why", "gl_renderer": "NVIDIA L40S"}
LLVMPIPE = {"ok": True, "info": {**ON_GPU, "gl_renderer": "llvmpipe", "software": True, "device": "cpu"}}
NOTHING_WRITTEN = {"folder": "~/x", "writable": True, "free_gib": 50.0}
HEALTHY = {
    "versions": {"python": "3.11.7", "glfw": "2.11.0"},
    "extras": {"sb3": [], "cuda": ["cuda-bindings"]},
    "conflicts": [],
    "processor": {
        "model": "CPU", "cores": 2, "all_cores": 2, "quota_cores": None, "load": 0.1, "memory_gib": 16.0,
        "available_gib": 12.0, "memory_limit_gib": None,
    },
    "embree": {"version": "4.4.0", "library": "libembree4.so", "packet_rays": 16},
    "cuda": {
        "driver": "580.1", "bindings": True, "torch_built_for": "13.0", "available": True,
        "devices": ["NVIDIA L40S"], "uuids": ["GPU-1"], "torch_error": None,
    },
    "egl": {
        "devices": [SOFTWARE, NVIDIA],
        "loaded": "/usr/lib/libEGL.so.1",
        "libraries": ["/usr/lib/libEGL.so.1"],
        "vendor_files": ["/usr/share/glvnd/egl_vendor.d/10_nvidia.json"],
        "broken_vendor_files": [],
    },
    "driver_libraries": [{"path": "/usr/lib/libcuda.so.580.1", "version": "580.1"}],
    "dri": [{"path": "/dev/dri/card0", "usable": False}, {"path": "/dev/dri/renderD128", "usable": True}],
    "nvidia": [{"path": "/dev/nvidia0", "usable": True}],
    "library_path": [],
    "container": None,
    "wsl": False,
    "storage": {
        "cache": {**NOTHING_WRITTEN, "mib": 3.0, "entries": 2, "limit_mib": 4096},
        "kernels": NOTHING_WRITTEN,
        "here": NOTHING_WRITTEN,
    },
    "environment": {},
    "threads": {},
    "device": None,
    "auto": {"ok": True, "info": {**ON_GPU, "interop": "shared: a ring of 2 on cuda:0"}},
    "self_test": {"embree": DRAWN, "gl": {"ok": True, "info": ON_GPU}},
    "gl": {
        "ok": True, "gl_renderer": "NVIDIA L40S", "gl_version": "4.6", "limits": {"texture_size": 32768},
        "extensions": {"GL_ARB_shader_draw_parameters": True},
    },
    "window": {"ok": True, "glfw": "3.4"},
    "speed": {"embree": {"per_second": 9000, "compared_with": "embree"}},
}  # fmt: skip


def changed(facts=HEALTHY, **fields):
    """A system, by default the healthy one, with parts of its facts changed."""
    facts = copy.deepcopy(facts)
    for name, value in fields.items():
        facts[name] = {**facts[name], **value} if isinstance(value, dict) else value
    return facts


LAPTOP = changed(
    cuda={"driver": None, "bindings": False, "torch_built_for": None, "available": False, "devices": [],
          "uuids": []},
    egl={"devices": [SOFTWARE], "vendor_files": ["/usr/share/glvnd/egl_vendor.d/50_mesa.json"]},
    driver_libraries=[], dri=[{"path": "/dev/dri/renderD128", "usable": False}], nvidia=[],
    self_test={"gl": LLVMPIPE}, auto={"ok": True, "info": {**DRAWN["info"], "interop": "not asked for"}},
)  # fmt: skip
"""A computer without an NVIDIA GPU, and one whose GPU this user may not use either."""


def only_problem(facts):
    (problem,) = find_problems(facts)
    return f"{problem.severity}: {problem.what} | {problem.fix}"


@pytest.mark.parametrize("facts", [HEALTHY, LAPTOP])
def test_a_healthy_system_has_no_problem_and_no_hint(facts):
    assert find_problems(facts) == []


NO_EGL_GPU = {"devices": [SOFTWARE]}
NO_LIBRARY = {"error": "libEGL.so.1 cannot be loaded (x); y", "devices": []}
TWO_LIBRARIES = ["/opt/conda/lib/libEGL.so.1", "/usr/lib/libEGL.so.1"]
IN_DOCKER = {"egl": NO_EGL_GPU, "container": "docker"}


def copied(why):
    return {"auto": {"ok": True, "info": {**ON_GPU, "interop": f"copied: {why}"}}}


STUCK = {
    # Rows of what users run into, by what the doctor sees of them.
    "no EGL": ({"egl": NO_LIBRARY}, "warning: .*apt-get install libegl1"),
    "no graphics in docker": (
        IN_DOCKER, "NVIDIA_DRIVER_CAPABILITIES is '' | .*docker run --gpus all .*CAPABILITIES=all",
    ),
    "compute alone": (
        {**IN_DOCKER, "environment": {"NVIDIA_DRIVER_CAPABILITIES": "compute,utility"}}, "'compute,utility'",
    ),
    "no graphics in apptainer": ({**IN_DOCKER, "container": "apptainer"}, "apptainer exec --nv"),
    "no graphics in a pod": ({**IN_DOCKER, "container": "kubernetes"}, "env of the pod"),
    "no vendor file": (
        {"egl": {**NO_EGL_GPU, "vendor_files": ["50_mesa.json"]}}, "no file for it .*10_nvidia.json",
    ),
    "a vendor file of nothing": (
        {"egl": {**NO_EGL_GPU, "broken_vendor_files": ["10_nvidia.json (libEGL_nvidia.so.0 is not there)"]}},
        "cannot load NVIDIA's driver: 10_nvidia.json .*is not there",
    ),
    "a variable hides the vendor": (
        {"egl": NO_EGL_GPU, "environment": {"__EGL_VENDOR_LIBRARY_FILENAMES": "/x/50_mesa.json"}},
        "keeps EGL from NVIDIA's driver .*unset __EGL_VENDOR_LIBRARY_FILENAMES",
    ),
    "another libEGL": (
        {"egl": {**NO_EGL_GPU, "libraries": TWO_LIBRARIES, "loaded": TWO_LIBRARIES[0]}},
        "several libEGL .*/opt/conda/lib/libEGL.so.1 is in use .*unset LD_LIBRARY_PATH",
    ),
    "no NVIDIA device": ({"egl": NO_EGL_GPU}, "though the driver is there .*libnvidia-gl"),
    "WSL2": ({"egl": NO_EGL_GPU, "wsl": True}, "WSL2 gives no EGL device"),
    "closed dri": (
        {"dri": [{"path": "/dev/dri/renderD128", "usable": False}]}, "renderD128 .*usermod -aG render",
    ),
    "closed nvidia": ({"nvidia": [{"path": "/dev/nvidia0", "usable": False}]}, "may not use /dev/nvidia0"),
    "old driver": (
        {"cuda": {"driver": "440.3"}, "driver_libraries": []}, "driver 440.3 is too old .*450 is the oldest",
    ),
    "two drivers": (
        {"cuda": {"driver": "570.2"}},
        "the kernel has NVIDIA's driver 570.2, but /usr/lib/libcuda.so.580.1 .*restart",
    ),
    "torch for the CPU": (
        {"cuda": {"torch_built_for": None, "available": False, "devices": [], "uuids": []}},
        "for the CPU alone .*CUDA build of torch",
    ),
    "torch finds nothing": (
        {"cuda": {"available": False, "devices": [], "uuids": []}},
        "torch for CUDA 13.0 finds no GPU with driver 580.1",
    ),
    "broken torch": (
        {"cuda": {"torch_error": "libcudart.so: no such file", "devices": [], "uuids": []}},
        "error: torch cannot be imported: libcudart",
    ),
    "hidden GPUs": (
        {
            "cuda": {"available": False, "devices": [], "uuids": []},
            "environment": {"CUDA_VISIBLE_DEVICES": ""},
        },
        "hides all GPUs .*unset CUDA_VISIBLE_DEVICES",
    ),
    "a GPU without EGL": (
        {"cuda": {"devices": ["NVIDIA L40S", "NVIDIA T4"], "uuids": ["GPU-1", "GPU-2"]}},
        r"cuda:1 \(NVIDIA T4\) cannot draw",
    ),
    "another order": (
        {
            "cuda": {"devices": ["A", "B"], "uuids": ["GPU-2", "GPU-1"]},
            "egl": {"devices": [NVIDIA, {**NVIDIA, "index": 2, "cuda_ordinal": 1, "uuid": "GPU-2"}]},
        },
        "in another order: cuda:0 is GPU-2 for torch, but EGL device 1 .*GPU-1 .*PCI_BUS_ID",
    ),
    "no Embree": ({"embree": {"error": "the library cannot be loaded; fix"}}, "force-reinstall embreex"),
    "gl fails": (
        {"self_test": {"gl": {"ok": False, "error": "no EGL device is 'cuda:0'\nFix: set it up"}}},
        "warning: gl cannot draw: no EGL device is 'cuda:0' | set it up",
    ),
    "black frames": (
        {"self_test": {"gl": {"ok": False, "wrong_pixels": 256, "worst_error_m": 10.0, "info": ON_GPU}}},
        "error: gl draws a wrong picture: 256 of 256 pixels, up to 10 m off .*driver.*backend='embree'",
    ),
    "software though a GPU": (
        {"self_test": {"gl": {"ok": True, "info": {"software": True, "gl_renderer": "llvmpipe"}}}},
        r"gl draws in software \(llvmpipe\) though .*device='cuda:0'",
    ),
    "software by a variable": (
        {"environment": {"LIBGL_ALWAYS_SOFTWARE": "1"}}, "hint: .*unset LIBGL_ALWAYS_SOFTWARE",
    ),
    "interop on WSL2": (copied("WSL2 cannot share"), "by a copy: copied: WSL2 cannot share .*the copy stays"),
    "interop on MIG": (copied("a MIG slice has no graphics"), "whole GPU instead of a slice"),
    "interop without bindings": (
        copied("the package cuda-bindings is missing or broken (x)"), r"pip install 'gym-batchnav\[cuda\]'",
    ),
    "interop 304": (copied("cudaGraphicsGLRegisterBuffer failed with x (304): y"), "CAPABILITIES=all"),
    "interop 801": (copied("cudaGraphicsGLRegisterBuffer failed with x (801): y"), "nothing can be done"),
    "interop 999": (copied("cudaGraphicsGLRegisterBuffer failed with x (999): y"), "egl_vendor.d"),
    "interop elsewhere": (
        copied("the GL context is on CUDA device [1], not on 'cuda:0'"), "CUDA_DEVICE_ORDER=PCI_BUS_ID",
    ),
    "PYOPENGL_PLATFORM": (
        {"environment": {"PYOPENGL_PLATFORM": "glx"}}, "hint: PYOPENGL_PLATFORM=glx .*unset PYOPENGL",
    ),
    "an extension": (
        {"gl": {"extensions": {"GL_ARB_shader_draw_parameters": False}}},
        "NVIDIA L40S lacks GL_ARB_shader_draw_parameters",
    ),
    # And what else slows or stops them.
    "packages": (
        {"conflicts": [{"package": "numba 0.60", "needs": "numpy<2.1", "found": "2.4"}]},
        "error: numba 0.60 needs numpy<2.1, and 2.4 is there .*pip install 'numpy<2.1'",
    ),
    "fewer CPUs than cores": (
        {"processor": {"cores": 16, "quota_cores": 2.0}},
        "16 cores are to be seen, .*the time of 2: .*taskset -c 0-1",
    ),
    "python kernels": ({"threads": {"NUMBA_DISABLE_JIT": "1"}}, "hundreds of times slower"),
    "pinned threads": ({"threads": {"GOMP_CPU_AFFINITY": "0"}}, "hint: GOMP_CPU_AFFINITY=0 binds threads"),
    "little memory": ({"processor": {"available_gib": 1.2}}, r"1.2 GiB of memory \(available\) are little"),
    "a small container": (
        {"processor": {"memory_limit_gib": 1.0}}, r"1.0 GiB of memory \(the container's limit\)",
    ),
    "a bad size": (
        {"storage": {"cache": {"error": "BATCHNAV_CACHE_GIB='x' is not allowed"}}}, "error: BATCHNAV_CACHE",
    ),
    "a closed cache": (
        {"storage": {"cache": {**HEALTHY["storage"]["cache"], "writable": False}}}, "export BATCHNAV_CACHE=",
    ),
    "a full disk": (
        {"storage": {"cache": {**HEALTHY["storage"]["cache"], "free_gib": 0.3}}}, "only 0.3 GiB are free",
    ),
    "closed kernels": (
        {"storage": {"kernels": {**NOTHING_WRITTEN, "writable": False}}}, "error: .*export NUMBA_CACHE_DIR",
    ),
    "a closed folder": (
        {"storage": {"here": {**NOTHING_WRITTEN, "writable": False}}}, "hint: .*give --run-dir",
    ),
    "LD_LIBRARY_PATH": (
        {"library_path": [{"folder": "/x", "holds": ["libEGL"], "exists": True}]},
        "hint: LD_LIBRARY_PATH puts libEGL of /x before",
    ),
    "a display without windows": (
        {"environment": {"DISPLAY": ":0"}, "window": {"ok": False, "error": "GLFW finds no display (x)"}},
        "hint: there is a display, but GLFW finds no display",
    ),
    "slow": (
        # 900 / 2 cores over 7,500 / 2 cores is 12%.
        {"speed": {"embree": {"per_second": 900, "compared_with": "embree"}}, "processor": {"load": 5.0}},
        "hint: embree: 900/s on 2 cores is 12% of the stored figure, .*other programs keep 5.0 cores busy",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", STUCK)
def test_each_stuck_case_is_one_problem_with_its_fix(case):
    fields, expected = STUCK[case]
    assert re.search(expected.replace(" | ", " [|] "), only_problem(changed(**fields)))


def test_other_learners_are_told_of_their_threads():
    facts = changed(LAPTOP, threads={"OMP_NUM_THREADS": "1"})
    assert "OMP_NUM_THREADS=1: other learners use 1 of 2 cores" in only_problem(facts)


def test_without_a_gpu_a_missing_egl_is_a_hint():
    assert only_problem(changed(LAPTOP, egl=NO_LIBRARY)).startswith("hint: libEGL.so.1 cannot be loaded")


def test_errors_come_first():
    facts = changed(
        LAPTOP,
        environment={"PYOPENGL_PLATFORM": "osmesa"},
        conflicts=[{"package": "a 1", "needs": "b<2", "found": "3"}],
        processor={"available_gib": 1.0},
    )
    assert [problem.severity for problem in find_problems(facts)] == ["error", "warning", "hint"]


def test_software_that_was_asked_for_is_no_problem():
    drawn = {"ok": True, "info": {"software": True, "gl_renderer": "llvmpipe"}}
    assert find_problems(changed(device="cpu", self_test={"gl": drawn})) == []


def test_one_cause_is_told_once():
    """A missing library shows in the facts and in what fails to draw, and both GL backends fail alike."""
    message = "the Embree 4 library cannot be loaded"
    facts = changed(embree={"error": message}, self_test={"embree": {"ok": False, "error": message}})
    assert "embreex" in only_problem(facts)
    failed = {"ok": False, "error": "no OpenGL 4.5 core context; x"}
    assert "gl cannot draw" in only_problem(changed(self_test={"gl": failed, "gl-raycast": failed}))


@pytest.mark.parametrize(
    ("facts", "shared", "why"),
    [
        (HEALTHY, True, "shared: a ring"),
        (LAPTOP, False, "not needed: there is no NVIDIA GPU"),
        (changed(device="cpu", auto=DRAWN), False, "not needed: the CPU was asked for"),
        (
            changed(cuda={"torch_built_for": None}, auto={"ok": True, "info": ON_GPU}),
            False,
            "torch is built for the CPU alone",
        ),
        (changed(auto=DRAWN), False, "the GPU does not draw"),
        (changed(**copied("x (801): y")), False, "(801)"),
    ],
)
def test_interop_yes_or_no_and_why(facts, shared, why):
    answer = interop_answer(facts)
    assert answer.shared is shared
    assert why in answer.why


def test_devices_go_through_cuda_visible_devices():
    """EGL lists GPU-b first; CUDA's own order is a, b, c; the user shows c, a: cuda:0 is c, cuda:1 is a."""
    egl = [
        {**NVIDIA, "index": index, "cuda_ordinal": ordinal, "uuid": f"GPU-{name}"}
        for index, (ordinal, name) in enumerate([(1, "b"), (0, "a"), (2, "c")])
    ]
    facts = changed(
        egl={"devices": egl},
        cuda={"devices": ["C", "A"], "uuids": ["GPU-c", "GPU-a"]},
        environment={"CUDA_VISIBLE_DEVICES": "2,0"},
    )
    rows = device_map(facts)
    assert [(row.name, row.egl_index, row.ordinal, row.mistaken) for row in rows] == [
        ("cuda:0", 2, 2, False),
        ("cuda:1", 1, 0, False),
    ]
    assert find_problems(facts) == []


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
    assert "BATCHNAV_CACHE_GIB" in storage.storage_facts({"BATCHNAV_CACHE_GIB": "many"})["cache"]["error"]


def test_findings_name_neither_home_nor_user_nor_machine():
    found = private(
        {"a": ["/home/jane/x", "/home/janet/x", "at jane@lab3:2"], "b": {"c": 3, "d": "janes"}, "e": None},
        Path("/home/jane"),
        {"jane": "USER", "lab3": "HOST"},
    )
    assert found == {"a": ["~/x", "/home/janet/x", "at USER@HOST:2"], "b": {"c": 3, "d": "janes"}, "e": None}
    assert private("/a/b", Path("/"), {}) == "/a/b"


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
