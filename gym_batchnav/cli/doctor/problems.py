"""What is wrong with a system, and the fix of each; pure functions of the facts."""

from __future__ import annotations

from .drawing_problems import (
    embree_problems,
    extension_problems,
    interop_problems,
    picture_problems,
    software_problems,
    speed_problems,
)
from .gpu_problems import (
    driver_problems,
    egl_problems,
    nvidia_egl_problems,
    order_problems,
    permission_problems,
    torch_problems,
)
from .machine_problems import (
    core_problems,
    disk_problems,
    memory_problems,
    package_problems,
    variable_problems,
    window_problems,
)
from .problem import Facts, Problem

_CHECKS = (
    package_problems, embree_problems, egl_problems, driver_problems, nvidia_egl_problems,
    permission_problems, torch_problems, order_problems, picture_problems, software_problems,
    extension_problems, interop_problems, core_problems, memory_problems, disk_problems,
    variable_problems, window_problems, speed_problems,
)  # fmt: skip
_ORDER = ("error", "warning", "hint")


def find_problems(facts: Facts) -> list[Problem]:
    """All problems: errors, then warnings, then hints, and among them the causes before what they cause.

    Args:
        facts: of ``system_facts``, with what the processes of ``run.findings`` found.
    """
    found = [problem for check in _CHECKS for problem in check(facts)]
    return sorted(found, key=lambda problem: _ORDER.index(problem.severity))
