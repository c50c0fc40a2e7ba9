"""Gymnasium's vector environments under the rules of Stable-Baselines3."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.wrappers.vector import DictInfoToList
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from ...config.checks import as_int
from ...envs import BatchPointNavEnv
from ...errors import ActionError, ConfigError
from .infos import Info, info_rows, with_success
from .observations import CNN_SIZE, Depth, Observations
from .rows import Indices, Rows

Step = tuple[Any, NDArray[np.float32], NDArray[np.bool_], list[Info]]


class SB3VecEnv(VecEnv):
    """A vector environment as Stable-Baselines3 takes it.

    Episodes begin anew within the step that ends them. The infos of each row are those of the environment,
    with ``TimeLimit.truncated`` (whether it was truncated and not terminated), ``is_success`` where the task
    knows success, and at the end of an episode ``terminal_observation``; ``reset_infos`` holds those of the
    newest episode's begin. As with other ``VecEnv``, returns and lengths come from ``VecMonitor`` around it.

    The environment itself is ``envs``. Attributes and methods of single rows go through ``get_attr``,
    ``set_attr`` and ``env_method``.

    Args:
        envs: of this library, whose images become (C, H, W) and whose classes become one-hot, or any other,
            whose observations stay as they are. Closed with this one.
        depth: ``"uint8"`` for depth and normals as bytes, 255ths of the range of their space rounded to the
            nearest; ``"float32"`` for them without loss.
        flatten_images: whether images become vectors of float32 in [0, 1].
        min_image_size: fewest pixels per side of an image.

    Raises:
        ConfigError: its autoreset mode is not SAME_STEP, it gives tensors or arrays that it overwrites, an
            image is too small, or an argument has a value that is not allowed.
    """

    def __init__(
        self,
        envs: VectorEnv[Any, Any, Any],
        *,
        depth: Depth = "uint8",
        flatten_images: bool = False,
        min_image_size: int = CNN_SIZE,
    ) -> None:
        _check(envs)
        self.envs = envs
        self.spec = envs.spec
        self._rows = Rows(envs)
        self._convert: Observations | None = None
        if isinstance(envs.unwrapped, BatchPointNavEnv):
            self._convert = Observations(
                envs.single_observation_space,
                depth=depth,
                flatten_images=flatten_images,
                min_image_size=min_image_size,
            )
        self._actions: Any = None
        # Wrappers change spaces in place.
        space = deepcopy(envs.single_observation_space) if self._convert is None else self._convert.space
        super().__init__(envs.num_envs, space, deepcopy(envs.single_action_space))
        if "render_fps" in envs.metadata:
            self.metadata["render_fps"] = envs.metadata["render_fps"]

    def reset(self) -> Any:
        """Begin an episode in all rows, with what ``seed`` and ``set_options`` were given since the last."""
        self._actions = None
        # ``seed`` gives row i the first one's seed + i, as Gymnasium does with a number.
        first = self._seeds[0]
        seed, options = None if first is None else int(first), self._options[0] or None
        obs, infos = self.envs.reset(seed=seed, options=options)
        self.reset_infos = info_rows(infos, self.num_envs)
        self._reset_seeds()
        self._reset_options()
        return self._converted(obs)

    def step_async(self, actions: Any) -> None:
        """Keep the actions for ``step_wait``."""
        self._actions = actions

    def step_wait(self) -> Step:
        """Take the step.

        Returns:
            Observations; rewards (N,) float32; whether the episodes are over (N,) bool; a dict for each row.

        Raises:
            ActionError: no actions were given, or they have a wrong shape, dtype or value.
        """
        if self._actions is None:
            raise ActionError("step_wait() was called without actions; call step_async(actions) before it")
        actions, self._actions = self._actions, None
        obs, rewards, terminated, truncated, infos = self.envs.step(actions)
        ended = np.asarray(terminated | truncated, dtype=bool)
        told = [with_success(info) for info in self._told(infos, np.flatnonzero(ended).tolist())]
        for info, cut in zip(told, (truncated & ~terminated).tolist(), strict=True):
            info["TimeLimit.truncated"] = cut
        return self._converted(obs), np.asarray(rewards, dtype=np.float32), ended, told

    def close(self) -> None:
        """Close the environment."""
        self.envs.close()

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Seeds for the next ``reset``: row i gets the seed + i.

        Raises:
            ConfigError: the seed is no integer of at least 0.
        """
        number = as_int(seed)
        if seed is not None and (number is None or number < 0):
            raise ConfigError(f"seed={seed!r} is not allowed; expected an integer of at least 0, or None")
        return super().seed(number)

    def set_options(self, options: list[dict[str, Any]] | dict[str, Any] | None = None) -> None:
        """Options for the next ``reset``.

        Args:
            options: for all rows, or a list with the same ones for each.

        Raises:
            ConfigError: they differ from row to row, or leave rows out, which ``reset`` cannot.
        """
        rows = options if isinstance(options, list) else [options]
        if any(row != rows[0] for row in rows) or len(rows) not in (1, self.num_envs):
            raise ConfigError(
                f"options={options!r} is not allowed: all {self.num_envs} rows are reset together; "
                "give one dict for all"
            )
        if "reset_mask" in (rows[0] or {}):
            raise ConfigError(
                "options['reset_mask'] is not allowed: Stable-Baselines3 resets all rows; leave it out"
            )
        super().set_options(rows[0])

    def get_images(self) -> list[NDArray[np.uint8] | None]:
        """Pictures (H, W, 3) of all rows with ``render_mode="rgb_array"``, else None for each."""
        frames: Any = self.envs.render()
        return [None] * self.num_envs if frames is None else list(frames)

    def has_attr(self, attr_name: str) -> bool:
        """Whether ``get_attr`` knows an attribute."""
        try:
            self.get_attr(attr_name)
        except (AttributeError, ConfigError):
            return False
        return True

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """An attribute of each row asked for; what belongs to all rows is the same for each.

        Raises:
            AttributeError: there is no such attribute.
        """
        return self._rows.get(attr_name, self._chosen(indices))

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Keep a value under a new name for the rows asked for; rows that have none then read None.

        Raises:
            ConfigError: the name is that of an attribute of the environment, which is fixed.
        """
        self._rows.set(attr_name, value, self._chosen(indices))

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> list[Any]:
        """What a method gives for each row asked for, e.g. ``agent_state`` or ``expert_action``.

        Raises:
            AttributeError: there is no such method.
            ConfigError: it acts on all rows together; call it as ``envs.<method>``.
        """
        return self._rows.call(method_name, self._chosen(indices), *method_args, **method_kwargs)

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Indices = None) -> list[bool]:
        """Whether each row asked for, or the environment as a whole, is wrapped by such a wrapper."""
        return self._rows.wrapped(wrapper_class, self._chosen(indices))

    def _chosen(self, indices: Indices) -> list[int]:
        return [int(row) for row in self._get_indices(indices)]

    def _converted(self, obs: Any) -> Any:
        return obs if self._convert is None else self._convert(obs)

    def _told(self, infos: dict[str, Any], ended: list[int]) -> list[Info]:
        """Infos of the step; of rows that ended, those of the end, while those of the begin are kept."""
        rows = info_rows(infos, self.num_envs)
        for row in ended:
            begun = rows[row]
            last, final = self._converted(begun.pop("final_obs")), dict(begun.pop("final_info", {}))
            if "episode" in begun:
                # Gymnasium's RecordEpisodeStatistics writes of the end beside the infos of the begin.
                final["episode"] = begun.pop("episode")
            final["terminal_observation"] = dict(last) if isinstance(last, dict) else last
            rows[row], self.reset_infos[row] = final, begun
        return rows


def _check(envs: VectorEnv[Any, Any, Any]) -> None:
    mode = envs.metadata.get("autoreset_mode")
    if mode is None or AutoresetMode(mode) is not AutoresetMode.SAME_STEP:
        name = None if mode is None else AutoresetMode(mode).value
        raise ConfigError(
            f"autoreset_mode is {name!r}; Stable-Baselines3 needs autoreset_mode='SameStep' (with "
            "gym.make_vec for others' ones, vector_kwargs={'autoreset_mode': AutoresetMode.SAME_STEP})"
        )
    inner: Any = envs.unwrapped
    how = inner.config if isinstance(inner, BatchPointNavEnv) else inner
    if getattr(how, "output", "numpy") != "numpy":
        raise ConfigError(f"output is {how.output!r}; Stable-Baselines3 needs arrays, output='numpy'")
    if not getattr(how, "copy", True):
        raise ConfigError(
            "copy is False; Stable-Baselines3 keeps observations over a step, which needs copy=True"
        )
    if any(Rows(envs).wrapped(DictInfoToList, [0])):
        raise ConfigError("DictInfoToList makes lists of infos, which this makes itself; leave it out")
    if isinstance(envs.single_observation_space, gym.spaces.Tuple):
        raise ConfigError("observations are a Tuple; Stable-Baselines3 needs one array or a Dict of arrays")
