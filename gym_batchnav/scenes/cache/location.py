"""Where the cache lies and how large it may get."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from pathlib import Path

import platformdirs

from ...errors import ConfigError
from .store import SceneCache

FOLDER_VARIABLE, SIZE_VARIABLE = "BATCHNAV_CACHE", "BATCHNAV_CACHE_GIB"
DEFAULT_GIB = 4.0
"""Most that the cache takes on disk, unless ``BATCHNAV_CACHE_GIB`` says otherwise."""


def open_cache(environ: Mapping[str, str] | None = None) -> SceneCache | None:
    """The cache of this user, as the environment's variables say; makes nothing on disk.

    ``BATCHNAV_CACHE`` names another folder, or is ``off``; ``BATCHNAV_CACHE_GIB`` is the most that the cache
    takes on disk.

    Raises:
        ConfigError: the size is no number over 0.
    """
    environ = os.environ if environ is None else environ
    named = environ.get(FOLDER_VARIABLE, "").strip()
    if named.lower() == "off":
        return None
    folder = (
        Path(named).expanduser() if named else platformdirs.user_cache_path("gym-batchnav", appauthor=False)
    )
    # A folder of its own, so that clearing touches nothing else and its permissions are ours.
    return SceneCache(folder.absolute() / "scenes", int(_gib(environ) * 2**30))


def _gib(environ: Mapping[str, str]) -> float:
    text = environ.get(SIZE_VARIABLE, "").strip()
    if not text:
        return DEFAULT_GIB
    try:
        size = float(text)
    except ValueError:
        size = math.nan
    if not 0.0 < size < 1e9:
        raise ConfigError(
            f"{SIZE_VARIABLE}={text!r:.80} is not allowed; expected a number of GiB over 0, such as 4, or "
            f"{FOLDER_VARIABLE}=off to keep nothing"
        )
    return size
