"""Lamb: Adam whose step is scaled, tensor by tensor, to the size of the weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, overload

import torch
from torch import Tensor
from torch.optim import Optimizer

from gym_batchnav.errors import ConfigError

_Number = Tensor | float


class Lamb(Optimizer):
    """Large-batch Adam (You et al. 2020, algorithm 2), with the bounds of Shacklett et al. 2021.

    The step of a tensor w with gradient g is, with Adam's bias-corrected moments m and v,

        u = m / (sqrt(v) + eps) + weight_decay * w,    w <- w - lr * trust * u,
        trust = clamp(min(|w|, max_weight_norm) / |u|, *trust_bounds), or 1 where |w| or |u| is 0.

    Groups with ``adapt=False`` take trust = 1 throughout, which is AdamW (Loshchilov and Hutter 2019). All
    arithmetic is done by foreach kernels on the device of the parameters, which must be the same within a
    group; nothing is read back by the host. A ``GradScaler`` (or whoever sets ``found_inf``) skips a step on
    the device.

    Args:
        params: tensors or groups; a group may override every option below.
        lr: learning rate.
        betas: decay rates of the moments, in [0, 1).
        eps: added to the root of the second moment.
        weight_decay: decoupled; it counts in |u|.
        adapt: whether steps are scaled by the trust ratio.
        max_weight_norm: norms of weights count up to this.
        trust_bounds: lowest and highest trust ratio.

    Raises:
        ConfigError: an option is outside its range.
    """

    # Lets GradScaler hand over ``found_inf`` instead of reading it on the host.
    _step_supports_amp_scaling = True

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[dict[str, Any]],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-5,
        weight_decay: float = 1e-2,
        *,
        adapt: bool = True,
        max_weight_norm: float = 10.0,
        trust_bounds: tuple[float, float] = (0.01, 100.0),
    ) -> None:
        options = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "adapt": adapt,
            "max_weight_norm": max_weight_norm,
            "trust_bounds": trust_bounds,
            # Makes torch put ``step`` where the parameter is when a state is loaded.
            "capturable": True,
        }
        super().__init__(params, options)
        for group in self.param_groups:
            _check(group)

    @overload
    def step(self, closure: None = None) -> None: ...
    @overload
    def step(self, closure: Callable[[], float]) -> float: ...
    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> float | None:
        """Moves all parameters that have a gradient.

        Args:
            closure: computes the loss and the gradients anew; its result is handed back.
        """
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            params = [p for p in group["params"] if p.grad is not None]
            if params:
                self._step_group(group, params)
        return loss

    def _step_group(self, group: dict[str, Any], params: list[Tensor]) -> None:
        states = [self._state_of(p) for p in params]
        grads, keep = self._gradients(params)
        _advance(group, states, grads, keep)
        updates = _updates(group, params, states)
        if group["adapt"]:
            # As tensors on the device: a list of numbers would have to be read by the host.
            ratios = _trust_ratios(group, params, updates)
            torch._foreach_mul_(updates, list(ratios.unbind()))
        _multiply(updates, group["lr"] * keep)
        torch._foreach_sub_(params, updates)

    def _state_of(self, parameter: Tensor) -> dict[str, Tensor]:
        state: dict[str, Tensor] = self.state[parameter]
        if not state:
            state["step"] = torch.zeros((), device=parameter.device)
            state["exp_avg"] = torch.zeros_like(parameter, memory_format=torch.preserve_format)
            state["exp_avg_sq"] = torch.zeros_like(parameter, memory_format=torch.preserve_format)
        return state

    def _gradients(self, params: list[Tensor]) -> tuple[list[Tensor], _Number]:
        """The gradients, unscaled, and 1 where this step counts, or 0 where it is to be skipped."""
        grads = [p.grad for p in params if p.grad is not None]
        scale: Tensor | None = getattr(self, "grad_scale", None)
        found_inf: Tensor | None = getattr(self, "found_inf", None)
        if scale is not None:
            grads = list(torch._foreach_div(grads, [scale] * len(grads)))
        if found_inf is None:
            return grads, 1.0
        # Zero times infinity is not a number: what is skipped must be finite too.
        grads = [g.nan_to_num(nan=0.0, posinf=0.0, neginf=0.0) for g in grads]
        return grads, 1.0 - found_inf.to(grads[0].device)


def _multiply(tensors: tuple[Tensor, ...], factor: _Number) -> None:
    """Multiplies in place. Given a tensor, ``torch._foreach_mul_`` itself would read its value."""
    if isinstance(factor, Tensor):
        torch.ops.aten._foreach_mul_.Tensor(tensors, factor)
    else:
        torch._foreach_mul_(tensors, factor)


def _advance(
    group: dict[str, Any], states: list[dict[str, Tensor]], grads: list[Tensor], keep: _Number
) -> None:
    """Counts the step and moves both moments towards the gradients, unless ``keep`` is 0."""
    beta1, beta2 = group["betas"]
    steps = [state["step"] for state in states]
    torch._foreach_add_(steps, [keep] * len(steps) if isinstance(keep, Tensor) else keep)
    squares = torch._foreach_mul(grads, grads)
    for name, beta, news in (("exp_avg", beta1, grads), ("exp_avg_sq", beta2, squares)):
        moments = [state[name] for state in states]
        changes = torch._foreach_sub(news, moments)
        _multiply(changes, (1.0 - beta) * keep)
        torch._foreach_add_(moments, changes)


def _updates(
    group: dict[str, Any], params: list[Tensor], states: list[dict[str, Tensor]]
) -> tuple[Tensor, ...]:
    """What Adam would subtract at a learning rate of 1, decay included."""
    beta1, beta2 = group["betas"]
    # A first step that is skipped leaves the count at 0, where the corrections would divide by 0.
    steps = torch.stack([state["step"] for state in states]).clamp_min(1)
    first, second = _correction(beta1, steps), _correction(beta2, steps).sqrt()
    roots = torch._foreach_sqrt([state["exp_avg_sq"] for state in states])
    torch._foreach_div_(roots, list(second.unbind()))
    torch._foreach_add_(roots, group["eps"])
    updates = torch._foreach_div([state["exp_avg"] for state in states], roots)
    torch._foreach_div_(updates, list(first.unbind()))
    if group["weight_decay"]:
        torch._foreach_add_(updates, params, alpha=group["weight_decay"])
    return updates


def _correction(beta: float, steps: Tensor) -> Tensor:
    """1 - beta^steps, without the rounding of a difference of near numbers."""
    return -torch.expm1(steps * (math.log(beta) if beta else -math.inf))


def _trust_ratios(group: dict[str, Any], params: list[Tensor], updates: tuple[Tensor, ...]) -> Tensor:
    """One ratio per tensor, (P,)."""
    weights = torch.stack(torch._foreach_norm(params))
    steps = torch.stack(torch._foreach_norm(updates))
    ratios = (weights.clamp_max(group["max_weight_norm"]) / steps).clamp(*group["trust_bounds"])
    return torch.where((weights > 0) & (steps > 0), ratios, 1.0)


def _check(group: dict[str, Any]) -> None:
    for name in ("lr", "eps", "weight_decay", "max_weight_norm"):
        if not group[name] >= 0:
            raise ConfigError(f"Lamb's {name} is {group[name]}; it must be at least 0")
    if not all(0 <= beta < 1 for beta in group["betas"]):
        raise ConfigError(f"Lamb's betas are {group['betas']}; both must be in [0, 1)")
    low, high = group["trust_bounds"]
    if not 0 <= low <= high:
        raise ConfigError(f"Lamb's trust_bounds are {group['trust_bounds']}; they must rise, from 0 or more")
