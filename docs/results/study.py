"""Runs the experiments of this folder and stores what came out of them.

``python docs/results/study.py run NAME --out DIR`` trains and evaluates what is left to do of an experiment,
one run after another; interrupted, the same command goes on. ``study.py store NAME --out DIR`` writes
its record, ``NAME.json``, here. ``table.py`` and ``curves.py`` make tables and pictures of the records.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gym_batchnav.rl import read_log

HERE = Path(__file__).resolve().parent
TEST = ("--scenes", "houses:test", "--episodes", "1000")
SEEDS = (0, 1, 2)
POINTS = 120
"""Rows of a stored learning curve at most."""
ABLATION_FRAMES = 1_500_000
LARGE_BATCH = {
    "ppo.rollout_length": 64,
    "ppo.minibatches": 2,
    "ppo.epochs": 3,
    "ppo.weight_decay": 0.01,
    "validate_every_frames": 250_000,
    "keep_every_frames": "none",
}
"""256 environments x 64 steps are 16,384 frames an update, in minibatches of 8,192."""
RATES = {"adam": (7e-4, 2e-3, 5.6e-3), "lamb": (2.8e-3, 8e-3, 2.3e-2)}
"""Three each, a factor of sqrt(8) apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One training run and how it is evaluated."""

    name: str
    """Folder below the experiment's."""
    labels: Mapping[str, Any]
    """What sets it apart: seed, sensors, optimiser, rate."""
    train: tuple[str, ...]
    """Arguments of ``batchnav train``."""
    evaluate: tuple[str, ...]
    """Arguments of ``batchnav eval`` behind the run's folder."""


def settings(values: Mapping[str, object]) -> tuple[str, ...]:
    """``--set`` for each of them."""
    return tuple(word for key, value in values.items() for word in ("--set", f"{key}={value}"))


def cpu(out: Path) -> Iterator[Run]:
    """The preset ``cpu``, its checkpoint chosen on houses:val; beside the blind agent if that is trained."""
    blind = out / "blind" / "blind-seed0"
    versus = ("--versus", f"blind={blind}") if blind.is_dir() else ()
    yield Run(
        name="cpu-seed0",
        labels={"seed": 0, "sensors": "depth"},
        train=("--preset", "cpu", "--seed", "0"),
        evaluate=("--best", *TEST, *versus),
    )


def seeds(out: Path) -> Iterator[Run]:
    """Three seeds of the preset ``cpu`` for 3 million frames; the checkpoint is chosen on houses:val."""
    blind = out / "blind" / "blind-seed0"
    versus = ("--versus", f"blind={blind}") if blind.is_dir() else ()
    for seed in SEEDS:
        yield Run(
            name=f"depth-seed{seed}",
            labels={"seed": seed, "sensors": "depth"},
            train=("--preset", "cpu", "--frames", "3000000", "--seed", str(seed), "--eval-episodes", "100"),
            evaluate=("--best", *TEST, *(versus if seed == 0 else ("--no-baselines",))),
        )


def blind(out: Path) -> Iterator[Run]:
    """The same for an agent without images: it knows where the goal is, and sees no wall."""
    yield Run(
        name="blind-seed0",
        labels={"seed": 0, "sensors": "none"},
        train=("--preset", "cpu", "--frames", "3000000", "--eval-episodes", "100", "--sensors"),
        evaluate=("--best", *TEST, "--no-baselines"),
    )


def ablation(out: Path) -> Iterator[Run]:
    """Lamb against Adam: three rates each on seed 0, then seeds 1 and 2 of the better rate."""
    for optimizer, rates in RATES.items():
        for rate in rates:
            yield ablation_run(optimizer, rate, 0)
    for optimizer, rates in RATES.items():
        rate = best_rate(optimizer, lambda run: last_validation(out / "ablation" / run.name), rates)
        for seed in SEEDS[1:]:
            yield ablation_run(optimizer, rate, seed)


def ablation_run(optimizer: str, rate: float, seed: int) -> Run:
    """One run at 16,384 frames an update; its last checkpoint counts."""
    large = {**LARGE_BATCH, "ppo.optimizer": optimizer, "ppo.learning_rate": rate}
    size = ("--preset", "cpu", "--frames", str(ABLATION_FRAMES), "--num-envs", "256")
    return Run(
        name=f"{optimizer}-{rate:g}-seed{seed}",
        labels={"optimizer": optimizer, "learning_rate": rate, "seed": seed},
        train=(*size, "--seed", str(seed), "--eval-episodes", "4", *settings(large)),
        evaluate=(*TEST, "--sampled", "--no-baselines"),
    )


def best_rate(optimizer: str, score: Callable[[Run], float], rates: Sequence[float]) -> float:
    """The rate whose run with seed 0 has the highest score; of equal ones the first."""
    return max(rates, key=lambda rate: score(ablation_run(optimizer, rate, 0)))


def last_validation(folder: Path) -> float:
    """SPL of a run's last validation, on houses:val."""
    return float(read_log(folder, "validation")[-1]["metrics"]["spl"])


EXPERIMENTS: dict[str, Callable[[Path], Iterator[Run]]] = {
    "cpu": cpu,
    "seeds": seeds,
    "blind": blind,
    "ablation": ablation,
}


def run_experiment(name: str, out: Path) -> int:
    """Train and evaluate what is left to do; returns the exit status of the first command that failed."""
    for run in EXPERIMENTS[name](out):
        folder = out / name / run.name
        result, episodes = folder / "test.json", folder / "test.jsonl"
        if result.exists():
            print(f"{run.name}: done")
            continue
        for command in (
            # The command goes on with a run that was interrupted, and leaves a finished one alone.
            ["train", "--run-dir", str(folder), *run.train],
            ["eval", str(folder), *run.evaluate, "--episodes-json", str(episodes), "--json", str(result)],
        ):
            print(f"{run.name}: batchnav {' '.join(command)}", flush=True)
            status = subprocess.call([sys.executable, "-m", "gym_batchnav.cli", *command])
            if status != 0:
                return status
    return 0


def experiment_record(name: str, out: Path) -> dict[str, Any]:
    """All that tables and pictures need of an experiment; raises ``OSError`` where a run is missing."""
    found = [run_record(run, out / name / run.name) for run in EXPERIMENTS[name](out)]
    record: dict[str, Any] = {"experiment": name, "runs": found}
    if name == "ablation":
        record["chosen"] = {
            optimizer: best_rate(optimizer, lambda run: last_validation(out / name / run.name), rates)
            for optimizer, rates in RATES.items()
        }
    return record


def run_record(run: Run, folder: Path) -> dict[str, Any]:
    """A run's settings, learning curve, validations and result; no path of the disk is in it."""
    config, result = read(folder / "config.json"), read(folder / "test.json")
    trained = read(folder / "trained.json")
    return {
        "name": run.name,
        **run.labels,
        "train": ["batchnav", "train", *run.train],
        "evaluate": ["batchnav", "eval", "RUN", *(relative(word) for word in run.evaluate)],
        "frames": trained["frames"],
        "seconds": trained["seconds"],
        "learner": config["learner"],
        "machine": config["machine"],
        "curve": curve(read_log(folder, "update")),
        "validations": [
            {"frames": row["frames"], **{key: row["metrics"][key] for key in ("success", "spl")}}
            for row in read_log(folder, "validation")
        ],
        "test": {
            **{key: result[key] for key in ("protocol", "agents", "differences", "strata")},
            "checkpoint": {k: v for k, v in result["checkpoint"].items() if k != "path"},
        },
        "houses": houses(folder / "test.jsonl"),
    }


def relative(word: str) -> str:
    """A run of another experiment by its name alone."""
    key, equals, path = word.partition("=")
    return f"{key}=RUNS/{Path(path).name}" if equals and "/" in path else word


def curve(updates: Sequence[Mapping[str, Any]]) -> list[dict[str, float]]:
    """The training log in at most ``POINTS`` rows, each the mean of as many updates."""
    size = max(1, math.ceil(len(updates) / POINTS))
    rows = []
    for first in range(0, len(updates), size):
        part = [flat(update) for update in updates[first : first + size]]
        means = {}
        for key in part[-1]:
            known = [row[key] for row in part if row.get(key) is not None]
            means[key] = float(f"{sum(known) / len(known):.5g}") if known else None
        rows.append({**means, "frames": part[-1]["frames"]})
    return rows


def flat(update: Mapping[str, Any]) -> dict[str, Any]:
    """What a learning curve shows of one update."""
    metrics, losses = update["metrics"], update["losses"]
    row = {key: update[key] for key in ("frames", "frames_per_second", "learning_rate")}
    row.update({key: metrics.get(key) for key in ("success", "spl", "return")})
    return row | {key: losses.get(key) for key in ("entropy", "kl", "grad_norm")}


def houses(path: Path) -> dict[str, dict[str, float]]:
    """Mean SPL and success of the policy, with its first way to act, in each house."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["agent"] == "trained":
            groups.setdefault(row["scene_id"], []).append(row)
    return {
        name: {key: round(sum(row[key] for row in rows) / len(rows), 6) for key in ("success", "spl")}
        for name, rows in groups.items()
    }


def read(path: Path) -> dict[str, Any]:
    """A JSON file."""
    return dict(json.loads(path.read_text("utf-8")))


def main() -> int:
    """Run or store an experiment."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("run", "store"))
    parser.add_argument("name", choices=tuple(EXPERIMENTS))
    parser.add_argument("--out", type=Path, default=Path("runs/studies"), help="folder of the runs")
    given = parser.parse_args()
    if given.what == "run":
        return run_experiment(given.name, given.out)
    record = experiment_record(given.name, given.out)
    (HERE / f"{given.name}.json").write_text(json.dumps(record, separators=(",", ":")) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
