"""Weights without the rest of a checkpoint, and those that come with the package."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import torch

from gym_batchnav.errors import CheckpointError, ConfigError
from gym_batchnav.rl.config import TrainConfig
from gym_batchnav.rl.nets.policy import ActorCritic
from gym_batchnav.rl.running.checkpoint import (
    check_parts,
    load_checkpoint,
    resolve_checkpoint,
    save_checkpoint,
)
from gym_batchnav.rl.spec import EnvSpec

PRETRAINED = "pretrained"
"""What ``load_policy`` takes for the policy that comes with the package."""
FOLDER = Path(__file__).resolve().parents[1] / "pretrained"
WEIGHTS_NAME, CARD_NAME = "policy.pt", "policy.json"
WeightDtype = Literal["float16", "float32"]


def pretrained_path() -> Path:
    """The checkpoint that comes with the package; a card of the same name, ``.json``, says how it was made.

    Raises:
        CheckpointError: this copy of the package has none.
    """
    path = FOLDER / WEIGHTS_NAME
    if not path.is_file():
        raise CheckpointError(
            f"this copy of the package has no pretrained policy ({path} is missing); install it anew, or "
            "train one with 'batchnav train --preset cpu'"
        )
    return path


def export_policy(
    source: Path | str,
    target: Path,
    *,
    env: Mapping[str, Any] | None = None,
    chosen_by: str | None = None,
    dtype: WeightDtype = "float16",
) -> None:
    """Writes a checkpoint that can act and be evaluated, but not be trained on.

    Optimiser, random generators, and the state of the environments are left out, and parameters are rounded
    to ``dtype``; running statistics and counters are not. Equal checkpoints give equal files.

    Args:
        source: a checkpoint, or the folder of a run (its newest checkpoint).
        target: the file to write.
        env: settings of the environment that was trained in, as plain values.
        chosen_by: what the checkpoint was chosen by: "validation", "training" or None.
        dtype: of the parameters in the file; ``load_policy`` makes float32 of them.

    Raises:
        CheckpointError: the source is missing, broken, or does not fit its configuration.
        ConfigError: a parameter is too large for float16, or ``dtype`` is unknown.
    """
    if dtype not in ("float16", "float32"):
        raise ConfigError(f"dtype is {dtype!r}; allowed are float16, float32")
    path = resolve_checkpoint(source)
    content = load_checkpoint(path)
    network = stored_network(content, path)
    kept = ("config", "env_spec", "progress")
    save_checkpoint(
        target,
        {
            **{key: content[key] for key in kept},
            "policy": _rounded(content["policy"], network, getattr(torch, dtype)),
            "env": dict(env or content.get("env") or {}),
            "chosen_by": chosen_by or content.get("chosen_by"),
        },
    )


def stored_network(content: Mapping[str, Any], path: Path) -> ActorCritic:
    """The network that a checkpoint describes, with fresh weights.

    Args:
        content: of the checkpoint.
        path: where it was read, for the error.

    Raises:
        CheckpointError: this version of the library does not know such a network.
    """
    check_parts(content, path)
    try:
        spec = EnvSpec.from_dict(content["env_spec"])
        return ActorCritic(TrainConfig.from_dict(content["config"]).policy, spec)
    except (ConfigError, KeyError, TypeError) as error:
        raise CheckpointError(
            f"the settings in {path} are not those of this version ({error}); use the version of "
            "gym-batchnav that wrote it"
        ) from error


def _rounded(
    given: Mapping[str, torch.Tensor], network: ActorCritic, dtype: torch.dtype
) -> dict[str, torch.Tensor]:
    """Weights with all that are parameters of the network in ``dtype``."""
    parameters = {name for name, _ in network.named_parameters()}
    weights = {}
    for name, value in given.items():
        weights[name] = value.to(dtype) if name in parameters else value
        if not torch.isfinite(weights[name]).all():
            raise ConfigError(
                f"the parameter {name} reaches {value.abs().max():g}, which {dtype} cannot hold; use float32"
            )
    return weights
