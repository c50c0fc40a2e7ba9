"""One checkpoint for all ranks: what each has of its own is gathered, and dealt out again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from gym_batchnav.rl.distributed.world import World

OWN = ("rng", "metrics", "collector", "env_state")
"""Entries that each rank has for itself; those of rank 0 lie where a single process has them."""
RANKS = "ranks"
"""Entry with those of the other ranks, in their order; runs of one process have none."""


def gather_content(world: World, content: Mapping[str, Any]) -> dict[str, Any]:
    """Brings what every rank has of its own to rank 0, whose result is the whole checkpoint.

    Args:
        world: the ranks; all call this.
        content: of this rank's checkpoint.
    """
    if world.size == 1:
        return dict(content)
    own = None if world.is_main else on_cpu({key: content[key] for key in OWN})
    return {**content, RANKS: world.gather_to_main(own)[1:]}


def deal_out(world: World, content: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Gives every rank its part of a checkpoint that rank 0 has read; None where there is none.

    Where it was written by another number of ranks, the episodes in progress are left out, and those that
    have ended are shared among the ranks of now.
    """
    if world.size == 1 and (content is None or RANKS not in content):
        return None if content is None else dict(content)
    common, parts = None, None
    if world.is_main and content is not None:
        parts = _parts(content, world.size)
        common = {key: value for key, value in content.items() if key not in (*OWN, RANKS)}
        common[RANKS] = 1 + len(content.get(RANKS, ()))
    common = world.broadcast(common)
    if common is None:
        return None
    return {**common, **world.scatter(parts)}


def _parts(content: Mapping[str, Any], size: int) -> list[dict[str, Any]]:
    own = {key: content[key] for key in OWN}
    parts: list[dict[str, Any]] = [own, *content.get(RANKS, ())]
    if len(parts) == size:
        return parts
    shares = _shared([part["metrics"] for part in parts], size)
    # Rank 0 goes on with its random numbers; the others have begun new ones of their own.
    rest = {**own["rng"], "global": None}
    return [
        {"rng": rest if rank else own["rng"], "metrics": share, "collector": None, "env_state": None}
        for rank, share in enumerate(shares)
    ]


def _shared(metrics: Sequence[Mapping[str, Any]], size: int) -> list[dict[str, Any]]:
    """The ended episodes of all, newest last, dealt out to ``size`` ranks; rank 0 keeps their number."""
    values = {key: [v for m in metrics for v in m["values"][key]] for key in metrics[0]["values"]}
    episodes = sum(int(m["episodes"]) for m in metrics)
    return [
        {
            "values": {key: found[rank::size] for key, found in values.items()},
            "episodes": 0 if rank else episodes,
            "returns": [],
            "lengths": [],
        }
        for rank in range(size)
    ]


def on_cpu(value: Any) -> Any:
    """Nested data with its tensors on the CPU: another process may not have the device."""
    if isinstance(value, torch.Tensor):
        return value.detach().cpu()
    if isinstance(value, Mapping):
        return {key: on_cpu(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(on_cpu(item) for item in value)
    return value
