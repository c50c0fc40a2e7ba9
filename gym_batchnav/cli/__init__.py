"""The command line: ``batchnav train|eval|bench|doctor``."""

from __future__ import annotations

from .app import main

__all__ = ["main"]
