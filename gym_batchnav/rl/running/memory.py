"""How the process deals with memory that it frees."""

from __future__ import annotations

import ctypes
import os
import platform

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Numbers of the parameters in ``malloc.h``."""
_KEPT_BYTES = 2**31 - 1
_LARGEST_BYTES = (2**30, 2**25)
"""Old versions of glibc take at most 32 MiB."""


def keep_freed_memory() -> bool:
    """Asks glibc's ``malloc`` to keep large blocks that are freed, for the whole process.

    By default it gives each back to the system, which hands it out again zeroed, page by page: for batches of
    images that is an eighth of all the time of a training run on a CPU.

    Returns:
        Whether it was asked: not with another C library, nor where the environment has settings of its own
        (``MALLOC_..._`` or ``GLIBC_TUNABLES``).
    """
    own = any(name.startswith("MALLOC_") and name.endswith("_") for name in os.environ)
    if platform.libc_ver()[0] != "glibc" or own or "glibc.malloc" in os.environ.get("GLIBC_TUNABLES", ""):
        return False
    mallopt = ctypes.CDLL(None).mallopt
    mallopt(_TRIM_THRESHOLD, _KEPT_BYTES)
    return any(mallopt(_MMAP_THRESHOLD, size) for size in _LARGEST_BYTES)
