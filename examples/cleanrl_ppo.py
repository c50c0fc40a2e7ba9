"""PPO in one file, in the manner of CleanRL, on the unchanged environment; nothing of our learner is used.

python examples/cleanrl_ppo.py [--total-timesteps 500000] [--num-envs 64] [--scenes "houses:train[:16]"]
"""

import gymnasium as gym
import numpy as np
import torch
import tyro
from torch import nn

import gym_batchnav  # noqa: F401  registers BatchPointNav-v0

STEPS, GAMMA, LAMBDA, EPOCHS, MINIBATCHES, CLIP, ENTROPY = 64, 0.98, 0.95, 3, 4, 0.2, 0.02


class Agent(nn.Module):
    """Looks at depth and goal, and has no memory."""

    def __init__(self):
        super().__init__()
        self.eye = nn.Sequential(nn.Conv2d(1, 16, 8, 4), nn.ReLU(), nn.Conv2d(16, 32, 4, 2), nn.ReLU())
        self.body, self.heads = nn.Linear(32 * 6 * 6 + 5, 256), nn.Linear(256, 4 + 1)
        self.heads.bias.data[0] = -3.5  # a stop ends all exploration, so it begins rare

    def forward(self, obs):
        """Distribution of actions, and values (B,)."""
        distance, angle = torch.as_tensor(obs["pointgoal"]).unbind(1)
        goal = [torch.exp(-distance / scale) for scale in (10.0, 1.0, 0.2)] + [angle.cos(), angle.sin()]
        seen = self.eye(torch.as_tensor(obs["depth"]).sqrt().movedim(3, 1)).flatten(1)
        out = self.heads(self.body(torch.cat((seen, torch.stack(goal, 1)), 1)).relu())
        return torch.distributions.Categorical(logits=out[:, :4]), out[:, 4]


def main(scenes: str = "houses:train[:16]", total_timesteps: int = 500_000, num_envs: int = 64):
    torch.manual_seed(1)
    envs = gym.make_vec("BatchPointNav-v0", num_envs, scenes=scenes, slack_reward=0.0, success_reward=10.0)
    envs, agent, successes = gym.wrappers.vector.RecordEpisodeStatistics(envs), Agent(), []
    optimizer = torch.optim.Adam(agent.parameters(), lr=1e-3, eps=1e-5)
    (obs, _), batch = envs.reset(seed=1), STEPS * num_envs
    for step in range(batch, total_timesteps + 1, batch):
        rows, advantages, after = [], np.zeros((STEPS, num_envs), np.float32), 0.0
        with torch.no_grad():
            for _ in range(STEPS):
                policy, value = agent(obs)
                action = policy.sample()
                next_obs, reward, terminations, truncations, infos = envs.step(action.numpy())
                ended, cut = terminations | truncations, truncations & ~terminations
                successes.extend(infos.get("final_info", infos)["success"][ended])
                if cut.any():  # time was up, no more: add what the last observation still promises
                    last = {k: np.stack([o[k] for o in infos["final_obs"][cut]]) for k in obs}
                    reward[cut] += GAMMA * agent(last)[1].numpy()
                rows.append((*obs.values(), action, policy.log_prob(action), value, reward, ended))
                obs = next_obs
            following = agent(obs)[1].numpy()
        *seen, actions, logprobs, values, rewards, ends = map(np.stack, zip(*rows, strict=True))
        for t in reversed(range(STEPS)):
            after = rewards[t] - values[t] + GAMMA * ~ends[t] * (following + LAMBDA * after)
            advantages[t], following = after, values[t]
        data = (*seen, actions, logprobs, advantages, advantages + values)
        data = [torch.as_tensor(x).flatten(0, 1) for x in data]
        for rows in torch.cat([torch.randperm(batch) for _ in range(EPOCHS)]).chunk(EPOCHS * MINIBATCHES):
            *seen, action, logprob, advantage, target = (x[rows] for x in data)
            policy, value = agent(dict(zip(obs, seen, strict=True)))
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
            ratio = (policy.log_prob(action) - logprob).exp()
            gain = torch.min(ratio * advantage, ratio.clamp(1 - CLIP, 1 + CLIP) * advantage).mean()
            loss = 0.25 * (value - target).square().mean() - gain - ENTROPY * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
        success, score = (np.mean(queue or [0]) for queue in (successes[-200:], envs.return_queue))
        print(f"{step:,} steps: success {success:.2f}, return {score:.2f}")
    envs.close()


if __name__ == "__main__":
    tyro.cli(main)
