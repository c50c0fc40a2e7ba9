"""One step of the optimiser: clipped, and skipped where the gradient is not finite."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor
from torch.amp.grad_scaler import GradScaler
from torch.optim import Optimizer

from gym_batchnav.rl.learning.gradients import FlatGradients

_FIRST_SCALE = 256.0
"""Losses are sums over frames, so this is the scale of one frame's gradient; it finds its level by itself."""
_GROWTH_STEPS = 500


class OptimizerStep:
    """Clips summed gradients and applies them; the host reads nothing.

    Without a loss scale a gradient that is not finite is an error, which ``failed`` remembers: that step and
    all after it are skipped. With one (for float16) its step alone is skipped, and the scale is halved.

    Args:
        optimizer: takes the steps; reads ``found_inf``.
        gradients: of its parameters.
        max_norm: gradients are scaled down to this norm.
    """

    def __init__(self, optimizer: Optimizer, gradients: FlatGradients, max_norm: float) -> None:
        self.optimizer, self.gradients, self.max_norm = optimizer, gradients, max_norm
        device = gradients.parameters[0].device
        self.failed = torch.zeros((), device=device)
        self._one = torch.ones((), device=device)
        self._scaler: GradScaler | None = None
        self._scaled = False

    def begin(self, *, scaled: bool) -> None:
        """Called before the steps of an update.

        Args:
            scaled: whether losses are to be multiplied by ``loss_scale``.
        """
        self.failed.zero_()
        self._scaled = scaled
        if scaled:
            self._scaler = self._scaler or _make_scaler(self._one.device)

    def loss_scale(self) -> Tensor:
        """What losses are to be multiplied by before gradients are taken, a scalar."""
        if self._scaler is None or not self._scaled:
            return self._one
        scale: Tensor = self._scaler.scale(self._one)
        return scale

    def apply(self, total: Tensor, frames: Tensor) -> tuple[Tensor, Tensor]:
        """Takes a step along a sum of gradients, over frames and ranks, that ``gradients`` holds.

        Args:
            total: what ``gradients.total`` gave; overwritten.
            frames: over how many frames it goes, a scalar.

        Returns:
            The norm of the mean gradient before clipping, and whether the step was taken; scalars.
        """
        self.gradients.attach()
        gradient = total[: -self.gradients.extras]
        gradient /= frames
        if self._scaled and self._scaler is not None:
            self._scaler.unscale_(self.optimizer)
        norm = torch.linalg.vector_norm(gradient)
        taken = torch.isfinite(norm)
        gradient *= (self.max_norm / (norm + 1e-6)).clamp_max(1.0)
        if self._scaled and self._scaler is not None:
            self._scaler.step(self.optimizer)
            self._scaler.update()
        else:
            self.failed = torch.maximum(self.failed, (~taken).float())
            taken = self.failed == 0
            self.optimizer.found_inf = self.failed  # type: ignore[attr-defined]
            self.optimizer.step()
        return norm, taken

    def state_dict(self) -> dict[str, Any]:
        """The loss scale and its counters; empty without one."""
        return {} if self._scaler is None else self._scaler.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """The inverse of ``state_dict``."""
        self._scaler = _make_scaler(self._one.device) if state else None
        if self._scaler is not None:
            self._scaler.load_state_dict(dict(state))


def _make_scaler(device: torch.device) -> GradScaler:
    return GradScaler(device.type, init_scale=_FIRST_SCALE, growth_interval=_GROWTH_STEPS)
