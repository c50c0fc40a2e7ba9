"""What keeps an NVIDIA GPU from drawing, or torch from using it."""

from __future__ import annotations

from collections.abc import Iterator

from .devices import device_map
from .problem import Facts, Problem, first_line, has_nvidia, hides_gpus, sees_nvidia, version_of

NVIDIA_JSON = '{"file_format_version": "1.0.0", "ICD": {"library_path": "libEGL_nvidia.so.0"}}'
OLDEST_DRIVER = "450"
_STARTS = {
    "docker": "start it with: docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=all ...",
    "podman": "start it with: podman run --device nvidia.com/gpu=all -e NVIDIA_DRIVER_CAPABILITIES=all ...",
    "kubernetes": "set NVIDIA_DRIVER_CAPABILITIES=all in the env of the pod's container",
    "apptainer": "start it with: apptainer exec --nv --env NVIDIA_DRIVER_CAPABILITIES=all ...",
}


def egl_problems(facts: Facts) -> Iterator[Problem]:
    """No EGL at all; without a GPU nothing is lost."""
    if "error" in facts["egl"]:
        yield Problem(
            first_line(facts["egl"]["error"]),
            "apt-get install libegl1 libgl1-mesa-dri (without it only the backend embree draws)",
            "warning" if has_nvidia(facts) else "hint",
        )


def nvidia_egl_problems(facts: Facts) -> Iterator[Problem]:
    """A GPU that CUDA sees and EGL does not: the first cause that explains it."""
    if sees_nvidia(facts) or not has_nvidia(facts) or "error" in facts["egl"]:
        return
    capabilities = facts["environment"].get("NVIDIA_DRIVER_CAPABILITIES", "")
    broken = [file for file in facts["egl"]["broken_vendor_files"] if "nvidia" in file]
    if facts["wsl"]:
        yield Problem(
            "WSL2 gives no EGL device of the NVIDIA GPU", "draw on the CPU (embree), or run on Linux itself"
        )
    elif facts["container"] and not {"all", "graphics"} & set(capabilities.split(",")):
        yield Problem(
            f"the container has no graphics: NVIDIA_DRIVER_CAPABILITIES is {capabilities!r}",
            f"{_STARTS[facts['container']]} (graphics and compute; Vulkan's display is not needed)",
        )
    elif hidden := _hiding_variable(facts):
        yield hidden
    elif not any("nvidia" in file for file in facts["egl"]["vendor_files"]):
        yield Problem(
            "EGL does not know NVIDIA's driver: egl_vendor.d has no file for it",
            f"write {NVIDIA_JSON} to /usr/share/glvnd/egl_vendor.d/10_nvidia.json, and install libnvidia-gl",
        )
    elif broken:
        yield Problem(
            f"EGL cannot load NVIDIA's driver: {broken[0]}",
            "install the driver's EGL library (libnvidia-gl) in the driver's own version; in a container, "
            "set NVIDIA_DRIVER_CAPABILITIES=all",
        )
    else:
        yield _other_library(facts) or Problem(
            "EGL shows no NVIDIA device, though the driver is there",
            "install the driver's EGL library (libnvidia-gl) in the driver's own version",
        )


def _hiding_variable(facts: Facts) -> Problem | None:
    for name in ("__EGL_VENDOR_LIBRARY_FILENAMES", "__EGL_VENDOR_LIBRARY_DIRS"):
        value = facts["environment"].get(name, "")
        if value and "nvidia" not in value:
            return Problem(f"{name}={value} keeps EGL from NVIDIA's driver", f"unset {name}")
    return None


def _other_library(facts: Facts) -> Problem | None:
    """Several libraries, of which the one in use may know nothing of the driver."""
    libraries, loaded = facts["egl"]["libraries"], facts["egl"]["loaded"]
    if len(libraries) < 2:
        return None
    return Problem(
        f"there are several libEGL ({', '.join(libraries)}); {loaded or libraries[0]} is in use and shows no "
        "NVIDIA device",
        "unset LD_LIBRARY_PATH, or remove the package that brings the other one (conda remove libegl)",
    )


def driver_problems(facts: Facts) -> Iterator[Problem]:
    """A driver that is too old, or in pieces of different versions."""
    driver = facts["cuda"]["driver"]
    if driver is None:
        return
    if version_of(driver) < version_of(OLDEST_DRIVER):
        yield Problem(
            f"NVIDIA's driver {driver} is too old to draw; {OLDEST_DRIVER} is the oldest that can",
            "update the driver, or draw on the CPU (embree)",
        )
    others = [library for library in facts["driver_libraries"] if library["version"] != driver]
    if others:
        yield Problem(
            f"the kernel has NVIDIA's driver {driver}, but {others[0]['path']} is of another version",
            "restart the machine after an update of the driver; in a container, remove the driver's "
            "libraries from the image (the container toolkit brings the right ones)",
        )


def permission_problems(facts: Facts) -> Iterator[Problem]:
    """Devices that this user may not open; without an NVIDIA GPU none of them is used."""
    if not has_nvidia(facts):
        return
    closed = [node["path"] for node in facts["dri"] if not node["usable"]]
    if closed and len(closed) == len(facts["dri"]):
        yield Problem(
            f"this user may not use {', '.join(closed)}",
            "usermod -aG render,video $USER, and log in again (clusters: ask for the GPU's render node)",
        )
    if closed := [node["path"] for node in facts["nvidia"] if not node["usable"]]:
        yield Problem(
            f"this user may not use {', '.join(closed)}",
            "chmod a+rw them, or ask whoever runs the machine; in a job, ask the scheduler for a GPU",
        )


def torch_problems(facts: Facts) -> Iterator[Problem]:
    """A torch that does not use the GPU, or does not work."""
    cuda = facts["cuda"]
    if cuda["torch_error"]:
        yield Problem(
            f"torch cannot be imported: {first_line(cuda['torch_error'])}",
            "pip install --force-reinstall torch",
            "error",
        )
    elif cuda["driver"] is None or cuda["available"]:
        return
    elif cuda["torch_built_for"] is None:
        yield Problem(
            f"there is an NVIDIA driver ({cuda['driver']}), but torch is built for the CPU alone",
            "install a CUDA build of torch (pytorch.org shows the command)",
        )
    elif hides_gpus(facts):
        yield Problem("CUDA_VISIBLE_DEVICES hides all GPUs", "unset CUDA_VISIBLE_DEVICES")
    else:
        yield Problem(
            f"torch for CUDA {cuda['torch_built_for']} finds no GPU with driver {cuda['driver']}",
            "update the driver, or install a torch for the CUDA version that nvidia-smi shows",
        )


def order_problems(facts: Facts) -> Iterator[Problem]:
    """CUDA devices that EGL lacks, or that the two count in another order."""
    if not sees_nvidia(facts):
        return
    for row in device_map(facts):
        if row.mistaken:
            yield Problem(
                f"CUDA and EGL count the GPUs in another order: {row.name} is {row.uuid} for torch, but "
                f"EGL device {row.egl_index} by its number is {row.egl_uuid}",
                "export CUDA_DEVICE_ORDER=PCI_BUS_ID",
            )
            return
        if row.egl_index is None:
            yield Problem(
                f"{row.name} ({row.model}) cannot draw: EGL shows no device for it",
                "give the container all of the GPU's device files, or take one of the others with --device",
            )
