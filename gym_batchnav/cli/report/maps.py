"""Top-down maps of single episodes, as SVG whose unit is the metre."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ...envs.maps import FAILED, GOAL, SHORTEST, START, WAY, SceneMap, cropped, mask_image
from .records import EpisodeTrace


def choose_episodes(
    episodes: Sequence[EpisodeTrace], successes: int, failures: int
) -> tuple[list[EpisodeTrace], list[EpisodeTrace]]:
    """A fair choice of both kinds: the first of each kind by number, one per scene while there are enough.

    Args:
        episodes: All episodes of one agent.
        successes: How many successful ones to take.
        failures: How many failed ones to take.
    """
    good = _spread([e for e in episodes if e.success], successes)
    bad = _spread([e for e in episodes if not e.success], failures)
    return good, bad


def _spread(episodes: Sequence[EpisodeTrace], count: int) -> list[EpisodeTrace]:
    ordered = sorted(episodes, key=lambda e: e.number)
    seen: set[str] = set()
    first: list[EpisodeTrace] = []
    rest: list[EpisodeTrace] = []
    for episode in ordered:
        (rest if episode.scene_id in seen else first).append(episode)
        seen.add(episode.scene_id)
    return (first + rest)[:count]


def episode_map(episode: EpisodeTrace, scene_map: SceneMap, success_distance: float = 0.2) -> str:
    """The agent's way and the shortest way of one episode on the map of its scene.

    Args:
        episode: The episode.
        scene_map: The map of its scene.
        success_distance: Radius of the goal, metres.

    Returns:
        SVG text.
    """
    small, (x0, z0, x1, z1) = cropped(scene_map, np.concatenate([episode.way, [episode.goal]]))
    width, height = x1 - x0, z1 - z0
    thin = max(width, height) / 160
    end = FAILED if not episode.success else WAY
    gx, gz = float(episode.goal[0]), float(episode.goal[2])
    sx, sz = float(episode.start[0]), float(episode.start[2])
    ex, ez = float(episode.way[-1][0]), float(episode.way[-1][2])
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{x0:.3f} {z0:.3f} {width:.3f} {height:.3f}" '
        f'role="img" aria-label="{html.escape(caption(episode))}">',
        f'<image href="{_data_uri(mask_image(small.mask))}" x="{x0:.3f}" y="{z0:.3f}" '
        f'width="{width:.3f}" height="{height:.3f}" preserveAspectRatio="none"/>',
        _line(episode.shortest, SHORTEST, 1.6 * thin, dash=f"{3 * thin:.3f} {2.4 * thin:.3f}"),
        _line(episode.way, WAY, 1.3 * thin),
        f'<circle cx="{gx:.3f}" cy="{gz:.3f}" r="{max(success_distance, 2.2 * thin):.3f}" fill="{GOAL}" '
        f'fill-opacity=".25" stroke="{GOAL}" stroke-width="{thin:.3f}"><title>goal</title></circle>',
        f'<circle cx="{gx:.3f}" cy="{gz:.3f}" r="{1.1 * thin:.3f}" fill="{GOAL}"/>',
        f'<circle cx="{sx:.3f}" cy="{sz:.3f}" r="{2 * thin:.3f}" fill="{START}">'
        "<title>start</title></circle>",
        f'<circle cx="{ex:.3f}" cy="{ez:.3f}" r="{1.7 * thin:.3f}" fill="{end}" stroke="#fff" '
        f'stroke-width="{0.6 * thin:.3f}"><title>where the agent ended</title></circle>',
        "</svg>",
    ]
    return "".join(parts)


def caption(episode: EpisodeTrace) -> str:
    """One line about an episode."""
    metrics = episode.metrics
    outcome = f"reached, SPL {metrics['spl']:.2f}" if episode.success else _failure(episode)
    return (
        f"{outcome} · {metrics['path_length']:.1f} m walked, {episode.start_distance:.1f} m shortest · "
        f"{metrics['steps']:.0f} steps"
    )


def _failure(episode: EpisodeTrace) -> str:
    left = episode.metrics.get("distance_to_goal")
    return "not reached" if left is None else f"ended {left:.1f} m away"


def _line(points: NDArray[np.floating], color: str, width: float, dash: str | None = None) -> str:
    if len(points) < 2:
        return ""
    text = " ".join(f"{x:.2f},{z:.2f}" for x, _, z in np.asarray(points, dtype=np.float64))
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<polyline points="{text}" fill="none" stroke="{color}" stroke-width="{width:.3f}" '
        f'stroke-linecap="round" stroke-linejoin="round"{dashes}/>'
    )


def _data_uri(image: Image.Image) -> str:
    buffer = io.BytesIO()
    image.quantize(4).save(buffer, format="PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")
