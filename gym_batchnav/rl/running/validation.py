"""Evaluation of the policy while it trains, on episodes of the caller's, without a trace in the training."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from gym_batchnav.errors import ConfigError
from gym_batchnav.rl.agents import PolicyAgent
from gym_batchnav.rl.config import TrainConfig
from gym_batchnav.rl.nets.policy import ActorCritic
from gym_batchnav.rl.running.seeding import derive_seed, global_state, restore_global_state
from gym_batchnav.rl.running.state import RunState, multiple_passed

Validate = Callable[[PolicyAgent], Mapping[str, float]]
"""Evaluates an agent and gives the means of its metrics by name; ``best_metric`` must be among them."""


class Interrupted(Exception):  # noqa: N818 - no error
    """The run was asked to stop in the middle of a validation."""


class _InterruptibleAgent(PolicyAgent):
    """A policy that acts only as long as nobody asks the run to stop."""

    def __init__(self, policy: ActorCritic, seed: int, stopping: Callable[[], bool]) -> None:
        super().__init__(policy, seed)
        self._stopping = stopping

    def act(self, *arguments: Any, **options: Any) -> Any:
        """See ``Agent.act``; raises ``Interrupted`` once the run is to stop."""
        if self._stopping():
            raise Interrupted
        return super().act(*arguments, **options)


class Validation:
    """Says when to validate, and does it.

    The policy that is handed out is a copy in float32, as ``load_policy`` gives it, with a generator of its
    own; Python's, NumPy's and torch's global generators are put back afterwards, and the time does not count
    as training.

    Args:
        config: of the run.
        validate: the caller's; None for no validation.
        stopping: whether the run has been asked to stop, which ends a validation in progress.

    Raises:
        ConfigError: ``validate_every_frames`` is set and ``validate`` is not given.
    """

    def __init__(self, config: TrainConfig, validate: Validate | None, stopping: Callable[[], bool]) -> None:
        if config.validate_every_frames is not None and validate is None:
            raise ConfigError(
                f"validate_every_frames is {config.validate_every_frames}, but train() got no validate "
                "function; give one, or None for validate_every_frames"
            )
        self.config, self.validate, self.stopping = config, validate, stopping
        self.frames = 0
        self._copy: ActorCritic | None = None

    @property
    def active(self) -> bool:
        """Whether this run is validated at all."""
        return self.config.validate_every_frames is not None

    def restore(self, content: Mapping[str, Any]) -> None:
        """Takes over from a checkpoint when the last validation was."""
        self.frames = int(content["progress"].get("validated_frames", 0))

    def due(self, frames: int) -> bool:
        """Whether a multiple of ``validate_every_frames`` was passed since the last validation."""
        return multiple_passed(self.config.validate_every_frames, self.frames, frames)

    def run(self, state: RunState) -> dict[str, Any] | None:
        """Validates; gives the record for the log, or None where the run was asked to stop meanwhile."""
        assert self.validate is not None
        begin, kept = time.monotonic(), global_state()
        try:
            metrics = dict(self.validate(self._agent(state.policy)))
        except Interrupted:
            return None
        finally:
            restore_global_state(kept)
            seconds = time.monotonic() - begin
            state.counters.started += seconds
        if self.config.best_metric not in metrics:
            raise ConfigError(
                f"best_metric is {self.config.best_metric!r}, which the validation does not give; it gives "
                f"{', '.join(sorted(metrics))}"
            )
        self.frames = state.counters.frames
        return {
            "kind": "validation",
            "update": state.counters.updates,
            "frames": self.frames,
            "elapsed_s": state.counters.elapsed_s,
            "metrics": metrics,
            "seconds": {"validate": seconds},
        }

    def _agent(self, policy: ActorCritic) -> PolicyAgent:
        if self._copy is None:
            self._copy = ActorCritic(policy.config, policy.spec).to(policy.device)
        self._copy.load_state_dict(policy.state_dict())
        return _InterruptibleAgent(self._copy, derive_seed(self.config.seed, 3), self.stopping)
