"""Metrics of episodes in Stable-Baselines3's logs, which show return, length and success alone."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback, EvalCallback
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.off_policy_algorithm import OffPolicyAlgorithm

from ...errors import ConfigError

_NO_METRICS = {"steps", "return", "scene_id", "episode_id", "is_success", "TimeLimit.truncated"}
"""What is no metric, or one of those that Stable-Baselines3 has itself."""


class EpisodeMetrics(BaseCallback):
    """Logs the mean of each metric over the last episodes, as ``rollout/spl`` and so on.

    ``model.learn(frames, callback=EpisodeMetrics())``. It also takes down what ``evaluate_policy`` sees:
    ``evaluate_policy(model, envs, 200, callback=metrics.note)``, then ``metrics.means``.

    Args:
        keys: names of infos; None for all numbers that the task tells at the end of an episode.
        window: number of episodes; None for all.
        prefix: of the names in the log.

    Raises:
        ConfigError: ``keys`` are no sequence, or an episode ends that does not tell one of them.
    """

    def __init__(
        self, keys: Sequence[str] | None = None, *, window: int | None = 100, prefix: str = "rollout"
    ) -> None:
        super().__init__()
        self._keys, self._prefix = checked_keys(keys), prefix
        self._episodes: deque[dict[str, float]] = deque(maxlen=window)

    @property
    def means(self) -> dict[str, float]:
        """Mean of each metric over the episodes that tell it."""
        names = dict.fromkeys(name for episode in self._episodes for name in episode)
        return {
            name: float(np.mean([episode[name] for episode in self._episodes if name in episode]))
            for name in names
        }

    def note(self, locals_: Mapping[str, Any], globals_: Mapping[str, Any]) -> None:
        """The ``callback`` of ``evaluate_policy``."""
        if locals_["done"]:
            self._episodes.append(metrics_of(locals_["info"], self._keys))

    def _on_step(self) -> bool:
        ended = np.flatnonzero(self.locals["dones"]).tolist()
        self._episodes.extend(metrics_of(self.locals["infos"][row], self._keys) for row in ended)
        # These algorithms write their log where episodes end ...
        if ended and isinstance(self.model, OffPolicyAlgorithm):
            _record(self.logger, self._prefix, self.means)
        return True

    def _on_rollout_end(self) -> None:
        # ... and the others after a rollout, in which an evaluation may have written and emptied it.
        if not isinstance(self.model, OffPolicyAlgorithm):
            _record(self.logger, self._prefix, self.means)


class EvalMetrics(EvalCallback):
    """``EvalCallback`` that also logs the mean of each metric, as ``eval/spl`` and so on.

    Args:
        *args: those of ``EvalCallback``.
        keys: as for ``EpisodeMetrics``.
        **kwargs: those of ``EvalCallback``.
    """

    def __init__(self, *args: Any, keys: Sequence[str] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._keys = checked_keys(keys)
        self._metrics = EpisodeMetrics(keys, window=None)

    def _on_step(self) -> bool:
        self._metrics = EpisodeMetrics(self._keys, window=None)
        return bool(super()._on_step())

    def _log_success_callback(self, locals_: dict[str, Any], globals_: dict[str, Any]) -> None:
        super()._log_success_callback(locals_, globals_)
        self._metrics.note(locals_, globals_)
        if locals_["done"]:
            # Recorded here, since the evaluation writes its log before it returns.
            _record(self.logger, "eval", self._metrics.means)


def metrics_of(info: Mapping[str, Any], keys: Sequence[str] | None) -> dict[str, float]:
    """The numbers of an info that are metrics, or those that are named."""
    numbers = {name: float(value) for name, value in info.items() if isinstance(value, Real)}
    if keys is None:
        return {name: value for name, value in numbers.items() if name not in _NO_METRICS}
    for name in keys:
        if name not in numbers:
            raise ConfigError(f"keys={keys!r}: episodes do not tell {name!r}; they tell {', '.join(numbers)}")
    return {name: numbers[name] for name in keys}


def checked_keys(keys: Sequence[str] | None) -> Sequence[str] | None:
    """The names; raises ``ConfigError`` where they are one string."""
    if isinstance(keys, str):
        raise ConfigError(f"keys={keys!r} is not allowed; give a list of names: [{keys!r}]")
    return keys


def _record(logger: Logger, prefix: str, means: Mapping[str, float]) -> None:
    for name, mean in means.items():
        # Stable-Baselines3 shows it as success_rate.
        if name != "success":
            logger.record(f"{prefix}/{name}", mean)
