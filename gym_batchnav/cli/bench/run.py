"""Runs one of the benchmarks and writes its record."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Callable
from typing import Any

from ...config import EnvConfig
from ...errors import ConfigError
from ..args import BenchArgs
from ..devices import output_on
from ..machine import machine_facts, peak_memory_mib
from ..show import bench_table, comparison_table, console, start_table
from ..training.runs import write_json

Benchmark = Callable[[BenchArgs, EnvConfig], dict[str, Any]]
PLACES = ("json", "peer_python")
"""Arguments that say nothing about what was measured."""


def run_bench(args: BenchArgs) -> int:
    """Measure, print, and write the record where asked; returns the exit status."""
    if args.num_envs < 1:
        raise ConfigError(f"--num-envs {args.num_envs} is not allowed; expected at least 1")
    if not args.seconds > 0:
        raise ConfigError(f"--seconds {args.seconds} is not allowed; expected a number above 0")
    if args.subdivide < 1 or (args.subdivide > 1 and args.what != "render"):
        raise ConfigError(
            f"--subdivide {args.subdivide} is not allowed; expected at least 1, and 1 unless for bench render"
        )
    if args.swap_every < 0 or (args.swap_every and args.what != "render"):
        raise ConfigError(
            f"--swap-every {args.swap_every} is not allowed; expected at least 0, and 0 unless for bench "
            "render"
        )
    if args.backend == "constant" and args.what not in ("step", "train"):
        raise ConfigError(
            f"--backend constant is not allowed for bench {args.what}: it draws nothing; take another backend"
        )
    config = EnvConfig(
        scenes=args.scenes,
        navmesh=args.navmesh,
        sensors=args.sensors,
        resolution=(args.resolution, args.resolution),
        num_resident_scenes=args.num_resident_scenes,
        device=args.device,
        output=output_on(args.device),
        render_backend=args.backend,
    )
    found = _benchmark(args.what)(args, config)
    renderer = found.pop("renderer")
    record = {
        "benchmark": args.what,
        **found,
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "backend": str(renderer["backend"]),
        "reason": str(renderer.get("reason", "")),
        "gl_renderer": str(renderer.get("gl_renderer", renderer.get("renderer", renderer.get("backend")))),
        "peak_memory_mib": peak_memory_mib(),
        "machine": machine_facts(renderer),
        "arguments": {k: _plain(v) for k, v in dataclasses.asdict(args).items() if k not in PLACES},
        "config": config.to_dict(),
    }
    size = f"{args.num_envs} x {args.resolution} x {args.resolution}"
    title = f"bench {args.what}: {size} {'+'.join(args.sensors)} with {record['backend']}"
    console().print((start_table if args.what == "start" else bench_table)(record, title))
    if record.get("comparisons"):
        console().print(comparison_table(record["comparisons"]))
    if args.json is not None:
        write_json(args.json, record)
    return 0


def _benchmark(what: str) -> Benchmark:
    if what == "render":
        from .render import bench_render

        return bench_render
    if what == "step":
        from .step import bench_step

        return bench_step
    if what == "start":
        from .start import bench_start

        return bench_start
    from .train import bench_train

    return bench_train


def _plain(value: object) -> object:
    return value if isinstance(value, bool | int | float | str | list | tuple | None) else str(value)
