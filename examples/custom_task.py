"""A task of your own: find a hidden spot by "warmer" and "colder", without being told where it is.

python examples/custom_task.py [--num-envs 16] [--steps 300]
"""

from __future__ import annotations

import argparse

import gymnasium as gym
import numpy as np

from gym_batchnav import BatchState, SensorSpec, Task


class HotAndCold(Task):
    """All rows at once: `state` holds arrays of N rows, one for each robot."""

    def __init__(self, config, num_envs):
        super().__init__(config, num_envs)
        self.nearest = np.zeros(num_envs)

    def begin(self, rows, state: BatchState):
        """Episodes have begun in these rows."""
        self.nearest[rows] = state.distance[rows]

    def sensors(self):
        """Name and bounds of what the robots feel."""
        return {"warmer": SensorSpec(low=(-1.0,), high=(1.0,))}

    def observe(self, state: BatchState):
        """Whether the last step came nearer: 1, 0 or -1, (N, 1)."""
        gained = state.previous_distance - state.distance
        return {"warmer": np.sign(np.round(gained, 3))[:, None].astype(np.float32)}

    def advance(self, state: BatchState):
        """Rewards and terminations: a point for each metre nearer than ever before, ten at the spot."""
        state.success = state.distance < 0.5
        rewards = np.maximum(self.nearest - state.distance, 0.0) + 10.0 * state.success
        self.nearest = np.minimum(self.nearest, state.distance)
        return rewards, state.success.copy()

    def metrics(self, state: BatchState):
        """What every step reports in the infos."""
        return {"success": state.success.astype(np.float32), "nearest": self.nearest.astype(np.float32)}

    def get_state(self):
        """What has to be saved with the environment."""
        return {"nearest": self.nearest.copy()}

    def set_state(self, arrays):
        """Go on from there."""
        self.nearest = arrays["nearest"].copy()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--num-envs", type=int, default=16)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--scenes", default="houses:val[:4]")
    args = parser.parse_args()
    envs = gym.make_vec(
        "BatchPointNav-v0", num_envs=args.num_envs, scenes=args.scenes, sensors=(), task=HotAndCold
    )
    observations, infos = envs.reset(seed=0)
    generator = np.random.default_rng(0)
    found, total = 0, np.zeros(args.num_envs)
    for _ in range(args.steps):
        # Ahead while it gets warmer, else turn a little and try again.
        turn = generator.choice([1, 2, 3], size=args.num_envs, p=[0.4, 0.3, 0.3])
        actions = np.where(observations["warmer"][:, 0] > 0, 1, turn)
        observations, rewards, terminations, truncations, infos = envs.step(actions)
        found, total = found + int(terminations.sum()), total + rewards
    print(f"{found} spots found, mean return {total.mean():.1f}, now {infos['nearest'].mean():.1f} m away")
    envs.close()


if __name__ == "__main__":
    main()
