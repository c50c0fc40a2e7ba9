"""Writes the tables of README.md in this folder, and that of the front page, from the records beside it.

Run it after storing a record: ``python docs/results/table.py``. A test compares the tables with the records.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import marks  # noqa: E402

README, FRONT = HERE / "README.md", HERE.parents[1] / "README.md"
NONE_YET = "No record of this experiment is stored yet."
LABELS = {
    "trained": "trained policy",
    "blind": "blind policy",
    "straight": "straight walker",
    "random": "random agent",
    "expert": "expert",
    "untrained": "before training",
}
Record = Mapping[str, Any]


def sibling(name: str) -> ModuleType:
    """A script of this folder as a module, wherever Python was started."""
    spec = importlib.util.spec_from_file_location(f"results_{name}", HERE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


aggregate = sibling("aggregate")


def read_records(folder: Path = HERE) -> dict[str, Record]:
    """All records by file name without its end."""
    return {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json"))}


def quick(records: Mapping[str, Record]) -> str:
    """Runs of the README's first command."""
    lines = []
    for name, record in records.items():
        if name.startswith("quick-"):
            training, agents = record["training"], record["agents"]
            lines.append(
                [
                    f"[{name}]({name}.json)",
                    ", ".join(Path(scene).stem if "/" in scene else scene for scene in record["scenes"]),
                    f"{training['frames']:,}",
                    f"{training['seconds'] / 60:.0f}",
                    str(record["episodes"]),
                    percent(agents["trained"]["success"]),
                    number(agents["trained"]["spl"]),
                    percent(agents["straight"]["success"]),
                ]
            )
    head = ["record", "evaluated on", "frames", "minutes", "episodes", "success", "SPL", "straight walker"]
    return table(head, lines, right=6)


def result(record: Record) -> str:
    """All agents of an experiment's first run on the test houses, and how much the policy is better."""
    run = record["runs"][0]
    test = run["test"]
    lines = [
        [
            label(key, agent["actions"]),
            percent(agent["success"]),
            number(agent["spl"]),
            number(agent["soft_spl"]),
        ]
        for key, agent in test["agents"].items()
    ]
    return "\n\n".join(
        (
            told(run),
            table(["agent", "success", "SPL", "SoftSPL"], lines, right=3),
            differences(test),
            *(stratum(test, kind) for kind in test["strata"]),
        )
    )


def front(records: Mapping[str, Record]) -> str:
    """The main result for the front page: who reaches the goal, and how directly."""
    if "cpu" not in records:
        return NONE_YET
    run = records["cpu"]["runs"][0]
    agents, told = run["test"]["agents"], run["test"]["protocol"]
    names = [name for name in ("trained", "blind", "straight", "expert") if name in agents]
    lines = [
        [label(name, agents[name]["actions"]), percent(agents[name]["success"]), number(agents[name]["spl"])]
        for name in names
    ]
    said = (
        f"{run['frames'] / 1e6:.0f} million frames on {run['machine']['cores']} CPU cores, then "
        f"{told['episodes']:,} episodes in {told['num_scenes']} houses never seen before:"
    )
    return f"{said}\n\n{table(['agent', 'success', 'SPL'], lines, right=2)}"


def told(run: Record) -> str:
    """In words what was trained and how it was evaluated."""
    protocol, machine = run["test"]["protocol"], run["machine"]
    low, high = protocol["episodes_per_scene"]
    each = f"{low}" if low == high else f"{low} to {high}"
    drawn = "whole houses" if protocol["resampled"] == "scenes" else "episodes"
    return (
        f"{run['frames']:,} frames in {run['seconds'] / 3600:.1f} hours on {machine['cores']} cores of an "
        f"{machine['cpu']}; {protocol['episodes']:,} episodes, {each} in each of {protocol['num_scenes']} "
        f"houses of `{', '.join(protocol['scenes'])}`. In brackets 95% intervals from "
        f"{protocol['resamples']:,} resamples of {drawn}; the checkpoint has seen "
        f"{run['test']['checkpoint']['frames']:,} frames."
    )


def differences(test: Record) -> str:
    """By how much the policy is better, on the same episodes."""
    agents = test["agents"]
    lines = [
        [
            label(row["agent"], agents[row["agent"]]["actions"]),
            label(row["than"], agents[row["than"]]["actions"]),
            points(row["success"]),
            signed(row["spl"]),
        ]
        for row in test["differences"]
    ]
    return table(["agent", "less", "success, points", "SPL"], lines, right=2)


def stratum(test: Record, kind: str) -> str:
    """Success and SPL by distance or by ratio; without agents that always or never arrive."""
    names = [name for name in test["agents"] if name not in ("random", "expert")]
    lines = []
    for part in test["strata"][kind]:
        upto = "and more" if part["to"] is None else f"to {part['to']:g}"
        means = [part["agents"][name] for name in names]
        cells = (f"{100 * m['success']['mean']:.1f}% / {m['spl']['mean']:.3f}" for m in means)
        lines.append([f"{part['from']:g} {upto}", str(part["episodes"]), *cells])
    unit = {"distance": "geodesic distance, m", "ratio": "geodesic / straight"}[kind]
    heads = [label(name, test["agents"][name]["actions"]) for name in names]
    return table([f"{unit} (success / SPL)", "episodes", *heads], lines, right=len(names) + 1)


def runs(record: Record) -> str:
    """A line for each run of an experiment."""
    lines = []
    for run in record["runs"]:
        for key, agent in run["test"]["agents"].items():
            if key in ("trained", "trained-greedy"):
                lines.append(
                    [
                        run["name"],
                        agent["actions"],
                        f"{run['frames']:,}",
                        percent(agent["success"]),
                        number(agent["spl"]),
                    ]
                )
    return table(["run", "actions", "frames", "success", "SPL"], lines, right=3)


def interquartile(record: Record, label_of: Callable[[Record], str]) -> str:
    """Interquartile means over runs and houses of each group of runs, a line each."""
    groups: dict[str, list[Record]] = {}
    for run in record["runs"]:
        groups.setdefault(label_of(run), []).append(run)
    lines = []
    for name, members in groups.items():
        cells = []
        for key in ("success", "spl"):
            values = aggregate.scores([run["houses"] for run in members], key)
            low, high = aggregate.interquartile_interval(values)
            cells.append(f"{aggregate.interquartile_mean(values):.3f} [{low:.3f}, {high:.3f}]")
        lines.append([name, str(len(members)), *cells])
    return table(["group", "runs", "success, IQM", "SPL, IQM"], lines, right=3)


def ablation(record: Record) -> str:
    """Rates, then the three seeds of the choice, then what follows."""
    chosen = record["chosen"]
    lines = [
        [
            run["optimizer"],
            f"{run['learning_rate']:g}",
            str(run["seed"]),
            f"{run['validations'][-1]['spl']:.3f}",
            percent(run["test"]["agents"]["trained"]["success"]),
            number(run["test"]["agents"]["trained"]["spl"]),
        ]
        for run in record["runs"]
    ]
    head = ["optimiser", "rate", "seed", "SPL, houses:val", "success, houses:test", "SPL, houses:test"]
    kept = {"runs": [run for run in record["runs"] if run["learning_rate"] == chosen[run["optimizer"]]]}
    means = interquartile(kept, lambda run: f"{run['optimizer']} {run['learning_rate']:g}")
    return "\n\n".join((table(head, lines, right=3), means, verdict(kept["runs"])))


def verdict(kept: list[Record]) -> str:
    """Whether Lamb is better, in words."""
    ours, theirs = (
        aggregate.scores([run["houses"] for run in kept if run["optimizer"] == optimizer], "spl")
        for optimizer in ("lamb", "adam")
    )
    mean = aggregate.interquartile_mean(ours) - aggregate.interquartile_mean(theirs)
    low, high = aggregate.difference_interval(ours, theirs)
    if low > 0:
        words = "Lamb is better at this batch, as BPS says"
    elif high < 0:
        words = "Adam is better at this batch: what BPS says of Lamb does not hold here"
    else:
        words = "neither is better: what BPS says of Lamb is not seen here"
    return f"Lamb less Adam, SPL (IQM): {mean:+.3f} [{low:+.3f}, {high:+.3f}]; {words}."


def label(name: str, actions: str) -> str:
    """What people call an agent."""
    plain = name.removesuffix(f"-{actions}") if actions else name
    return LABELS.get(plain, plain) + (f", {actions}" if actions else "")


def percent(metric: Mapping[str, float]) -> str:
    """A share with its interval."""
    return f"{100 * metric['mean']:.1f}% [{100 * metric['low']:.1f}, {100 * metric['high']:.1f}]"


def number(metric: Mapping[str, float]) -> str:
    """A mean with its interval."""
    return f"{metric['mean']:.3f} [{metric['low']:.3f}, {metric['high']:.3f}]"


def signed(metric: Mapping[str, float]) -> str:
    """A difference with its interval."""
    return f"{metric['mean']:+.3f} [{metric['low']:+.3f}, {metric['high']:+.3f}]"


def points(metric: Mapping[str, float]) -> str:
    """A difference of shares in points."""
    return f"{100 * metric['mean']:+.1f} [{100 * metric['low']:+.1f}, {100 * metric['high']:+.1f}]"


def table(head: list[str], lines: list[list[str]], right: int) -> str:
    """A table in Markdown; the last ``right`` columns are aligned to the right."""
    rule = ["---"] * (len(head) - right) + ["---:"] * right
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *lines))


def blocks(records: Mapping[str, Record]) -> dict[Path, dict[str, str]]:
    """The generated parts of each file by name."""

    def part(name: str, make: Callable[[Record], str], picture: str = "") -> str:
        if name not in records:
            return NONE_YET
        shown = f"![{picture}](../images/results-{name}.svg)\n\n" if picture else ""
        return shown + make(records[name])

    def of_seeds(record: Record) -> str:
        return "\n\n".join((result(record), runs(record), interquartile(record, lambda run: run["sensors"])))

    here = {
        "quick": quick(records),
        "cpu": part("cpu", result, "Success and SPL by frames"),
        "seeds": part("seeds", of_seeds, "SPL of three seeds by frames"),
        "blind": part("blind", runs),
        "ablation": part("ablation", ablation, "SPL of Lamb and Adam by frames"),
    }
    return {README: here, FRONT: {"results": front(records)}}


def filled(text: str, parts: Mapping[str, str]) -> str:
    """The text with its parts from this script made anew, see ``marks.filled``."""
    return marks.filled(text, parts, "docs/results/table.py")


def main() -> None:
    """Fill both files."""
    for path, parts in blocks(read_records()).items():
        path.write_text(filled(path.read_text("utf-8"), parts), "utf-8")


if __name__ == "__main__":
    main()
