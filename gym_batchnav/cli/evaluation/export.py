"""``batchnav export``: the policy of a run as a small file, with a card that says how it was made."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...errors import ConfigError
from ...rl import load_policy
from ...rl.pretrained import export_policy
from ..args import ExportArgs
from ..machine import machine_facts
from ..show import console
from ..training.runs import read_json, write_json
from .checkpoints import chosen_checkpoint
from .contestants import Trained

CARD_METRICS = ("success", "spl", "soft_spl")


def run_export(args: ExportArgs) -> int:
    """Write weights and card; returns the exit status."""
    if args.output.suffix != ".pt":
        raise ConfigError(f"--output {args.output} is not allowed; expected a name that ends in .pt")
    source = Trained.read(chosen_checkpoint(args.checkpoint, best=args.best))
    record = source.record()
    chosen = record.get("chosen", {}).get("by")
    env = {**source.task(), "task": source.task_name}
    export_policy(source.path, args.output, env=env, chosen_by=chosen, dtype=args.dtype)
    card = args.output.with_suffix(".json")
    write_json(card, make_card(args.output, args.result))
    size = args.output.stat().st_size / 1e6
    told = f"written: {args.output.resolve()} ({size:.2f} MB) and {card.name}"
    console(markup=False).print(told, soft_wrap=True)
    return 0


def make_card(weights: Path, result: Path | None) -> dict[str, Any]:
    """What there is to say about a file of weights.

    Args:
        weights: File that ``export_policy`` wrote.
        result: What ``batchnav eval --json`` wrote about this very file; None leaves the figures out.

    Raises:
        ConfigError: the result is about other weights.
    """
    trained = Trained.read(weights)
    record = {key: value for key, value in trained.record().items() if key != "path"}
    policy, facts = load_policy(weights).policy, machine_facts()
    return {
        "weights": weights.name,
        "bytes": weights.stat().st_size,
        "licence": "MIT",
        "parameters": sum(parameter.numel() for parameter in policy.parameters()),
        **record,
        "training_seconds": trained.content["progress"]["elapsed_s"],
        "observations": trained.content["env_spec"]["fields"],
        "environment": trained.task(),
        "learner": trained.content["config"],
        "versions": {name: facts[name] for name in ("gym_batchnav", "python", "torch", "numpy")},
        **({} if result is None else {"evaluation": _figures(read_json(result), record["sha256"], result)}),
    }


def _figures(result: Mapping[str, Any], sha256: str, path: Path) -> dict[str, Any]:
    """The head of an evaluation's result."""
    theirs = result.get("checkpoint", {}).get("sha256")
    if theirs != sha256:
        raise ConfigError(
            f"--result {path} is about other weights (sha256 {theirs}, not {sha256}); evaluate the exported "
            "file, then export again with its result"
        )
    agents = {
        name: {key: agent[key] for key in (*CARD_METRICS, "episodes", "actions")}
        for name, agent in result["agents"].items()
    }
    return {"protocol": result["protocol"], "agents": agents, "differences": result["differences"]}
