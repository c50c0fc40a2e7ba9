"""Fills rollouts: acts, steps the environment, and values the episodes that were cut short."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
from gymnasium.vector import VectorEnv
from torch import Tensor

from gym_batchnav.rl.collecting.metrics import EpisodeMetrics
from gym_batchnav.rl.collecting.rollout import Rollout
from gym_batchnav.rl.collecting.stepping import Transition, VectorStepper
from gym_batchnav.rl.collecting.timing import StageTimer
from gym_batchnav.rl.config import TrainConfig
from gym_batchnav.rl.nets.policy import ActorCritic, sample_actions


class _Truncated(NamedTuple):
    step: int
    rows: Tensor
    obs: dict[str, Tensor]
    state: Tensor
    previous: Tensor


class Collector:
    """Runs the policy in the environment, one rollout at a time.

    Args:
        policy: the network that acts.
        envs: the environment.
        config: of the run.
        generator: draws the actions.
        timer: gets the stages "env" and "act".
    """

    def __init__(
        self,
        policy: ActorCritic,
        envs: VectorEnv[Any, Any, Any],
        config: TrainConfig,
        generator: torch.Generator,
        timer: StageTimer,
    ) -> None:
        self.policy = policy
        self.stepper = VectorStepper(envs)
        self.generator = generator
        self.timer = timer
        self.state = policy.initial_state(envs.num_envs)
        self.rollout = Rollout(
            policy.prepared, config.ppo.rollout_length, envs.num_envs, self.state, config.float_image_storage
        )
        self.metrics = EpisodeMetrics(config.metric_keys, config.metric_window, envs.num_envs)
        self.last_values = self.rollout.values[0].clone()

    def reset(self, seed: int) -> None:
        """Begins new episodes in all rows."""
        obs, _ = self.stepper.reset(seed)
        last = self.rollout.steps
        self.rollout.put_obs(last, self.policy.prepare(obs))
        self.rollout.starts[last] = True
        self.rollout.previous[last] = -1
        self.state = self.policy.initial_state(self.stepper.num_envs)

    @torch.no_grad()
    def collect(self) -> Rollout:
        """Takes T steps in all rows; the rollout is overwritten by the next call."""
        rollout = self.rollout
        rollout.roll()
        rollout.state.copy_(self.state)
        rollout.final_values.zero_()
        truncated: list[_Truncated] = []
        for t in range(rollout.steps):
            with self.timer.stage("act"):
                self._act(t)
            with self.timer.stage("env"):
                step = self.stepper.step(rollout.actions[t])
            with self.timer.stage("act"):
                self._store(t, step)
                self.metrics.add(step)
                if step.final_obs is not None:
                    truncated.append(self._keep(t, step, step.final_obs))
        with self.timer.stage("act"):
            self._value_truncated(truncated)
            self.last_values = self._last_values()
        return rollout

    def _act(self, t: int) -> None:
        rollout = self.rollout
        output, self.state = self.policy.step(
            rollout.get_obs(t), self.state, rollout.previous[t], rollout.starts[t]
        )
        actions = sample_actions(output.logits, self.generator)
        rollout.actions[t] = actions
        rollout.log_probs[t] = output.logits.gather(1, actions[:, None])[:, 0]
        rollout.values[t] = self.policy.real_values(output.values)

    def _store(self, t: int, step: Transition) -> None:
        rollout = self.rollout
        rollout.put_obs(t + 1, self.policy.prepare(step.obs))
        rollout.rewards[t].copy_(torch.from_numpy(step.rewards))
        rollout.terminated[t].copy_(torch.from_numpy(step.terminated))
        rollout.truncated[t].copy_(torch.from_numpy(step.truncated))
        rollout.valid[t].copy_(torch.from_numpy(~step.skipped))
        rollout.starts[t + 1].copy_(torch.from_numpy(step.starts))
        rollout.previous[t + 1].copy_(rollout.actions[t])

    def _keep(self, t: int, step: Transition, obs: dict[str, Tensor]) -> _Truncated:
        rows = torch.from_numpy(step.final_rows).to(self.state.device)
        return _Truncated(
            t,
            rows,
            self.rollout.encode(self.policy.prepare(obs)),
            self.state[:, rows],
            self.rollout.actions[t, rows],
        )

    def _value_truncated(self, truncated: list[_Truncated]) -> None:
        """Values the last observations, with the memory that the policy had there, in one batch."""
        if not truncated:
            return
        obs = {key: torch.cat([item.obs[key] for item in truncated]) for key in truncated[0].obs}
        previous = torch.cat([item.previous for item in truncated])
        state = torch.cat([item.state for item in truncated], dim=1)
        output, _ = self.policy.step(obs, state, previous, torch.zeros_like(previous, dtype=torch.bool))
        steps = torch.cat([torch.full_like(item.rows, item.step) for item in truncated])
        rows = torch.cat([item.rows for item in truncated])
        self.rollout.final_values[steps, rows] = self.policy.real_values(output.values)

    def _last_values(self) -> Tensor:
        rollout, last = self.rollout, self.rollout.steps
        output, _ = self.policy.step(
            rollout.get_obs(last), self.state, rollout.previous[last], rollout.starts[last]
        )
        return self.policy.real_values(output.values)

    def snapshot(self) -> dict[str, Any]:
        """Everything that goes on from one rollout to the next, the environment apart."""
        rollout, last = self.rollout, self.rollout.steps
        return {
            "obs": {key: value.clone() for key, value in rollout.get_obs(last).items()},
            "starts": rollout.starts[last].clone(),
            "previous": rollout.previous[last].clone(),
            "state": self.state.clone(),
            "needs_reset": torch.from_numpy(self.stepper.needs_reset.copy()),
        }

    def restore(self, snapshot: Mapping[str, Any]) -> None:
        """The inverse of ``snapshot``; the environment must have been brought to the same point."""
        rollout, last = self.rollout, self.rollout.steps
        for key, value in snapshot["obs"].items():
            rollout.obs[key][last].copy_(value)
        rollout.starts[last].copy_(snapshot["starts"])
        rollout.previous[last].copy_(snapshot["previous"])
        self.state = snapshot["state"].to(self.state.device)
        self.stepper.needs_reset = snapshot["needs_reset"].numpy().copy()
