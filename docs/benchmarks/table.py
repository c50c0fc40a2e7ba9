"""Writes the tables of speeds in the two READMEs and docs/performance.md from the records of this folder.

Run it after measuring: ``python docs/benchmarks/table.py``. A test compares the tables with the records.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import marks  # noqa: E402

README, RECORDS, GUIDE = HERE.parents[1] / "README.md", HERE / "README.md", HERE.parent / "performance.md"
HEADLINES = (
    "render-aws_small_house-depth-64-embree",
    "render-aws_small_house-peers-depth-64-embree",
    "render-aws_small_house-rgb-64-embree",
)
"""Records whose comparisons the front page shows."""
LEARNERS = {
    "sb3": "PPO of Stable-Baselines3 {}",
    "sb3-recurrent": "RecurrentPPO of sb3-contrib {}",
    "overlap": "ours in two halves",
    "act-threads": "ours acting on all cores",
}
"""What the peers of ``bench train`` are called, with their version, in the order of the table."""
Record = Mapping[str, Any]


def read_records(folder: Path = HERE) -> dict[str, Record]:
    """All records by file name without its end."""
    return {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json"))}


def speeds(records: Mapping[str, Record], pixels: int | None = None) -> str:
    """Views per second by what is drawn, all sizes or one; a column for each backend and device."""
    cells: dict[tuple[str, str, str], dict[str, float]] = {}
    for record in records.values():
        wanted = pixels in (None, record["arguments"]["resolution"])
        if record["benchmark"] == "render" and "swaps" not in record and wanted:
            row = cells.setdefault((scene(record), images(record), size(record)), {})
            row[drawn_by(record)] = max(row.get(drawn_by(record), 0.0), record["frames_per_second"])
    columns = sorted({column for row in cells.values() for column in row})
    lines = [
        [*labels, *(f"{row[column]:,.0f}" if column in row else "" for column in columns)]
        for labels, row in sorted(cells.items(), key=_order)
    ]
    return table(["scene", "images", "size", *columns], lines, right=len(columns))


def _order(item: tuple[tuple[str, str, str], object]) -> tuple[str, str, int]:
    (where, what, how_large), _ = item
    return where, what, int(how_large.split()[0])


def comparisons(records: Mapping[str, Record], names: Iterable[str]) -> str:
    """Peers beside the named records; the ratio is this library's frames per second over the peer's."""
    lines = []
    for name in names:
        if name not in records:
            continue
        for entry in records[name].get("comparisons", ()):
            height, width = entry["resolution"]
            lines.append(
                [
                    f"{entry['name']} {entry['version']}",
                    entry["scene"],
                    images(records[name]),
                    f"{height} x {width}",
                    f"{entry['frames_per_second']:,.0f}",
                    f"{entry['ours']:,.0f}",
                    f"{entry['ratio']:.2f}" if entry["ratio"] < 9.995 else f"{entry['ratio']:.0f}",
                ]
            )
    return table(["peer", "its scene", "images", "size", "peer's", "ours", "ratio"], lines, right=3)


def wholes(records: Mapping[str, Record]) -> str:
    """Frames per second of stepping and training, of equal records the fastest."""
    rows: dict[tuple[str, ...], float] = {}
    for record in records.values():
        if record["benchmark"] in ("step", "train"):
            envs = str(record["arguments"]["num_envs"])
            row = (record["benchmark"], scene(record), images(record), envs, drawn_by(record))
            rows[row] = max(rows.get(row, 0.0), record["frames_per_second"])
    lines = [[*row, f"{speed:,.0f}"] for row, speed in rows.items()]
    return table(["what", "scenes", "images", "environments", "drawn by", "frames/s"], lines, right=1)


def learners(records: Mapping[str, Record], names: Iterable[str] = tuple(LEARNERS)) -> str:
    """The named learners beside ours with the same network and batches, on our environment."""
    found = [
        (record, entry)
        for record in records.values()
        if record["benchmark"] == "train"
        for entry in record.get("comparisons", ())
        if entry["name"] in names
    ]
    order = list(names)
    lines = [
        [
            LEARNERS[entry["name"]].format(entry["version"]),
            str(record["arguments"]["num_envs"]),
            f"{entry['frames_per_second']:,.0f}",
            f"{entry['ours']:,.0f}",
            f"{entry['ratio']:.2f}",
        ]
        for record, entry in sorted(found, key=lambda pair: order.index(pair[1]["name"]))
    ]
    return table(["learner", "environments", "frames/s", "ours", "ratio"], lines, right=3)


def swaps(records: Mapping[str, Record]) -> str:
    """Milliseconds of a batch while scenes come and go."""
    lines = []
    for record in records.values():
        if found := record.get("swaps"):
            times = [found[part][name] for part in ("alone_ms", "swapping_ms") for name in ("median", "p99")]
            lines.append(
                [
                    scene(record),
                    images(record),
                    str(record["arguments"]["num_envs"]),
                    drawn_by(record),
                    f"{found['every']} batches",
                    *(f"{value:.1f}" for value in (*times, found["stall_p99_ms"])),
                ]
            )
    head = ["scene", "images", "views", "drawn by", "a swap every", "median", "99%", "median", "99%", "stall"]
    return table(head, lines, right=5)


def starts(records: Mapping[str, Record]) -> str:
    """Seconds from ``make_vec`` to the first observations."""
    lines = []
    for record in records.values():
        if record["benchmark"] == "start":
            times = [record["starts_s"][name]["median"] for name in ("cold", "warm")]
            lines.append(
                [
                    scene(record),
                    images(record),
                    str(record["arguments"]["num_envs"]),
                    drawn_by(record),
                    *(f"{value:.2f}" for value in (*times, record["import_s"])),
                ]
            )
    head = ["scene", "images", "environments", "drawn by", "empty cache, s", "full cache, s", "import, s"]
    return table(head, lines, right=3)


def all_records(records: Mapping[str, Record]) -> str:
    """One line a record of frames per second."""
    lines = []
    for name, record in records.items():
        if record["benchmark"] == "start":
            continue
        peers = (f"{entry['name']} {entry['ratio']:.2f}" for entry in record.get("comparisons", ()))
        memory = sum(record.get("memory", {}).values()) / 2**20
        lines.append(
            [
                f"[{name}]({name}.json)",
                f"{record['frames_per_second']:,.0f}",
                f"{min(record['windows']):,.0f} to {max(record['windows']):,.0f}",
                f"{memory:,.0f}" if memory else "",
                ", ".join(peers),
            ]
        )
    return table(["record", "frames/s", "windows", "MiB", "times as fast as"], lines, right=0)


def stages(records: Mapping[str, Record]) -> str:
    """Where the time of a step goes: milliseconds of each stage; of equal records those of the fastest."""
    fastest: dict[tuple[str, int, str], Record] = {}
    for record in records.values():
        if record["benchmark"] in ("step", "train"):
            key = (record["benchmark"], int(record["arguments"]["num_envs"]), drawn_by(record))
            fastest[key] = max(
                fastest.get(key, record), record, key=lambda found: float(found["frames_per_second"])
            )
    lines = []
    for (what, envs, backend), record in sorted(fastest.items()):
        times, within = record["stages_ms"], "env/" if what == "train" else ""
        inside = [times[f"{within}{name}"] for name in ("render", "simulate", "episode", "scene", "other")]
        learner = [f"{times[name]:.1f}" for name in ("act", "learn")] if within else ["", ""]
        lines.append([what, str(envs), backend, *(f"{value:.1f}" for value in inside), *learner])
    head = ["what", "environments", "drawn by", "draw", "move", "episodes", "scenes", "rest", "act", "learn"]
    return table(head, lines, right=7)


def memory(records: Mapping[str, Record]) -> str:
    """Megabytes that the renderer holds for each resident scene."""
    cells: dict[tuple[str, str], dict[str, float]] = {}
    for record in records.values():
        plain = record["benchmark"] == "render" and "swaps" not in record
        if plain and record["arguments"]["resolution"] == 64:
            held = record["memory"]["scenes"] / record["resident_scenes"] / 2**20
            cells.setdefault((scene(record), images(record)), {})[drawn_by(record)] = held
    columns = sorted({column for row in cells.values() for column in row})
    lines = [
        [*labels, *(f"{row[column]:.1f}" if column in row else "" for column in columns)]
        for labels, row in sorted(cells.items())
    ]
    return table(["scene", "images", *columns], lines, right=len(columns))


def machine(records: Mapping[str, Record]) -> str:
    """On what machines the records were made."""
    facts = dict.fromkeys(
        f"{record['machine']['cores']} cores of an {record['machine']['cpu']}" for record in records.values()
    )
    return "; ".join(facts) + "; medians of five windows."


def scene(record: Record) -> str:
    """Name and size of what is drawn."""
    first = record["arguments"]["scenes"][0]
    name = "built-in houses" if first.startswith("houses:") else Path(first).stem
    return f"{name}, {record['triangles_per_scene']['mean']:,.0f} triangles"


def images(record: Record) -> str:
    """Names of the images."""
    return " + ".join(record["arguments"]["sensors"])


def size(record: Record) -> str:
    """Rows and columns of an image."""
    return f"{record['arguments']['resolution']} x {record['arguments']['resolution']}"


def drawn_by(record: Record) -> str:
    """Backend, and of GL the device."""
    backend, device = record["backend"], record["gl_renderer"].partition(" (")[0]
    if backend == "constant":
        return "nothing: constant images"
    return backend if backend == "embree" else f"{backend} ({device})"


def table(head: list[str], lines: list[list[str]], right: int) -> str:
    """A table in Markdown; the last ``right`` columns are aligned to the right."""
    rule = ["---"] * (len(head) - right) + ["---:"] * right
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, rule, *lines))


def blocks(records: Mapping[str, Record]) -> dict[Path, dict[str, str]]:
    """The generated parts of each file, by name."""
    headlines = comparisons(records, HEADLINES)
    front = {"speeds": f"{machine(records)}\n\n{speeds(records, 64)}", "comparisons": headlines}
    return {
        README: {**front, "steps": wholes(records), "learners": learners(records, ("sb3", "sb3-recurrent"))},
        RECORDS: {
            "speeds": speeds(records),
            "learners": learners(records),
            "records": f"{machine(records)}\n\n{all_records(records)}",
            "swaps": swaps(records),
            "starts": starts(records),
        },
        GUIDE: {"steps": wholes(records), "stages": stages(records), "memory": memory(records)},
    }


def filled(text: str, parts: Mapping[str, str]) -> str:
    """The text with its parts from this script made anew, see ``marks.filled``."""
    return marks.filled(text, parts, "docs/benchmarks/table.py")


def main() -> None:
    """Fill the files."""
    for path, parts in blocks(read_records()).items():
        path.write_text(filled(path.read_text("utf-8"), parts), "utf-8")


if __name__ == "__main__":
    main()
