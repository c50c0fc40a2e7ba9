"""What an evaluation writes down: how it was done, what each agent reached, and by how much they differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from ...config import EnvConfig, EpisodeSet
from ...rl.intervals import CONFIDENCE, RESAMPLES, group_labels
from ..machine import machine_facts
from ..report import AgentResult
from .contest import Outcome, summary


def evaluation_record(outcome: Outcome, config: EnvConfig) -> dict[str, Any]:
    """The result of an evaluation as plain values; the metrics of the first agent stand at the top.

    Args:
        outcome: What all agents reached.
        config: The environment.
    """
    kinds = dict.fromkeys(part.kind for part in outcome.strata)
    return {
        **summary(outcome.results[0]),
        "protocol": protocol(outcome.results[0], config),
        "agents": {result.name: summary(result) for result in outcome.results},
        "differences": [difference.to_dict() for difference in outcome.differences],
        "strata": {kind: [part.to_dict() for part in outcome.strata if part.kind == kind] for kind in kinds},
        "seconds": dict(outcome.seconds),
        "machine": machine_facts(outcome.renderer),
    }


def protocol(result: AgentResult, config: EnvConfig) -> Mapping[str, Any]:
    """How an evaluation was done."""
    names = [episode.scene_id for episode in result.episodes]
    per_scene = Counter(names).values()
    return {
        "scenes": [str(scene) for scene in config.scenes],
        "num_scenes": len(per_scene),
        "episodes": len(names),
        "episodes_per_scene": [min(per_scene), max(per_scene)],
        "seed": config.episodes.seed if isinstance(config.episodes, EpisodeSet) else None,
        "confidence": CONFIDENCE,
        "resamples": RESAMPLES,
        "resampled": "episodes" if group_labels(names) is None else "scenes",
    }
