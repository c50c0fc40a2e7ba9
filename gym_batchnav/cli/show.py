"""What the commands print: tables and single lines."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

COLUMNS = (("success", "success", "{:.1%}"), ("spl", "SPL", "{:.3f}"), ("soft_spl", "SoftSPL", "{:.3f}"))
LABELS = {
    "trained": "trained policy",
    "untrained": "before training",
    "straight": "straight walker",
    "random": "random agent",
    "expert": "expert",
}


def console(*, quiet: bool = False, markup: bool = True) -> Console:
    """A console on standard output; wide enough for the tables where nothing says how wide it is.

    Args:
        quiet: Whether it shows nothing, as on all ranks of a run but one.
        markup: Whether brackets such as [red] set a style; not where names and paths of others are shown.
    """
    told = sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit()
    return Console(width=None if told else 120, highlight=False, quiet=quiet, markup=markup)


def results_table(agents: Mapping[str, Mapping[str, Any]], title: str) -> Table:
    """Success and path metrics of all agents with their 95% intervals.

    Args:
        agents: Name to metrics, each ``{"mean":, "low":, "high":}``.
        title: Heading.
    """
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("agent")
    for _, heading, _ in COLUMNS:
        table.add_column(heading, justify="right")
    for name, metrics in agents.items():
        cells = [_cell(metrics.get(key), form) for key, _, form in COLUMNS]
        table.add_row(label(name, str(metrics.get("actions", ""))), *cells)
    return table


def label(name: str, actions: str) -> str:
    """What people call an agent of a result.

    Args:
        name: Its key.
        actions: "greedy", "sampled" or "".
    """
    plain = name.removesuffix(f"-{actions}") if actions else name
    return LABELS.get(plain, plain) + (f", {actions}" if actions else "")


def differences_table(found: Sequence[Mapping[str, Any]]) -> Table:
    """Paired differences with their 95% intervals; success in points.

    Args:
        found: Each with ``agent``, ``than``, and ``{"mean":, "low":, "high":}`` by metric.
    """
    table = Table(title="differences, episode by episode", title_justify="left", title_style="bold")
    table.add_column("agent")
    table.add_column("than")
    for _, heading, _ in COLUMNS:
        table.add_column(heading, justify="right")
    for row in found:
        table.add_row(row["agent"], row["than"], *(_difference(row[key], key) for key, _, _ in COLUMNS))
    return table


def strata_tables(
    strata: Mapping[str, Sequence[Mapping[str, Any]]], agents: Mapping[str, Mapping[str, Any]]
) -> list[Table]:
    """Success and SPL by distance and by ratio, a table each; without those who always or never arrive."""
    names = [name for name in agents if name not in ("random", "untrained", "expert")]
    tables = []
    for kind, parts in strata.items():
        unit = {"distance": "geodesic distance, m", "ratio": "geodesic / straight"}[kind]
        table = Table(title=f"success and SPL by {kind}", title_justify="left", title_style="bold")
        table.add_column(unit)
        table.add_column("episodes", justify="right")
        for name in names:
            table.add_column(name, justify="right")
        for part in parts:
            means = [part["agents"][name] for name in names]
            cells = (f"{m['success']['mean']:.1%}  {m['spl']['mean']:.3f}" for m in means)
            table.add_row(part_label(part), str(part["episodes"]), *cells)
        tables.append(table)
    return tables


def part_label(part: Mapping[str, Any]) -> str:
    """The range of a stratum in words."""
    if part["to"] is None:
        return f"over {part['from']:g}"
    return f"{part['from']:g} to {part['to']:g}"


def _difference(metric: Mapping[str, float], key: str) -> str:
    scale, form = (100.0, "{:+.1f}") if key == "success" else (1.0, "{:+.3f}")
    mean, low, high = (form.format(scale * metric[name]) for name in ("mean", "low", "high"))
    return f"{mean}  [{low}, {high}]"


def bench_table(record: Mapping[str, Any], title: str) -> Table:
    """Frames per second and the time of each stage."""
    table = Table(title=title, title_justify="left", title_style="bold", show_header=False)
    table.add_column("")
    table.add_column("", justify="right")
    table.add_row("frames/s (median of 5 windows)", f"{record['frames_per_second']:,.0f}")
    table.add_row("windows", "  ".join(f"{w:,.0f}" for w in record["windows"]))
    for stage, value in record["stages_ms"].items():
        table.add_row(f"{stage}, ms per batch", f"{value:.2f}")
    if swaps := record.get("swaps"):
        for name, title in (("alone_ms", "without swaps"), ("swapping_ms", f"a swap every {swaps['every']}")):
            found = swaps[name]
            values = f"median {found['median']:.2f}  p99 {found['p99']:.2f}  max {found['max']:.2f}"
            table.add_row(f"batches {title}, ms", values)
    return table


def start_table(record: Mapping[str, Any], title: str) -> Table:
    """Seconds of starts with an empty and with a full cache of scenes."""
    table = Table(title=title, title_justify="left", title_style="bold")
    for heading in ("seconds", "median of 5", "make", "reset", "least", "most"):
        table.add_column(heading, justify="left" if heading == "seconds" else "right")
    for name, label in (("cold", "nothing in the cache"), ("warm", "all in the cache")):
        found = record["starts_s"][name]
        values = (*(found[key] for key in ("median", "make", "reset")), min(found["all"]), max(found["all"]))
        table.add_row(label, *(f"{value:.2f}" for value in values))
    table.add_row("import, apart", f"{record['import_s']:.2f}")
    return table


def comparison_table(comparisons: Sequence[Mapping[str, Any]]) -> Table:
    """Peers measured in the same run; a ratio over 1 means that this library is faster."""
    table = Table(title="compared with, in the same run", title_justify="left", title_style="bold")
    for heading in ("peer", "scene", "size", "processes", "threads", "a call"):
        table.add_column(heading, no_wrap=heading in ("peer", "size"))
    for heading in ("frames/s", "ours", "ratio"):
        table.add_column(heading, justify="right")
    for entry in comparisons:
        height, width = entry["resolution"]
        table.add_row(
            f"{entry['name']} {entry['version']}",
            entry["scene"],
            f"{height} x {width}",
            str(entry["processes"]),
            str(entry["threads"]),
            str(entry["images_per_call"]),
            f"{entry['frames_per_second']:,.0f}",
            f"{entry['ours']:,.0f}",
            f"{entry['ratio']:.2f}",
        )
    return table


def _cell(metric: Mapping[str, float] | None, form: str) -> str:
    if metric is None:
        return "–"
    return f"{form.format(metric['mean'])}  [{form.format(metric['low'])}, {form.format(metric['high'])}]"
