"""Train PPO of Stable-Baselines3 to walk to goals in houses, and evaluate it in houses it has never seen.

python examples/sb3_ppo.py [--frames 1200000]        needs: pip install "gym-batchnav[sb3]"
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch
from stable_baselines3 import PPO
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor, NatureCNN
from stable_baselines3.common.vec_env import VecNormalize

from gym_batchnav.integrations.sb3 import EpisodeMetrics, make_sb3_vec_env


class Sight(BaseFeaturesExtractor):
    """Their CNN for the image; the goal spread over features, so that the place to stop stands out."""

    def __init__(self, space, width=256):
        super().__init__(space, width + 15)
        self.cnn = NatureCNN(space["depth"], width)

    def forward(self, observations):
        """(B, width + 15) features."""
        distance, angle = observations["pointgoal"].split(1, dim=1)
        octaves = distance.clamp_min(0.01).log2() - torch.arange(-3, 5, device=distance.device)
        angles = angle * torch.tensor([1.0, 2.0, 4.0], device=angle.device)
        goal = (distance / 10, torch.exp(-(2 * octaves).square()), angles.cos(), angles.sin())
        # The square root gives near things more of the range.
        return torch.cat((self.cnn(observations["depth"].sqrt()), *goal), dim=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=1_200_000)
    parser.add_argument("--num-envs", type=int, default=128)
    parser.add_argument("--resolution", type=int, default=64)
    parser.add_argument("--scenes", default="houses:train")
    parser.add_argument("--eval-scenes", default="houses:val")
    parser.add_argument("--episodes", type=int, default=500)
    parser.add_argument("--run-dir", type=Path, default=Path("runs/sb3"))
    args = parser.parse_args()
    size = (args.resolution, args.resolution)

    # A penalty of each step teaches beginners to stop at once; the evaluation keeps the task's own rewards.
    envs = make_sb3_vec_env(
        args.num_envs, scenes=args.scenes, resolution=size, slack_reward=0.0, success_reward=10.0,
        num_resident_scenes=32, swap_episodes=32,
    )  # fmt: skip
    model = PPO(
        "MultiInputPolicy",
        VecNormalize(envs, norm_obs=False, gamma=0.98),
        policy_kwargs={"features_extractor_class": Sight, "net_arch": [128]},
        n_steps=32, batch_size=8 * args.num_envs, n_epochs=3, gamma=0.98, ent_coef=0.02,
        learning_rate=lambda left: 7e-4 * left, seed=0, verbose=1,
    )  # fmt: skip
    # A stop ends all exploration, so an untrained policy does it rarely, but often enough to learn from it.
    model.policy.action_net.bias.data = torch.tensor([0.01, 0.6, 0.195, 0.195], device=model.device).log()
    model.learn(args.frames, callback=EpisodeMetrics(["spl"]), log_interval=20)
    args.run_dir.mkdir(parents=True, exist_ok=True)
    model.save(args.run_dir / "model")
    envs.close()

    unseen = make_sb3_vec_env(min(50, args.episodes), scenes=args.eval_scenes, resolution=size, seed=1)
    metrics = EpisodeMetrics(window=None)
    evaluate_policy(model, unseen, args.episodes, deterministic=False, callback=metrics.note)
    unseen.close()
    print(f"success: {metrics.means['success']:.1%}, SPL: {metrics.means['spl']:.3f}")


if __name__ == "__main__":
    main()
