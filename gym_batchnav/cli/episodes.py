"""``batchnav episodes``: what sampled episodes are like, and a file of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from ..config import EnvConfig, EpisodeSet
from ..envs.episode_sets import SceneEpisodes, episodes_by_scene
from ..errors import ConfigError
from ..sim import Simulator
from ..sim.episode_writer import write_episodes
from ..sim.episodes import Episode
from .args import EpisodesArgs
from .show import console
from .training.runs import write_json
from .waiting import counting

Floats = NDArray[np.float64]
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
STRAIGHT = 1.1
"""Ratio of geodesic to straight distance under which an episode counts as straight (Habitat's generator)."""


def run_episodes(args: EpisodesArgs) -> int:
    """Sample, measure and write; returns the exit status."""
    if args.count < 1:
        raise ConfigError(f"--count {args.count} is not allowed; expected at least 1")
    config = EnvConfig(
        scenes=args.scenes, navmesh=args.navmesh, episodes=EpisodeSet(args.count, args.seed),
        allow_stairs=args.allow_stairs,
    )  # fmt: skip
    episodes: list[Episode] = []
    scene_ids: dict[int, str] = {}
    walks: list[dict[str, Floats]] = []
    with counting("sampling and walking episodes", args.count) as advance:
        for group in episodes_by_scene(config):
            episodes += group.episodes
            scene_ids[group.episodes[0].scene] = group.scene_id
            walks.append(_expert_walks(group, config))
            advance(len(group.episodes))
    figures = _figures(episodes, {name: np.concatenate([w[name] for w in walks]) for name in walks[0]})
    out = console()
    out.print(
        _table(figures, f"{len(episodes)} episodes in {len(scene_ids)} scenes of {', '.join(args.scenes)}")
    )
    if args.output is not None:
        names = [scene_ids.get(scene, "") for scene in range(max(scene_ids) + 1)]
        write_episodes(args.output, episodes, names)
        out.print(f"written: {args.output.resolve()}", soft_wrap=True)
    if args.json is not None:
        write_json(args.json, figures)
    return 0


def _expert_walks(group: SceneEpisodes, config: EnvConfig) -> dict[str, Floats]:
    """SPL and actions of the expert in each episode."""
    count = len(group.episodes)
    simulator, over = Simulator(count, config), np.zeros(count, np.bool_)
    simulator.begin(range(count), group.episodes, [group.ground] * count)
    while not over.all():
        _, terminations, truncations = simulator.step(simulator.expert_actions(), over)
        over |= terminations | truncations
    infos = simulator.infos()
    return {name: infos[name].astype(np.float64) for name in ("success", "spl", "steps")}


def _figures(episodes: list[Episode], walks: dict[str, Floats]) -> dict[str, Any]:
    """What the table shows, as plain numbers."""
    length = np.array([episode.distance for episode in episodes])
    offsets = np.array([episode.goal.astype(np.float64) - episode.start for episode in episodes])
    ratio = length / np.maximum(np.linalg.norm(offsets, axis=1), 1e-9)
    return {
        "episodes": len(episodes),
        "geodesic_distance": _spread(length),
        "ratio": _spread(ratio),
        "straight_share": float((ratio < STRAIGHT).mean()),
        "height_difference": _spread(np.abs(offsets[:, 1])),
        "expert_actions": _spread(walks["steps"]),
        "expert_success": float(walks["success"].mean()),
        "expert_spl": float(walks["spl"].mean()),
    }


def _spread(values: Floats) -> dict[str, float]:
    """Mean and quantiles."""
    quantiles = np.quantile(values, QUANTILES)
    named = {f"q{100 * q:02.0f}": float(v) for q, v in zip(QUANTILES, quantiles, strict=True)}
    return {"mean": float(values.mean()), **named}


def _table(figures: dict[str, Any], title: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold")
    for heading in ("", "mean", *(f"{100 * q:.0f}%" for q in QUANTILES)):
        table.add_column(heading, justify="right" if heading else "left")
    for name, label in _ROWS.items():
        table.add_row(label, *(f"{value:.2f}" for value in figures[name].values()))
    table.add_section()
    table.add_row(f"ratio under {STRAIGHT:g}", f"{figures['straight_share']:.1%}")
    table.add_row("expert: success", f"{figures['expert_success']:.1%}")
    table.add_row("expert: SPL", f"{figures['expert_spl']:.3f}")
    return table


_ROWS = {
    "geodesic_distance": "geodesic distance, m",
    "ratio": "geodesic / straight",
    "height_difference": "height difference, m",
    "expert_actions": "expert: actions",
}
