"""The agent that a navigation mesh is baked for, and the settings of the bake."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from gym_batchnav.errors import ConfigError

_RANGES: dict[str, tuple[float, float]] = {
    "cell_size": (1e-3, 10.0),
    "cell_height": (1e-3, 10.0),
    "agent_height": (1e-2, 100.0),
    "agent_radius": (0.0, 10.0),
    "agent_max_climb": (0.0, 10.0),
    "agent_max_slope": (0.0, 89.9),
    "region_min_size": (0.0, 1e4),
    "region_merge_size": (0.0, 1e4),
    "edge_max_len": (0.0, 1e6),
    "edge_max_error": (0.0, 100.0),
    "verts_per_poly": (3, 6),
    "detail_sample_dist": (0.0, 1e4),
    "detail_sample_max_error": (0.0, 1e4),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSettings:
    """Names, units and defaults are those of habitat-sim's NavMeshSettings."""

    cell_size: float = 0.05
    """Edge of a cell of the voxel grid along x and z, metres."""
    cell_height: float = 0.2
    """Height of a voxel, metres."""
    agent_height: float = 1.5
    """Least clearance over the ground, metres; rounded up to whole voxels."""
    agent_radius: float = 0.1
    """Distance that the agent's middle keeps from walls, metres; rounded up to whole cells."""
    agent_max_climb: float = 0.2
    """Highest step, metres; rounded down to whole voxels."""
    agent_max_slope: float = 45.0
    """Steepest ground, degrees."""
    region_min_size: float = 20.0
    """Edge, in cells, of the square whose area an unconnected patch of ground must have to be kept."""
    region_merge_size: float = 20.0
    """Edge, in cells, of the square up to whose area a region is merged with a neighbour."""
    edge_max_len: float = 12.0
    """Longest edge along a wall, metres; 0 leaves edges whole."""
    edge_max_error: float = 1.3
    """Farthest that an edge may stray from the cells, in cells."""
    verts_per_poly: int = 6
    """Most vertices of a polygon."""
    detail_sample_dist: float = 6.0
    """Distance, in cells, between samples of the height; under 0.9 heights are taken from the polygons."""
    detail_sample_max_error: float = 1.0
    """Farthest that the height may stray from the samples, in voxels."""
    filter_low_hanging_obstacles: bool = True
    """Whether things no higher than `agent_max_climb` over walkable ground are walkable themselves."""
    filter_ledge_spans: bool = True
    """Whether ground beside a drop deeper than `agent_max_climb` is taken out."""
    filter_walkable_low_height_spans: bool = True
    """Whether ground with less clearance than `agent_height` is taken out."""

    def __post_init__(self) -> None:
        """Check the fields; raises ``ConfigError``."""
        for name, (low, high) in _RANGES.items():
            value = getattr(self, name)
            if not _is_number(value) or not low <= value <= high:
                raise ConfigError(f"{name} is {value!r}; it must be a number from {low:g} to {high:g}")
        if self.verts_per_poly != int(self.verts_per_poly):
            raise ConfigError(f"verts_per_poly is {self.verts_per_poly!r}; it must be a whole number")
        object.__setattr__(self, "verts_per_poly", int(self.verts_per_poly))
        for field in fields(self):
            if field.name.startswith("filter_"):
                object.__setattr__(self, field.name, bool(getattr(self, field.name)))

    def suits(self, other: AgentSettings) -> bool:
        """Whether ground made for this agent is ground for another one too.

        It is where the other one is no wider and no taller, and climbs steps and slopes at least as well; as
        in files, in float32.
        """
        ours, theirs = (
            (one.agent_radius, one.agent_height, -one.agent_max_climb, -one.agent_max_slope)
            for one in (self, other)
        )
        return bool((np.array(ours, np.float32) >= np.array(theirs, np.float32)).all())

    def body(self) -> str:
        """The agent in words, without the settings of the bake."""
        return (
            f"radius {self.agent_radius:g} m, height {self.agent_height:g} m, steps of "
            f"{self.agent_max_climb:g} m, slopes of {self.agent_max_slope:g} degrees"
        )

    @property
    def height_voxels(self) -> int:
        """Clearance in voxels."""
        return math.ceil(_ratio(self.agent_height, self.cell_height))

    @property
    def climb_voxels(self) -> int:
        """Highest step in voxels."""
        return math.floor(_ratio(self.agent_max_climb, self.cell_height))

    @property
    def radius_cells(self) -> int:
        """Distance from walls in cells."""
        return math.ceil(_ratio(self.agent_radius, self.cell_size))

    @property
    def edge_cells(self) -> int:
        """Longest edge along a wall in cells; 0 is no limit."""
        return math.floor(_ratio(self.edge_max_len, self.cell_size))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def _ratio(a: float, b: float) -> float:
    """In float32, as Recast's users divide: 0.3 m are then 6 cells of 0.05 m, not 5."""
    return float(np.float32(a) / np.float32(b))
