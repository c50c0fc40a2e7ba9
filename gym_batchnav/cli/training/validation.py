"""Validation of a policy while it trains: fixed episodes in scenes of their own."""

from __future__ import annotations

from ...config import EnvConfig
from ...envs import BatchPointNavEnv
from ...rl import PolicyAgent, evaluate
from ..machine import available_memory_gib
from .factories import MakeRows

MAX_ROWS = 64
SPARE_MEMORY_GIB = 2.0
METRIC_KEYS = ("success", "spl", "soft_spl", "distance_to_goal")


class Validator:
    """Evaluates a policy on the same episodes whenever it is called.

    Its environment is kept from one call to the next, unless less than ``SPARE_MEMORY_GIB`` of memory is
    left.

    Args:
        config: Environment with a fixed set of episodes in sequence.
        num_episodes: Size of the set.
        deterministic: Whether the most likely actions are taken.
        make_rows: Makes so many environments of the task.
        num_envs: Environments side by side; None for as many as episodes, up to 64.
    """

    def __init__(
        self,
        config: EnvConfig,
        num_episodes: int,
        *,
        deterministic: bool,
        make_rows: MakeRows = BatchPointNavEnv,
        num_envs: int | None = None,
    ) -> None:
        self._config, self._num_episodes, self._deterministic = config, num_episodes, deterministic
        self._make_rows = make_rows
        self._rows = min(num_episodes, MAX_ROWS if num_envs is None else num_envs)
        self._envs: BatchPointNavEnv | None = None

    def __call__(self, agent: PolicyAgent) -> dict[str, float]:
        """Means of success, SPL, return and the like."""
        if self._envs is None:
            self._envs = self._make_rows(self._rows, self._config)
        evaluation = evaluate(
            agent, self._envs, self._num_episodes, self._deterministic, metric_keys=METRIC_KEYS, seed=0
        )
        left = available_memory_gib()
        if left is not None and left < SPARE_MEMORY_GIB:
            self.close()
        return {name: value.mean for name, value in evaluation.metrics.items()}

    def close(self) -> None:
        """Closes the environment; safe to call twice."""
        if self._envs is not None:
            self._envs.close()
            self._envs = None
