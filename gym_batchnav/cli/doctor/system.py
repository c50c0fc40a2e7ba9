"""What is known of a system without drawing."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import graphics
from .cuda import cuda_facts
from .processor import processor_facts, thread_variables
from .software import conflicts, embree_facts, extras, versions
from .storage import storage_facts

_CONTAINERS = {
    "docker": ".dockerenv",
    "podman": "run/.containerenv",
    "apptainer": ".singularity.d",
    "kubernetes": "var/run/secrets/kubernetes.io",
}
_VARIABLES = (
    "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "NVIDIA_DRIVER_CAPABILITIES", "NVIDIA_VISIBLE_DEVICES",
    "DISPLAY", "WAYLAND_DISPLAY", "PYOPENGL_PLATFORM", "LIBGL_ALWAYS_SOFTWARE", "MESA_GL_VERSION_OVERRIDE",
    "GALLIUM_DRIVER", "EGL_PLATFORM", "__EGL_VENDOR_LIBRARY_FILENAMES", "__EGL_VENDOR_LIBRARY_DIRS",
    "__GLX_VENDOR_LIBRARY_NAME", "LD_LIBRARY_PATH", "LD_PRELOAD", "BATCHNAV_CACHE", "BATCHNAV_CACHE_GIB",
    "BATCHNAV_GL_DEBUG", "NUMBA_CACHE_DIR", "CONDA_PREFIX", "SLURM_JOB_ID", "SLURM_CPUS_PER_TASK",
)  # fmt: skip


def system_facts(root: Path = Path("/"), environment: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """All facts, as plain values.

    Args:
        root: where the system's files are.
        environment: its variables.
    """
    return {
        "versions": versions(),
        "extras": extras(),
        "conflicts": conflicts(),
        "processor": processor_facts(root),
        "embree": embree_facts(),
        "cuda": cuda_facts(root),
        "egl": {
            **graphics.egl_facts(),
            "libraries": graphics.egl_libraries(root, environment),
            "vendor_files": graphics.vendor_files(root),
            "broken_vendor_files": graphics.broken_vendor_files(root),
        },
        "driver_libraries": graphics.driver_libraries(root),
        "dri": graphics.dri_nodes(root),
        "nvidia": graphics.nvidia_nodes(root),
        "library_path": graphics.odd_libraries(graphics.search_path(environment)),
        "container": container(root),
        "wsl": _contains(root / "proc/version", "microsoft"),
        "storage": storage_facts(environment),
        "environment": {name: environment[name] for name in _VARIABLES if name in environment},
        "threads": thread_variables(environment),
    }


def container(root: Path) -> str | None:
    """The kind of container that this is; None for none, or none that is known."""
    return next((kind for kind, mark in _CONTAINERS.items() if (root / mark).exists()), None)


def _contains(file: Path, word: str) -> bool:
    return file.is_file() and word in file.read_text().lower()
