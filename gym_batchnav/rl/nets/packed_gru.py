"""A GRU over packed sequences, for CPUs.

Torch's own records every small operation of every step, and in each adds up a gradient as large as the whole
sequence, which counts in long rollouts. Here a layer is one operation, whose backward pass takes the gradient
of the recurrent weights from all steps at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional


def packed_gru(net: nn.GRU, rows: Tensor, batch_sizes: Tensor, state: Tensor) -> Tensor:
    """What ``net`` makes of a packed sequence.

    Args:
        net: the weights; with biases, in one direction.
        rows: (rows, inputs) float32, step after step, in each the sequences that are still running.
        batch_sizes: (T,) int64, how many those are; never growing.
        state: (layers, sequences, hidden), before the first step.

    Returns:
        (rows, hidden) of the last layer, in the order of ``rows``.
    """
    sizes = batch_sizes.tolist()
    for layer in range(net.num_layers):
        weights = [
            getattr(net, f"{name}_l{layer}") for name in ("weight_ih", "bias_ih", "weight_hh", "bias_hh")
        ]
        inputs = functional.linear(rows, weights[0], weights[1])
        rows = _Layer.apply(inputs, weights[2], weights[3], state[layer], sizes)  # type: ignore[no-untyped-call]
    return rows


class _Layer(torch.autograd.Function):
    """r, z = sigmoid(x + U h + b); n = tanh(x + r (U h + b)); h' = n + z (h - n), as ``torch.nn.GRU``."""

    @staticmethod
    def forward(
        ctx: Any, inputs: Tensor, weight: Tensor, bias: Tensor, state: Tensor, sizes: Sequence[int]
    ) -> Tensor:
        hidden = state.shape[1]
        before, outputs = (inputs.new_empty(inputs.shape[0], hidden) for _ in range(2))
        gates = torch.empty_like(inputs)  # r, z and n of each step
        recurrent = torch.empty_like(before)  # what r multiplies
        begin = 0
        for size in sizes:
            span = slice(begin, begin + size)
            state = state[:size]
            before[span] = state
            x, u = inputs[span], torch.addmm(bias, state, weight.t())
            both = torch.sigmoid(x[:, : 2 * hidden] + u[:, : 2 * hidden])
            recurrent[span] = u[:, 2 * hidden :]
            n = torch.tanh(torch.addcmul(x[:, 2 * hidden :], both[:, :hidden], u[:, 2 * hidden :]))
            gates[span, : 2 * hidden], gates[span, 2 * hidden :] = both, n
            state = torch.addcmul(n, both[:, hidden:], state - n)
            outputs[span] = state
            begin += size
        ctx.save_for_backward(weight, before, gates, recurrent)
        ctx.sizes = sizes
        return outputs

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor, None]:
        weight, before, gates, recurrent = ctx.saved_tensors
        hidden = before.shape[1]
        r, z, n = gates.split(hidden, dim=1)
        # What does not depend on the gradient, for all steps at once.
        by_z = (before - n) * z * (1 - z)
        by_n = (1 - z) * (1 - n.square())
        by_r = recurrent * r * (1 - r)
        to_inputs = torch.empty_like(gates)
        to_recurrent = torch.empty_like(gates)
        carried = before.new_zeros(0, hidden)
        end = before.shape[0]
        for size in reversed(ctx.sizes):
            span = slice(end - size, end)
            total = grads[0][span].clone()
            total[: carried.shape[0]] += carried
            d_n = total * by_n[span]
            to_inputs[span, :hidden] = d_n * by_r[span]
            to_inputs[span, hidden : 2 * hidden] = total * by_z[span]
            to_inputs[span, 2 * hidden :] = d_n
            to_recurrent[span, : 2 * hidden] = to_inputs[span, : 2 * hidden]
            to_recurrent[span, 2 * hidden :] = d_n * r[span]
            carried = torch.addmm(total * z[span], to_recurrent[span], weight)
            end -= size
        return to_inputs, to_recurrent.t() @ before, to_recurrent.sum(0), carried, None
