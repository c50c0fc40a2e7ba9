"""From results to the report's data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...config import EnvConfig
from ..report import AgentResult, ReportData
from ..training.runs import flatten
from .contest import Outcome


def report_data(
    outcome: Outcome,
    config: EnvConfig,
    *,
    title: str,
    subtitle: str,
    facts: Mapping[str, str],
    tables: Mapping[str, Mapping[str, Any]],
    updates: Sequence[Mapping[str, Any]] = (),
    validations: Sequence[Mapping[str, Any]] = (),
) -> ReportData:
    """Put a page together.

    Args:
        outcome: Results, maps and films.
        config: Environment of the evaluation.
        title: Heading.
        subtitle: Line below it.
        facts: Figures for the head, after success and SPL.
        tables: Nested settings by title.
        updates: Records of the training log.
        validations: Records of the validations in it.
    """
    return ReportData(
        title=title,
        subtitle=subtitle,
        agents=outcome.results,
        differences=outcome.differences,
        strata=outcome.strata,
        maps=outcome.maps,
        log=[log_row(update) for update in updates],
        validations=[log_row(record) for record in validations],
        facts={**headline(outcome.results), **facts},
        tables={name: flatten(values) for name, values in tables.items()},
        success_distance=config.success_distance,
    )


def headline(results: Sequence[AgentResult]) -> dict[str, str]:
    """Success and SPL of the first agent, and the straight walker's success."""
    first = results[0].summary
    facts = {"Success": f"{first['success'].mean:.1%}", "SPL": f"{first['spl'].mean:.3f}"}
    for result in results[1:]:
        if result.name == "straight":
            facts["Straight walker"] = f"{result.summary['success'].mean:.1%}"
    return facts


def log_row(update: Mapping[str, Any]) -> dict[str, float]:
    """What the learning curves need of one line of the training log."""
    metrics = update["metrics"]
    known = {**metrics, "frames_per_second": update.get("frames_per_second")}
    keys = ("frames_per_second", "success", "spl", "return")
    return {"frames": update["frames"], **{key: known[key] for key in keys if known.get(key) is not None}}
