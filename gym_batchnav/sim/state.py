"""State of all environments of a batch as arrays, one row an environment."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray


@dataclass(slots=True, eq=False)
class BatchState:
    """Struct of arrays; the simulator writes it, tasks read it. N rows; metres and radians."""

    scene: NDArray[np.int32]
    """(N,) index of the scene in the environment's list of scenes."""
    episode_id: NDArray[np.int64]
    """(N,) number of the episode: within its set, or within the row's stream of sampled episodes."""
    position: NDArray[np.float32]
    """(N, 3) where the agent's feet are."""
    heading: NDArray[np.float64]
    """(N,) 0 looks along -Z, positive to the left; in [-pi, pi)."""
    pitch: NDArray[np.float64]
    """(N,) angle by which the cameras are tilted up, beside their own pitch."""
    start: NDArray[np.float32]
    """(N, 3) where the episode began."""
    start_heading: NDArray[np.float64]
    """(N,) heading with which it began."""
    goal: NDArray[np.float32]
    """(N, 3) where it should end."""
    goal_heading: NDArray[np.float64]
    """(N,) a heading at the goal, radians: where a picture of it looks."""
    goal_class: NDArray[np.int64]
    """(N,) number of the class of objects that is the goal; -1 for none."""
    anchor: NDArray[np.float32]
    """(N, 3) the goal put on the navigation mesh."""
    start_distance: NDArray[np.float64]
    """(N,) geodesic distance from start to goal."""
    distance: NDArray[np.float64]
    """(N,) geodesic distance from the agent to the goal."""
    previous_distance: NDArray[np.float64]
    """(N,) the same, one step before."""
    path_length: NDArray[np.float64]
    """(N,) length of the way so far, in 3-D."""
    steps: NDArray[np.int32]
    """(N,) actions taken in the episode."""
    collisions: NDArray[np.int32]
    """(N,) forward actions that ran into something."""
    collided: NDArray[np.bool_]
    """(N,) whether the last action did."""
    stopped: NDArray[np.bool_]
    """(N,) whether the agent called stop."""
    success: NDArray[np.bool_]
    """(N,) whether the task is accomplished."""
    total_reward: NDArray[np.float64]
    """(N,) sum of the rewards of the episode."""
    noise_key: NDArray[np.uint64]
    """(N,) key of all noise of the episode; a step's noise comes from it and from ``steps`` alone."""

    @classmethod
    def empty(cls, num_envs: int) -> BatchState:
        """State of ``num_envs`` rows, all zero."""
        types: dict[str, type[np.generic]] = {
            "scene": np.int32, "episode_id": np.int64, "goal_class": np.int64,
            "position": np.float32, "start": np.float32,
            "goal": np.float32, "anchor": np.float32, "steps": np.int32, "collisions": np.int32,
            "collided": np.bool_, "stopped": np.bool_, "success": np.bool_,
            "noise_key": np.uint64,
        }  # fmt: skip
        wide = ("position", "start", "goal", "anchor")
        return cls(
            **{
                field.name: np.zeros(
                    (num_envs, 3) if field.name in wide else num_envs, dtype=types.get(field.name, np.float64)
                )
                for field in fields(cls)
            }
        )

    @property
    def num_envs(self) -> int:
        """Number of rows N."""
        return len(self.scene)
