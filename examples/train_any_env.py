"""The bundled learner on an environment that has nothing to do with navigation.

``python examples/train_any_env.py`` solves CartPole in a minute; ``--env`` takes any environment of Gymnasium
with discrete actions, and ``--frames`` says for how long.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import gymnasium as gym
from rich.console import Console

from gym_batchnav.rl import PolicyConfig, PPOConfig, ProgressBar, TrainConfig, evaluate, load_policy, train


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--env", default="CartPole-v1")
    parser.add_argument("--frames", type=int, default=80_000)
    parser.add_argument("--num-envs", type=int, default=16)
    parser.add_argument("--run-dir", type=Path, default=Path("runs/any-env"))
    args = parser.parse_args()

    def make_envs(num_envs: int = args.num_envs) -> gym.vector.VectorEnv:
        return gym.make_vec(args.env, num_envs=num_envs, vectorization_mode="sync")

    ppo = PPOConfig(rollout_length=32, minibatches=2, epochs=8, learning_rate=3e-3, gamma=0.98)
    config = TrainConfig(
        total_frames=args.frames,
        policy=PolicyConfig(hidden=64, recurrence="none"),
        ppo=ppo,
        validate_every_frames=max(args.frames // 4, 1),
    )

    def validate(agent) -> dict[str, float]:
        envs = make_envs(8)
        found = evaluate(agent, envs, 16, seed=1)
        envs.close()
        return {"return": found.metrics["return"].mean}

    bar = ProgressBar(Console())
    # Given again, the same command goes on from the newest checkpoint.
    result = train(config, make_envs, args.run_dir, resume=True, callbacks=[bar], validate=validate)
    best, envs = load_policy(result.best_checkpoint or result.checkpoint), make_envs(8)
    score = evaluate(best, envs, 32, seed=2).metrics["return"]
    envs.close()
    print(f"return {score.mean:.1f} ({score.low:.1f} to {score.high:.1f}) over 32 episodes")


if __name__ == "__main__":
    main()
