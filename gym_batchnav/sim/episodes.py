"""What an episode is, and how one is sampled on a navigation mesh, as Habitat's generator does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from ..config import EnvConfig
from ..errors import EpisodeError

FIRST_BATCH, LARGEST_BATCH, MOST_CANDIDATES = 4, 512, 20_000


class NoEpisodeError(EpisodeError):
    """None of many candidates drawn in a scene fits the rules of its episodes."""


class SamplingGround(Protocol):
    """What episodes need of a navigation mesh (``gym_batchnav.nav.NavMesh`` has it)."""

    def points_at(self, draws: NDArray[np.float64]) -> NDArray[np.float32]:
        """Points (B, 3), uniform over the walkable area where the draws (B, 3) are over [0, 1)."""

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
    goal_heading: float = 0.0
    """A heading at the goal, radians: where a picture of it looks."""
    goal_class: int = -1
    """Number of the class of objects that is the goal; -1 for none."""


@dataclass(frozen=True, slots=True)
class Draft:
    """An episode whose scene is known and perhaps not loaded yet."""

    scene: int
    """Index of its scene."""
    number: int
    """Number within its set, or within the row's stream."""
    generator: np.random.Generator | None = None
    """Draws the rest of a sampled episode."""


def place_episodes(
    ground: SamplingGround,
    drafts: Sequence[Draft],
    starts: NDArray[np.float32],
    headings: Sequence[float],
    goals: NDArray[np.float32],
    names: Sequence[str],
) -> list[Episode]:
    """Put starts and goals (B, 3) of episodes in one scene on its mesh and measure their distances.

    Raises:
        EpisodeError: a start or goal is off the mesh, or there is no way between them; the message begins
            with the episode's name.
    """
    snapped = ground.snap(np.concatenate([starts, goals]))
    on_mesh = np.isfinite(snapped).all(axis=1)
    if not on_mesh.all():
        place = int(np.argmin(on_mesh))
        label, points = ("start", starts) if place < len(starts) else ("goal", goals)
        row = place % len(starts)
        raise EpisodeError(
            f"{names[row]}: the {label} {points[row].tolist()} is not on the scene's navigation mesh"
        )
    return _measured(ground, drafts, snapped[: len(starts)], headings, goals, snapped[len(starts) :], names)


def _measured(
    ground: SamplingGround,
    drafts: Sequence[Draft],
    starts: NDArray[np.float32],
    headings: Sequence[float],
    goals: NDArray[np.float32],
    anchors: NDArray[np.float32],
    names: Sequence[str],
) -> list[Episode]:
    # The start distance comes from the same table as every later one, so that the first reward is exact.
    tables = ground.goal_table(anchors)
    distances = ground.distance_to_goal(starts, anchors, tables)
    if not np.isfinite(distances).all():
        row = int(np.argmin(np.isfinite(distances)))
        raise EpisodeError(
            f"{names[row]}: no way leads from {starts[row].tolist()} to the goal {goals[row].tolist()}"
        )
    return [
        Episode(
            scene=draft.scene, number=draft.number, start=starts[row], heading=headings[row],
            goal=goals[row], anchor=anchors[row], table=tables[row], distance=float(distances[row]),
        )
        for row, draft in enumerate(drafts)
    ]  # fmt: skip


def sample_episodes(
    ground: SamplingGround, drafts: Sequence[Draft], config: EnvConfig, scene_id: str
) -> list[Episode]:
    """Draw episodes in one scene: heading, start and goal uniform, subject to the config's rules.

    Candidate pairs are drawn in batches whose sizes are fixed, so that each result depends on its draft's
    generator alone.

    Raises:
        NoEpisodeError: none of 20,000 candidates fits the rules; the message names the scene.
    """
    generators = [cast("np.random.Generator", draft.generator) for draft in drafts]
    headings = [float(generator.uniform(-np.pi, np.pi)) for generator in generators]
    pairs = np.empty((2, len(drafts), 3), dtype=np.float32)
    missing = np.arange(len(drafts))
    batch, drawn = FIRST_BATCH, 0
    while len(missing):
        if drawn >= MOST_CANDIDATES:
            raise _impossible(scene_id, drawn, config)
        # In the order in which a row draws: its starts, its goals, its chances.
        draws = np.stack([generators[row].random(7 * batch) for row in missing])
        points = ground.points_at(draws[:, : 6 * batch].reshape(-1, 3)).reshape(len(missing), 2, batch, 3)
        starts, goals = points[:, 0].reshape(-1, 3), points[:, 1].reshape(-1, 3)
        fits = _fitting(ground, config, starts, goals, draws[:, 6 * batch :].reshape(-1))
        fits = fits.reshape(len(missing), batch)
        found = fits.any(axis=1)
        first = (np.arange(len(missing)) * batch + fits.argmax(axis=1))[found]
        pairs[0, missing[found]], pairs[1, missing[found]] = starts[first], goals[first]
        missing = missing[~found]
        drawn, batch = drawn + batch, min(2 * batch, LARGEST_BATCH)
    names = [f"episode {draft.number} of scene {scene_id}" for draft in drafts]
    return _measured(ground, drafts, pairs[0], headings, pairs[1], pairs[1], names)


def _impossible(scene_id: str, drawn: int, config: EnvConfig) -> NoEpisodeError:
    return NoEpisodeError(
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
) -> NDArray[np.bool_]:
    """Which pairs (B,) fit the rules; cheap rules are asked first."""
    offsets = goals.astype(np.float64) - starts
    straight = np.sqrt(np.square(offsets).sum(axis=1))
    fits: NDArray[np.bool_] = (straight <= config.max_geodesic) & (straight > 0.0)
    if not config.allow_stairs:
        fits &= np.abs(offsets[:, 1]) <= config.max_height_difference
    fits &= ground.island(starts) == ground.island(goals)
    fits &= ground.island_radius(starts) >= config.min_island_radius
    places = np.flatnonzero(fits)
    lengths = ground.geodesic_distance(starts[places], goals[places])
    ratio = lengths / straight[places]
    fits[places] = (
        (lengths >= config.min_geodesic)
        & (lengths <= config.max_geodesic)
        & ((ratio >= config.straight_ratio) | (chances[places] <= keep_probability(ratio)))
    )
    return fits


def keep_probability(ratio: NDArray[np.float64]) -> NDArray[np.float64]:
    """Chance 20 (r - 0.98)^2 that Habitat's generator keeps a nearly straight episode of ratio r, (B,)."""
    return np.asarray(20.0 * np.square(ratio - 0.98))
