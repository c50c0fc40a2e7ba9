"""Draws the learning curves of the records of this folder into docs/images.

Run it after ``study.py store``: ``python docs/results/curves.py``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

HERE = Path(__file__).resolve().parent
IMAGES = HERE.parent / "images"
INK, MUTED, GRID = "#1f2933", "#66727f", "#e3e8ee"
BLUE, ORANGE, GREEN, GREY = "#1f6fb5", "#d9791a", "#2f9e77", "#7b8794"
Record = Mapping[str, Any]


def learning(record: Record, blind: Record | None = None) -> Figure:
    """Success and SPL of a run's training episodes, and of its validations as dots.

    Args:
        record: An experiment of one run.
        blind: The experiment of the blind agent, whose SPL is drawn too.
    """
    (run,) = record["runs"]
    figure, axis = framed("Success and SPL, houses:train; dots: houses:val")
    for key, color, label in (("success", BLUE, "success"), ("spl", GREEN, "SPL")):
        line(axis, run["curve"], key, color)
        dots(axis, run["validations"], key, color)
        name(axis, run["curve"], key, label, color)
    if blind is not None:
        line(axis, blind["runs"][0]["curve"], "spl", GREY)
        name(axis, blind["runs"][0]["curve"], "spl", "SPL, blind", GREY)
    return finished(figure, axis)


def several_seeds(record: Record, blind: Record | None = None) -> Figure:
    """SPL of several seeds as thin lines and their mean as a bold one, beside the blind agent."""
    figure, axis = framed("SPL by frames: three seeds and their mean, houses:train")
    bundle(axis, [run["curve"] for run in record["runs"]], BLUE, "depth")
    if blind is not None:
        bundle(axis, [run["curve"] for run in blind["runs"]], GREY, "blind")
    return finished(figure, axis)


def ablation(record: Record) -> Figure:
    """SPL on houses:val: of each rate on one seed, and of three seeds of the chosen rate."""
    figure = Figure(figsize=(8.4, 3.1))
    left, right = figure.subplots(1, 2, sharey=True)
    for optimizer, color in (("adam", ORANGE), ("lamb", BLUE)):
        own = [run for run in record["runs"] if run["optimizer"] == optimizer]
        rates = sorted({run["learning_rate"] for run in own})
        for rate, dashes in zip(rates, (":", "--", "-"), strict=True):
            (first,) = (r for r in own if r["learning_rate"] == rate and r["seed"] == 0)
            rows = first["validations"]
            x, y = column(rows, "frames"), column(rows, "spl")
            left.plot(x, y, dashes, color=color, lw=1.6, label=f"{optimizer.capitalize()} {rate:g}")
        chosen = [run for run in own if run["learning_rate"] == record["chosen"][optimizer]]
        bundle(right, [run["validations"] for run in chosen], color, optimizer.capitalize())
    left.legend(frameon=False, fontsize=8, labelcolor=INK, ncols=2)
    for axis in (left, right):
        axis.set_xlim(0, 1.13 * axis.dataLim.x1)
    style(left, "SPL, houses:val: three rates each, one seed")
    style(right, "Three seeds of the better rate, and their mean")
    figure.set_layout_engine("tight")
    return figure


def bundle(axis: Axes, curves: Sequence[Sequence[Record]], color: str, label: str) -> None:
    """Thin lines and their bold mean, over the frames that all have."""
    for rows in curves:
        axis.plot(column(rows, "frames"), column(rows, "spl"), color=color, lw=0.8, alpha=0.4)
    longest = max(curves, key=len)
    x = column(longest, "frames")
    x = x[x <= min(column(rows, "frames")[-1] for rows in curves)]
    mean = np.mean([np.interp(x, column(rows, "frames"), column(rows, "spl")) for rows in curves], axis=0)
    axis.plot(x, mean, color=color, lw=2.0)
    label_at(axis, float(x[-1]), float(mean[-1]), label, color)


def line(axis: Axes, rows: Sequence[Record], key: str, color: str) -> None:
    """A curve of a training log."""
    axis.plot(column(rows, "frames"), column(rows, key), color=color, lw=1.8)


def dots(axis: Axes, rows: Sequence[Record], key: str, color: str) -> None:
    """Validations."""
    x, y = column(rows, "frames"), column(rows, key)
    axis.plot(x, y, "o", ms=3.6, mfc="white", mec=color, mew=1.1)


def name(axis: Axes, rows: Sequence[Record], key: str, label: str, color: str) -> None:
    """The name of a curve at its end, instead of a legend."""
    label_at(axis, float(column(rows, "frames")[-1]), float(column(rows, key)[-1]), label, color)


def label_at(axis: Axes, x: float, y: float, label: str, color: str) -> None:
    """A word to the right of a point."""
    axis.annotate(label, (x, y), (5, 0), textcoords="offset points", color=color, fontsize=9, va="center")


def column(rows: Sequence[Record], key: str) -> np.ndarray:
    """One column as floats; NaN where a row lacks it."""
    return np.array([np.nan if row.get(key) is None else row[key] for row in rows], dtype=np.float64)


def framed(title: str) -> tuple[Figure, Axes]:
    """An empty chart of README width."""
    figure = Figure(figsize=(8.4, 3.3))
    axis = figure.subplots()
    style(axis, title)
    return figure, axis


def finished(figure: Figure, axis: Axes) -> Figure:
    """Room for the names at the right."""
    low, high = axis.get_xlim()
    axis.set_xlim(0, high + 0.1 * (high - low))
    figure.set_layout_engine("tight")
    return figure


def style(axis: Axes, title: str) -> None:
    """Few lines, and numbers that are easy to read."""
    axis.set_title(title, loc="left", fontsize=10, color=INK, fontweight="bold")
    axis.set_ylim(0, 1)
    axis.set_xlabel("frames", color=MUTED, fontsize=9)
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value / 1e6:g}M"))
    axis.grid(axis="y", color=GRID, lw=0.9)
    axis.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axis.spines[side].set_visible(False)
    axis.spines["bottom"].set_color("#c3ccd5")
    axis.tick_params(colors=MUTED, labelsize=8.5, length=0)


def figures(records: Mapping[str, Record]) -> dict[str, Figure]:
    """Pictures by the name of their file, of the records that there are."""
    blind, made = records.get("blind"), {}
    if "cpu" in records:
        made["results-cpu"] = learning(records["cpu"], blind)
    if "seeds" in records:
        made["results-seeds"] = several_seeds(records["seeds"], blind)
    if "ablation" in records:
        made["results-ablation"] = ablation(records["ablation"])
    return made


def main() -> None:
    """Draw all."""
    names = ("cpu", "seeds", "blind", "ablation")
    paths = {key: HERE / f"{key}.json" for key in names}
    records = {key: json.loads(path.read_text("utf-8")) for key, path in paths.items() if path.exists()}
    IMAGES.mkdir(exist_ok=True)
    # White ground, since READMEs are also read in dark mode.
    with rc_context({"svg.hashsalt": "batchnav", "svg.fonttype": "path"}):
        for key, figure in figures(records).items():
            figure.savefig(IMAGES / f"{key}.svg", metadata={"Date": None}, facecolor="white")


if __name__ == "__main__":
    main()
