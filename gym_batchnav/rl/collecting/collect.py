"""Fills rollouts: acts, steps the environment, and values the episodes that were cut short."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from gym_batchnav.errors import BatchNavError
from gym_batchnav.rl.collecting.acting import Actor
from gym_batchnav.rl.collecting.metrics import EpisodeMetrics
from gym_batchnav.rl.collecting.parts import EnvParts, Part
from gym_batchnav.rl.collecting.rollout import Rollout
from gym_batchnav.rl.collecting.stepping import Transition
from gym_batchnav.rl.collecting.timing import StageTimer
from gym_batchnav.rl.config import TrainConfig
from gym_batchnav.rl.distributed.world import World
from gym_batchnav.rl.learning.parallel import GradientThreads
from gym_batchnav.rl.nets.policy import ActorCritic, sample_actions


class _Truncated(NamedTuple):
    step: int
    rows: Tensor
    obs: dict[str, Tensor]
    state: Tensor
    previous: Tensor


class Collector:
    """Runs the policy in the environments, one rollout at a time.

    Of several environments, one is stepped while the policy acts on the others. All that the run depends on
    happens in one order, whichever is ready first.

    Args:
        policy: the network that acts.
        envs: the environments.
        config: of the run.
        generator: draws the actions.
        timer: gets the stages "env" and "act", and where environments are stepped beside the policy also
            "wait" for them; "env" then passes beside the other stages.
        threads: ``config.act_threads`` of them share the rows to act on; None for the caller's alone.
        world: ranks of which each has rows of its own; None for one.
    """

    def __init__(
        self,
        policy: ActorCritic,
        envs: EnvParts,
        config: TrainConfig,
        generator: torch.Generator,
        timer: StageTimer,
        threads: GradientThreads | None = None,
        world: World | None = None,
    ) -> None:
        self.world = world or World()
        self.policy = policy
        self.envs = envs
        # Beside the policy, the environment keeps the other cores at work.
        self.actor = Actor(policy, None if envs.overlaps else threads, config.act_threads)
        self.generator = generator
        self.timer = timer
        self.state = policy.initial_state(envs.num_envs)
        self.rollout = Rollout(
            policy.prepared, config.ppo.rollout_length, envs.num_envs, self.state, config.float_image_storage
        )
        self.metrics = EpisodeMetrics(
            config.metric_keys, math.ceil(config.metric_window / self.world.size), envs.num_envs
        )
        self.last_values = self.rollout.values[0].clone()

    def reset(self, seed: int) -> None:
        """Begins new episodes in all rows."""
        last = self.rollout.filled
        self.rollout.starts[last] = True
        self.rollout.previous[last] = -1
        self.state.zero_()
        for part in self.envs.parts:
            part.lane.fork()
            obs = part.reset(seed, self.world.rank * self.envs.num_envs)
            with part.lane.acting():
                part.lane.receive()
                self._put_obs(last, part, obs)
            part.lane.join()

    @torch.no_grad()
    def collect(self, stop: Callable[[int], bool] = lambda taken: False) -> Rollout:
        """Takes T steps in all rows; the rollout is overwritten by the next call.

        Args:
            stop: whether to end the rollout after so many steps, 1 ... T - 1.
        """
        rollout, parts = self.rollout, self.envs.parts
        rollout.roll()
        rollout.state.copy_(self.state)
        rollout.final_values.zero_()
        truncated: list[_Truncated] = []
        for part in parts:
            part.lane.fork()
            self._begin(part, 0)
        rollout.filled = rollout.steps
        for t in range(rollout.steps):
            over = t + 1 == rollout.steps or stop(t + 1)
            for part in parts:
                self._finish(part, t, truncated)
                if not over:
                    self._begin(part, t + 1)
            if over:
                rollout.end(t + 1)
                break
        for part in parts:
            part.lane.join()
        with self.timer.stage("act"):
            self._value_truncated(truncated)
            self.last_values = self._last_values()
        return rollout

    def _begin(self, part: Part, t: int) -> None:
        """Acts on frame ``t`` of a part and begins its step."""
        with part.lane.acting():
            with self.timer.stage("act"):
                self._act(part.rows, t)
            part.begin(self.rollout.actions[t, part.rows])

    def _finish(self, part: Part, t: int, truncated: list[_Truncated]) -> None:
        """Stores what the step from frame ``t`` of a part gave."""
        step, env_s, wait_s = part.finish()
        self.timer.add("env", env_s)
        if self.envs.overlaps:
            self.timer.add("wait", wait_s)
        with self.timer.stage("act"), part.lane.acting():
            part.lane.receive()
            self._store(part, t, step)
            self.metrics.add(step, part.rows)
            if step.final_obs is not None:
                truncated.append(self._keep(part, t, step, step.final_obs))

    def _act(self, rows: slice, t: int) -> None:
        rollout, state = self.rollout, self.state[:, rows]
        output, after = self.actor.step(
            rollout.get_obs(t, rows), state, rollout.previous[t, rows], rollout.starts[t, rows]
        )
        state.copy_(after)
        actions = sample_actions(output.logits, self.generator, self.world.rank, self.world.size)
        rollout.actions[t, rows] = actions
        rollout.log_probs[t, rows] = output.logits.gather(1, actions[:, None])[:, 0]
        rollout.values[t, rows] = self.policy.real_values(output.values)

    def _store(self, part: Part, t: int, step: Transition) -> None:
        rollout, rows = self.rollout, part.rows
        finite = np.isfinite(step.rewards)
        if not finite.all():
            row = int(finite.argmin())
            raise BatchNavError(
                f"the environment gave the reward {step.rewards[row]} in row {rows.start + row}; rewards "
                "must be finite"
            )
        self._put_obs(t + 1, part, step.obs)
        for name, slot, values in (
            ("rewards", rollout.rewards[t, rows], step.rewards),
            ("terminated", rollout.terminated[t, rows], step.terminated),
            ("truncated", rollout.truncated[t, rows], step.truncated),
            ("valid", rollout.valid[t, rows], ~step.skipped),
            ("starts", rollout.starts[t + 1, rows], step.starts),
        ):
            slot.copy_(part.lane.bring(name, torch.from_numpy(values)))
        rollout.previous[t + 1, rows].copy_(rollout.actions[t, rows])

    def _put_obs(self, t: int, part: Part, obs: Mapping[str, Tensor]) -> None:
        there = {key: part.lane.bring(f"obs/{key}", value) for key, value in obs.items()}
        self.rollout.put_obs(t, self.policy.prepare(there), part.rows)

    def _keep(self, part: Part, t: int, step: Transition, obs: Mapping[str, Tensor]) -> _Truncated:
        rows = torch.from_numpy(step.final_rows + part.rows.start).to(self.state.device)
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
        output, _ = self.actor.step(obs, state, previous, torch.zeros_like(previous, dtype=torch.bool))
        steps = torch.cat([torch.full_like(item.rows, item.step) for item in truncated])
        rows = torch.cat([item.rows for item in truncated])
        self.rollout.final_values[steps, rows] = self.policy.real_values(output.values)

    def _last_values(self) -> Tensor:
        rollout, last = self.rollout, self.rollout.filled
        output, _ = self.actor.step(
            rollout.get_obs(last), self.state, rollout.previous[last], rollout.starts[last]
        )
        return self.policy.real_values(output.values)

    def snapshot(self) -> dict[str, Any]:
        """Everything that goes on from one rollout to the next, the environment apart."""
        rollout, last = self.rollout, self.rollout.filled
        return {
            "obs": {key: value.clone() for key, value in rollout.get_obs(last).items()},
            "starts": rollout.starts[last].clone(),
            "previous": rollout.previous[last].clone(),
            "state": self.state.clone(),
            "needs_reset": torch.from_numpy(self.envs.needs_reset),
        }

    def restore(self, snapshot: Mapping[str, Any]) -> None:
        """The inverse of ``snapshot``; the environment must have been brought to the same point."""
        rollout, last = self.rollout, self.rollout.filled
        for key, value in snapshot["obs"].items():
            rollout.obs[key][last].copy_(value)
        rollout.starts[last].copy_(snapshot["starts"])
        rollout.previous[last].copy_(snapshot["previous"])
        self.state.copy_(snapshot["state"])
        self.envs.needs_reset = snapshot["needs_reset"].numpy()
