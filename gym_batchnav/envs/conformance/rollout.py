"""Runs an environment for some steps, and asks the laws of autoreset and of fresh arrays on the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from ...errors import ConformanceError
from .shapes import check_member, check_reset, check_step
from .values import AnyVectorEnv, difference, frozen, host, leaves, mixed, rows_of


@dataclass(frozen=True, slots=True)
class Moment:
    """Copies of what a call returned."""

    observations: list[Any]
    """One of each row."""
    rewards: NDArray[Any] | None
    """(N,); None after a reset."""
    ended: NDArray[np.bool_]
    """(N,) terminations or truncations."""
    infos: dict[str, Any]
    """As returned."""

    def row_difference(self, other: Moment, row: int) -> str | None:
        """How a row differs in two moments; None where it does not."""
        if found := difference(self.observations[row], other.observations[row]):
            return f"observation {found}"
        if self.rewards is not None and other.rewards is not None and self.rewards[row] != other.rewards[row]:
            return f"reward {self.rewards[row]} against {other.rewards[row]}"
        return (
            f"end {self.ended[row]} against {other.ended[row]}"
            if self.ended[row] != other.ended[row]
            else None
        )


class Rollout:
    """One run from a seeded reset on; every call's result is checked.

    ``moments`` are what all calls returned, ``steps`` what those of ``step`` did.
    """

    def __init__(self, env: AnyVectorEnv, mode: AutoresetMode, *, views: bool) -> None:
        self.env, self.mode, self.views = env, mode, views
        self.moments: list[Moment] = []
        self.steps: list[Moment] = []
        self._handed: list[tuple[str, Any, Any]] = []

    @property
    def last(self) -> Moment:
        """What the last call returned."""
        return self.moments[-1]

    def reset(self, seed: int) -> None:
        """Begin."""
        self._keep(*self._reset(seed=seed))

    def reset_rows(self, mask: NDArray[np.bool_], seed: int | None = None) -> None:
        """Reset some rows; the others must stay, bit by bit, and have no infos.

        Raises:
            ConformanceError: they do not; the message names the row.
        """
        before = self.last
        self._keep(*self._reset(seed=seed, options={"reset_mask": mask.copy()}), ended=before.ended & ~mask)
        for row in map(int, np.flatnonzero(~mask)):
            if found := difference(before.observations[row], self.last.observations[row]):
                raise ConformanceError(
                    "partial reset",
                    f"expected a row outside of reset_mask to stay as it was, found {found}",
                    row,
                )
            for key, value in self.last.infos.items():
                own_mask = self.last.infos.get(f"_{key}")
                if own_mask is not None and own_mask[row]:
                    raise ConformanceError(
                        "partial reset",
                        f"expected no infos outside of reset_mask, found {key!r}: {value}",
                        row,
                    )

    def step(self, actions: Any) -> None:
        """Act; in DISABLED mode rows that end are reset at once."""
        resting = self.last.ended
        result = check_step(self.env, self.env.step(actions))
        observations, rewards, terminations, truncations, infos = result
        self._check_fresh()
        self._keep(observations, infos, rewards, terminations | truncations)
        for name, value in (
            ("rewards", rewards),
            ("terminations", terminations),
            ("truncations", truncations),
        ):
            self._handed.append((name, value, frozen(value)))
        self.steps.append(self.last)
        if self.mode == AutoresetMode.NEXT_STEP:
            self._check_rest(resting)
        elif self.mode == AutoresetMode.SAME_STEP:
            self._check_final(infos)
        elif self.last.ended.any():
            self.reset_rows(self.last.ended)

    def run(self, actions: list[Any], others: list[Any] | None = None) -> None:
        """A step for each of ``actions``; rows that rest (NEXT_STEP) act as ``others`` say."""
        for number, chosen in enumerate(actions):
            if others is not None and self.last.ended.any():
                chosen = mixed(self.env, chosen, others[number], self.last.ended)
            self.step(chosen)

    def _reset(self, **arguments: Any) -> tuple[Any, dict[str, Any]]:
        result = check_reset(self.env, self.env.reset(**arguments))
        self._check_fresh()
        return result

    def _keep(self, observations: Any, infos: dict[str, Any], rewards: Any = None, ended: Any = None) -> None:
        ended = np.zeros(self.env.num_envs, dtype=bool) if ended is None else ended
        rewards = None if rewards is None else frozen(rewards)
        self.moments.append(Moment(rows_of(self.env, observations), rewards, ended.copy(), frozen(infos)))
        kept = {"infos": infos} if self.views else {"observations": observations, "infos": infos}
        self._handed = [(name, value, frozen(value)) for name, value in leaves(kept)]

    def _check_fresh(self) -> None:
        """What was handed out by the call before is still what it was."""
        for name, value, copied in self._handed:
            if found := difference(copied, host(value)):
                raise ConformanceError(
                    "fresh arrays",
                    f"expected what a call returned to stay as it was, found that the next call wrote over "
                    f"{name}: {found}; pass views=True where the documentation says so",
                )

    def _check_rest(self, resting: NDArray[np.bool_]) -> None:
        """NEXT_STEP: the step after an end only begins the next episode."""
        rewards, ended = self.last.rewards, self.last.ended
        paid = ended if rewards is None else ended | (rewards != 0.0)
        for row in map(int, np.flatnonzero(resting & paid)):
            reward = None if rewards is None else rewards[row]
            raise ConformanceError(
                "autoreset NEXT_STEP",
                "expected reward 0 and no end in the step after an end, "
                f"found reward {reward} and end {ended[row]}",
                row,
            )

    def _check_final(self, infos: dict[str, Any]) -> None:
        """SAME_STEP: last observation and infos of the rows that ended, and of no other."""
        ended, law = self.last.ended, "autoreset SAME_STEP"
        for key in ("final_obs", "final_info"):
            mask = host(infos.get(f"_{key}", np.zeros_like(ended)))
            if (mask != ended).any():
                row = int(np.argmax(mask != ended))
                raise ConformanceError(
                    law,
                    f"expected {key!r} for the rows that ended alone, so {ended[row]}, found {mask[row]}",
                    row,
                )
        for row in map(int, np.flatnonzero(ended)):
            check_member(
                self.env.single_observation_space,
                infos["final_obs"][row],
                f"final_obs of row {row}",
                batched=False,
            )
