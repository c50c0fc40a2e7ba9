"""Cores, threads and memory, and what containers and variables leave of them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...cores import usable_cores
from ..machine import available_memory_gib, cpu_model, memory_gib

THREAD_VARIABLES = (
    "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "NUMBA_DISABLE_JIT",
    "NUMBA_THREADING_LAYER", "OMP_PROC_BIND", "GOMP_CPU_AFFINITY", "KMP_AFFINITY", "LP_NUM_THREADS",
)  # fmt: skip
_CGROUPS = "sys/fs/cgroup"
_NO_LIMIT = 1 << 60


def processor_facts(root: Path) -> dict[str, Any]:
    """Cores and memory, and the limits of this process.

    Args:
        root: where the system's files are.

    Returns:
        "model"; "cores" that the scheduler lets this process use, of "all_cores"; "quota_cores", the time
        that its control group may take, in cores, None without a limit; "load" of the last minute;
        "memory_gib", "available_gib" and "memory_limit_gib".
    """
    return {
        "model": cpu_model(),
        "cores": usable_cores(),
        "all_cores": os.cpu_count() or 1,
        "quota_cores": quota_cores(root),
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "memory_gib": memory_gib() if hasattr(os, "sysconf") else None,
        "available_gib": _rounded(available_memory_gib()),
        "memory_limit_gib": memory_limit_gib(root),
    }


def quota_cores(root: Path) -> float | None:
    """Time that the control groups of this process may take, in cores; None without a limit."""
    limits = []
    for folder in _groups(root, "cpu"):
        if (text := _text(folder / "cpu.max")) is not None:
            quota, period = (*text.split(), "100000")[:2]
        else:
            quota = _text(folder / "cpu.cfs_quota_us") or "max"
            period = _text(folder / "cpu.cfs_period_us") or "100000"
        if quota.isdigit() and period.isdigit() and int(period):
            limits.append(int(quota) / int(period))
    return round(min(limits), 2) if limits else None


def memory_limit_gib(root: Path) -> float | None:
    """Memory that the control groups of this process may take, GiB; None without a limit."""
    texts = [
        _text(folder / name)
        for folder in _groups(root, "memory")
        for name in ("memory.max", "memory.limit_in_bytes")
    ]
    limits = [int(text) for text in texts if text is not None and text.isdigit() and int(text) < _NO_LIMIT]
    return _rounded(min(limits) / 2**30) if limits else None


def thread_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that say how many threads libraries take."""
    return {name: environment[name] for name in THREAD_VARIABLES if name in environment}


def _groups(root: Path, controller: str) -> Iterator[Path]:
    """Folders of the control groups of this process and of those above, of either version."""
    for line in (_text(root / "proc/self/cgroup") or "0::/").splitlines():
        number, controllers, path = line.split(":", 2)
        if number == "0" and not controllers:
            top = root / _CGROUPS
        elif controller in controllers.split(","):
            top = next(
                (folder for name in (controllers, controller) if (folder := root / _CGROUPS / name).is_dir()),
                root / _CGROUPS / controller,
            )
        else:
            continue
        inner = Path(path.strip("/"))
        # Inside a container, its own group is often mounted at the top.
        yield from (top / part for part in (inner, *inner.parents) if part != Path())
        yield top


def _text(file: Path) -> str | None:
    try:
        return file.read_text(encoding="utf-8").strip()
    except OSError:
        return None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1)
