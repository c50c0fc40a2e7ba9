"""A window that shows pictures and reports keys."""

from __future__ import annotations

from .window import Window

__all__ = ["Window"]
