"""``batchnav scenes check``: looks at scenes and tells what they hold and what is wrong."""

from __future__ import annotations

import functools
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ...cores import usable_cores
from ...errors import ConfigError
from ..machine import machine_facts
from ..show import console
from ..training.runs import write_json
from .args import CheckArgs
from .findings import Findings, Plan, look_at
from .pool import spread
from .settings import bake_settings
from .sources import Source, sources
from .told import summary_table, tell

FAILED = 1
MAX_WORKERS = 4
"""Most processes unless --workers says otherwise: scenes of data sets take a gigabyte each."""


def run_check(args: CheckArgs) -> int:
    """Look at all scenes; returns 0, or 1 where one of them cannot be used."""
    plan = Plan(
        settings=bake_settings(args.agent),
        bake=args.bake,
        previews=None if args.no_preview else _folder(args.preview),
    )
    todo = sources(args.paths, args.navmesh, args.file)
    out = console()
    found = _look_at_all(todo, plan, _workers(args.workers, len(todo)), out)
    if len(found) > 1:
        out.print(summary_table(found))
    failed = sum(not one["ok"] for one in found)
    if failed:
        out.print(f"[red]{failed} of {len(found)} scenes cannot be used[/]")
    if args.json is not None:
        write_json(args.json, {"scenes": found, "failed": failed, "machine": machine_facts()})
    return FAILED if failed else 0


def _look_at_all(todo: list[Source], plan: Plan, workers: int, out: Console) -> list[Findings]:
    """The findings in the order of ``todo``; each is told as soon as those before it are."""
    results: dict[int, Findings] = {}
    told = 0
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=out, transient=True) as progress:
        task = progress.add_task("looking at scenes", total=len(todo))
        for number, findings in spread(functools.partial(look_at, plan=plan), todo, workers, _lost):
            results[number] = findings
            progress.advance(task)
            while told in results:
                tell(results[told], out)
                told += 1
    return [results[number] for number in range(len(todo))]


def _lost(source: Source) -> Findings:
    return {
        "name": source.name,
        "ok": False,
        "error": "the process that looked at it died: most often there is too little memory; try --workers 1",
        "warnings": [],
    }


def _folder(path: Path) -> Path:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"--preview {path}: cannot be made ({error}); give another folder") from error
    return path


def _workers(asked: int | None, scenes: int) -> int:
    if asked is None:
        return min(scenes, usable_cores(), MAX_WORKERS) if scenes > 3 else 1
    if asked < 1:
        raise ConfigError(f"--workers {asked} is not allowed; give 1 or more")
    return min(asked, scenes)
