"""``batchnav scenes cache``: what is kept on disk of scenes that were loaded before, and clearing it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.table import Table

from ...errors import ConfigError
from ...scenes.cache import SceneCache, open_cache
from ...scenes.cache.store import Entry
from ..show import console
from ..training.runs import write_json
from .args import CacheArgs

KINDS = {
    "ground": "navigation meshes with corner graphs",
    "images": "geometry, trees and textures for a renderer",
    "source": "files that scenes were read from",
}
"""What entries hold."""
_DAY_S = 86400.0


def run_cache(args: CacheArgs) -> int:
    """Clear where asked, and print what is there; returns the exit status."""
    _check(args)
    cache, out = open_cache(), console()
    if cache is None:
        out.print("The cache of scenes is off (BATCHNAV_CACHE=off): nothing is kept, nothing is cleared.")
        return 0
    if (gone := _clear(cache, args)) is not None:
        out.print(f"deleted {len(gone)} entries, {_mib(gone):,.1f} MiB")
    entries = cache.entries()
    out.print(cache_table(cache, entries))
    if args.json is not None:
        write_json(args.json, _record(cache, entries, gone))
    return 0


def cache_table(cache: SceneCache, entries: Sequence[Entry]) -> Table:
    """A line for each kind of entry, and one for all."""
    title = f"{cache.folder}: {_mib(entries):,.1f} of {cache.limit_bytes / 2**20:,.0f} MiB"
    table = Table(title=title, title_justify="left", title_style="bold")
    for heading in ("what", "entries", "MiB", "last used"):
        table.add_column(heading, justify="left" if heading == "what" else "right", overflow="fold")
    for line in _lines(entries):
        table.add_row(line.name, str(line.count), f"{line.mib:,.1f}", line.age)
    return table


@dataclass(frozen=True, slots=True)
class _Line:
    name: str
    count: int
    mib: float
    age: str


def _lines(entries: Sequence[Entry]) -> list[_Line]:
    lines, now = [], time.time()
    for kind in sorted({entry.kind for entry in entries}):
        chosen = [entry for entry in entries if entry.kind == kind]
        days = (now - max(entry.used for entry in chosen)) / _DAY_S
        age = "today" if days < 1 else f"{days:.0f} days ago"
        lines.append(_Line(KINDS.get(kind, kind), len(chosen), _mib(chosen), age))
    return lines


def _check(args: CacheArgs) -> None:
    asked = {
        "--clear": args.clear or None,
        "--older-than": args.older_than,
        "--down-to": args.down_to,
    }
    given = {name: value for name, value in asked.items() if value is not None}
    if len(given) > 1:
        raise ConfigError(f"{' and '.join(given)} were given; give one of them")
    for name, value in given.items():
        if not float(value) >= 0.0:
            raise ConfigError(f"{name} {value} is not allowed; expected a number of at least 0")


def _clear(cache: SceneCache, args: CacheArgs) -> list[Entry] | None:
    """Delete what was asked for; None where nothing was."""
    if args.clear:
        return cache.remove(lambda entry: True)
    if args.older_than is not None:
        limit = time.time() - args.older_than * _DAY_S
        return cache.remove(lambda entry: entry.used < limit)
    if args.down_to is not None:
        return cache.shrink(int(args.down_to * 2**30))
    return None


def _mib(entries: Sequence[Entry]) -> float:
    return sum(entry.size for entry in entries) / 2**20


def _record(cache: SceneCache, entries: Sequence[Entry], gone: Sequence[Entry] | None) -> dict[str, Any]:
    return {
        "folder": str(cache.folder),
        "limit_bytes": cache.limit_bytes,
        "bytes": sum(entry.size for entry in entries),
        "entries": [
            {"name": entry.path.stem, "kind": entry.kind, "bytes": entry.size, "last_used": entry.used}
            for entry in entries
        ],
        "deleted": [entry.path.stem for entry in gone or ()],
    }
