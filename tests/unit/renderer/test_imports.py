"""What is loaded when, and on which systems."""

from __future__ import annotations

import subprocess
import sys

WITHOUT = """
import sys
for name in ("fcntl", "resource", "pwd", "grp", "termios"):  # what Windows lacks
    sys.modules[name] = None
import importlib, pkgutil
import batchnav_renderer
for module in pkgutil.walk_packages(batchnav_renderer.__path__, "batchnav_renderer."):
    importlib.import_module(module.name)
import gym_batchnav.envs, gym_batchnav.cli.doctor
print(sorted(name for name in ("torch.cuda", "glfw", "cuda") if name in sys.modules))
"""


def test_no_module_needs_what_windows_lacks():
    found = subprocess.run(
        [sys.executable, "-c", WITHOUT], capture_output=True, text=True, timeout=120, check=False
    )
    assert found.stdout.strip() == "[]", found.stderr
