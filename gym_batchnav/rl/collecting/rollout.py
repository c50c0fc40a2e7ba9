"""Storage of one rollout of T steps of N environments, allocated once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import torch
from torch import Tensor

from gym_batchnav.errors import ConfigError
from gym_batchnav.rl.config import StorageDtype
from gym_batchnav.rl.nets.recurrent import FragmentPlan, plan_fragments, upload
from gym_batchnav.rl.spec import FieldSpec

ALL_ROWS = slice(None)
_HUGE = 1e6
"""Size above which an input is named where the gradient is not finite."""


class SequenceInputs(NamedTuple):
    """What ``ActorCritic.sequence`` takes, for some environments."""

    obs: dict[str, Tensor]
    """(T, B, ...) each."""
    state: Tensor
    """(S, B, hidden), before the first frame."""
    previous: Tensor
    """(T, B) int64, previous actions."""
    starts: Tensor
    """(T, B) bool."""
    plan: FragmentPlan | None
    """How the sequences lie in a packed one; None without a memory."""


class Batch(NamedTuple):
    """Whole sequences of some environments."""

    inputs: SequenceInputs
    """What the network gets."""
    actions: Tensor
    """(T, B) int64."""
    log_probs: Tensor
    """(T, B), of the actions when they were taken."""
    values: Tensor
    """(T, B), in units of reward, when the actions were taken."""
    advantages: Tensor
    """(T, B)."""
    returns: Tensor
    """(T, B), in units of reward."""
    valid: Tensor
    """(T, B) bool; False where the action was ignored by the environment."""


class Rollout:
    """Frames 0 ... T - 1 with what was done in them, and the observation of frame T.

    A rollout that ended early has fewer frames, ``filled``, and the observation of that frame; the rest keeps
    its shape, is not valid, and counts for nothing.

    Args:
        fields: prepared observations by key, see ``ActorCritic.prepare``.
        steps: T.
        num_envs: N.
        state: (S, N, hidden), like the memory that is to be kept; its device is that of the rollout.
        image_dtype: how float images are kept.
    """

    def __init__(
        self,
        fields: Mapping[str, FieldSpec],
        steps: int,
        num_envs: int,
        state: Tensor,
        image_dtype: StorageDtype,
    ) -> None:
        device = state.device
        self.steps, self.num_envs, self.filled = steps, num_envs, steps
        self.obs = {
            key: torch.zeros(steps + 1, num_envs, *field.shape, dtype=_stored_dtype(key, field, image_dtype))
            for key, field in fields.items()
        }
        self.obs = {key: value.to(device) for key, value in self.obs.items()}
        self.state = torch.zeros_like(state)
        flags = torch.zeros(steps + 1, num_envs, dtype=torch.bool, device=device)
        frames = torch.zeros(steps, num_envs, device=device)
        self.starts, self.previous = flags, flags.long()
        self.terminated, self.truncated, self.valid = (flags[:steps].clone() for _ in range(3))
        self.actions = self.previous[:steps].clone()
        self.log_probs, self.values, self.rewards = frames, frames.clone(), frames.clone()
        self.final_values, self.advantages, self.returns = (frames.clone() for _ in range(3))

    def put_obs(self, step: int, obs: Mapping[str, Tensor], rows: slice = ALL_ROWS) -> None:
        """Copies observations (rows, ...) into frame ``step``, in the stored type."""
        for key, slot in self.obs.items():
            slot[step, rows].copy_(as_stored(obs[key], slot.dtype))

    def get_obs(self, step: int, rows: slice = ALL_ROWS) -> dict[str, Tensor]:
        """Views (rows, ...) of frame ``step``."""
        return {key: slot[step, rows] for key, slot in self.obs.items()}

    def encode(self, obs: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Other observations in the types and on the device of this storage."""
        return {
            key: as_stored(obs[key], slot.dtype).to(device=slot.device, dtype=slot.dtype)
            for key, slot in self.obs.items()
        }

    def roll(self) -> None:
        """Makes the frame after the last the new frame 0."""
        for slot in (*self.obs.values(), self.starts, self.previous):
            slot[0].copy_(slot[self.filled])

    def end(self, filled: int) -> None:
        """Says how many frames have been filled; the others hold those of an earlier rollout."""
        self.filled = filled
        for slot in (self.valid, self.terminated, self.truncated):
            slot[filled:] = False

    def extremes(self) -> str:
        """In words, which observations and rewards are not finite or huge; "" where none is."""
        named = {
            **{f"the observation {key!r}": value for key, value in self.obs.items()},
            "rewards": self.rewards,
        }
        found = []
        for name, value in named.items():
            size = value[: self.filled].abs().max().item() if value.numel() else 0.0
            if not size <= _HUGE:
                found.append(f"{name} reaches {size:g}" if math.isfinite(size) else f"{name} is not finite")
                if value.dtype == torch.float16:
                    found[-1] += " (as float16; see float_image_storage)"
        return ", ".join(found)

    def minibatches(self, parts: int, generator: torch.Generator) -> Iterator[Tensor]:
        """Environment indices of each of ``parts`` minibatches, a new random split at each call."""
        order = torch.randperm(self.num_envs, generator=generator)
        yield from torch.tensor_split(order, parts)

    def inputs(self, rows: Tensor, starts: Tensor, *, last: bool = False) -> SequenceInputs:
        """Copies of what ``ActorCritic.sequence`` takes, for some environments.

        Args:
            rows: (B,) int64, on the CPU.
            starts: ``self.starts`` on the CPU.
            last: whether frame T is among them.
        """
        steps = self.steps + 1 if last else self.steps
        index = upload(rows, self.actions.device)
        plan = None
        if self.state.shape[0]:
            plan = plan_fragments(starts[:steps].index_select(1, rows)).to(self.actions.device)
        return SequenceInputs(
            obs={key: slot[:steps].index_select(1, index) for key, slot in self.obs.items()},
            state=self.state.index_select(1, index),
            previous=self.previous[:steps].index_select(1, index),
            starts=self.starts[:steps].index_select(1, index),
            plan=plan,
        )

    def batch(self, rows: Tensor, starts: Tensor) -> Batch:
        """Copies of the sequences of some environments.

        Args:
            rows: (B,) int64, on the CPU.
            starts: ``self.starts`` on the CPU.
        """
        inputs = self.inputs(rows, starts)
        rows = upload(rows, self.actions.device)
        return Batch(
            inputs=inputs,
            actions=self.actions.index_select(1, rows),
            log_probs=self.log_probs.index_select(1, rows),
            values=self.values.index_select(1, rows),
            advantages=self.advantages.index_select(1, rows),
            returns=self.returns.index_select(1, rows),
            valid=self.valid.index_select(1, rows),
        )


def as_stored(value: Tensor, dtype: torch.dtype) -> Tensor:
    """Quantises floats in [0, 1] to 255ths where the storage is uint8; leaves other values alone."""
    if dtype == torch.uint8 and value.is_floating_point():
        return (value * 255).round()
    return value


def _stored_dtype(key: str, field: FieldSpec, image_dtype: StorageDtype) -> torch.dtype:
    if field.dtype == "uint8":
        return torch.uint8
    if not field.is_image:
        return torch.float32
    if image_dtype == "uint8" and not field.unit_range:
        raise ConfigError(
            f"float_image_storage is 'uint8', but {key!r} is not limited to [0, 1]; use 'float16'"
        )
    return {"float32": torch.float32, "float16": torch.float16, "uint8": torch.uint8}[image_dtype]
