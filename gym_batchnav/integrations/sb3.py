"""Stable-Baselines3: batched environments as its ``VecEnv``."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from ..config import EnvConfig
from ..envs import BatchPointNavEnv
from ..errors import ConfigError

Indices = None | int | Iterable[int]
Obs = dict[str, NDArray[Any]]


def make_sb3_vec_env(num_envs: int, config: EnvConfig | None = None, **kwargs: Any) -> SB3VecEnv:
    """``BatchPointNavEnv`` as Stable-Baselines3 takes it; the arguments are the same."""
    return SB3VecEnv(BatchPointNavEnv(num_envs, config, **kwargs))


class SB3VecEnv(VecEnv):
    """A batched environment under the rules of Stable-Baselines3.

    Episodes begin anew within the step that ends them. The infos of a row that ended hold
    ``terminal_observation``, ``TimeLimit.truncated`` (True where it was truncated and not terminated), the
    metrics of the episode, ``is_success``, and ``episode`` with the return ``r``, the length ``l`` and the
    seconds ``t`` since this environment was made; those of other rows are empty.

    Args:
        envs: the environment; closed with this one.

    Raises:
        ConfigError: its autoreset mode is not SAME_STEP, or its output is not NumPy.
    """

    def __init__(self, envs: BatchPointNavEnv) -> None:
        mode = AutoresetMode(envs.metadata["autoreset_mode"])
        if mode is not AutoresetMode.SAME_STEP:
            raise ConfigError(
                f"autoreset_mode is {mode.value!r}; Stable-Baselines3 needs autoreset_mode='SameStep'"
            )
        if envs.config.output != "numpy":
            raise ConfigError(
                f"output is {envs.config.output!r}; Stable-Baselines3 needs arrays, output='numpy'"
            )
        self.envs, self._begun = envs, time.perf_counter()
        self._actions: NDArray[Any] | None = None
        super().__init__(envs.num_envs, envs.single_observation_space, envs.single_action_space)

    def reset(self) -> Obs:
        """Begins an episode in all rows, with what was given to ``seed`` once."""
        seeds = self._seeds if any(seed is not None for seed in self._seeds) else None
        obs: Obs
        obs, infos = self.envs.reset(seed=seeds)
        self.reset_infos = _rows_of(infos, range(self.num_envs))
        self._reset_seeds()
        self._reset_options()
        return obs

    def step_async(self, actions: NDArray[Any]) -> None:
        """Keeps the actions for ``step_wait``."""
        self._actions = actions

    def step_wait(self) -> tuple[Obs, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Takes the step.

        Returns:
            Observations, rewards (N,) float32, ends (N,) bool, and a dict for each row.
        """
        obs, rewards, terminated, truncated, infos = self.envs.step(self._actions)
        ended = terminated | truncated
        told: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        rows = np.flatnonzero(ended).tolist()
        if rows:
            cut = truncated & ~terminated
            metrics = _rows_of(infos["final_info"], rows)
            for row, own in zip(rows, metrics, strict=True):
                told[row] = {**own, **_episode(own, time.perf_counter() - self._begun)}
                told[row]["terminal_observation"] = infos["final_obs"][row]
                told[row]["TimeLimit.truncated"] = bool(cut[row])
        return obs, rewards.astype(np.float32), ended, told

    def close(self) -> None:
        """Closes the environment."""
        self.envs.close()

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """Pictures of all rows, with ``render_mode="rgb_array"``."""
        frames = self.envs.render()
        return [None] * self.num_envs if frames is None else list(frames)

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """An attribute of the whole environment, once for each row asked for."""
        return [getattr(self.envs, attr_name)] * len(self._chosen(indices))

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Sets an attribute of the whole environment; raises ``ConfigError`` for some of its rows."""
        self._check_all(indices, f"set {attr_name!r}")
        setattr(self.envs, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Calls a method of the whole environment; its result stands for each row.

        Raises:
            ConfigError: for some of the rows.
        """
        self._check_all(indices, f"call {method_name!r}")
        return [getattr(self.envs, method_name)(*method_args, **method_kwargs)] * self.num_envs

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Indices = None) -> list[bool]:
        """No row is wrapped."""
        return [False] * len(self._chosen(indices))

    def _chosen(self, indices: Indices) -> list[int]:
        return list(self._get_indices(indices))

    def _check_all(self, indices: Indices, what: str) -> None:
        if sorted(self._chosen(indices)) != list(range(self.num_envs)):
            raise ConfigError(
                f"cannot {what} of rows {indices}: all rows are one environment; leave them out"
            )


def _rows_of(infos: Mapping[str, Any], rows: Iterable[int]) -> list[dict[str, Any]]:
    """Vector infos as a dict of plain values for each of ``rows``."""
    columns = {key: value.tolist() for key, value in infos.items() if not key.startswith("_")}
    return [{key: values[row] for key, values in columns.items()} for row in rows]


def _episode(metrics: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """What Stable-Baselines3 logs of an episode."""
    summary = {"r": metrics["return"], "l": metrics["steps"], "t": round(seconds, 6)}
    success = {"is_success": bool(metrics["success"])} if "success" in metrics else {}
    return {"episode": summary, **success}
