"""Counts the bytes that Embree holds, without Python: builds need not wait for the GIL."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import carray, cfunc  # type: ignore[attr-defined]


@cfunc("boolean(voidptr, intp, boolean)", cache=True)
def count_bytes(total: Any, change: int, done: bool) -> bool:
    """An RTCMemoryMonitorFunction; ``total`` is the address of an int64, and all may be allocated.

    Not atomic: each device builds and frees on one thread at a time.
    """
    carray(total, 1, np.int64)[0] += change
    return True
