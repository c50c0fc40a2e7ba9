"""Gradients as one vector."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn


class FlatGradients:
    """Gradients of all parameters in one vector, with a few other sums at its end.

    A whole vector is added up, sent to other ranks, measured and clipped by one kernel each. There is one for
    each part of a minibatch, so that parts can be computed side by side; they are reused.

    Args:
        parameters: all on one device.
        extras: numbers at the end.
    """

    def __init__(self, parameters: Sequence[nn.Parameter], extras: int) -> None:
        self.parameters = list(parameters)
        self.extras = extras
        self._used = [True] * len(self.parameters)
        self._vectors: list[Tensor] = []
        self._views: list[list[Tensor]] = []

    def reserve(self, parts: int) -> None:
        """Makes vectors for so many parts; called before the threads begin."""
        size = sum(p.numel() for p in self.parameters) + self.extras
        while len(self._vectors) < parts:
            vector = torch.zeros(size, device=self.parameters[0].device, dtype=self.parameters[0].dtype)
            self._vectors.append(vector)
            self._views.append(_views(vector, self.parameters))

    def put(self, part: int, gradients: Sequence[Tensor | None], extras: Tensor) -> None:
        """Copies what was computed for a part into its vector; the same ones must be None in all parts."""
        pairs = [(v, g) for v, g in zip(self._views[part], gradients, strict=True) if g is not None]
        torch._foreach_copy_([view for view, _ in pairs], [gradient for _, gradient in pairs])
        if part == 0:
            self._used = [g is not None for g in gradients]
        self._vectors[part][-self.extras :] = extras

    def total(self, parts: int) -> Tensor:
        """The sum over the parts, in their order whichever was ready first: equal runs stay equal."""
        total = self._vectors[0]
        for vector in self._vectors[1:parts]:
            total += vector
        return total

    def attach(self) -> None:
        """Makes the parameters' ``grad`` views into the vector that ``total`` gives, or None if not used."""
        for parameter, view, used in zip(self.parameters, self._views[0], self._used, strict=True):
            parameter.grad = view if used else None


def _views(vector: Tensor, parameters: Sequence[Tensor]) -> list[Tensor]:
    """Pieces of a vector in the shapes of the parameters, and in their memory formats.

    Fused optimisers read gradients by memory order, so that one in another format would be read scrambled.
    """
    views, begin = [], 0
    for p in parameters:
        assert torch.empty_like(p).stride() == p.stride(), "parameters must fill their memory"
        views.append(vector[begin : begin + p.numel()].as_strided(p.shape, p.stride(), begin))
        begin += p.numel()
    return views
