"""What is odd about a scene and its ground, and what to do about it."""

from __future__ import annotations

import numpy as np

from ...nav.survey import Survey
from ...scenes import Scene

EPISODE_RADIUS = 1.5
"""Radius that an island needs for episodes to be sampled on it, metres."""
_MOST = 0.5
_LITTLE = 0.05
_MANY_TRIANGLES = 5_000_000
_OVER = 2.0


def advice(scene: Scene, ground: Survey) -> list[str]:
    """Sentences, each with a remedy; none where all is well."""
    found = [
        _no_episodes(ground),
        _small_largest(ground),
        _apart(scene, ground),
        _little_ground(scene, ground),
        _many_triangles(scene),
    ]
    return [sentence for sentence in found if sentence]


def _no_episodes(ground: Survey) -> str:
    widest = max(island.radius for island in ground.islands)
    if widest >= EPISODE_RADIUS:
        return ""
    return (
        f"no island has a radius of {EPISODE_RADIUS} m (the widest has {widest:.2f} m), so no episodes can "
        "be sampled; look for a wrong unit or axis, or bake for a smaller agent"
    )


def _small_largest(ground: Survey) -> str:
    share = ground.islands[0].area_m2 / ground.area_m2
    if share >= _MOST:
        return ""
    return (
        f"the largest of {len(ground.islands)} islands has {share:.0%} of the ground: closed doors or steps "
        "over --agent-max-climb may part it, or roofs and table tops count as ground"
    )


def _apart(scene: Scene, ground: Survey) -> str:
    """Whether the ground is about as large as, and where, the scene is."""
    low, high = _box(scene)
    middles = ground.triangles.mean(axis=1)
    inside = ((middles >= low - _OVER) & (middles <= high + _OVER)).all(axis=1)
    share = float(ground.areas[inside].sum()) / ground.area_m2
    if share > 0.9:
        return ""
    return (
        f"{1 - share:.0%} of the ground lies outside of the scene: the navigation mesh is for another scene, "
        "axis or unit; bake another with 'batchnav scenes bake'"
    )


def _little_ground(scene: Scene, ground: Survey) -> str:
    low, high = _box(scene)
    footprint = float((high - low)[0] * (high - low)[2])
    if ground.area_m2 >= _LITTLE * footprint:
        return ""
    return (
        f"only {ground.area_m2 / footprint:.1%} of the {footprint:,.0f} m2 under the scene can be walked on; "
        "look for a wrong axis (--up) or unit (--scale)"
    )


def _many_triangles(scene: Scene) -> str:
    if scene.arrays.num_triangles < _MANY_TRIANGLES:
        return ""
    return (
        f"{scene.arrays.num_triangles:,} triangles are slow to load; simplify the scene, or keep few at once"
    )


def _box(scene: Scene) -> tuple[np.ndarray, np.ndarray]:
    used = scene.positions[np.unique(scene.triangles)]
    return used.min(axis=0), used.max(axis=0)
