"""Seconds to the first observations in fresh processes, with an empty cache of scenes and with a full one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from typing import Any

import numpy as np

from ...config import EnvConfig
from ...errors import ConfigError
from ..args import BenchArgs
from ..waiting import counting
from . import started
from .rivals import choose
from .step import triangles_per_scene

NUM_STARTS = 5
"""Starts of each kind."""
PARTS = ("make", "reset")
"""What a start consists of; importing is stated apart."""


def bench_start(args: BenchArgs, config: EnvConfig) -> dict[str, Any]:
    """Start with an empty cache and with a full one in turn, five times each; the caches are its own."""
    choose(args.compare, args.peer_python, "start", args.sensors)
    task = {"config": config.to_dict(), "num_envs": args.num_envs, "seed": args.seed}
    found: dict[str, list[dict[str, Any]]] = {"cold": [], "warm": []}
    with (
        tempfile.TemporaryDirectory(prefix="batchnav-starts-") as full,
        counting("starting environments", 1 + 2 * NUM_STARTS, still=True) as advance,
    ):
        # Compiles what was never compiled on this machine, and fills the cache.
        first = _start(task, full)
        advance()
        for _ in range(NUM_STARTS):
            with tempfile.TemporaryDirectory(prefix="batchnav-starts-") as empty:
                found["cold"].append(_start(task, empty))
                advance()
            found["warm"].append(_start(task, full))
            advance()
    return {
        "starts_s": {name: _summary(starts) for name, starts in found.items()},
        "import_s": float(np.median([start["import"] for start in found["cold"] + found["warm"]])),
        "triangles_per_scene": triangles_per_scene(config),
        "renderer": first["renderer"],
    }


def _start(task: dict[str, Any], cache: str) -> dict[str, Any]:
    result = subprocess.run(
        [sys.executable, started.__file__],
        input=json.dumps((sys.path, task)),
        capture_output=True,
        text=True,
        env={**os.environ, "BATCHNAV_CACHE": cache},
        check=False,
    )
    if result.returncode != 0:
        last = (result.stderr.strip() or "no message").splitlines()[-1]
        raise ConfigError(f"these environments do not start: {last}")
    found: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return found


def _summary(starts: list[dict[str, Any]]) -> dict[str, Any]:
    """Seconds from ``make_vec`` to the first observations: median, all of them, and their parts' medians."""
    totals = [sum(start[part] for part in PARTS) for start in starts]
    parts = {part: float(np.median([start[part] for start in starts])) for part in PARTS}
    stages = {
        name: float(np.median([start["timings"][name] for start in starts])) for name in starts[0]["timings"]
    }
    return {"median": float(np.median(totals)), "all": totals, **parts, "stages": stages}
