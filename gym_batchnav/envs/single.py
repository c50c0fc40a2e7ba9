"""One environment as a Gymnasium ``Env``: the batch with N = 1."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from ..config import EnvConfig
from ..errors import ConfigError
from ..nav import NavMesh
from ..sim import Task
from .arguments import checked_options
from .pictures import RENDER_MODES
from .vector import BatchPointNavEnv


class PointNavEnv(gym.Env[Any, Any]):
    """PointGoal navigation of one agent, or another task.

    Made by ``gym.make("BatchPointNav-v0", ...)``, which also sets the limit of 500 steps
    (``gym.make(max_episode_steps=...)``), or directly, without a limit. Keyword arguments are the fields of
    ``EnvConfig`` but ``max_episode_steps`` and ``autoreset_mode``.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": list(RENDER_MODES), "render_fps": 10}  # type: ignore[misc]
    batch: ClassVar[type[BatchPointNavEnv]] = BatchPointNavEnv
    """The same for many agents."""

    def __init__(
        self,
        config: EnvConfig | None = None,
        *,
        render_mode: str | None = None,
        task: type[Task] | None = None,
        **kwargs: Any,
    ) -> None:
        """Check the arguments; the scene and the renderer are made at the first ``reset``.

        Args:
            config: starting point for the keyword arguments; its autoreset mode does not count here, and its
                limit of steps only where ``time_out`` is ``"termination"``.
            render_mode: ``"rgb_array"`` for ``render()``; ``"human"`` shows the agent's view, its depth, a
                map and figures in a window after every ``reset`` and ``step``.
            task: what is asked of the agent; None for that of ``batch``.
            **kwargs: fields of ``EnvConfig``, and ``preset``.

        Raises:
            ConfigError: an argument is unknown or has a value that is not allowed; the message names it.
            EpisodeError: the episode file cannot be used.
        """
        for name, instead in _NOT_HERE.items():
            if name in kwargs:
                raise ConfigError(
                    f"{name}={kwargs[name]!r} is no argument of the single environment; {instead}"
                )
        checked = EnvConfig.from_kwargs({**kwargs, "autoreset_mode": "Disabled"}, config)
        if checked.time_out == "truncation":
            checked = replace(checked, max_episode_steps=None)
        self._batch = self.batch(1, checked, render_mode=render_mode, task=task)
        self.config = self._batch.config
        self.render_mode = render_mode
        self.observation_space = self._batch.single_observation_space
        self.action_space = self._batch.single_action_space
        self._refresh_metadata()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode; ``seed`` starts a new stream of episodes, None goes on with the stream."""
        checked_options(options)
        super().reset(seed=seed)
        observation, infos = self._batch.reset(seed=seed)
        self._refresh_metadata()
        return _first(observation), _scalars(infos)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Act: 0 stop, 1 forward, 2 turn left, 3 turn right, or as ``actions=`` says.

        Returns:
            Observation, reward, terminated, truncated (False: that limit is ``TimeLimit``'s), info.
        """
        actions = action[None] if hasattr(action, "detach") else np.asarray(action)[None]
        observation, rewards, terminations, truncations, infos = self._batch.step(actions)
        return (
            _first(observation),
            float(rewards[0]),
            bool(terminations[0]),
            bool(truncations[0]),
            _scalars(infos),
        )

    def render(self) -> NDArray[np.uint8] | None:
        """What the agent sees, (H, W, 3) uint8; None without ``render_mode="rgb_array"``."""
        frames = self._batch.render()
        return None if frames is None else frames[0]

    def panel(self, side: int = 256) -> NDArray[np.uint8]:
        """A picture (H, W, 3) for people, as ``BatchPointNavEnv.panels``."""
        return self._batch.panels(side)[0]

    def close(self) -> None:
        """Give the renderer's memory back; safe to call twice."""
        self._batch.close()

    @property
    def scene_ids(self) -> tuple[str, ...]:
        """Names of the scenes; ``info["scene_id"]`` is an index into it."""
        return self._batch.scene_ids

    @property
    def timings(self) -> dict[str, float]:
        """Seconds by stage, as ``BatchPointNavEnv.timings``."""
        return self._batch.timings

    def agent_state(self) -> dict[str, Any]:
        """Where the agent is, as ``BatchPointNavEnv.agent_state`` without the axis of environments."""
        return {key: value[0] for key, value in self._batch.agent_state().items()}

    def expert_action(self) -> Any:
        """The next action on the shortest way to the goal, as ``BatchPointNavEnv.expert_actions``."""
        action = self._batch.expert_actions()[0]
        return int(action) if self.config.actions != "velocity" else action

    def navmesh(self, scene_id: str | int) -> NavMesh:
        """Navigation mesh of a scene, by name or index."""
        return self._batch.navmesh(scene_id)

    def _refresh_metadata(self) -> None:
        drawn = {name: self._batch.metadata[name] for name in ("backend", "renderer")}
        self.metadata = {**type(self).metadata, **drawn}  # type: ignore[misc]


_NOT_HERE = {
    "max_episode_steps": "use gym.make(..., max_episode_steps=...) or gymnasium.wrappers.TimeLimit",
    "autoreset_mode": "give it to make_vec as it is, or with vectorization_mode='sync' or 'async' as "
    "vector_kwargs={'autoreset_mode': ...}",
    "num_envs": "use gym.make_vec(..., num_envs=...)",
}


def _first(observation: dict[str, Any]) -> dict[str, Any]:
    return {key: value[0] for key, value in observation.items()}


def _scalars(infos: dict[str, Any]) -> dict[str, Any]:
    """Row 0 of the infos without masks; flags become Python bools, as vector environments expect."""
    values = {key: value[0] for key, value in infos.items() if not key.startswith("_")}
    return {key: bool(value) if value.dtype == np.bool_ else value for key, value in values.items()}
