"""Built-in furnished houses, made from seeds."""

from __future__ import annotations

from .build import make_house
from .config import HouseConfig
from .splits import SPLITS, VERSION, Split, load_house

__all__ = ["SPLITS", "VERSION", "HouseConfig", "Split", "load_house", "make_house"]
