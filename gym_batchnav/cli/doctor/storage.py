"""Folders that are written to: the cache of scenes, compiled kernels, and where one is."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import platformdirs

import gym_batchnav

from ...errors import ConfigError
from ...scenes.cache import open_cache


def storage_facts(environment: Mapping[str, str]) -> dict[str, Any]:
    """Of the "cache" of scenes, the "kernels" and the current folder "here": can they be written, how full.

    Args:
        environment: the variables of the process.
    """
    return {"cache": _cache(environment), "kernels": _kernels(environment), "here": _folder(Path.cwd())}


def _cache(environment: Mapping[str, str]) -> dict[str, Any]:
    try:
        cache = open_cache(environment)
    except ConfigError as error:
        return {"error": str(error)}
    if cache is None:
        return {"off": True}
    entries = cache.entries() if cache.folder.is_dir() else []
    return {
        **_folder(cache.folder),
        "mib": round(sum(entry.size for entry in entries) / 2**20, 1),
        "entries": len(entries),
        "limit_mib": round(cache.limit_bytes / 2**20),
    }


def _kernels(environment: Mapping[str, str]) -> dict[str, Any]:
    """Where numba keeps compiled kernels: beside the sources where it may, else in the user's cache."""
    named = environment.get("NUMBA_CACHE_DIR", "")
    beside = Path(gym_batchnav.__file__).parent / "nav" / "__pycache__"
    wanted = [Path(named)] if named else [beside, platformdirs.user_cache_path("numba", appauthor=False)]
    folders = [_folder(folder) for folder in wanted]
    return next((folder for folder in folders if folder["writable"]), folders[-1])


def _folder(folder: Path) -> dict[str, Any]:
    """Whether a folder, or the one that it would be made in, can be written, and what is free there."""
    there = next(part for part in (folder, *folder.absolute().parents) if part.exists())
    return {
        "folder": str(folder),
        "writable": _can_write(there),
        "free_gib": round(shutil.disk_usage(there).free / 2**30, 1),
    }


def _can_write(folder: Path) -> bool:
    """Tried, since permissions do not tell of file systems such as /proc, or of root."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False
