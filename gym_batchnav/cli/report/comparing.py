"""Sections of the page that compare agents: paired differences, and results in parts of the episodes."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ...rl.intervals import Interval
from .records import AgentResult, Difference, Stratum

KEYS = (("success", "Success, points", 100.0, "{:+.1f}"), ("spl", "SPL", 1.0, "{:+.3f}"))
KINDS = {"distance": "Geodesic distance at the start", "ratio": "Geodesic / straight distance"}


def differences_section(differences: Sequence[Difference]) -> str:
    """By how much the first agent is better than each other one; "" where there is nothing to compare."""
    if not differences:
        return ""
    head = "".join(f"<th>{title}</th>" for _, title, _, _ in KEYS)
    rows = "".join(_difference_row(difference) for difference in differences)
    return (
        "<section><h2>How much better it is</h2>"
        '<p class="note">Differences on the same episodes; where all of a range lies above 0, it is more '
        "than chance.</p>"
        f'<div class="scroll"><table class="even"><thead><tr><th>Agent</th><th>less</th>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div></section>"
    )


def strata_section(strata: Sequence[Stratum], agents: Sequence[AgentResult]) -> str:
    """Success and SPL of every agent by distance and by ratio; "" where there are no parts."""
    kinds = dict.fromkeys(part.kind for part in strata)
    tables = "".join(_table(kind, [part for part in strata if part.kind == kind], agents) for kind in kinds)
    if not tables:
        return ""
    return (
        "<section><h2>Where it is hard</h2>"
        f'<p class="note">Success, and below it SPL, in parts of the episodes.</p>{tables}</section>'
    )


def _difference_row(difference: Difference) -> str:
    cells = "".join(
        f"<td>{_signed(difference.metrics[key], scale, form)}</td>" for key, _, scale, form in KEYS
    )
    return (
        f"<tr><td>{escape(difference.agent.label)}</td><td>{escape(difference.than.label)}</td>{cells}</tr>"
    )


def _signed(value: Interval, scale: float, form: str) -> str:
    mean, low, high = (form.format(scale * number) for number in value)
    return f'{mean}<span class="range">{low} … {high}</span>'


def _table(kind: str, parts: Sequence[Stratum], agents: Sequence[AgentResult]) -> str:
    head = "".join(f"<th>{escape(agent.label)}</th>" for agent in agents)
    rows = []
    for part in parts:
        found = [part.metrics[agent.name] for agent in agents]
        cells = "".join(
            f'<td>{one["success"].mean:.1%}<span class="range">{one["spl"].mean:.3f}</span></td>'
            for one in found
        )
        rows.append(f"<tr><td>{part.label}</td><td>{len(part.members)}</td>{cells}</tr>")
    head = f"<tr><th>{KINDS[kind]}</th><th>Episodes</th>{head}</tr>"
    body = "".join(rows)
    return f'<div class="scroll"><table class="even"><thead>{head}</thead><tbody>{body}</tbody></table></div>'
