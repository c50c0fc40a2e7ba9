"""How long renders take while scenes come and go."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from batchnav_renderer import BatchRenderer
from batchnav_renderer.types import SceneArrays

ROUNDS = 4
"""Stretches without and with swaps, in turns, so that noise hits both alike."""
HELD = 3
"""Scenes that are held beside those that are shown."""


def measure_swaps(
    renderer: BatchRenderer,
    draw: Callable[[], int],
    scenes: Sequence[SceneArrays],
    every: int,
    seconds: float,
) -> dict[str, Any]:
    """Draw for some seconds, half of them while every so many calls a scene is added and another removed.

    Args:
        renderer: whose resident scenes are shown.
        draw: draws a batch.
        scenes: are prepared before, as worker processes would, and added in turns.
        every: calls of ``draw`` from one swap to the next, at least 1.
        seconds: to measure.

    Returns:
        The number of swaps, milliseconds of a call without and with them, what they add to the 99th
        percentile, and bytes of scenes before and after.
    """
    prepared = [renderer.preparer(scene) for scene in scenes]
    held = deque(renderer.add_scene(prepared[number % len(prepared)]) for number in range(HELD))
    before, swaps, calls = renderer.memory["scenes"], 0, 0
    times: dict[bool, list[float]] = {False: [], True: []}
    for part in range(2 * ROUNDS):
        swapping, end = part % 2 == 1, time.perf_counter() + seconds / (2 * ROUNDS)
        while time.perf_counter() < end:
            begun = time.perf_counter()
            if swapping and (calls := calls + 1) % every == 0:
                held.append(renderer.add_scene(prepared[swaps % len(prepared)], wait=False))
                renderer.remove_scene(held.popleft())
                swaps += 1
            draw()
            times[swapping].append(1000 * (time.perf_counter() - begun))
    alone, together = _summary(times[False]), _summary(times[True])
    return {
        "every": every,
        "swaps": swaps,
        "alone_ms": alone,
        "swapping_ms": together,
        "stall_p99_ms": together["p99"] - alone["p99"],
        "scene_bytes": {"before": before, "after": renderer.memory["scenes"]},
    }


def _summary(times: Sequence[float]) -> dict[str, float]:
    median, high = np.percentile(times, [50, 99]).tolist()
    return {"median": median, "p99": high, "max": max(times)}
