"""Watches an evaluation and keeps what the report shows: ways, shortest ways, maps, and some films."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...envs import BatchPointNavEnv
from ...rl import EpisodeRecord, EvaluationStep
from ..report import EpisodeTrace, Frame, SceneMap


@dataclass(slots=True)
class _Track:
    """An episode in progress."""

    first: int
    """Number of its first step."""
    scene_id: str
    start: NDArray[np.float32]
    goal: NDArray[np.float32]
    shortest: NDArray[Any]
    frames: list[Frame] = field(default_factory=list)


class Recorder:
    """Callbacks for ``gym_batchnav.rl.evaluate``.

    Args:
        envs: The environment that is evaluated in.
        films: So many episodes, the first by number, keep what the robot sees.
    """

    def __init__(self, envs: BatchPointNavEnv, films: int = 0) -> None:
        self._envs = envs
        self._films = films
        self._tracks: dict[int, _Track] = {}
        self._tracked = np.full(envs.num_envs, -1)
        self._positions: list[NDArray[np.float32]] = []
        self._headings: list[NDArray[np.float64]] = []
        self.traces: list[EpisodeTrace] = []
        self.maps: dict[str, SceneMap] = {}

    def on_step(self, step: EvaluationStep) -> None:
        """Note where all rows are, and what some of them see."""
        state = self._envs.agent_state()
        # Whole steps are kept: one row at a time would cost more than the simulation.
        self._positions.append(state["position"])
        self._headings.append(state["heading"])
        begun = step.active & (step.episode != self._tracked)
        for row in map(int, np.flatnonzero(begun)):
            self._tracks[int(step.episode[row])] = self._begin(state, row)
        self._tracked[begun] = step.episode[begun]
        for row in map(int, np.flatnonzero(step.active & (step.episode < self._films))):
            self._tracks[int(step.episode[row])].frames.append(self._frame(step, row))

    def on_episode(self, record: EpisodeRecord) -> None:
        """Make the trace of an episode that has ended."""
        track = self._tracks.pop(record.index)
        steps = slice(track.first, track.first + record.steps)
        distance = record.initial_distance
        self.traces.append(
            EpisodeTrace(
                number=record.index,
                scene_id=track.scene_id,
                start=track.start,
                goal=track.goal,
                start_distance=float("nan") if distance is None else distance,
                metrics={**record.metrics, "steps": float(record.steps), "return": record.total_reward},
                way=np.array([positions[record.row] for positions in self._positions[steps]]),
                headings=np.array([headings[record.row] for headings in self._headings[steps]]),
                shortest=track.shortest,
                frames=track.frames,
            )
        )

    def _begin(self, state: dict[str, Any], row: int) -> _Track:
        scene_id: str = state["scene_id"][row]
        start, goal = state["start"][row], state["goal"][row]
        navmesh = self._envs.navmesh(scene_id)
        if scene_id not in self.maps:
            self.maps[scene_id] = SceneMap.of(navmesh)
        return _Track(len(self._positions) - 1, scene_id, start, goal, navmesh.shortest_path(start, goal))

    def _frame(self, step: EvaluationStep, row: int) -> Frame:
        config = self._envs.config
        images: dict[str, NDArray[Any]] = {}
        if "depth" in step.obs:
            depth = step.obs["depth"][row].cpu().numpy()
            far = 1.0 if config.normalize_depth else config.max_depth
            images["depth"] = (np.clip(depth / far, 0.0, 1.0) * 255.0 + 0.5).astype(np.uint8)
        if "rgb" in step.obs:
            images["rgb"] = step.obs["rgb"][row].cpu().numpy().copy()
        distance = step.infos.get("distance_to_goal")
        return Frame(
            images=images,
            distance_to_goal=float("nan") if distance is None else float(distance[row]),
            action=int(step.actions[row]),
        )
