"""Teach a recurrent policy the ways of an expert that is asked wherever it walks (DAgger, arXiv 1011.0686).

python examples/imitation.py [--frames 200000] [--num-envs 64]
"""

import argparse
import random
from collections import deque

import gymnasium as gym
import torch

import gym_batchnav
from gym_batchnav.rl import ActorCritic, PolicyAgent, PolicyConfig, env_spec, evaluate

STOP, STEPS, UPDATES, SIZE = 0, 16, 8, (32, 32)
RARE = torch.tensor([2.0, 1.0, 1.0, 1.0])  # one action of sixty is a stop, and all depends on it


def success(policy: ActorCritic, args: argparse.Namespace) -> str:
    """How far the policy gets in houses that it has never seen."""
    envs = gym.make_vec(
        "BatchPointNav-v0", num_envs=min(args.num_envs, args.episodes), scenes=args.eval_scenes,
        resolution=SIZE, episodes=gym_batchnav.EpisodeSet(args.episodes), episode_order="sequential",
    )  # fmt: skip
    found = evaluate(PolicyAgent(policy), envs, args.episodes).metrics
    envs.close()
    return ", ".join(f"{key} {found[key].mean:.2f}" for key in ("success", "spl", "soft_spl"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=200_000)
    parser.add_argument("--num-envs", type=int, default=64)
    parser.add_argument("--episodes", type=int, default=200)
    parser.add_argument("--scenes", default="houses:train[:64]")
    parser.add_argument("--eval-scenes", default="houses:val[:20]")
    args = parser.parse_args()
    torch.manual_seed(0)
    random.seed(0)
    envs = gym.make_vec("BatchPointNav-v0", num_envs=args.num_envs, scenes=args.scenes, resolution=SIZE)
    spec = env_spec(envs.single_observation_space, envs.single_action_space)
    policy = ActorCritic(PolicyConfig(depth_transform="sqrt", hidden=192, vector_embedding=64), spec)
    optimizer, data = torch.optim.Adam(policy.parameters(), lr=2e-3), deque(maxlen=64)
    rollouts = max(1, args.frames // (args.num_envs * STEPS))
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.03, UPDATES * rollouts)
    (obs, _), state = envs.reset(seed=0), policy.initial_state(args.num_envs)
    starts, actions = torch.ones(args.num_envs, dtype=torch.bool), torch.full((args.num_envs,), -1)
    for rollout in range(rollouts):
        rows, before = [], state
        for _ in range(STEPS):
            seen = policy.prepare({key: torch.as_tensor(value) for key, value in obs.items()})
            expert = torch.as_tensor(envs.unwrapped.expert_actions())
            rows.append((*seen.values(), actions, starts, expert))
            with torch.no_grad():
                output, state = policy.step(seen, state, actions, starts)
            actions = torch.distributions.Categorical(logits=output.logits).sample()
            # Half of the steps are the expert's, and all stops: else few episodes come near their goals.
            led = (torch.rand(args.num_envs) < 0.5) | (actions == STOP) | (expert == STOP)
            actions = torch.where(led, expert, actions)
            obs, _, terminations, truncations, _ = envs.step(actions.numpy())
            starts = torch.as_tensor(terminations | truncations)
        data.append((before, *map(torch.stack, zip(*rows, strict=True))))
        for memory, *images, previous, begun, wanted in (*random.choices(data, k=UPDATES - 1), data[-1]):
            logits = policy.sequence(dict(zip(seen, images, strict=True)), memory, previous, begun).logits
            loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), wanted.flatten(), weight=RARE)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
        if rollout % 20 == 0:
            print(f"{rollout * STEPS * args.num_envs:,} frames: loss {loss:.2f}", flush=True)
    envs.close()
    print(success(policy, args))


if __name__ == "__main__":
    main()
