"""Weights without the rest of a checkpoint, and those that come with the package."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import torch

from gym_batchnav.errors import CheckpointError, ConfigError
from gym_batchnav.rl.config import TrainConfig
from gym_batchnav.rl.nets.policy import ActorCritic
from gym_batchnav.rl.running.checkpoint import load_checkpoint, resolve_checkpoint, save_checkpoint
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
    content = load_checkpoint(resolve_checkpoint(source))
    kept = ("config", "env_spec", "progress")
    save_checkpoint(
        target,
        {
            **{key: content[key] for key in kept},
            "policy": _rounded(content, getattr(torch, dtype)),
            "env": dict(env or content.get("env") or {}),
            "chosen_by": chosen_by or content.get("chosen_by"),
        },
    )


def _rounded(content: Mapping[str, Any], dtype: torch.dtype) -> dict[str, torch.Tensor]:
    """The weights with all parameters in ``dtype``."""
    config = TrainConfig.from_dict(content["config"])
    policy = ActorCritic(config.policy, EnvSpec.from_dict(content["env_spec"]))
    parameters = {name for name, _ in policy.named_parameters()}
    weights = {}
    for name, value in content["policy"].items():
        weights[name] = value.to(dtype) if name in parameters else value
        if not torch.isfinite(weights[name]).all():
            raise ConfigError(
                f"the parameter {name} reaches {value.abs().max():g}, which {dtype} cannot hold; use float32"
            )
    return weights
