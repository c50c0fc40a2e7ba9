"""What panels show of environments, taken from the simulator and the observations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...config import EnvConfig
from ...sim import Simulator
from ...sim.geometry import goals_in_agent_frame
from ..loading import Loadable
from .panel import Moment, Outcome, Picture
from .theme import depth_colors

FACTS = {
    "steps": "step {:.0f}",
    "distance_to_goal": "{:.1f} m to go",
    "distance_fled": "{:.1f} m away",
    "cells_visited": "{:.0f} cells",
    "path_length": "{:.1f} m walked",
    "collisions": "bumps {:.0f}",
}
"""Infos that are shown while an episode goes on, in this order."""
FINAL = {"spl": "SPL {:.2f}"}
"""Those that stand before them at its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Pictures of environments at one moment."""

    frames: NDArray[np.uint8]
    """(n, H, W, 3) of the rows that are shown."""
    maps: Sequence[Picture]
    """n maps of the rows that are shown."""
    images: Mapping[str, NDArray[Any]]
    """Observations (N, H, W, channels) of all rows that are shown as pictures."""
    finished: NDArray[np.bool_]
    """(N,) rows whose episode is over."""


def moments_of(
    seen: Seen, simulator: Simulator, refs: Sequence[Loadable], rows: Sequence[int]
) -> list[Moment]:
    """What panels show of ``rows``."""
    state, infos = simulator.state, simulator.infos()
    front, right = goals_in_agent_frame(state.position, state.heading, state.goal)
    angles = -np.arctan2(right, front)
    found = []
    for place, row in enumerate(rows):
        tiles = [("camera", seen.frames[place])]
        tiles += [_tile(key, image[row], simulator.config) for key, image in seen.images.items()]
        goal = (float(np.hypot(front[row], right[row])), float(angles[row]))
        values = {key: float(value[row]) for key, value in infos.items()}
        over = bool(seen.finished[row])
        found.append(
            Moment(
                tiles=(*tiles, ("map", seen.maps[place])),
                goal=goal if simulator.task.has_goal else None,
                title=_title(refs[int(state.scene[row])].scene_id, simulator, row),
                facts=_facts(values, over=over),
                outcome=_outcome(values, stopped=bool(state.stopped[row])) if over else None,
            )
        )
    return found


def _title(scene_id: str, simulator: Simulator, row: int) -> str:
    """The scene, and what is looked for in it."""
    number = int(simulator.state.goal_class[row])
    known = simulator.task.needs_objects and number >= 0
    return f"{scene_id}, goal: {simulator.config.object_categories[number]}" if known else scene_id


def _tile(key: str, image: NDArray[Any], config: EnvConfig) -> tuple[str, Picture]:
    """Caption and picture of an observation: depth, or a picture of the goal."""
    caption = key if key.endswith("depth") else "goal"
    if image.shape[2] == 3:
        return caption, np.asarray(image, dtype=np.uint8)
    depth = np.asarray(image[..., 0], dtype=np.float32)
    if not config.normalize_depth:
        depth = (depth - config.min_depth) / (config.max_depth - config.min_depth)
    return caption, depth_colors(depth)


def _facts(values: Mapping[str, float], *, over: bool) -> tuple[str, ...]:
    chosen = {**FINAL, **FACTS} if over else FACTS
    return tuple(form.format(values[key]) for key, form in chosen.items() if key in values)


def _outcome(values: Mapping[str, float], *, stopped: bool) -> Outcome:
    if values.get("success", 0.0) > 0.5:
        return Outcome(True, "goal reached")
    if "success" not in values:
        return Outcome(True, "the end")
    left = values.get("distance_to_goal", float("nan"))
    return Outcome(False, f"stopped {left:.1f} m short" if stopped else f"out of time, {left:.1f} m to go")
