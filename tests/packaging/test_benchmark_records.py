"""The stored benchmark records, the tables made of them, and the script that makes them again."""

from __future__ import annotations

import importlib.util
import os
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from gym_batchnav.cli.app import parse
from gym_batchnav.cli.args import BenchArgs
from gym_batchnav.cli.bench.rivals import choose

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "benchmarks"


def load_table() -> Any:
    spec = importlib.util.spec_from_file_location("benchmark_table", FOLDER / "table.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


table = load_table()


def record(fps: float, **changes: object) -> dict[str, Any]:
    arguments = {"scenes": ["scenes/home.glb"], "sensors": ["depth"], "resolution": 64, "num_envs": 256}
    arguments.update({name: changes.pop(name) for name in list(changes) if name in arguments})
    plain = {
        "benchmark": "render",
        "frames_per_second": fps,
        "windows": [fps - 1, fps, fps + 1],
        "triangles_per_scene": {"mean": 145844.0},
        "backend": "embree",
        "gl_renderer": "embree",
        "memory": {"scenes": 3 << 20, "images": 1 << 20},
        "machine": {"cores": 2, "cpu": "AMD EPYC"},
        "arguments": arguments,
    }
    return plain | changes


PEER = {"name": "embreex", "version": "4.4", "scene": "the same", "resolution": [64, 48]}
LLVMPIPE = {"backend": "gl", "gl_renderer": "llvmpipe (LLVM 15.0.6, 256 bits)"}


def test_tables_in_the_readmes_are_what_the_records_say():
    records = table.read_records()
    assert records
    for path, parts in table.blocks(records).items():
        text = path.read_text(encoding="utf-8")
        assert table.filled(text, parts) == text, f"run python docs/benchmarks/table.py: {path} is stale"


def test_views_per_second_by_scene_images_and_size():
    records = {
        "a": record(12345.6, resolution=128),
        "b": record(350.4, **LLVMPIPE),
        "c": record(9999.5),
        "d": record(8000.0, num_envs=64),
        "e": record(
            70.0, sensors=["depth", "rgb"], scenes=["houses:train"], triangles_per_scene={"mean": 5.2e3}
        ),
        "f": record(1.0, benchmark="step"),
    }
    # Sizes in the order of numbers; of equal records the fastest; b is a column of its own.
    assert table.speeds(records).splitlines() == [
        "| scene | images | size | embree | gl (llvmpipe) |",
        "| --- | --- | --- | ---: | ---: |",
        "| built-in houses, 5,200 triangles | depth + rgb | 64 x 64 | 70 |  |",
        "| home, 145,844 triangles | depth | 64 x 64 | 10,000 | 350 |",
        "| home, 145,844 triangles | depth | 128 x 128 | 12,346 |  |",
    ]
    assert table.speeds(records, 128).splitlines()[2:] == [
        "| home, 145,844 triangles | depth | 128 x 128 | 12,346 |"
    ]


def test_comparisons_and_whole_environments():
    entry = PEER | {"frames_per_second": 4000.4, "ours": 9000.0, "ratio": 2.2497}
    slow = PEER | {"name": "slow", "frames_per_second": 100.0, "ours": 9000.0, "ratio": 90.0}
    records = {"one": record(9000.0, comparisons=[entry, slow]), "two": record(5.0, benchmark="train")}
    assert table.comparisons(records, ["one", "absent", "two"]).splitlines()[2:] == [
        "| embreex 4.4 | the same | depth | 64 x 48 | 4,000 | 9,000 | 2.25 |",
        "| slow 4.4 | the same | depth | 64 x 48 | 100 | 9,000 | 90 |",
    ]
    assert table.wholes(records).splitlines()[2:] == [
        "| train | home, 145,844 triangles | depth | 256 | embree | 5 |"
    ]
    assert table.all_records(records).splitlines()[2:] == [
        "| [one](one.json) | 9,000 | 8,999 to 9,001 | 4 | embreex 2.25, slow 90.00 |",
        "| [two](two.json) | 5 | 4 to 6 | 4 |  |",
    ]
    assert table.machine(records) == "2 cores of an AMD EPYC; medians of five windows."


def test_learners_stand_beside_ours():
    entry = {"version": "2.9", "ours": 2400.4, "resolution": [64, 64], "scene": "the same"}
    slow = {**entry, "name": "sb3-recurrent", "frames_per_second": 600.1, "ratio": 4.0}
    records = {
        "stepped": record(9000.0, benchmark="step", comparisons=[{**slow, "name": "sync"}]),
        "trained": record(2400.0, benchmark="train", comparisons=[slow], num_envs=128),
    }
    assert table.learners(records).splitlines()[-1] == (
        "| RecurrentPPO of sb3-contrib 2.9 | 128 | 600 | 2,400 | 4.00 |"
    )
    assert len(table.learners(records, ["sb3"]).splitlines()) == 2


def test_swaps_stand_in_a_table_of_their_own():
    found = {
        "every": 20,
        "alone_ms": {"median": 5.04, "p99": 6.96, "max": 9.0},
        "swapping_ms": {"median": 5.46, "p99": 9.06, "max": 9.9},
        "stall_p99_ms": 2.1,
    }
    records = {"plain": record(100.0), "swapped": record(9.0, swaps=found, num_envs=64)}
    assert table.swaps(records).splitlines()[2:] == [
        "| home, 145,844 triangles | depth | 64 | embree | 20 batches | 5.0 | 7.0 | 5.5 | 9.1 | 2.1 |"
    ]
    assert len(table.speeds(records).splitlines()) == 3


def test_starts_stand_in_a_table_of_their_own():
    times = {"cold": {"median": 3.456}, "warm": {"median": 0.987}}
    started = record(0.0, benchmark="start", starts_s=times, import_s=0.1234, num_envs=16)
    del started["frames_per_second"], started["windows"]
    records = {"plain": record(100.0), "started": started}
    assert table.starts(records).splitlines()[2:] == [
        "| home, 145,844 triangles | depth | 16 | embree | 3.46 | 0.99 | 0.12 |"
    ]
    assert len(table.speeds(records).splitlines()) == len(table.all_records(records).splitlines()) == 3
    assert len(table.wholes(records).splitlines()) == 2


def test_generated_parts_are_replaced_and_nothing_else():
    text = "before\n<!-- x: made by docs/benchmarks/table.py -->\nold\n<!-- end of x -->\nafter"
    once = table.filled(text, {"x": "new"})
    assert once == "before\n<!-- x: made by docs/benchmarks/table.py -->\nnew\n<!-- end of x -->\nafter"
    assert table.filled(once, {"x": "new"}) == once
    with pytest.raises(ValueError, match="no place for 'y'"):
        table.filled(text, {"y": "new"})


def test_records_are_complete_and_name_no_place_on_a_disk():
    for name, entry in table.read_records().items():
        assert {"reason", "memory", "peak_memory_mib", "machine", "config"} <= set(entry) | (
            {"memory"} if entry["benchmark"] != "render" else set()
        ), name
        if entry["benchmark"] == "start":
            assert [len(entry["starts_s"][kind]["all"]) for kind in ("cold", "warm")] == [5, 5], name
        else:
            assert len(entry["windows"]) == 5, name
        given = [*entry["arguments"]["scenes"], entry["arguments"]["navmesh"] or ""]
        assert not any(os.path.isabs(path) for path in given), name


@pytest.fixture
def made(tmp_path) -> dict[str, BenchArgs]:
    """Arguments that ``measure.sh`` gives to ``batchnav``, by the name of the record."""
    log = tmp_path / "log"
    for name, line in (("batchnav", f'printf "%q " "$@" >> {log}; echo >> {log}'), ("python", "true")):
        (tmp_path / name).write_text(f"#!/bin/sh\n{line}\n".replace("/bin/sh", "/usr/bin/env bash"))
        (tmp_path / name).chmod(0o755)
        for peer in ("miniworld", "mujoco", "pyrender", "vizdoom"):
            interpreter = tmp_path / "peers" / peer / "bin" / "python"
            interpreter.parent.mkdir(parents=True, exist_ok=True)
            interpreter.touch()
    variables = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PEERS": str(tmp_path / "peers")}
    subprocess.run(["bash", FOLDER / "measure.sh", tmp_path], env=variables, check=True)
    parsed = [parse(shlex.split(line)) for line in log.read_text().splitlines()]
    return {arguments.json.stem: arguments for arguments in parsed}


def test_the_script_makes_all_stored_records(made):
    stored = table.read_records()
    assert set(stored) <= set(made)
    assert set(table.HEADLINES) <= set(made)
    for name, entry in stored.items():
        wanted = made[name]
        assert entry["benchmark"] == wanted.what
        for key in ("sensors", "scenes", "compare"):
            assert tuple(entry["arguments"][key]) == getattr(wanted, key), (name, key)
        for key in ("resolution", "num_envs", "backend", "subdivide", "swap_every"):
            assert entry["arguments"][key] == getattr(wanted, key), (name, key)


def test_the_script_asks_only_for_what_peers_can_do(made):
    assert {arguments.what for arguments in made.values()} == {"render", "step", "train", "start"}
    for arguments in made.values():
        compared = choose(arguments.compare, arguments.peer_python, arguments.what, arguments.sensors)
        if arguments.what == "render" and arguments.resolution == 64 and not arguments.swap_every:
            alone = arguments.subdivide > 1 or arguments.compare == ("embreex",)
            assert len(compared) >= (1 if alone else 2)
