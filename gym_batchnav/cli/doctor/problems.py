"""What is wrong with a system, and the fix of each; pure functions of the facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

Facts = Mapping[str, Any]
_NVIDIA_JSON = '{"file_format_version": "1.0.0", "ICD": {"library_path": "libEGL_nvidia.so.0"}}'


class Problem(NamedTuple):
    """One thing that is wrong."""

    what: str
    fix: str


def find_problems(facts: Facts) -> list[Problem]:
    """All problems, the causes before what they cause.

    Args:
        facts: of ``system_facts``, with "auto" and "self_test" of ``draw_apart``.
    """
    checks = (_embree, _egl, _nvidia_egl, _permissions, _torch, _pictures, _software, _interop)
    return [problem for check in checks for problem in check(facts)]


def has_nvidia(facts: Facts) -> bool:
    """Whether there is an NVIDIA GPU to be used."""
    return facts["cuda"]["driver"] is not None or facts["cuda"]["available"]


def _embree(facts: Facts) -> Iterator[Problem]:
    if "error" in facts["embree"]:
        yield Problem(_first_line(facts["embree"]["error"]), "pip install --force-reinstall embreex")


def _egl(facts: Facts) -> Iterator[Problem]:
    if "error" in facts["egl"]:
        yield Problem(
            _first_line(facts["egl"]["error"]),
            "apt-get install libegl1 libgl1-mesa-dri (without it only the backend embree draws)",
        )


def _nvidia_egl(facts: Facts) -> Iterator[Problem]:
    """A GPU that CUDA sees and EGL does not."""
    seen = any(device["cuda_ordinal"] is not None for device in facts["egl"]["devices"])
    if seen or not has_nvidia(facts) or "error" in facts["egl"]:
        return
    capabilities = facts["environment"].get("NVIDIA_DRIVER_CAPABILITIES", "")
    if facts["wsl"]:
        yield Problem(
            "WSL2 gives no EGL device of the NVIDIA GPU", "draw on the CPU (embree), or run on Linux itself"
        )
    elif facts["container"] and not {"all", "graphics"} & set(capabilities.split(",")):
        yield Problem(
            f"the container has no graphics: NVIDIA_DRIVER_CAPABILITIES is {capabilities!r}",
            "start it with: docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=all ...",
        )
    elif not any("nvidia" in file for file in facts["egl"]["vendor_files"]):
        yield Problem(
            "EGL does not know NVIDIA's driver: egl_vendor.d has no file for it",
            f"write {_NVIDIA_JSON} to /usr/share/glvnd/egl_vendor.d/10_nvidia.json, and install libnvidia-gl",
        )
    else:
        yield Problem(
            "EGL shows no NVIDIA device, though the driver is there",
            "install the driver's EGL library (libnvidia-gl) in the driver's own version",
        )


def _permissions(facts: Facts) -> Iterator[Problem]:
    closed = [node["path"] for node in facts["dri"] if not node["usable"]]
    if closed and len(closed) == len(facts["dri"]):
        yield Problem(
            f"this user may not use {', '.join(closed)}",
            "usermod -aG render,video $USER, and log in again (clusters: ask for the GPU's render node)",
        )


def _torch(facts: Facts) -> Iterator[Problem]:
    cuda = facts["cuda"]
    if cuda["driver"] is None or cuda["available"]:
        return
    if cuda["torch_built_for"] is None:
        yield Problem(
            f"there is an NVIDIA driver ({cuda['driver']}), but torch is built for the CPU alone",
            "install a CUDA build of torch (pytorch.org shows the command)",
        )
    elif facts["environment"].get("CUDA_VISIBLE_DEVICES", "0") in ("", "-1"):
        yield Problem("CUDA_VISIBLE_DEVICES hides all GPUs", "unset CUDA_VISIBLE_DEVICES")
    else:
        yield Problem(
            f"torch for CUDA {cuda['torch_built_for']} finds no GPU with driver {cuda['driver']}",
            "update the driver, or install a torch for the CUDA version that nvidia-smi shows",
        )


def _pictures(facts: Facts) -> Iterator[Problem]:
    known = {_first_line(facts[part].get("error", "")) for part in ("egl", "embree")}
    for backend, found in facts["self_test"].items():
        if "error" in found:
            if _first_line(found["error"]) not in known:
                yield Problem(
                    f"{backend} cannot draw: {_first_line(found['error'])}", _fix_in(found["error"])
                )
        elif not found["ok"]:
            yield Problem(
                f"{backend} draws a wrong picture: {found['wrong_pixels']} of 256 pixels, up to "
                f"{found['worst_error_m']:.3g} m off",
                "update the graphics driver, and take another backend= meanwhile",
            )


def _software(facts: Facts) -> Iterator[Problem]:
    info = facts["self_test"].get("gl", {}).get("info", {})
    hidden = facts["environment"].get("CUDA_VISIBLE_DEVICES", "0") in ("", "-1")
    on_gpu = any(device["cuda_ordinal"] is not None for device in facts["egl"]["devices"])
    if info.get("software") and on_gpu and not hidden and facts["device"] != "cpu":
        yield Problem(
            f"gl draws in software ({info['gl_renderer']}) though EGL shows an NVIDIA device",
            "pass device='cuda:0' to see why",
        )


def _interop(facts: Facts) -> Iterator[Problem]:
    info = facts["auto"].get("info", {})
    said = info.get("interop", "")
    if str(info.get("device", "")).startswith("cuda") and not said.startswith("shared"):
        yield Problem(
            f"images reach torch by a copy: {said}", "see the cause; it costs speed, not correctness"
        )


def _first_line(text: str) -> str:
    return (text.splitlines() or [""])[0]


def _fix_in(message: str) -> str:
    """The fix that an error of ours carries, else where to look."""
    for line in message.splitlines():
        if line.startswith("Fix: "):
            return line.removeprefix("Fix: ")
    return "the message says what to do" if ";" in message else "report it with 'batchnav doctor --json -'"
