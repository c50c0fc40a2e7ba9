"""GL without drawing: EGL's libraries, vendors and devices, and who may use what."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from batchnav_renderer.errors import EGLError
from batchnav_renderer.gl.egl import EGL

_VENDOR_FOLDERS = ("usr/share/glvnd/egl_vendor.d", "etc/glvnd/egl_vendor.d")
_LIBRARY_FOLDERS = (
    "usr/lib/x86_64-linux-gnu", "usr/lib/aarch64-linux-gnu", "usr/lib64", "usr/lib", "lib/x86_64-linux-gnu",
    "lib64", "usr/local/nvidia/lib64", "usr/local/lib", "usr/lib/wsl/lib", ".singularity.d/libs",
)  # fmt: skip
_ODD = ("libEGL.so*", "libGL.so*", "libGLdispatch.so*", "libembree4.so*", "libcuda.so*", "libstdc++.so*")
"""Libraries that a folder of LD_LIBRARY_PATH should not put before the system's or a package's own."""
_SHOWN_EXTENSIONS = (
    "EGL_EXT_device_enumeration", "EGL_EXT_device_base", "EGL_EXT_platform_device",
    "EGL_MESA_platform_surfaceless",
)  # fmt: skip


def egl_facts() -> dict[str, Any]:
    """EGL's devices with their CUDA ordinals, the library in use and its extensions, or the error."""
    try:
        egl = EGL()
    except EGLError as error:
        return {"error": str(error), "devices": [], "loaded": None, "extensions": {}}
    return {
        "devices": [dataclasses.asdict(device) for device in egl.devices],
        "loaded": loaded_library("libEGL.so"),
        "extensions": {name: name in egl.client_extensions for name in _SHOWN_EXTENSIONS},
    }


def loaded_library(name: str) -> str | None:
    """Path of a library that this process has loaded; None where the system does not tell."""
    maps = Path("/proc/self/maps")
    found = (
        [line.split()[-1] for line in maps.read_text().splitlines() if name in line] if maps.exists() else []
    )
    return found[0] if found else None


def egl_libraries(root: Path, environment: Mapping[str, str]) -> list[str]:
    """Different files that programs may get as libEGL.so.1, in the order in which they are looked for."""
    # Conda's and pip's libraries lie in the environment.
    searched = [
        *search_path(environment),
        Path(sys.prefix) / "lib",
        *(root / name for name in _LIBRARY_FOLDERS),
    ]
    found = {file.resolve(): None for folder in searched if (file := folder / "libEGL.so.1").is_file()}
    return [_within(file, root) for file in found]


def driver_libraries(root: Path) -> list[dict[str, str]]:
    """Libraries of NVIDIA's driver, "path" and "version"."""
    found = {}
    for folder in _LIBRARY_FOLDERS:
        for name in ("libEGL_nvidia.so.*", "libcuda.so.*", "libGLX_nvidia.so.*"):
            for file in sorted((root / folder).glob(name)):
                if match := re.search(r"\.so\.(\d+\.\d+(?:\.\d+)?)$", file.resolve().name):
                    found[_within(file.resolve(), root)] = match.group(1)
    return [{"path": path, "version": version} for path, version in found.items()]


def vendor_files(root: Path) -> list[str]:
    """The files by which libglvnd finds the EGL of each driver."""
    found = [file for folder in _VENDOR_FOLDERS for file in sorted((root / folder).glob("*.json"))]
    return [_within(file, root) for file in found]


def broken_vendor_files(root: Path) -> list[str]:
    """Those that libglvnd cannot use: no JSON, or of a library that is nowhere to be found."""
    broken = []
    for path in vendor_files(root):
        try:
            library = json.loads((root / path[1:]).read_text(encoding="utf-8"))["ICD"]["library_path"]
        except (OSError, ValueError, KeyError, TypeError):
            broken.append(f"{path} (not readable)")
            continue
        if not any((root / folder / str(library).lstrip("/")).exists() for folder in ("", *_LIBRARY_FOLDERS)):
            broken.append(f"{path} ({library} is not there)")
    return broken


def dri_nodes(root: Path) -> list[dict[str, Any]]:
    """Devices under /dev/dri, and whether this user may use them."""
    return _nodes(root, "dev/dri", ("card*", "renderD*"))


def nvidia_nodes(root: Path) -> list[dict[str, Any]]:
    """NVIDIA's own devices, and whether this user may use them."""
    return _nodes(root, "dev", ("nvidia[0-9]*", "nvidiactl", "nvidia-uvm"))


def search_path(environment: Mapping[str, str]) -> list[Path]:
    """Folders of LD_LIBRARY_PATH."""
    return [Path(name) for name in environment.get("LD_LIBRARY_PATH", "").split(":") if name]


def odd_libraries(folders: Iterable[Path]) -> list[dict[str, Any]]:
    """What folders of LD_LIBRARY_PATH hold that is looked for there first: "folder" and "holds"."""
    found = []
    for folder in folders:
        names = sorted({file.name.partition(".so")[0] for name in _ODD for file in folder.glob(name)})
        if names or not folder.is_dir():
            found.append({"folder": str(folder), "holds": names, "exists": folder.is_dir()})
    return found


def _nodes(root: Path, folder: str, kinds: Iterable[str]) -> list[dict[str, Any]]:
    nodes = [node for kind in kinds for node in sorted((root / folder).glob(kind))]
    return [
        {"path": f"/{folder}/{node.name}", "usable": os.access(node, os.R_OK | os.W_OK)} for node in nodes
    ]


def _within(file: Path, root: Path) -> str:
    return f"/{file.relative_to(root).as_posix()}" if file.is_relative_to(root) else str(file)
