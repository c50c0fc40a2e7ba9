"""A loop that stays on the device: images come as tensors, a rule in torch acts, actions go back as a tensor.

python examples/zero_copy_torch.py [--device cuda] [--num-envs 64] [--steps 300]

With ``copy=False`` the observations are the renderer's own memory: on an NVIDIA GPU a ring of two buffers
that GL and CUDA share, on the CPU one buffer that every step draws into again; what is kept has to be copied.
"""

from __future__ import annotations

import argparse
import time

import gymnasium as gym
import torch

import gym_batchnav  # noqa: F401  registers BatchPointNav-v0

STOP, FORWARD, LEFT, RIGHT = range(4)


class Walker:
    """Walks at the goal; in front of an obstacle turns to the freer side and follows it for a while."""

    def __init__(self, num_envs: int, device: str) -> None:
        self.side = torch.full((num_envs,), LEFT, device=device)
        self.detour = torch.zeros(num_envs, device=device)  # steps that are left of it

    def act(self, depth: torch.Tensor, goal: torch.Tensor) -> torch.Tensor:
        """Actions (N,) int64 from depth (N, H, W, 1) in [0, 1] and goal (N, 2) in metres and radians."""
        distance, angle = goal.unbind(dim=1)
        left, ahead, right = depth[..., 0].tensor_split(3, dim=2)
        blocked = (10.0 * ahead.amin(dim=(1, 2)) < 0.4) & (distance > 0.4)
        freer = torch.where(left.mean(dim=(1, 2)) > right.mean(dim=(1, 2)), LEFT, RIGHT)
        self.side = torch.where(self.detour > 0, self.side, freer)
        self.detour = torch.where(blocked, 12, self.detour - 1)
        turn = torch.where(angle > 0, LEFT, RIGHT)
        action = torch.where((angle.abs() > 0.2) & (self.detour <= 0), turn, FORWARD)
        action = torch.where(blocked, self.side, action)
        return torch.where(distance < 0.2, STOP, action)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--num-envs", type=int, default=64)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--scenes", default="houses:val[:8]")
    args = parser.parse_args()
    options = {"output": "torch", "copy": False, "device": args.device}
    envs = gym.make_vec("BatchPointNav-v0", num_envs=args.num_envs, scenes=args.scenes, **options)
    observations, _ = envs.reset(seed=0)
    depth, walker = observations["depth"], Walker(args.num_envs, args.device)
    rollout = depth.new_empty((args.steps, *depth.shape), dtype=torch.float16)
    addresses, counts = set(), torch.zeros(2, device=args.device)
    begun = time.perf_counter()
    for step in range(args.steps):
        depth = observations["depth"]
        addresses.add(depth.data_ptr())
        rollout[step].copy_(depth)  # before the next step draws over it
        actions = walker.act(depth, observations["pointgoal"])
        observations, rewards, terminations, truncations, infos = envs.step(actions)
        # A successful stop is rewarded with 2.5, a step forward with 0.25 at most.
        counts += torch.stack(((rewards > 1.0).sum(), (terminations | truncations).sum()))
    rate = args.steps * args.num_envs / (time.perf_counter() - begun)
    assert len(addresses) <= 2, "images were copied"
    print(f"{rate:,.0f} frames/s on {depth.device}; images at {len(addresses)} address(es), none was copied")
    print(f"rollout kept in half precision: {tuple(rollout.shape)}, {rollout.nbytes / 2**20:.0f} MiB")
    print("{:.0f} of {:.0f} episodes ended at the goal, by a rule of ten lines".format(*counts.tolist()))
    envs.close()


if __name__ == "__main__":
    main()
