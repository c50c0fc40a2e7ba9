"""Agents that walk in environments which wait for the next episode, so that its end can be seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...envs import BatchPointNavEnv
from ...envs.watching import Moment
from ...rl import Agent


class Walk:
    """N agents in their episodes.

    Args:
        envs: with ``autoreset_mode="Disabled"`` and ``render_mode="rgb_array"``; is reset here.
        agent: who acts where ``step`` is not told an action; None for nobody.
        seed: of the environments.
        deterministic: the agent's most likely actions instead of sampled ones.
    """

    def __init__(
        self, envs: BatchPointNavEnv, agent: Agent | None, seed: int, *, deterministic: bool = False
    ) -> None:
        self.envs, self._agent, self._deterministic = envs, agent, deterministic
        self.over = np.zeros(envs.num_envs, dtype=bool)
        """(N,) rows whose episode has ended."""
        self._state: Any = None
        self._starts = np.ones(envs.num_envs, dtype=bool)
        self._obs, self.infos = envs.reset(seed=seed)

    def step(self, actions: NDArray[Any] | None = None) -> None:
        """One step of all rows, none of which is over; ``actions`` (N, ...) or None for the agent's."""
        if actions is None:
            assert self._agent is not None
            actions, self._state = self._agent.act(
                self._obs, self._state, self._starts, deterministic=self._deterministic
            )
        self._obs, _, terminations, truncations, self.infos = self.envs.step(actions)
        self._starts = np.zeros(self.envs.num_envs, dtype=bool)
        self.over = terminations | truncations

    def begin(self, rows: NDArray[np.bool_]) -> None:
        """Begin the next episodes of rows (N,) bool."""
        self._obs, self.infos = self.envs.reset(options={"reset_mask": rows})
        self._starts = self._starts | rows
        self.over = self.over & ~rows

    def restore(self, state: dict[str, Any]) -> None:
        """Go back to what ``envs.get_state`` gave at the beginning of the episodes."""
        self._obs = self.envs.set_state(state)
        self._starts[:] = True
        self.over[:] = False

    def moments(self, side: int, rows: Sequence[int] | None = None) -> list[Moment]:
        """What is to be seen of rows now."""
        return self.envs.moments(side, rows)
