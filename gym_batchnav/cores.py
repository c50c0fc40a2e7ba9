"""How many CPU cores this process may use; imports nothing of ours."""

from __future__ import annotations

import os


def usable_cores() -> int:
    """Cores that the scheduler lets this process run on; all of them where the system cannot tell."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
