"""What the report is made from: plain records, free of environments and learners."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...envs.maps import SceneMap
from ...rl.intervals import Interval

Images = Mapping[str, NDArray[np.generic]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What one robot saw before one action."""

    images: Images
    """Sensor name to image: ``depth`` (H, W, 1) uint8, 255 being the farthest, or ``rgb`` (H, W, 3) uint8."""
    distance_to_goal: float
    """Geodesic distance left, metres; NaN where it is not known."""
    action: int
    """The action that was taken next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeTrace:
    """One finished episode of one agent."""

    number: int
    """Number of the episode in the evaluation set; equal for all agents."""
    scene_id: str
    start: NDArray[np.floating]
    """(3,) metres."""
    goal: NDArray[np.floating]
    """(3,) metres."""
    start_distance: float
    """Geodesic distance from start to goal, metres."""
    metrics: Mapping[str, float]
    """At least ``success``, ``spl``, ``path_length`` (metres) and ``steps``."""
    way: NDArray[np.floating]
    """(S, 3) positions, metres, the start first."""
    headings: NDArray[np.floating]
    """(S,) radians; 0 looks down -Z, positive turns left."""
    shortest: NDArray[np.floating]
    """(P, 3) corners of the shortest path, metres; may be empty."""
    frames: Sequence[Frame] = ()
    """What the robot saw, step by step; empty where it was not recorded."""

    @property
    def success(self) -> bool:
        """Whether the goal was reached."""
        return self.metrics["success"] > 0.5

    @property
    def ratio(self) -> float:
        """Geodesic over straight distance from start to goal; 1 where both are 0."""
        straight = float(np.linalg.norm(np.asarray(self.goal, np.float64) - self.start))
        return self.start_distance / straight if straight > 0 else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentResult:
    """One agent on the evaluation set."""

    name: str
    """Short name, e.g. ``trained``."""
    label: str
    """What the report calls it."""
    actions: str = ""
    """How it takes its actions: "greedy" or "sampled", "" where it has no choice."""
    summary: Mapping[str, Interval]
    """Mean and 95% interval by metric name."""
    episodes: Sequence[EpisodeTrace]
    """In the order of the set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stratum:
    """Some of the episodes, and what each agent reached in them."""

    kind: str
    """"distance" or "ratio"."""
    low: float
    """Its least value, metres or the plain ratio ..."""
    high: float
    """... and the first that is above it; infinite where it has no end."""
    members: NDArray[np.intp]
    """Places of its episodes in the set."""
    metrics: dict[str, dict[str, Interval]]
    """Agent's name to metric to mean and interval."""

    @property
    def label(self) -> str:
        """The range in words."""
        unit = " m" if self.kind == "distance" else ""
        if math.isinf(self.high):
            return f"over {self.low:g}{unit}"
        return f"{self.low:g} to {self.high:g}{unit}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values; "to" is None where the range has no end."""
        agents = {
            name: {key: value._asdict() for key, value in metrics.items()}
            for name, metrics in self.metrics.items()
        }
        high = None if math.isinf(self.high) else self.high
        return {"from": self.low, "to": high, "episodes": len(self.members), "agents": agents}


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """By how much one agent is better than another, episode by episode."""

    agent: AgentResult
    """The one ..."""
    than: AgentResult
    """... and the other."""
    metrics: dict[str, Interval]
    """Mean difference, positive where the one has more, and its interval, by metric."""

    def to_dict(self) -> dict[str, Any]:
        """Names and plain values."""
        metrics = {key: value._asdict() for key, value in self.metrics.items()}
        return {"agent": self.agent.name, "than": self.than.name, **metrics}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportData:
    """All that the page shows."""

    title: str
    subtitle: str
    agents: Sequence[AgentResult]
    """The agent that the page is about comes first."""
    differences: Sequence[Difference] = ()
    """Of the first agent, in each of its ways to act, to the others."""
    strata: Sequence[Stratum] = ()
    """Results by distance, then by ratio."""
    validations: Sequence[Mapping[str, float]] = ()
    """Rows of the validations during training, oldest first."""
    maps: Mapping[str, SceneMap] = field(default_factory=dict)
    """By scene id; episodes of other scenes get no map."""
    log: Sequence[Mapping[str, float]] = ()
    """Rows of the training log, oldest first; empty for a page about an evaluation only."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """Figures for the head of the page."""
    tables: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """Title to (name to value): configuration, machine."""
    success_distance: float = 0.2
    """Radius of the goal, metres."""
