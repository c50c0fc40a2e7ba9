"""Recurrent networks over whole sequences that hold episode starts."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence

from gym_batchnav.rl.config import Recurrence
from gym_batchnav.rl.nets.packed_gru import packed_gru


class FragmentPlan(NamedTuple):
    """How T x N frames, cut at episode starts, lie in a packed sequence of fragments."""

    order: Tensor
    """(T * N,) int64: flat frame index (t * N + n) of each packed row."""
    inverse: Tensor
    """(T * N,) int64: packed row of each flat frame index."""
    batch_sizes: Tensor
    """(longest,) int64: fragments that are still running at each step; on the CPU, as torch asks."""
    env: Tensor
    """(fragments,) int64: environment of each fragment, longest fragment first."""
    fresh: Tensor
    """(fragments,) bool: the fragment begins with an episode start, so its memory begins at zero."""

    def to(self, device: torch.device) -> FragmentPlan:
        """The plan for sequences on another device; ``batch_sizes`` stays on the CPU."""
        order, inverse, env, fresh = (
            upload(part, device) for part in (self.order, self.inverse, self.env, self.fresh)
        )
        return FragmentPlan(order, inverse, self.batch_sizes, env, fresh)


def upload(tensor: Tensor, device: torch.device) -> Tensor:
    """Brings a tensor of the CPU to a device without waiting for what that is doing."""
    if device.type == "cuda":
        return tensor.pin_memory().to(device, non_blocking=True)
    return tensor.to(device)


def plan_fragments(starts: Tensor) -> FragmentPlan:
    """Cuts sequences at episode starts.

    Args:
        starts: (T, N) bool; True where a frame is the first of an episode.

    Returns:
        The plan, on the device of ``starts``.
    """
    steps, num_envs = starts.shape
    begins = starts.clone()
    begins[0] = True
    time = torch.arange(steps, device=starts.device)[:, None].expand(steps, num_envs)
    begin_time = torch.where(begins, time, torch.zeros_like(time)).cummax(dim=0).values
    # Fragments are numbered environment by environment: one cumulative sum gives each frame's fragment.
    fragment = (begins.t().reshape(-1).cumsum(0) - 1).reshape(num_envs, steps).t()
    lengths = torch.bincount(fragment.reshape(-1))
    by_length = torch.argsort(lengths, descending=True, stable=True)
    rank = torch.empty_like(by_length)
    rank[by_length] = torch.arange(by_length.numel(), device=starts.device)
    offset = time - begin_time
    batch_sizes = torch.bincount(offset.reshape(-1))
    row_of_offset = batch_sizes.cumsum(0) - batch_sizes
    inverse = (row_of_offset[offset] + rank[fragment]).reshape(-1)
    order = torch.empty_like(inverse)
    order[inverse] = torch.arange(inverse.numel(), device=starts.device)
    first_frame = order[: lengths.numel()]
    return FragmentPlan(
        order, inverse, batch_sizes.cpu(), first_frame % num_envs, starts.reshape(-1)[first_frame]
    )


class _Permute(torch.autograd.Function):
    """Rows in another order. Backward is the inverse order, where torch's own indexing would add up rows."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, order: Tensor, inverse: Tensor) -> Tensor:
        ctx.save_for_backward(inverse)
        return rows.index_select(0, order)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        (inverse,) = ctx.saved_tensors
        return grads[0].index_select(0, inverse), None, None


def _permute(rows: Tensor, order: Tensor, inverse: Tensor) -> Tensor:
    permuted: Tensor = _Permute.apply(rows, order, inverse)  # type: ignore[no-untyped-call]
    return permuted


class RecurrentCore(nn.Module):
    """GRU, LSTM or nothing, with one state tensor (S, N, hidden).

    S is ``layers`` for a GRU, ``2 * layers`` for an LSTM (all h, then all c), 0 without memory.
    """

    def __init__(self, kind: Recurrence, inputs: int, hidden: int, layers: int) -> None:
        super().__init__()
        self.kind = kind
        self.layers = layers
        self.hidden = hidden
        self.net: nn.Module
        if kind == "none":
            self.net = nn.Sequential(nn.Linear(inputs, hidden), nn.Tanh())
        else:
            self.net = (nn.GRU if kind == "gru" else nn.LSTM)(inputs, hidden, layers)
        for name, parameter in self.net.named_parameters():
            if "weight" in name:
                nn.init.orthogonal_(parameter)
            else:
                nn.init.zeros_(parameter)

    @property
    def state_rows(self) -> int:
        """First axis S of the state."""
        return {"none": 0, "gru": self.layers, "lstm": 2 * self.layers}[self.kind]

    def initial_state(self, num_envs: int, device: torch.device) -> Tensor:
        """Zeros (S, num_envs, hidden)."""
        return torch.zeros(self.state_rows, num_envs, self.hidden, device=device)

    def step(self, x: Tensor, state: Tensor, starts: Tensor) -> tuple[Tensor, Tensor]:
        """One step for all environments.

        Args:
            x: (N, inputs).
            state: (S, N, hidden), before the step.
            starts: (N,) bool; memory is zeroed there.

        Returns:
            Outputs (N, hidden) and the state after the step.
        """
        output: Tensor
        if self.kind == "none":
            output = self.net(x)
            return output, state
        state = state * (~starts)[None, :, None]
        output, after = self.net(x[None], self._unstack(state))
        return output[0], self._stack(after)

    def sequence(self, x: Tensor, state: Tensor, starts: Tensor, plan: FragmentPlan | None = None) -> Tensor:
        """All steps of all environments at once.

        Args:
            x: (T, N, inputs).
            state: (S, N, hidden), before the first step.
            starts: (T, N) bool.
            plan: ``plan_fragments(starts)``, where it is known already. To make it from what is on a GPU, the
                host has to wait for that.

        Returns:
            Outputs (T, N, hidden), equal to ``step`` called T times.
        """
        result: Tensor
        if self.kind == "none":
            result = self.net(x)
            return result
        steps, num_envs = starts.shape
        plan = plan_fragments(starts) if plan is None else plan
        # A fragment that goes on from before the sequence begins with the state given, others with zeros.
        begin = state[:, plan.env] * (~plan.fresh)[None, :, None]
        rows = _permute(x.reshape(steps * num_envs, -1), plan.order, plan.inverse)
        if isinstance(self.net, nn.GRU) and rows.device.type == "cpu" and rows.dtype == torch.float32:
            data = packed_gru(self.net, rows, plan.batch_sizes, begin)
        else:
            data = self.net(PackedSequence(rows, plan.batch_sizes), self._unstack(begin))[0].data
        result = _permute(data, plan.inverse, plan.order).reshape(steps, num_envs, -1)
        return result

    def _unstack(self, state: Tensor) -> Tensor | tuple[Tensor, Tensor]:
        if self.kind == "gru":
            return state
        return state[: self.layers].contiguous(), state[self.layers :].contiguous()

    def _stack(self, state: Tensor | tuple[Tensor, Tensor]) -> Tensor:
        return state if isinstance(state, Tensor) else torch.cat(state)
