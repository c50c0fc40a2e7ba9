"""From results to the report's data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..config import EnvConfig
from .contest import Outcome
from .report import AgentResult, ReportData
from .runs import flatten


def report_data(
    outcome: Outcome,
    config: EnvConfig,
    *,
    title: str,
    subtitle: str,
    facts: Mapping[str, str],
    tables: Mapping[str, Mapping[str, Any]],
    updates: Sequence[Mapping[str, Any]] = (),
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
    """
    return ReportData(
        title=title,
        subtitle=subtitle,
        agents=outcome.results,
        maps=outcome.maps,
        log=[log_row(update) for update in updates],
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
    row = {"frames": update["frames"], "frames_per_second": update["frames_per_second"]}
    row.update({key: metrics[key] for key in ("success", "spl", "return") if metrics.get(key) is not None})
    return row
