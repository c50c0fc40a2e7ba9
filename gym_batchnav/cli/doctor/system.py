"""What is known of a system without drawing: versions, CUDA, EGL, permissions, containers."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import os
import platform
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from batchnav_renderer.errors import EGLError, EmbreeError
from batchnav_renderer.gl.egl import EGL

PACKAGES = (
    "gym-batchnav", "torch", "numpy", "gymnasium", "numba", "embreex", "PyOpenGL", "cuda-bindings", "glfw",
)  # fmt: skip
_VENDOR_FOLDERS = ("usr/share/glvnd/egl_vendor.d", "etc/glvnd/egl_vendor.d")
_CONTAINER_MARKS = (".dockerenv", "run/.containerenv", "singularity", ".singularity.d")
_VARIABLES = (
    "CUDA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES", "NVIDIA_VISIBLE_DEVICES", "DISPLAY",
    "PYOPENGL_PLATFORM", "LIBGL_ALWAYS_SOFTWARE", "LP_NUM_THREADS",
    "__EGL_VENDOR_LIBRARY_FILENAMES", "__EGL_VENDOR_LIBRARY_DIRS",
)  # fmt: skip


def system_facts(root: Path = Path("/"), environment: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """All facts, as plain values.

    Args:
        root: where the system's files are.
        environment: its variables.
    """
    return {
        "versions": versions(),
        "embree": embree_facts(),
        "cuda": {"driver": driver_version(root), **torch_facts()},
        "egl": {**egl_facts(), "vendor_files": vendor_files(root)},
        "dri": dri_nodes(root),
        "container": any((root / mark).exists() for mark in _CONTAINER_MARKS),
        "wsl": _contains(root / "proc/version", "microsoft"),
        "environment": {name: environment[name] for name in _VARIABLES if name in environment},
    }


def versions() -> dict[str, str]:
    """Python, the system, and the packages that matter; "missing" where one is not installed."""
    found = {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
    }
    for name in PACKAGES:
        try:
            found[name.lower()] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name.lower()] = "missing"
    return found


def embree_facts() -> dict[str, str]:
    """Version and file of Embree, or the error."""
    from batchnav_renderer.embree.library import Embree

    try:
        embree = Embree()
    except EmbreeError as error:
        return {"error": str(error)}
    return {"version": embree.version, "library": embree.path}


def torch_facts() -> dict[str, Any]:
    """The CUDA that torch was built for, and the devices that it finds."""
    import torch

    available = torch.cuda.is_available()
    count = torch.cuda.device_count() if available else 0
    return {
        "torch_built_for": torch.version.cuda,
        "available": available,
        "devices": [torch.cuda.get_device_name(number) for number in range(count)],
    }


def egl_facts() -> dict[str, Any]:
    """EGL's devices with their CUDA ordinals, or the error."""
    try:
        egl = EGL()
    except EGLError as error:
        return {"error": str(error), "devices": []}
    return {"devices": [dataclasses.asdict(device) for device in egl.devices]}


def driver_version(root: Path) -> str | None:
    """Version of NVIDIA's kernel driver; None where it is not loaded."""
    file = root / "proc/driver/nvidia/version"
    match = re.search(r"\b(\d+\.\d+(?:\.\d+)?)\b", file.read_text()) if file.is_file() else None
    return match.group(1) if match else None


def vendor_files(root: Path) -> list[str]:
    """The files by which libglvnd finds the EGL of each driver."""
    found = [file for folder in _VENDOR_FOLDERS for file in sorted((root / folder).glob("*.json"))]
    return [f"/{file.relative_to(root).as_posix()}" for file in found]


def dri_nodes(root: Path) -> list[dict[str, Any]]:
    """Devices under /dev/dri, and whether this user may use them."""
    nodes = [node for kind in ("card*", "renderD*") for node in sorted((root / "dev/dri").glob(kind))]
    return [{"path": f"/dev/dri/{node.name}", "usable": os.access(node, os.R_OK | os.W_OK)} for node in nodes]


def _contains(file: Path, word: str) -> bool:
    return file.is_file() and word in file.read_text().lower()
