"""``batchnav doctor``: what this machine can draw with, what is wrong with it, and the fixes."""

from __future__ import annotations

from .run import run_doctor

__all__ = ["run_doctor"]
