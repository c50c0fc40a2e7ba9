"""The PPO update."""

from __future__ import annotations

import functools
from typing import NamedTuple

import torch
from torch import Tensor

from gym_batchnav.errors import BatchNavError, ConfigError
from gym_batchnav.rl.collecting.rollout import Batch, Rollout
from gym_batchnav.rl.config import PPOConfig
from gym_batchnav.rl.distributed.reduce import moments, sum_flat_
from gym_batchnav.rl.distributed.world import World
from gym_batchnav.rl.learning.gae import advantages
from gym_batchnav.rl.learning.optimizers import make_optimizer
from gym_batchnav.rl.learning.parallel import GradientThreads
from gym_batchnav.rl.nets.policy import ActorCritic, PolicyOutput


class LossSums(NamedTuple):
    """Sums over the valid frames of a batch."""

    policy: Tensor
    """Clipped surrogate, to be made small."""
    value: Tensor
    """Half of the squared error, in normalised units."""
    entropy: Tensor
    """Entropy in nats."""
    kl: Tensor
    """Estimate of KL(old, new): ratio - 1 - log ratio (Schulman 2020)."""
    clipped: Tensor
    """Frames whose ratio is outside the clip range."""


def ppo_losses(
    output: PolicyOutput, batch: Batch, old_values: Tensor, targets: Tensor, config: PPOConfig
) -> LossSums:
    """The parts of the loss of Schulman et al. 2017, equations 7 and 9.

    Args:
        output: of the network now, (T, B, actions) and (T, B).
        batch: the sequences; ``batch.advantages`` as they enter the loss.
        old_values: (T, B), in normalised units.
        targets: (T, B), in normalised units.
        config: clip ranges.

    Returns:
        Sums over valid frames.
    """
    valid = batch.valid
    log_probs = output.logits.gather(-1, batch.actions[..., None])[..., 0]
    log_ratio = log_probs - batch.log_probs
    ratio = log_ratio.exp()
    limited = ratio.clamp(1 - config.clip, 1 + config.clip)
    surrogate = -torch.minimum(ratio * batch.advantages, limited * batch.advantages)
    error = (output.values - targets).square()
    if config.value_clip is not None:
        near = old_values + (output.values - old_values).clamp(-config.value_clip, config.value_clip)
        error = torch.maximum(error, (near - targets).square())
    entropy = -(output.logits.exp() * output.logits).sum(-1)
    with torch.no_grad():
        kl = ratio - 1 - log_ratio
        outside = ((ratio - 1).abs() > config.clip).float()
    parts = (surrogate, 0.5 * error, entropy, kl, outside)
    return LossSums(*(torch.where(valid, part, 0.0).sum() for part in parts))


class PPO:
    """Improves a policy on one rollout after the other.

    Args:
        policy: the network.
        config: the update's settings.
        generator: splits the environments into minibatches.
        threads: that compute gradients side by side.
        world: ranks that each have a rollout, of which all learn together; None for one.
    """

    def __init__(
        self,
        policy: ActorCritic,
        config: PPOConfig,
        generator: torch.Generator,
        threads: int = 1,
        world: World | None = None,
    ) -> None:
        self.policy = policy
        self.config = config
        self.generator = generator
        self.world = world or World()
        self.optimizer = make_optimizer(policy, config)
        self.threads = GradientThreads(threads)
        self._parameters = list(policy.parameters())

    def update(
        self, rollout: Rollout, last_values: Tensor, rate: float, entropy_weight: float
    ) -> dict[str, float]:
        """Several epochs over a rollout.

        Args:
            rollout: filled; its ``advantages`` and ``returns`` are written here.
            last_values: (N,), of the frame after the last, in units of reward.
            rate: learning rate.
            entropy_weight: weight of the entropy bonus.

        Returns:
            Mean losses and diagnostics by name.

        Raises:
            BatchNavError: the loss is not finite.
        """
        if self.config.minibatches > rollout.num_envs:
            raise ConfigError(
                f"minibatches is {self.config.minibatches}, but there are {rollout.num_envs} environments; "
                "it must not be more"
            )
        explained = self._prepare(rollout, last_values)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        sums = torch.zeros(len(LossSums._fields), device=self.policy.device)
        norms: list[Tensor] = []
        for _ in range(self.config.epochs):
            for rows in rollout.minibatches(self.config.minibatches, self.generator):
                part, norm = self._minibatch(rollout, rows, entropy_weight)
                sums += part
                norms.append(norm)
        self._count_images(rollout)
        steps = self.config.epochs * self.config.minibatches
        means = dict(zip(LossSums._fields, (sums / steps).tolist(), strict=True))
        return {
            "policy_loss": means["policy"],
            "value_loss": means["value"],
            "entropy": means["entropy"],
            "kl": means["kl"],
            "clip_fraction": means["clipped"],
            "explained_variance": explained,
            "grad_norm": float(torch.stack(norms).mean()),
        }

    def _count_images(self, rollout: Rollout) -> None:
        """Takes the images of all ranks into the statistics that scale the next rollout's."""
        seen = slice(0, rollout.filled + 1)
        counted = self.policy.count_images({key: slot[seen] for key, slot in rollout.obs.items()})
        sum_flat_(self.world, list(counted.values()))
        self.policy.merge_images(counted)

    @torch.no_grad()
    def _prepare(self, rollout: Rollout, last_values: Tensor) -> float:
        """Advantages and returns; gives the share of the returns' variance that the values explain."""
        config = self.config
        filled = rollout.filled
        raw = advantages(
            rollout.rewards[:filled],
            rollout.values[:filled],
            last_values,
            rollout.terminated[:filled],
            rollout.truncated[:filled],
            rollout.final_values[:filled],
            config.gamma,
            config.gae_lambda,
        )
        if filled < rollout.steps:
            raw = torch.cat((raw, torch.zeros_like(rollout.values[filled:])))
        torch.add(raw, rollout.values, out=rollout.returns)
        valid = rollout.valid
        kept, returns = moments(self.world, raw[valid], rollout.returns[valid])
        if config.normalize_advantages:
            raw = (raw - kept.mean) / (kept.std + 1e-5)
        rollout.advantages.copy_(raw)
        if config.normalize_values:
            self.policy.update_value_scale(returns.mean, returns.square)
        variance = float(returns.variance)
        return 1.0 - float(kept.variance) / variance if variance > 0 else 0.0

    def _minibatch(self, rollout: Rollout, rows: Tensor, entropy_weight: float) -> tuple[Tensor, Tensor]:
        """One optimiser step; gives the means of the loss parts and the gradient norm before clipping."""
        config = self.config
        # Of all ranks: then the sum of their gradients is the mean over all frames, whoever has more.
        frames = self.world.sum_(rollout.valid[:, rows.to(rollout.valid.device)].sum()).clamp_min(1)

        def gradients(part: Tensor) -> tuple[Tensor, tuple[Tensor | None, ...]]:
            sums = self._losses(rollout.batch(part))
            loss = sums.policy + config.value_coefficient * sums.value - entropy_weight * sums.entropy
            found = torch.autograd.grad(loss / frames, self._parameters, allow_unused=True)
            return torch.stack(sums).detach(), found

        share = -(-len(rows) // self.threads.count)
        size = max(1, min(share, config.microbatch_frames // rollout.steps))
        # Added up in the order of the parts, whichever is ready first: equal runs stay equal.
        results = self.threads.map(gradients, torch.split(rows, size))
        total = torch.stack([sums for sums, _ in results]).sum(dim=0)
        for parameter, *parts in zip(self._parameters, *(found for _, found in results), strict=True):
            given = [part for part in parts if part is not None]
            parameter.grad = functools.reduce(torch.add, given) if given else None
        sum_flat_(self.world, [*(p.grad for p in self._parameters if p.grad is not None), total])
        norm = torch.nn.utils.clip_grad_norm_(self.policy.parameters(), config.max_grad_norm)
        if not torch.isfinite(norm):
            raise BatchNavError(
                f"the gradient is not finite (norm {float(norm)}) at learning rate "
                f"{self.optimizer.param_groups[0]['lr']:.3g}; lower it, or look for non-finite "
                "observations or rewards"
            )
        self.optimizer.step()
        return total / frames, norm.detach()

    def _losses(self, batch: Batch) -> LossSums:
        output = self.policy.sequence(batch.obs, batch.state, batch.previous, batch.starts)
        scale = self.policy.value_scale
        return ppo_losses(
            output, batch, scale.normalize(batch.values), scale.normalize(batch.returns), self.config
        )
