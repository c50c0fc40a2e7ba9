"""What is written of a comparison."""

from __future__ import annotations

from typing import Any

from .rivals import Rival
from .windows import Measurement


def comparison(rival: Rival, theirs: Measurement, ours: Measurement) -> dict[str, Any]:
    """The record of one peer; ``ratio`` is our frames per second over theirs, both of the same run."""
    peer = rival.peer
    return {
        "name": peer.name,
        "version": rival.version,
        "scene": peer.scene,
        "resolution": list(rival.task.resolution),
        "processes": rival.task.num_envs if peer.spawns else rival.processes,
        "threads": rival.threads,
        "images_per_call": peer.images_per_call or rival.task.batch,
        "frames_per_second": theirs.frames_per_second,
        "windows": theirs.windows,
        "ours": ours.frames_per_second,
        "ratio": ours.frames_per_second / theirs.frames_per_second,
    }
