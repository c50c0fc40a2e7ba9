"""Charts of the report, as SVG text that goes straight into the page."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator
from numpy.typing import NDArray

from .records import AgentResult, Stratum

INK, MUTED, GRID = "#1f2933", "#66727f", "#e3e8ee"
COLORS = ("#1f6fb5", "#2f9e77", "#9b6bc3", "#c2493d", "#b58ad6", "#8a6d3b", "#4fa3d1", "#d17ba8")
"""Colours of policies in their order on the page."""
PLAIN_COLORS = {"straight": "#e08a1e", "random": "#aab4be", "expert": "#3d4a57", "untrained": "#7b8794"}
"""Colours of the agents to compare with, which are the same on every page."""

Row = Mapping[str, float]


def agent_colors(agents: Sequence[AgentResult]) -> dict[str, str]:
    """A colour for each agent, by name."""
    policies = [agent.name for agent in agents if agent.name not in PLAIN_COLORS]
    own = {name: COLORS[number % len(COLORS)] for number, name in enumerate(policies)}
    return {agent.name: PLAIN_COLORS.get(agent.name) or own[agent.name] for agent in agents}


def learning_curves(
    rows: Sequence[Row], agents: Sequence[AgentResult], validations: Sequence[Row] = ()
) -> str:
    """Success and SPL, return, and speed against the frames seen; validations as dots."""
    figure = Figure(figsize=(11, 3.1))
    axes = figure.subplots(1, 3)
    frames = _column(rows, "frames")
    _curve(axes[0], frames, _column(rows, "success"), COLORS[0], "success")
    _curve(axes[0], frames, _column(rows, "spl"), COLORS[1], "SPL")
    for key, axis, color in (("success", 0, COLORS[0]), ("spl", 0, COLORS[1]), ("return", 1, COLORS[0])):
        seen = "in validations" if key == "success" else None
        _dots(axes[axis], _column(validations, "frames"), _column(validations, key), color, seen)
    for agent in agents[1:]:
        if agent.name == "straight":
            level, color = agent.summary["success"].mean, PLAIN_COLORS["straight"]
            axes[0].axhline(level, color=color, lw=1.2, ls=(0, (4, 3)), label=f"{agent.label}, success")
    axes[0].set_ylim(0, 1)
    axes[0].yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:.0%}"))
    _curve(axes[1], frames, _column(rows, "return"), COLORS[0])
    _curve(axes[2], frames, _column(rows, "frames_per_second"), COLORS[0])
    axes[2].set_ylim(bottom=0)
    for axis, title in zip(axes, ("Training episodes", "Return of an episode", "Frames/s"), strict=True):
        _style(axis, title)
        axis.set_xlabel("frames", color=MUTED, fontsize=9)
        axis.xaxis.set_major_locator(MaxNLocator(5))
        axis.xaxis.set_major_formatter(FuncFormatter(lambda v, _: _thousands(v)))
    # A run in which no episode has ended yet shows no curve.
    if axes[0].get_legend_handles_labels()[1]:
        axes[0].legend(frameon=False, fontsize=8, labelcolor=INK, loc="upper left")
    return _svg(figure)


def success_by(
    kind: str, strata: Sequence[Stratum], agents: Sequence[AgentResult], colors: Mapping[str, str]
) -> str:
    """Success of agents by distance or by ratio, with 95% intervals.

    Args:
        kind: "distance" or "ratio".
        strata: Results in parts of the episodes.
        agents: Those to show.
        colors: By name.
    """
    parts = [part for part in strata if part.kind == kind]
    figure = Figure(figsize=(5.6, 3.4))
    axis = figure.subplots()
    width = 0.8 / max(1, len(agents))
    places = np.arange(len(parts))
    for number, agent in enumerate(agents):
        shares = [part.metrics[agent.name]["success"] for part in parts]
        means = np.array([share.mean for share in shares])
        # Rounding may put an end of the interval just past the share at 0 or 1.
        error = np.maximum(0.0, [means - [s.low for s in shares], [s.high for s in shares] - means])
        axis.bar(
            places + (number - (len(agents) - 1) / 2) * width,
            means,
            width * 0.92,
            color=colors[agent.name],
            label=agent.label,
            yerr=error,
            error_kw={"ecolor": INK, "elinewidth": 0.8, "capsize": 1.5, "alpha": 0.7},
        )
    axis.set_xticks(places, [f"{part.label}\nn = {len(part.members)}" for part in parts])
    axis.set_ylim(0, 1.02)
    axis.yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:.0%}"))
    title = {"distance": "distance at the start", "ratio": "geodesic / straight distance"}[kind]
    _style(axis, f"Success by {title}")
    # Below the axes: bars and their intervals may fill all of the plot.
    below = (0.5, -0.17)
    axis.legend(frameon=False, fontsize=8, labelcolor=INK, loc="upper center", bbox_to_anchor=below, ncols=3)
    return _svg(figure)


def spl_histogram(agents: Sequence[AgentResult], colors: Mapping[str, str]) -> str:
    """How SPL is spread over the episodes: the first agent filled, the others as outlines over it."""
    figure = Figure(figsize=(5.6, 3.4))
    axis = figure.subplots()
    edges = np.linspace(0.0, 1.0, 21)
    for number, agent in enumerate(agents):
        values = np.array([e.metrics["spl"] for e in agent.episodes])
        share = np.full(len(values), 1.0 / max(1, len(values)))
        color = colors[agent.name]
        filled = number == 0
        axis.hist(
            values,
            edges.tolist(),
            weights=share,
            histtype="stepfilled" if filled else "step",
            color=color,
            alpha=0.55 if filled else 1.0,
            lw=1.4,
            label=agent.label,
        )
    axis.set_xlim(0, 1)
    axis.set_xlabel("SPL of an episode (0: goal not reached)", color=MUTED, fontsize=9)
    axis.yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:.0%}"))
    _style(axis, "Share of the episodes by SPL")
    axis.legend(frameon=False, fontsize=8, labelcolor=INK, loc="upper center")
    return _svg(figure)


def _column(rows: Iterable[Row], name: str) -> NDArray[np.float64]:
    """One column of the log; NaN where a row lacks it."""
    values = [row.get(name) for row in rows]
    return np.array([math.nan if v is None else float(v) for v in values], dtype=np.float64)


def _curve(
    axis: Axes, x: NDArray[np.float64], y: NDArray[np.float64], color: str, label: str | None = None
) -> None:
    """A thin line of what was measured under a bold smoothed one."""
    known = np.isfinite(x) & np.isfinite(y)
    x, y = x[known], y[known]
    if not len(x):
        axis.text(0.5, 0.5, "no data", transform=axis.transAxes, ha="center", color=MUTED)
        return
    axis.plot(x, y, color=color, lw=0.8, alpha=0.35)
    axis.plot(x, smooth(y), color=color, lw=1.9, label=label)


def _dots(axis: Axes, x: NDArray[np.float64], y: NDArray[np.float64], color: str, label: str | None) -> None:
    """Single measurements; nothing where there are none."""
    known = np.isfinite(x) & np.isfinite(y)
    if known.any():
        axis.plot(x[known], y[known], "o", ms=4, mfc="white", mec=color, mew=1.3, label=label, zorder=3)


def smooth(values: NDArray[np.float64], share: float = 0.06) -> NDArray[np.float64]:
    """Centred moving mean over a share of the series; its window shrinks at both ends."""
    half = int(len(values) * share / 2)
    totals = np.concatenate([[0.0], np.cumsum(values)])
    index = np.arange(len(values))
    reach = np.minimum(half, np.minimum(index, len(values) - 1 - index))
    low, high = index - reach, index + reach + 1
    return np.asarray((totals[high] - totals[low]) / (high - low), dtype=np.float64)


def _style(axis: Axes, title: str) -> None:
    axis.set_title(title, loc="left", fontsize=10.5, color=INK, fontweight="bold")
    axis.grid(axis="y", color=GRID, lw=0.9)
    axis.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axis.spines[side].set_visible(False)
    axis.spines["bottom"].set_color("#c3ccd5")
    axis.tick_params(colors=MUTED, labelsize=8.5, length=0)


def _thousands(value: float) -> str:
    if abs(value) >= 1e6:
        return f"{value / 1e6:g}M"
    return f"{value / 1e3:g}k" if abs(value) >= 1e3 else f"{value:g}"


def _svg(figure: Figure) -> str:
    figure.set_layout_engine("tight")
    figure.patch.set_alpha(0.0)
    buffer = io.StringIO()
    # A fixed salt makes equal data give equal bytes.
    with rc_context({"svg.hashsalt": "batchnav", "svg.fonttype": "path"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :]
