"""By how much one agent is better than another on the same episodes."""

from __future__ import annotations

from collections.abc import Sequence

from ...rl.intervals import Interval, group_labels, paired_interval
from ..report import AgentResult, Difference

DIFFERENCE_KEYS = ("success", "spl", "soft_spl")


def differences(results: Sequence[AgentResult]) -> list[Difference]:
    """The first agent, in each of its ways to act, less all others that act likewise or have no choice.

    Args:
        results: Of agents on the same episodes.
    """
    own = results[0].name
    ours = [result for result in results if result.name in (own, f"{own}-{result.actions}")]
    return [
        Difference(agent=agent, than=than, metrics=_paired(agent, than))
        for agent in ours
        for than in results
        if than not in ours and than.actions in ("", agent.actions)
    ]


def _paired(agent: AgentResult, than: AgentResult) -> dict[str, Interval]:
    groups = group_labels([episode.scene_id for episode in agent.episodes])
    pairs = list(zip(agent.episodes, than.episodes, strict=True))
    assert all(ours.number == theirs.number for ours, theirs in pairs)
    return {
        key: paired_interval(
            [ours.metrics[key] for ours, _ in pairs],
            [theirs.metrics[key] for _, theirs in pairs],
            groups=groups,
        )
        for key in DIFFERENCE_KEYS
    }
