"""Moves all agents of a batch: actions, motion over the navigation meshes, distances, reward, metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..config import EnvConfig
from ..errors import ConfigError
from .control import FORWARD, LEFT, RIGHT, STOP, Leg, Orders, make_control
from .episodes import Episode
from .geometry import forward_vectors, tilt_limits, wrap_angle
from .ground import Ground
from .groups import SceneGroups
from .random import stream_keys
from .state import BatchState
from .task import Array, PointNav, Task

__all__ = ["FORWARD", "LEFT", "RIGHT", "STOP", "Simulator"]

TOLD = {"collision", "collisions", "steps", "return", "scene_id", "episode_id"}
"""Infos of every task, beside its metrics."""
_OF_TASK = "task."


class Simulator:
    """State of N environments and the step that advances it; knows no images, no Gymnasium and no RNG."""

    def __init__(self, num_envs: int, config: EnvConfig, task: type[Task] | None = None) -> None:
        self.config = config
        self.task = (PointNav if task is None else task)(config, num_envs)
        self.state = BatchState.empty(num_envs)
        self._control = make_control(config)
        self._tilt_limits = tilt_limits(config.all_cameras)
        self._groups = SceneGroups(num_envs)

    def begin(
        self,
        rows: Sequence[int],
        episodes: Sequence[Episode],
        grounds: Sequence[Ground],
        noise_keys: Sequence[int] | None = None,
    ) -> None:
        """Put each of ``rows`` at the start of its episode, which is the task's and lies on its ground.

        ``noise_keys`` decide all noise of each episode; None leaves it to the key 0.
        """
        if not rows:
            return
        state = self.state
        state.scene[rows] = [episode.scene for episode in episodes]
        state.episode_id[rows] = [episode.number for episode in episodes]
        state.start[rows] = [episode.start for episode in episodes]
        state.position[rows] = state.start[rows]
        state.goal[rows] = [episode.goal for episode in episodes]
        state.anchor[rows] = [episode.anchor for episode in episodes]
        state.heading[rows] = state.start_heading[rows] = [episode.heading for episode in episodes]
        state.goal_heading[rows] = [episode.goal_heading for episode in episodes]
        state.goal_class[rows] = [episode.goal_class for episode in episodes]
        state.pitch[rows] = 0.0
        state.noise_key[rows] = np.array(noise_keys or [0] * len(rows), np.uint64)
        state.start_distance[rows] = [episode.distance for episode in episodes]
        state.distance[rows] = state.previous_distance[rows] = state.start_distance[rows]
        for values in (state.path_length, state.steps, state.collisions, state.total_reward):
            values[rows] = 0
        for flags in (state.collided, state.stopped, state.success):
            flags[rows] = False
        for row, episode, ground in zip(rows, episodes, grounds, strict=True):
            self._groups.assign(row, episode.scene, ground, episode.anchor, episode.table)
        self.task.begin(rows, state)

    def get_state(self) -> dict[str, Array]:
        """Copies of all arrays of the state by name, those that the task keeps as ``task.<name>``."""
        own = {field.name: getattr(self.state, field.name).copy() for field in fields(self.state)}
        return own | {f"{_OF_TASK}{name}": array for name, array in self.task.get_state().items()}

    def check_state(self, arrays: Mapping[str, Array]) -> None:
        """Raise ``ConfigError`` where an array is missing, not finite or of another shape or dtype."""
        for name, ours in self.get_state().items():
            given = arrays.get(name)
            # How much a task remembers of each row may vary.
            axes = 1 if name.startswith(_OF_TASK) else ours.ndim
            fits = (
                isinstance(given, np.ndarray)
                and given.shape[:axes] == ours.shape[:axes]
                and (given.ndim, given.dtype) == (ours.ndim, ours.dtype)
            )
            if given is None or not fits:
                found = (given.shape, str(given.dtype)) if isinstance(given, np.ndarray) else given
                raise ConfigError(
                    f"the saved state has {name}={found}; expected {ours.shape} {ours.dtype}: "
                    "it belongs to an environment of another size, task or version"
                )
            if not name.startswith(_OF_TASK) and not np.isfinite(np.asarray(given)).all():
                raise ConfigError(f"the saved state's {name} holds numbers that are not finite")
        number, known = arrays["goal_class"].astype(np.int64), len(self.config.object_categories)
        if self.task.needs_objects and not ((number >= 0) & (number < known)).all():
            raise ConfigError(
                f"the saved state's goal_class is not in 0 to {known - 1}: it is of another task"
            )

    def set_state(self, arrays: Mapping[str, Array], grounds: Sequence[Ground]) -> None:
        """Go on from ``get_state``.

        Args:
            arrays: what ``get_state`` gave, for as many rows.
            grounds: the navigation mesh of each row's scene.

        Raises:
            ConfigError: an array is missing or has another shape or dtype.
        """
        self.check_state(arrays)
        for field in fields(self.state):
            setattr(self.state, field.name, arrays[field.name].copy())
        kept = {name: array for name, array in arrays.items() if name.startswith(_OF_TASK)}
        self.task.set_state({name.removeprefix(_OF_TASK): array for name, array in kept.items()})
        for row, ground in enumerate(grounds):
            anchor = self.state.anchor[row]
            self._groups.assign(
                row, int(self.state.scene[row]), ground, anchor, ground.goal_table(anchor[None])[0]
            )

    def step(
        self, actions: NDArray[Any], resting: NDArray[np.bool_] | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
        """Act in all rows but the ``resting`` ones.

        Args:
            actions: as ``config.actions`` says: (N,) int64 of 0 stop, 1 forward, 2 left, 3 right, 4 look up,
                5 look down; or (N, 2) or (N, 3) float64 in [-1, 1].
            resting: (N,) rows that keep their state and get reward 0 and False.

        Returns:
            Rewards (N,), terminations (N,) and truncations (N,); truncated is every episode that has reached
            ``max_episode_steps``, a terminated one too (as under Gymnasium's ``TimeLimit``); with
            ``time_out="termination"`` it is terminated instead.
        """
        state, config = self.state, self.config
        acting = np.ones(len(actions), dtype=bool) if resting is None else ~resting
        noisy = config.actuation_noise is not None
        keys = stream_keys(state.noise_key, state.steps) if noisy else state.noise_key
        orders = self._control.orders(actions, keys)
        self._follow(orders, acting)
        state.stopped |= acting & orders.stops
        state.steps += acting
        rewards, terminations = self.task.advance(state)
        rewards = np.where(acting, rewards, 0.0)
        state.total_reward += rewards
        terminations = terminations | self.task.timed_out(state)
        limit = config.max_episode_steps if config.time_out == "truncation" else None
        truncations = acting & (state.steps >= limit) if limit is not None else np.zeros_like(acting)
        return rewards, terminations & acting, truncations

    def expert_actions(self) -> NDArray[Any]:
        """The next actions on the shortest way to the goal, for imitation and as an upper bound.

        Greedy: turns towards where a step forward ends nearest to the goal (geodesic distance), steps, and
        stops where the task has arrived.
        """
        state, control = self.state, self._control
        arrived = state.distance < self.task.success_distance
        turns = self._groups.best_turns(
            ~arrived, state.position, state.heading,
            turn_angle=control.turn_angle, forward_step=control.forward_step, sliding=self.config.sliding,
        )  # fmt: skip
        return control.expert(arrived, turns)

    def infos(self) -> dict[str, Array]:
        """Metrics of the task and numbers of the episodes, fresh arrays (N,)."""
        state = self.state
        metrics = self.task.metrics(state)
        if taken := sorted(metrics.keys() & TOLD):
            raise ConfigError(
                f"metrics {taken} of {type(self.task).__name__} are infos of every task; "
                "give them other names"
            )
        return {
            **metrics,
            "collision": state.collided.copy(),
            "collisions": state.collisions.copy(),
            "steps": state.steps.copy(),
            "return": state.total_reward.astype(np.float32),
            "scene_id": state.scene.copy(),
            "episode_id": state.episode_id.copy(),
        }

    def _follow(self, orders: Orders, acting: NDArray[np.bool_]) -> None:
        """Walk the legs and turn, and measure how far the agents came."""
        state = self.state
        hit = np.zeros_like(acting)
        state.previous_distance = np.where(acting, state.distance, state.previous_distance)
        for leg in orders.legs:
            hit |= self._walk(leg, acting & leg.walking)
            state.heading = np.where(acting, wrap_angle(state.heading + leg.turn), state.heading)
        if orders.tilts is not None:
            tilted = np.clip(state.pitch + orders.tilts, *self._tilt_limits)
            state.pitch = np.where(acting, tilted, state.pitch)
        state.collided = np.where(acting, hit, state.collided)
        state.collisions += hit

    def _walk(self, leg: Leg, walking: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Move the walking rows along a leg; returns which of them ran into something."""
        state = self.state
        before = state.position
        directions = state.heading if leg.bend is None else state.heading + leg.bend
        steps = forward_vectors(directions) * leg.front[:, None]
        if leg.right is not None:
            steps += forward_vectors(directions - np.pi / 2) * leg.right[:, None]
        targets = (before + steps).astype(np.float32)
        after, distance = self._groups.move(before, targets, walking, state.distance, self.config.sliding)
        moved = np.square(after.astype(np.float64) - before).sum(axis=1)
        intended = np.square(targets.astype(np.float64) - before).sum(axis=1)
        state.path_length += np.sqrt(moved)
        state.position, state.distance = after, distance
        # Habitat's rule and its tolerance of 1e-5 m^2.
        return np.asarray(walking & (moved + 1e-5 < intended))
