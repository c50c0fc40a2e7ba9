"""Gathers, judges and prints."""

from __future__ import annotations

import datetime
import json
import sys
from pathlib import Path
from typing import Any

from ...config import checks
from ..args import DoctorArgs
from ..show import console
from ..training.runs import write_json
from ..waiting import waiting
from .apart import Apart
from .page import show
from .privacy import own_names, private
from .problems import find_problems
from .system import system_facts
from .verdict import is_ready, verdict

BACKENDS = ("embree", "gl", "gl-raycast")
_HERE = __package__ or ""


def run_doctor(args: DoctorArgs) -> int:
    """Print the findings; returns 0 where environments start here, else 1."""
    checks.device("device", args.device)  # else each backend would be found broken
    facts = private(findings(args.device, speed=not args.no_speed), Path.home(), own_names())
    problems = find_problems(facts)
    facts["problems"] = [problem._asdict() for problem in problems]
    facts["verdict"] = verdict(facts, problems)
    if args.json == Path("-"):
        json.dump(facts, sys.stdout, indent=2)
        print()
    else:
        show(facts, problems, console())
        if args.json is not None:
            write_json(args.json, facts)
    return 0 if is_ready(facts) else 1


def findings(device: str | None, *, speed: bool) -> dict[str, Any]:
    """Facts of the system, and what each backend draws on ``device``, and how fast.

    Args:
        device: where to draw; None for the default.
        speed: whether to measure.
    """
    given = device or ""
    with Apart() as apart:
        with waiting("looking at this machine"):
            facts = {
                "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
                **system_facts(),
                "device": device,
            }
        images = "torch" if facts["cuda"]["available"] else "numpy"
        with waiting("drawing a known picture (the first time, kernels are compiled: a minute)"):
            # Embree goes first: the others would compile the same kernels beside it.
            embree = apart.submit(f"{_HERE}.picture", "embree", given, "numpy")
            others = {
                "auto": apart.submit(f"{_HERE}.picture", "auto", given, images),
                **{name: apart.submit(f"{_HERE}.picture", name, given, "numpy") for name in BACKENDS[1:]},
            }
            driver, window = apart.submit(f"{_HERE}.driver", given), apart.submit(f"{_HERE}.window")
            facts["auto"] = others["auto"].result()
            facts["self_test"] = {
                "embree": embree.result(),
                **{name: others[name].result() for name in BACKENDS[1:]},
            }
            facts["gl"], facts["window"] = driver.result(), window.result()
        facts["speed"] = {}
        right = [name for name, found in facts["self_test"].items() if found["ok"]]
        if speed and right:
            with waiting("measuring speed, some seconds"):
                facts["speed"] = _speeds(apart.submit(f"{_HERE}.speed", given, *right).result())
    return facts


def _speeds(found: dict[str, Any]) -> dict[str, Any]:
    """Figures by name; a process that ended badly leaves those that it had."""
    kept = {name: value for name, value in found.items() if isinstance(value, dict)}
    return kept | ({"measurement": {"error": str(found["error"])}} if "error" in found else {})
