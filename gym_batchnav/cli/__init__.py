"""The command line: ``batchnav train|eval|bench|scenes|doctor``."""

from __future__ import annotations

from .app import main

__all__ = ["main"]
