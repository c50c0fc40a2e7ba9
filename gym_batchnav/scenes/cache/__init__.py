"""Keeps on disk what takes long to derive from scenes."""

from __future__ import annotations

from .location import open_cache
from .store import CacheWarning, SceneCache

__all__ = ["CacheWarning", "SceneCache", "open_cache"]
