from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

from gym_batchnav.rl.running import memory

# Page faults of ten arrays of 16 MiB, one after the other; a page has 4 KiB, so each needs 4,096 new ones.
SCRIPT = f"""
import resource, runpy, sys
import numpy as np

asked = runpy.run_path({memory.__file__!r})["keep_freed_memory"]()
np.ones(1 << 21)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    np.ones(1 << 21)
print(asked, resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def faults(**environment: str) -> tuple[str, int]:
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("MALLOC_", "GLIBC_"))}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True,
        env={**inherited, "NUMPY_MADVISE_HUGEPAGE": "0", **environment},
    )  # fmt: skip
    asked, count = done.stdout.split()
    return asked, int(count)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc is asked")
def test_freed_memory_is_used_again_without_new_pages():
    asked, count = faults()
    assert asked == "True"
    assert count < 100


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc is asked")
def test_settings_of_the_environment_are_left_alone():
    # Blocks above 64 KiB from the system, each time anew: 10 * 4,096 pages.
    asked, count = faults(MALLOC_MMAP_THRESHOLD_="65536")
    assert asked == "False"
    assert count >= 40_960


def test_other_c_libraries_are_left_alone(monkeypatch):
    monkeypatch.setattr(platform, "libc_ver", lambda: ("", ""))
    assert memory.keep_freed_memory() is False
