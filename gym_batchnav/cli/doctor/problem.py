"""One thing that is wrong, and how bad it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

Facts = Mapping[str, Any]
Severity = Literal["error", "warning", "hint"]
"""Error: something cannot work. Warning: a part of this machine is not used, or work will fail later or be
slow. Hint: nothing is wrong, but there may be something to gain."""


class Problem(NamedTuple):
    """One thing that is wrong."""

    what: str
    fix: str
    severity: Severity = "warning"


def has_nvidia(facts: Facts) -> bool:
    """Whether there is an NVIDIA GPU to be used."""
    return facts["cuda"]["driver"] is not None or facts["cuda"]["available"]


def sees_nvidia(facts: Facts) -> bool:
    """Whether EGL shows an NVIDIA GPU."""
    return any(device["cuda_ordinal"] is not None for device in facts["egl"]["devices"])


def hides_gpus(facts: Facts) -> bool:
    """Whether the user has hidden all GPUs from CUDA."""
    visible = facts["environment"].get("CUDA_VISIBLE_DEVICES", "0")
    return not visible.strip() or visible.strip().startswith("-1")


def working_cores(facts: Facts) -> float:
    """Cores whose time this process may take."""
    cores, quota = facts["processor"]["cores"], facts["processor"]["quota_cores"]
    return float(cores if quota is None else min(cores, quota))


def version_of(text: str) -> tuple[int, ...]:
    """A version's numbers, for comparison."""
    return tuple(int(part) for part in text.split(".") if part.isdigit())


def first_line(text: str) -> str:
    """The first line of a message."""
    return (text.splitlines() or [""])[0]
