"""Writer of Habitat's PointNav episode files (json.gz)."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .episodes import Episode


def write_episodes(path: str | Path, episodes: Sequence[Episode], scene_ids: Sequence[str]) -> None:
    """Write episodes as a file that Habitat and ``read_episodes`` read; equal episodes give equal bytes.

    Args:
        path: of the file, which is gzipped JSON whatever its name.
        episodes: in the order of the file; an episode's id is its number.
        scene_ids: names of the scenes that ``Episode.scene`` counts.

    Raises:
        OSError: the file cannot be written.
    """
    entries = [_entry(episode, scene_ids[episode.scene]) for episode in episodes]
    text = json.dumps({"episodes": entries}, separators=(",", ":"), allow_nan=False)
    # Without a date, which would make every file another one.
    Path(path).write_bytes(gzip.compress(text.encode(), mtime=0))


def _entry(episode: Episode, scene_id: str) -> dict[str, Any]:
    half = episode.heading / 2.0
    return {
        "episode_id": str(episode.number),
        "scene_id": scene_id,
        "start_position": [float(value) for value in episode.start],
        # About +Y: a quaternion (x, y, z, w) that turns -Z to the heading.
        "start_rotation": [0.0, math.sin(half), 0.0, math.cos(half)],
        "goals": [{"position": [float(value) for value in episode.goal], "radius": None}],
        "info": {"geodesic_distance": episode.distance},
        "shortest_paths": None,
        "start_room": None,
    }
