"""Evaluation of an agent over a fixed set of episodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from gymnasium.vector import VectorEnv

from gym_batchnav.errors import ConfigError
from gym_batchnav.rl.agents import Agent
from gym_batchnav.rl.collecting.stepping import ObsDict, Transition, VectorStepper, info_column
from gym_batchnav.rl.intervals import CONFIDENCE, Interval, group_labels, mean_interval

METRIC_KEYS = ("success", "spl", "soft_spl", "distance_to_goal")


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeRecord:
    """One evaluated episode."""

    index: int
    """Its number m in the set: row + e * rows for the e-th episode of a row."""
    row: int
    """Row of the vector in which it ran."""
    episode_id: str
    """As the environment names it; "" where it does not."""
    scene_id: str
    """As the environment names it; "" where it does not."""
    initial_distance: float | None
    """"distance_to_goal" at its start, where the environment gives it."""
    steps: int
    """Actions taken."""
    total_reward: float
    """Sum of rewards, not discounted."""
    truncated: bool
    """Whether it was cut short."""
    metrics: dict[str, float]
    """The metric keys that its last infos hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationStep:
    """What ``on_step`` sees: after the agent chose, before the environment moves."""

    step: int
    """Number of the vector step."""
    obs: ObsDict
    """Observations (N, ...) that the agent saw."""
    actions: npt.NDArray[np.int64]
    """(N,) what it chose."""
    starts: npt.NDArray[np.bool_]
    """(N,) ``obs`` is the first of an episode."""
    active: npt.NDArray[np.bool_]
    """(N,) the row's episode counts, and its action will be carried out."""
    episode: npt.NDArray[np.int64]
    """(N,) number of the row's episode in the set."""
    infos: Mapping[str, Any]
    """Vector infos that belong to ``obs``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """Result over all episodes."""

    metrics: dict[str, Interval]
    """Mean and confidence interval of each metric, "return" and "steps" included."""
    episodes: list[EpisodeRecord]
    """In the order of the set."""

    def to_dict(self) -> dict[str, Any]:
        """Each metric as {"mean", "low", "high"}, beside "episodes", their number."""
        intervals: dict[str, Any] = {key: value._asdict() for key, value in self.metrics.items()}
        return {**intervals, "episodes": len(self.episodes)}


def evaluate(
    agent: Agent,
    envs: VectorEnv[Any, Any, Any],
    num_episodes: int,
    deterministic: bool = True,
    on_step: Callable[[EvaluationStep], None] | None = None,
    *,
    on_episode: Callable[[EpisodeRecord], None] | None = None,
    metric_keys: Sequence[str] = METRIC_KEYS,
    seed: int | None = None,
    confidence: float = CONFIDENCE,
) -> Evaluation:
    """Runs an agent over M episodes and sums them up.

    The environment must run through its episodes in order: episode e of row i is number i + e * N of the set.
    Row i counts for its first ``|{m < M: m = i mod N}|`` episodes, so that short episodes are not favoured.

    Args:
        agent: who acts.
        envs: the environment, N rows; is reset, and not closed.
        num_episodes: M.
        deterministic: most likely actions instead of random ones.
        on_step: called before every step.
        on_episode: called at the end of every episode that counts.
        metric_keys: keys of the episode-end infos.
        seed: of the reset.
        confidence: of the intervals; from ten scenes on (``scene_id`` of the infos), scenes are resampled.

    Raises:
        ConfigError: ``num_episodes`` is below 1.
    """
    run = _Run(VectorStepper(envs), num_episodes, metric_keys)
    obs, infos = run.stepper.reset(seed)
    state: Any = None
    starts = np.ones(envs.num_envs, np.bool_)
    run.begin(starts, infos)
    step = 0
    while run.active.any():
        actions, state = agent.act(obs, state, starts, deterministic=deterministic)
        if on_step is not None:
            on_step(run.view(step, obs, actions, starts, infos))
        transition = run.stepper.step(torch.as_tensor(actions))
        for record in run.end(transition):
            if on_episode is not None:
                on_episode(record)
        obs, infos, starts = transition.obs, transition.infos, transition.starts
        run.begin(starts, infos)
        step += 1
    return run.result(confidence)


class _Run:
    """Episodes in progress and done."""

    def __init__(self, stepper: VectorStepper, num_episodes: int, keys: Sequence[str]) -> None:
        if num_episodes < 1:
            raise ConfigError(f"num_episodes is {num_episodes}; it must be at least 1")
        rows = np.arange(stepper.num_envs)
        self.stepper, self.keys = stepper, keys
        self.quota = (num_episodes - rows + stepper.num_envs - 1) // stepper.num_envs
        self.done = np.zeros(stepper.num_envs, np.int64)
        self.steps = np.zeros(stepper.num_envs, np.int64)
        self.rewards = np.zeros(stepper.num_envs)
        self.start_infos: list[dict[str, Any]] = [{} for _ in rows]
        self.records: list[EpisodeRecord] = []

    @property
    def active(self) -> npt.NDArray[np.bool_]:
        """Rows with episodes left to count."""
        return self.done < self.quota

    @property
    def episode(self) -> npt.NDArray[np.int64]:
        """Number of each row's episode in the set."""
        return np.arange(len(self.done)) + self.done * len(self.done)

    def view(
        self,
        step: int,
        obs: ObsDict,
        actions: npt.NDArray[np.int64],
        starts: npt.NDArray[np.bool_],
        infos: Mapping[str, Any],
    ) -> EvaluationStep:
        """What ``on_step`` sees."""
        return EvaluationStep(
            step=step,
            obs=obs,
            actions=actions,
            starts=starts,
            active=self.active & ~self.stepper.needs_reset,
            episode=self.episode,
            infos=infos,
        )

    def begin(self, starts: npt.NDArray[np.bool_], infos: Mapping[str, Any]) -> None:
        """Notes what the infos say of the episodes that begin."""
        for row in np.flatnonzero(starts & self.active):
            names = ("distance_to_goal", "episode_id", "scene_id")
            self.start_infos[row] = {name: self._entry(infos, name, int(row)) for name in names}

    def end(self, step: Transition) -> list[EpisodeRecord]:
        """Takes in a step; gives the records of the counted episodes that it ended."""
        counted = self.active
        self.rewards += step.rewards
        self.steps += ~step.skipped
        new = [self._record(int(row), step) for row in np.flatnonzero(step.ended & counted)]
        self.records.extend(new)
        self.done += step.ended
        self.rewards[step.ended] = 0
        self.steps[step.ended] = 0
        return new

    def _record(self, row: int, step: Transition) -> EpisodeRecord:
        start = self.start_infos[row]
        values = {key: self._entry(step.final_infos, key, row) for key in self.keys}
        distance = start["distance_to_goal"]
        return EpisodeRecord(
            index=int(self.episode[row]),
            row=row,
            episode_id=_text(start["episode_id"]),
            scene_id=_text(start["scene_id"]),
            initial_distance=None if distance is None else float(distance),
            steps=int(self.steps[row]),
            total_reward=float(self.rewards[row]),
            truncated=bool(step.truncated[row]),
            metrics={key: float(value) for key, value in values.items() if value is not None},
        )

    def _entry(self, infos: Mapping[str, Any], key: str, row: int) -> Any:
        column = info_column(infos, key, len(self.done))
        if column is None or not column[1][row]:
            return None
        return column[0][row]

    def result(self, confidence: float) -> Evaluation:
        """Sums up."""
        records = sorted(self.records, key=lambda record: record.index)
        rows = [{**r.metrics, "return": r.total_reward, "steps": float(r.steps)} for r in records]
        metrics = {}
        for key in (*self.keys, "return", "steps"):
            known = [number for number, row in enumerate(rows) if key in row]
            if known:
                groups = group_labels([records[number].scene_id for number in known])
                values = [rows[number][key] for number in known]
                metrics[key] = mean_interval(values, confidence, groups=groups)
        return Evaluation(metrics=metrics, episodes=records)


def _text(value: Any) -> str:
    return "" if value is None else str(value)
