"""What an episode is, and how one is sampled on a navigation mesh, as Habitat's generator does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..config import EnvConfig
from ..errors import EpisodeError

FIRST_BATCH, LARGEST_BATCH, MOST_CANDIDATES = 4, 512, 20_000


class SamplingGround(Protocol):
    """What episodes need of a navigation mesh (``gym_batchnav.nav.NavMesh`` has it)."""

    def sample(self, n: int, generator: np.random.Generator) -> NDArray[np.float32]:
        """Points (n, 3), uniform over the walkable area."""

    def snap(self, points: NDArray[np.float32]) -> NDArray[np.float32]:
        """Nearest points (B, 3) of the mesh; NaN rows where there is none."""

    def island(self, points: NDArray[np.float32]) -> NDArray[np.int32]:
        """Connected part (B,) that points lie on."""

    def island_radius(self, points: NDArray[np.float32]) -> NDArray[np.floating]:
        """Radius (B,) of that part, metres."""

    def geodesic_distance(
        self, starts: NDArray[np.float32], goals: NDArray[np.float32]
    ) -> NDArray[np.float64]:
        """Lengths (B,) of the shortest ways; infinite where there is none."""

    def goal_table(self, goals: NDArray[np.float32]) -> NDArray[np.float32]:
        """What ``distance_to_goal`` needs of goals (B, 3): (B, C)."""

    def distance_to_goal(
        self, positions: NDArray[np.float32], goals: NDArray[np.float32], tables: NDArray[np.float32]
    ) -> NDArray[np.float64]:
        """Geodesic distances (B,)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """Where an agent starts and where it should go."""

    scene: int
    """Index of the scene in the environment's list."""
    number: int
    """Number within its set, or within the row's stream of sampled episodes."""
    start: NDArray[np.float32]
    """(3,) metres, on the mesh."""
    heading: float
    """Radians; 0 looks along -Z, positive to the left."""
    goal: NDArray[np.float32]
    """(3,) metres, as the goal sensor shows it."""
    anchor: NDArray[np.float32]
    """(3,) the goal put on the mesh."""
    table: NDArray[np.float32]
    """(C,) the mesh's goal table of ``anchor``."""
    distance: float
    """Geodesic distance from start to goal, metres; finite."""


def place_episode(
    ground: SamplingGround,
    *,
    scene: int,
    number: int,
    start: NDArray[np.float32],
    heading: float,
    goal: NDArray[np.float32],
    name: str,
) -> Episode:
    """Put start and goal on the mesh and measure their distance.

    Raises:
        EpisodeError: start or goal is off the mesh, or there is no way between them; the message begins with
            ``name``.
    """
    snapped = ground.snap(np.stack([start, goal]).astype(np.float32))
    for label, point, on_mesh in (("start", start, snapped[0]), ("goal", goal, snapped[1])):
        if not np.isfinite(on_mesh).all():
            raise EpisodeError(f"{name}: the {label} {point.tolist()} is not on the scene's navigation mesh")
    return _measured(ground, scene, number, snapped[0], heading, goal.astype(np.float32), snapped[1], name)


def _measured(
    ground: SamplingGround,
    scene: int,
    number: int,
    start: NDArray[np.float32],
    heading: float,
    goal: NDArray[np.float32],
    anchor: NDArray[np.float32],
    name: str,
) -> Episode:
    # The start distance comes from the same table as every later one, so that the first reward is exact.
    table = ground.goal_table(anchor[None])
    distance = float(ground.distance_to_goal(start[None], anchor[None], table)[0])
    if not np.isfinite(distance):
        raise EpisodeError(f"{name}: no way leads from {start.tolist()} to the goal {goal.tolist()}")
    return Episode(
        scene=scene, number=number, start=start, heading=heading, goal=goal, anchor=anchor,
        table=table[0], distance=distance,
    )  # fmt: skip


def sample_episode(
    ground: SamplingGround,
    generator: np.random.Generator,
    config: EnvConfig,
    *,
    scene: int,
    number: int,
    scene_id: str,
) -> Episode:
    """Draw an episode: heading uniform, start and goal uniform over the area subject to the config's rules.

    Candidate pairs are drawn in batches whose sizes are fixed, so the result depends on the generator alone.

    Raises:
        EpisodeError: none of 20,000 candidates fits the rules; the message names the scene.
    """
    heading = float(generator.uniform(-np.pi, np.pi))
    batch, drawn = FIRST_BATCH, 0
    while drawn < MOST_CANDIDATES:
        starts, goals = ground.sample(batch, generator), ground.sample(batch, generator)
        kept = _fitting(ground, config, starts, goals, generator.random(batch))
        if kept is not None:
            name = f"episode {number} of scene {scene_id}"
            goal = goals[kept]
            return _measured(ground, scene, number, starts[kept], heading, goal, goal, name)
        drawn, batch = drawn + batch, min(2 * batch, LARGEST_BATCH)
    raise EpisodeError(
        f"scene {scene_id}: none of {drawn} candidate episodes fits the rules (geodesic distance "
        f"{config.min_geodesic:g} to {config.max_geodesic:g} m, island radius of at least "
        f"{config.min_island_radius:g} m, heights within {config.max_height_difference:g} m); loosen "
        "min_geodesic, min_island_radius or allow_stairs, or check the scene's navigation mesh"
    )


def _fitting(
    ground: SamplingGround,
    config: EnvConfig,
    starts: NDArray[np.float32],
    goals: NDArray[np.float32],
    chances: NDArray[np.float64],
) -> int | None:
    """Index of the first pair that fits the rules; cheap rules are asked first."""
    offsets = goals.astype(np.float64) - starts
    straight = np.sqrt(np.square(offsets).sum(axis=1))
    fits = (straight <= config.max_geodesic) & (straight > 0.0)
    if not config.allow_stairs:
        fits &= np.abs(offsets[:, 1]) <= config.max_height_difference
    fits &= ground.island(starts) == ground.island(goals)
    fits &= ground.island_radius(starts) >= config.min_island_radius
    places = np.flatnonzero(fits)
    if not len(places):
        return None
    lengths = ground.geodesic_distance(starts[places], goals[places])
    good = (lengths >= config.min_geodesic) & (lengths <= config.max_geodesic)
    ratio = lengths / straight[places]
    good &= (ratio >= config.straight_ratio) | (chances[places] <= keep_probability(ratio))
    return int(places[np.argmax(good)]) if good.any() else None


def keep_probability(ratio: NDArray[np.float64]) -> NDArray[np.float64]:
    """Chance 20 (r - 0.98)^2 that Habitat's generator keeps a nearly straight episode of ratio r, (B,)."""
    return np.asarray(20.0 * np.square(ratio - 0.98))
