"""The environments of a run: one vector environment, or several that are stepped in turn."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any, NamedTuple, TypeVar

import gymnasium as gym
import numpy as np
import torch
from gymnasium.vector import VectorEnv
from torch import Tensor

from gym_batchnav.errors import ConfigError
from gym_batchnav.rl.collecting.lanes import Lane, make_lane
from gym_batchnav.rl.collecting.runners import EnvThread, Inline, Runner
from gym_batchnav.rl.collecting.stepping import BoolArray, ObsDict, Transition, VectorStepper
from gym_batchnav.rl.config import Overlap

Envs = VectorEnv[Any, Any, Any]
MakeEnvs = Callable[[], Envs]
_Result = TypeVar("_Result")


class Stepped(NamedTuple):
    """A step and what it took."""

    transition: Transition
    """Of the part's rows."""
    env_s: float
    """Seconds that the environment was at work."""
    wait_s: float
    """Seconds that the caller waited for it; 0 where they take turns."""


class Part:
    """Some rows of the run, stepped apart from the others.

    Args:
        envs: their environment.
        first: number of its row 0 among all rows.
        runner: makes all calls of the environment.
        lane: to and from the policy.
    """

    def __init__(self, envs: Envs, first: int, runner: Runner, lane: Lane) -> None:
        self.envs, self.lane = envs, lane
        self.rows = slice(first, first + envs.num_envs)
        self.stepper = VectorStepper(envs)
        self._runner = runner
        self._pending: Future[tuple[Transition, float]] | None = None
        self._last: Transition | None = None

    def reset(self, seed: int, offset: int = 0) -> ObsDict:
        """Resets all rows.

        Row i of an environment with an ``index_offset`` knows its number by itself; another one is told.

        Args:
            seed: of the run.
            offset: number of the process's row 0 among the rows of all ranks.
        """
        own = seed if hasattr(self.envs, "index_offset") else seed + offset + self.rows.start
        return self._run(lambda: self.stepper.reset(own)[0])

    def begin(self, actions: Tensor) -> None:
        """Starts a step with actions (rows,) int64; call it while acting. ``finish`` gives what comes of it.

        An exception of the environment is raised here where it takes turns with the policy, else by
        ``finish``.
        """
        take = self.lane.hand(actions, as_tensor=self.stepper.takes_tensors)
        self._pending = self._runner.submit(partial(self._step, take))

    def finish(self) -> Stepped:
        """Waits for the step that was begun."""
        assert self._pending is not None
        begin = time.perf_counter()
        transition, env_s = self._pending.result()
        wait_s = time.perf_counter() - begin if self._runner.beside else 0.0
        self._pending = None
        if self._runner.beside:
            # Until now the device may have been reading the tensors of the step before.
            self._last = transition
        return Stepped(transition, env_s, wait_s)

    def get_state(self) -> Any:
        """The environment's own state."""
        return self._run(self.envs.get_state)  # type: ignore[attr-defined]

    def set_state(self, state: Any) -> None:
        """Goes on from ``get_state``."""
        self._run(lambda: self.envs.set_state(state))  # type: ignore[attr-defined]

    def _step(self, take: Callable[[], Tensor]) -> tuple[Transition, float]:
        begin = time.perf_counter()
        with self.lane.stepping():
            transition = self.stepper.step(take())
            self.lane.stepped()
        return transition, time.perf_counter() - begin

    def _run(self, call: Callable[[], _Result]) -> _Result:
        def on_lane() -> _Result:
            with self.lane.stepping():
                result = call()
                self.lane.stepped()
            return result

        return self._runner.run(on_lane)


class EnvParts:
    """All rows of a run, as the trainer sees them: much like one vector environment.

    Args:
        factories: make the environments of equal spaces, whose rows follow each other. They are called on the
            thread that will step and close what they make.
        overlap: whether they are stepped on a thread of their own, beside the policy. "auto" does so where
            there are several; "on" asks for several.
        device: of the policy.

    Raises:
        ConfigError: there are too few environments to overlap, or their spaces differ.
    """

    def __init__(self, factories: Sequence[MakeEnvs], overlap: Overlap, device: torch.device | str) -> None:
        if not factories or not all(map(callable, factories)):
            raise ConfigError(
                f"make_envs is {factories!r}; give a function that makes the vector environment, such as "
                "lambda: gym.make_vec(...), or several in a list"
            )
        if overlap == "on" and len(factories) < 2:
            raise ConfigError(
                "overlap is 'on', but make_envs makes a single vector environment; give a sequence of two "
                "functions, each of which makes half of the rows, or set overlap to 'off'"
            )
        self.overlaps = overlap != "off" and len(factories) > 1
        self._runner: Runner = EnvThread() if self.overlaps else Inline()
        self.parts: list[Part] = []
        self._made: list[Envs] = []
        try:
            for make in factories:
                self._add(make, torch.device(device))
        except BaseException:
            self.close()
            raise

    def _add(self, make: MakeEnvs, device: torch.device) -> None:
        envs = self._runner.run(make)
        if not isinstance(envs, VectorEnv):
            raise ConfigError(
                f"make_envs made {envs!r}, which is no gymnasium.vector.VectorEnv; make one, such as "
                'gym.make_vec("CartPole-v1", num_envs=8)'
            )
        self._made.append(envs)
        first = self.parts[0].envs if self.parts else envs
        spaces = (envs.single_observation_space, envs.single_action_space)
        if spaces != (first.single_observation_space, first.single_action_space):
            raise ConfigError(
                f"the environments of one run differ: {spaces} is not "
                f"{(first.single_observation_space, first.single_action_space)}; make all with equal spaces"
            )
        self.parts.append(
            Part(envs, self.num_envs, self._runner, make_lane(device, beside=self._runner.beside))
        )

    @property
    def num_envs(self) -> int:
        """Rows of all parts."""
        return sum(part.envs.num_envs for part in self.parts)

    @property
    def row_ranges(self) -> list[tuple[int, int]]:
        """First and last (exclusive) number of the rows of each part that says so by its ``index_offset``."""
        numbered = [part.envs for part in self.parts if hasattr(part.envs, "index_offset")]
        return [(envs.index_offset, envs.index_offset + envs.num_envs) for envs in numbered]

    @property
    def single_observation_space(self) -> gym.Space[Any]:
        """Of one row."""
        return self.parts[0].envs.single_observation_space

    @property
    def single_action_space(self) -> gym.Space[Any]:
        """Of one row."""
        return self.parts[0].envs.single_action_space

    @property
    def timings(self) -> dict[str, float] | None:
        """Sums over the parts, where they all keep ``timings``; call it while no step is under way."""
        found = [getattr(part.envs, "timings", None) for part in self.parts]
        if not all(isinstance(timings, Mapping) for timings in found):
            return None
        sums: dict[str, float] = {}
        for timings in found:
            for name, seconds in dict(timings or {}).items():
                sums[name] = sums.get(name, 0.0) + float(seconds)
        return sums

    @property
    def needs_reset(self) -> BoolArray:
        """(N,) bool: copies of the steppers' flags."""
        return np.concatenate([part.stepper.needs_reset for part in self.parts])

    @needs_reset.setter
    def needs_reset(self, flags: BoolArray) -> None:
        for part in self.parts:
            part.stepper.needs_reset = flags[part.rows].copy()

    @property
    def can_restore(self) -> bool:
        """Whether all have ``get_state`` and ``set_state``."""
        return all(hasattr(part.envs, "get_state") and hasattr(part.envs, "set_state") for part in self.parts)

    def get_state(self) -> Any:
        """The environment's state, or of several a dict that lists theirs."""
        if len(self.parts) == 1:
            return self.parts[0].get_state()
        return {_PARTS: [part.get_state() for part in self.parts]}

    def set_state(self, state: Any) -> None:
        """Goes on from ``get_state`` of as many parts; ask ``fits`` before."""
        states = state[_PARTS] if _is_parted(state) else [state]
        for part, own in zip(self.parts, states, strict=True):
            part.set_state(own)

    def fits(self, state: Any) -> bool:
        """Whether a state is of as many parts as there are."""
        return (len(state[_PARTS]) if _is_parted(state) else 1) == len(self.parts)

    def close(self) -> None:
        """Ends what is under way and closes all environments, on the thread that made them."""
        try:
            for envs in self._made:
                self._runner.run(envs.close)
            self._made = []
        finally:
            self._runner.close()


_PARTS = "parts"


def _is_parted(state: Any) -> bool:
    return isinstance(state, Mapping) and set(state) == {_PARTS}
