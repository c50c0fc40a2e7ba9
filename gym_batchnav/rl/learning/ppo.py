"""The PPO update."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor

from gym_batchnav.errors import BatchNavError, ConfigError
from gym_batchnav.rl.collecting.rollout import Rollout
from gym_batchnav.rl.config import PPOConfig
from gym_batchnav.rl.distributed.reduce import moments
from gym_batchnav.rl.distributed.world import World
from gym_batchnav.rl.learning.gradients import FlatGradients
from gym_batchnav.rl.learning.losses import LossSums, ppo_losses
from gym_batchnav.rl.learning.optimizer_step import OptimizerStep
from gym_batchnav.rl.learning.optimizers import load_optimizer, make_optimizer
from gym_batchnav.rl.learning.parallel import GradientThreads
from gym_batchnav.rl.learning.targets import Evaluation, estimate, explained_variance
from gym_batchnav.rl.nets.policy import ActorCritic

_LOWEST_SCALE = 1e-6


class Progress(NamedTuple):
    """What an update did, on the device of the policy; scalars unless a shape is given."""

    losses: Tensor
    """(len(LossSums._fields),), sums over steps of means over frames."""
    norm: Tensor
    """Sum over steps of gradient norms before clipping."""
    steps: Tensor
    """Steps that were taken; the sums go over these."""
    explained: Tensor
    """Share of the variance of the returns that the values explain."""
    failed: Tensor
    """1 if a gradient was not finite and there is no loss scale that could be lowered."""
    scale: Tensor
    """Loss scale."""


def check_minibatches(config: PPOConfig, num_envs: int) -> None:
    """Refuses more minibatches than there are environments to split, with a ``ConfigError``."""
    if config.minibatches > num_envs:
        raise ConfigError(
            f"minibatches is {config.minibatches}, but there are {num_envs} environments to split; take more "
            "environments or fewer minibatches"
        )


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
        self.gradients = FlatGradients(list(policy.parameters()), extras=len(LossSums._fields) + 1)
        self.step = OptimizerStep(self.optimizer, self.gradients, config.max_grad_norm)

    def update(
        self, rollout: Rollout, last_values: Tensor, rate: float, entropy_weight: float
    ) -> dict[str, float]:
        """Several epochs over a rollout. The host waits for the device at the beginning and at the end.

        Args:
            rollout: filled; its ``advantages`` and ``returns`` are written here.
            last_values: (N,), of the frame after the last, in units of reward.
            rate: learning rate.
            entropy_weight: weight of the entropy bonus.

        Returns:
            Mean losses and diagnostics by name.

        Raises:
            BatchNavError: the loss is not finite; says which inputs look like the reason.
        """
        check_minibatches(self.config, rollout.num_envs)
        progress = self.improve(rollout, rollout.starts.cpu(), last_values, rate, entropy_weight)
        return self._report(progress, rollout)

    def improve(
        self, rollout: Rollout, starts: Tensor, last_values: Tensor, rate: float, entropy_weight: float
    ) -> Progress:
        """What ``update`` does, with nothing read back from the device.

        Args:
            rollout: as for ``update``.
            starts: ``rollout.starts`` on the CPU, which plans by them.
            last_values: as for ``update``.
            rate: as for ``update``.
            entropy_weight: as for ``update``.
        """
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.step.begin(scaled=self.policy.precision == "float16")
        acted = Evaluation(rollout.values, last_values, rollout.log_probs)
        explained = self._set_targets(rollout, acted, first=True)
        # One sum for each loss, one for the norm and one for the count.
        sums = torch.zeros(len(LossSums._fields) + 2, device=self.policy.device)
        for epoch in range(self.config.epochs):
            if epoch > 0 and self.config.advantage == "vtrace":
                self._set_targets(rollout, self._evaluate(rollout, starts), first=False)
            for rows in rollout.minibatches(self.config.minibatches, self.generator):
                sums += self._minibatch(rollout, starts, rows, entropy_weight)
        self._count_images(rollout)
        return Progress(sums[:-2], sums[-2], sums[-1], explained, self.step.failed, self.step.loss_scale())

    def state_dict(self) -> dict[str, Any]:
        """What goes on from one update to the next, beside the policy and the generator."""
        return {"optimizer": self.optimizer.state_dict(), "loss_scale": self.step.state_dict()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """The inverse of ``state_dict``; options of the optimiser stay as they are configured.

        Raises:
            ValueError: it is of another network.
        """
        load_optimizer(self.optimizer, state["optimizer"])
        self.step.load_state_dict(state.get("loss_scale", {}))

    @torch.no_grad()
    def _set_targets(self, rollout: Rollout, policy: Evaluation, *, first: bool) -> Tensor:
        """Writes advantages and returns; gives the share of the returns' variance that the values explain."""
        targets = estimate(rollout, policy, self.config)
        kinds = torch.stack((targets.advantages, targets.returns, targets.returns - policy.values))
        found = moments(self.world, kinds, rollout.valid)
        raw = targets.advantages
        if self.config.normalize_advantages:
            raw = (raw - found.mean[0]) / (found.std[0] + 1e-5)
        rollout.advantages.copy_(raw)
        rollout.returns.copy_(targets.returns)
        if first and self.config.normalize_values:
            self.policy.update_value_scale(found.mean[1], found.square[1])
        return explained_variance(found.variance[1], found.variance[2])

    @torch.no_grad()
    def _evaluate(self, rollout: Rollout, starts: Tensor) -> Evaluation:
        """What the policy says now about all frames, the one after the last among them."""

        def evaluate(rows: Tensor) -> tuple[Tensor, Tensor]:
            with torch.no_grad():  # which is a matter of each thread
                output = self.policy.sequence(*rollout.inputs(rows, starts, last=True))
            actions = rollout.actions.index_select(1, rows.to(rollout.actions.device))
            log_probs = output.logits[:-1].gather(-1, actions[..., None])[..., 0]
            return self.policy.real_values(output.values), log_probs

        parts = self.threads.map(evaluate, self._parts(torch.arange(rollout.num_envs), rollout.steps + 1))
        values = torch.cat([part[0] for part in parts], dim=1)
        return Evaluation(values[:-1], values[rollout.filled], torch.cat([part[1] for part in parts], dim=1))

    def _count_images(self, rollout: Rollout) -> None:
        """Takes the images in only now: what learnt from a rollout saw them as what acted did."""
        seen = slice(0, rollout.filled + 1)
        counted = self.policy.count_images({key: slot[seen] for key, slot in rollout.obs.items()})
        self.policy.merge_images({key: self.world.sum_(value) for key, value in counted.items()})

    def _parts(self, rows: Tensor, steps: int) -> tuple[Tensor, ...]:
        """Environments whose sequences are computed at once: a part for each thread, or smaller ones."""
        share = -(-len(rows) // self.threads.count)
        return torch.split(rows, max(1, min(share, self.config.microbatch_frames // steps)))

    def _minibatch(self, rollout: Rollout, starts: Tensor, rows: Tensor, entropy_weight: float) -> Tensor:
        """One step; gives mean losses, the norm of the gradient and 1, or zeros if the step was skipped."""
        total = self._summed_gradients(rollout, starts, rows, entropy_weight)
        frames = total[-1].clamp_min(1)
        losses = total[-self.gradients.extras : -1] / frames
        norm, taken = self.step.apply(total, frames)
        return torch.where(taken, torch.cat((losses, norm[None], torch.ones_like(norm)[None])), 0.0)

    def _summed_gradients(
        self, rollout: Rollout, starts: Tensor, rows: Tensor, entropy_weight: float
    ) -> Tensor:
        """Gradients, losses and the count of valid frames of a minibatch, summed over parts and ranks."""
        scale = self.step.loss_scale()

        def compute(part: tuple[int, Tensor]) -> None:
            sums, frames = self._losses(rollout, starts, part[1])
            loss = sums.policy + self.config.value_coefficient * sums.value - entropy_weight * sums.entropy
            found = torch.autograd.grad(loss * scale, self.gradients.parameters, allow_unused=True)
            self.gradients.put(part[0], found, torch.stack((*sums, frames)).detach())

        parts = self._parts(rows, rollout.steps)
        self.gradients.reserve(len(parts))
        self.threads.map(compute, list(enumerate(parts)))
        return self.world.sum_(self.gradients.total(len(parts)))

    def _losses(self, rollout: Rollout, starts: Tensor, rows: Tensor) -> tuple[LossSums, Tensor]:
        """Losses of some environments and the number of their valid frames."""
        batch = rollout.batch(rows, starts)
        output = self.policy.sequence(*batch.inputs)
        scale = self.policy.value_scale
        values, returns = scale.normalize(batch.values), scale.normalize(batch.returns)
        return ppo_losses(output, batch, values, returns, self.config), batch.valid.sum().float()

    def _report(self, progress: Progress, rollout: Rollout) -> dict[str, float]:
        """Reads what an update did; the one place where the host waits for it."""
        scalars = torch.stack(
            (progress.norm, progress.steps, progress.explained, progress.failed, progress.scale)
        )
        *losses, norm, steps, explained, failed, scale = torch.cat((progress.losses, scalars)).tolist()
        if failed or (steps == 0 and scale < _LOWEST_SCALE):
            found = rollout.extremes()
            rate = self.optimizer.param_groups[0]["lr"]
            raise BatchNavError(
                f"the gradient is not finite at learning rate {rate:.3g}; "
                + (f"{found}: scale or clip that in the environment" if found else "lower it")
            )
        means = LossSums(*(loss / max(steps, 1.0) for loss in losses))
        report = {
            "policy_loss": means.policy,
            "value_loss": means.value,
            "entropy": means.entropy,
            "kl": means.kl,
            "clip_fraction": means.clipped,
            "explained_variance": explained,
            "grad_norm": norm / max(steps, 1.0),
        }
        if self.policy.precision == "float16":
            skipped = self.config.epochs * self.config.minibatches - steps
            report |= {"loss_scale": scale, "skipped_steps": skipped}
        return report
