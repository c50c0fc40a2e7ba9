"""``batchnav bench``: frames per second of rendering, stepping and training."""

from __future__ import annotations

from .run import run_bench

__all__ = ["run_bench"]
