"""Random robots in a batch of houses: what comes out of ``step``, and how fast.

python examples/random_agent.py [--num-envs 64] [--steps 200]
"""

from __future__ import annotations

import argparse
import time

import gymnasium as gym
import numpy as np

import gym_batchnav  # registers BatchPointNav-v0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--num-envs", type=int, default=64)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--scenes", default="houses:train[:8]")
    args = parser.parse_args()

    envs = gym.make_vec(
        "BatchPointNav-v0", num_envs=args.num_envs, scenes=args.scenes, sensors=("depth", "rgb")
    )
    observations, infos = envs.reset(seed=0)
    print(f"gym-batchnav {gym_batchnav.__version__}")
    print({key: (value.shape, value.dtype) for key, value in observations.items()})

    generator = np.random.default_rng(0)
    ended = 0
    begun = time.perf_counter()
    for _ in range(args.steps):
        # Hardly ever stop, so that the robots see something of the houses.
        actions = generator.choice(4, size=args.num_envs, p=[0.01, 0.59, 0.2, 0.2])
        observations, rewards, terminations, truncations, infos = envs.step(actions)
        ended += int((terminations | truncations).sum())
    rate = args.steps * args.num_envs / (time.perf_counter() - begun)

    print(f"{rate:,.0f} frames/s, {ended} episodes ended")
    print(f"mean distance to the goal now: {infos['distance_to_goal'].mean():.1f} m")
    print(f"mean depth ahead: {10 * observations['depth'].mean():.1f} m")
    envs.close()


if __name__ == "__main__":
    main()
