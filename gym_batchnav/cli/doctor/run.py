"""Gathers, prints and judges."""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from ..args import DoctorArgs
from ..show import console
from ..training.runs import write_json
from .picture import draw_apart
from .problems import Problem, find_problems
from .system import system_facts

BACKENDS = ("embree", "gl", "gl-raycast")


def run_doctor(args: DoctorArgs) -> int:
    """Print the findings; returns 0 where a backend draws the known picture, else 1."""
    with Console(stderr=True).status("looking at this machine, and drawing with every backend"):
        facts = findings(args.device)
    problems = find_problems(facts)
    facts["problems"] = [problem._asdict() for problem in problems]
    if args.json == Path("-"):
        json.dump(facts, sys.stdout, indent=2)
        print()
    else:
        show(facts, problems)
        if args.json is not None:
            write_json(args.json, facts)
    return 0 if any(found["ok"] for found in facts["self_test"].values()) else 1


def findings(device: str | None) -> dict[str, Any]:
    """Facts of the system, and what each backend draws on ``device``."""
    facts = {**system_facts(), "device": device}
    images = "torch" if facts["cuda"]["available"] else "numpy"
    with ThreadPoolExecutor(2) as pool:
        auto = pool.submit(draw_apart, "auto", device, images)
        tests = {backend: pool.submit(draw_apart, backend, device) for backend in BACKENDS}
        facts["auto"] = auto.result()
        facts["self_test"] = {backend: future.result() for backend, future in tests.items()}
    return facts


def show(facts: dict[str, Any], problems: list[Problem]) -> None:
    """The facts as a table, then a line for each problem."""
    table = Table(title="batchnav doctor", title_justify="left", title_style="bold", show_header=False)
    table.add_column("", no_wrap=True)
    table.add_column("", overflow="fold")
    for name, value in _rows(facts):
        table.add_row(name, value)
    out = console()
    out.print(table)
    for problem in problems:
        out.print(f"problem: {problem.what}\n  fix: {problem.fix}", markup=False)
    if not problems:
        out.print("no problems found")


def _rows(facts: dict[str, Any]) -> list[tuple[str, str]]:
    cuda, egl, auto = facts["cuda"], facts["egl"], facts["auto"].get("info", {})
    packages = ", ".join(f"{name} {version}" for name, version in facts["versions"].items())
    nodes = [f"{node['path']}{'' if node['usable'] else ' (no access)'}" for node in facts["dri"]]
    rows = [
        ("versions", packages),
        ("Embree", facts["embree"].get("error") or "{version}, {library}".format(**facts["embree"])),
        (
            "CUDA",
            f"driver {cuda['driver'] or 'none'}, torch built for {cuda['torch_built_for'] or 'the CPU'}",
        ),
        ("GPUs of torch", ", ".join(cuda["devices"]) or "none"),
        ("EGL devices", "\n".join(map(_egl_device, egl["devices"])) or egl.get("error", "none")),
        ("EGL vendors", ", ".join(egl["vendor_files"]) or "none"),
        ("/dev/dri", ", ".join(nodes) or "none"),
        ("container", f"{'yes' if facts['container'] else 'no'}{', WSL2' if facts['wsl'] else ''}"),
        ("variables", ", ".join(f"{k}={v}" for k, v in facts["environment"].items()) or "none set"),
        ("auto takes", f"{auto.get('backend', 'nothing')}: {auto.get('reason', facts['auto'].get('error'))}"),
        ("interop", auto.get("interop", "unknown")),
    ]
    return rows + [(f"{name} self-test", _test(found)) for name, found in facts["self_test"].items()]


def _egl_device(device: dict[str, Any]) -> str:
    kind = "software" if device["software"] else "other GPU"
    if device["cuda_ordinal"] is not None:
        kind = f"CUDA device {device['cuda_ordinal']}"
    return ", ".join(
        str(part) for part in (f"{device['index']}: {kind}", device["uuid"], device["drm"]) if part
    )


def _test(found: dict[str, Any]) -> str:
    if "error" in found:
        return f"cannot draw: {found['error'].splitlines()[0]}"
    info = found["info"]
    by = "; ".join(str(info[name]) for name in ("gl_renderer", "gl_version", "gl_layers") if name in info)
    verdict = "draws right" if found["ok"] else f"WRONG in {found['wrong_pixels']} of 256 pixels"
    return f"{verdict}{f' ({by} layers)' if by else ''}, on {info['device']}"
