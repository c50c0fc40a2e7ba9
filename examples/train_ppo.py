"""Train the bundled recurrent PPO on built-in houses and evaluate it on a house it has never seen.

python examples/train_ppo.py [--frames 200000] [--num-envs 64]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import gymnasium as gym
from rich.console import Console

import gym_batchnav
from gym_batchnav.rl import PolicyConfig, PPOConfig, ProgressBar, TrainConfig, evaluate, load_policy, train


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=200_000)
    parser.add_argument("--num-envs", type=int, default=64)
    parser.add_argument("--scenes", default="houses:train[:16]")
    parser.add_argument("--resolution", type=int, default=64)
    parser.add_argument("--episodes", type=int, default=50)
    parser.add_argument("--run-dir", type=Path, default=Path("runs/example"))
    args = parser.parse_args()
    size = (args.resolution, args.resolution)

    def make_envs() -> gym.vector.VectorEnv:
        return gym.make_vec("BatchPointNav-v0", num_envs=args.num_envs, scenes=args.scenes, resolution=size)

    config = TrainConfig(
        total_frames=args.frames,
        policy=PolicyConfig(depth_transform="sqrt"),
        ppo=PPOConfig(rollout_length=32, learning_rate=1e-3),
        metric_keys=("success", "spl"),
    )
    # Given again, the same command goes on from the newest checkpoint.
    result = train(config, make_envs, args.run_dir, resume=True, callbacks=[ProgressBar(Console())])

    episodes = gym_batchnav.EpisodeSet(args.episodes, seed=1)
    envs = gym.make_vec(
        "BatchPointNav-v0",
        num_envs=min(args.num_envs, args.episodes),
        scenes="houses:val/0",
        resolution=size,
        episodes=episodes,
        episode_order="sequential",
    )
    evaluation = evaluate(load_policy(result.checkpoint), envs, args.episodes, deterministic=False)
    envs.close()
    for name in ("success", "spl"):
        mean, low, high = evaluation.metrics[name]
        print(f"{name}: {mean:.3f} [{low:.3f}, {high:.3f}]")


if __name__ == "__main__":
    main()
