"""Kernels kept on disk are compiled anew when a part in another file changes."""

from __future__ import annotations

import importlib
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from numba import njit

from gym_batchnav import jit

ROOT = Path(__file__).resolve().parents[2]
HELPERS = [
    "gym_batchnav/nav/_jit.py",
    "gym_batchnav/scenes/houses/light/_jit.py",
    "renderer/batchnav_renderer/embree/_jit.py",
]
PART = "from ._jit import kernel\n@kernel\ndef part(x):\n    return x + {}\n"
WHOLE = """
from ._jit import kernel
from .part import part
@kernel
def whole(values):
    values[0] = part(values[0])
"""


@pytest.mark.parametrize("helper", HELPERS)
def test_a_changed_part_is_compiled_anew(tmp_path, monkeypatch, helper):
    package = tmp_path / "kernels_on_disk"
    package.mkdir()
    shutil.copy(ROOT / helper, package / "_jit.py")
    (package / "__init__.py").touch()
    (package / "whole.py").write_text(WHOLE)
    monkeypatch.syspath_prepend(tmp_path)

    def run(step):
        """What the kernel adds, and whether it came from the disk."""
        (package / "part.py").write_text(PART.format(step))
        for name in [name for name in sys.modules if name.startswith("kernels_on_disk")]:
            monkeypatch.delitem(sys.modules, name)
        importlib.invalidate_caches()
        kernel, values = importlib.import_module("kernels_on_disk.whole").whole, np.zeros(1)
        kernel(values)
        return values[0], sum(kernel.stats.cache_hits.values())

    assert run(10) == (10.0, 0)
    assert run(10) == (10.0, 1)
    assert run(2) == (2.0, 0)


def test_compiling_is_told_once_and_of_ours_alone(caplog, monkeypatch):
    monkeypatch.setattr(jit._TOLD, "told", False)
    njit(lambda x: x - 1)(1)
    assert caplog.messages == []

    def ours(x):
        return x + 1

    ours.__module__ = "gym_batchnav.somewhere"
    kernel = njit(ours)
    kernel(1)
    kernel(np.float64(1.0))
    assert caplog.messages == [f"batchnav: {jit.COMPILING} ..."]
