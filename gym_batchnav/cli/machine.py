"""What machine and which versions a record was made with."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys
from collections.abc import Mapping
from pathlib import Path

import gym_batchnav
from gym_batchnav.cores import usable_cores

PACKAGES = ("torch", "numpy", "gymnasium", "PyOpenGL", "numba")


def machine_facts(renderer: Mapping[str, object] | None = None) -> dict[str, object]:
    """Facts about this machine and its packages, as plain values.

    Args:
        renderer: ``BatchRenderer.info`` where a renderer was used.
    """
    facts: dict[str, object] = {
        "gym_batchnav": gym_batchnav.__version__,
        "cpu": cpu_model(),
        "cores": usable_cores(),
        "memory_gib": memory_gib(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "load_average": load_average(),
        "python": platform.python_version(),
    }
    for name in PACKAGES:
        facts[name.lower()] = importlib.metadata.version(name)
    if renderer is not None:
        facts["renderer"] = {key: str(value) for key, value in renderer.items()}
    return facts


def cpu_model() -> str:
    """The processor's name."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def load_average() -> float | None:
    """Processes that waited for a core in the last minute; None on Windows, which does not tell."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def memory_gib() -> float | None:
    """Memory of the machine in GiB; None on Windows, which does not tell."""
    if not hasattr(os, "sysconf"):
        return None
    size: int = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return round(size / 2**30, 1)


def available_memory_gib() -> float | None:
    """Memory that programs may still take without swapping, GiB; None where the system does not tell."""
    info = Path("/proc/meminfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) / 2**20
    return None


def peak_memory_mib() -> float | None:
    """Most memory that this process has held so far, MiB; None on Windows, which does not tell."""
    if sys.platform == "win32":
        return None
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (1 << 20 if sys.platform == "darwin" else 1 << 10), 1)
