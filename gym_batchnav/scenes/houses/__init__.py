"""Built-in furnished houses, made from seeds."""

from __future__ import annotations

from .splits import SPLITS, VERSION, Split, load_house

__all__ = ["SPLITS", "VERSION", "Split", "load_house"]
