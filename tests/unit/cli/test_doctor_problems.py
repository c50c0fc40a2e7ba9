"""What stuck users have, as ``batchnav doctor`` sees it, and the fix that each is told."""

from __future__ import annotations

import re

import pytest

from gym_batchnav.cli.doctor.devices import device_map
from gym_batchnav.cli.doctor.interop import interop_answer
from gym_batchnav.cli.doctor.problems import find_problems
from tests.unit.cli.doctor_systems import (
    DRAWN,
    HEALTHY,
    LAPTOP,
    NOTHING_WRITTEN,
    NVIDIA,
    ON_GPU,
    SOFTWARE,
    changed,
)  # fmt: skip


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
    "variables that choose a driver": (
        {
            "self_test": {"embree": DRAWN, "gl": {"ok": False, "error": "OpenGL 2.1; Mesa 20.2 is needed"}},
            "environment": {"MESA_GL_VERSION_OVERRIDE": "2.1", "EGL_PLATFORM": "x11", "DISPLAY": ":0"},
        },
        r"gl cannot draw: .* \| unset MESA_GL_VERSION_OVERRIDE and EGL_PLATFORM, ",
    ),
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
