"""Rollouts that end early: who ends them, what they are worth, and how the next one goes on."""

from __future__ import annotations

import pytest
import torch

from gym_batchnav.rl.collecting.collect import Collector
from gym_batchnav.rl.collecting.parts import EnvParts
from gym_batchnav.rl.collecting.timing import StageTimer
from gym_batchnav.rl.config import DistributedConfig
from gym_batchnav.rl.distributed.preemption import Preemption
from gym_batchnav.rl.learning.ppo import PPO
from gym_batchnav.rl.nets.policy import ActorCritic
from gym_batchnav.rl.spec import env_spec
from tests.distributed.toys import ROWS, STEPS, RowsEnv, toy


class FakeWorld:
    def __init__(self, size, waiting):
        self.size, self.asked, self._waiting = size, 0, waiting

    def waiting(self):
        self.asked += 1
        return self._waiting


@pytest.mark.parametrize(
    ("share", "least", "size", "waiting", "taken", "ends"),
    [
        # 0.6 x 4 = 2.4 ranks: three. 0.25 x 8 = 2 steps.
        (0.6, 0.25, 4, 3, 2, True),
        (0.6, 0.25, 4, 2, 7, False),
        (0.6, 0.25, 4, 3, 1, False),
        # 0.6 x 5 = 3 exactly, although 0.6 * 5 is 3.0000000000000004 in other orders.
        (0.6, 0.25, 5, 3, 2, True),
        (0.6, 0.5, 5, 4, 3, False),
        (0.6, 0.5, 5, 4, 4, True),
        # Even with no least share, one step is taken.
        (0.6, 0.0, 4, 3, 1, True),
    ],
)
def test_the_rule(share, least, size, waiting, taken, ends):
    config = DistributedConfig(preempt_share=share, preempt_min_share=least)
    assert Preemption(FakeWorld(size, waiting), config, 8)(taken) is ends


@pytest.mark.parametrize(("share", "size"), [(0.6, 1), (0.6, 2), (0.0, 8), (1.0, 8)])
def test_where_it_cannot_apply_nobody_asks(share, size):
    # Of two ranks 60% are both, and one that asks does not wait.
    world = FakeWorld(size, size)
    rule = Preemption(world, DistributedConfig(preempt_share=share), 8)
    assert not any(rule(taken) for taken in range(1, 8))
    assert world.asked == 0


def make_collector(envs):
    config = toy()
    parts = EnvParts([lambda: envs], "off", "cpu")
    torch.manual_seed(0)
    policy = ActorCritic(config.policy, env_spec(envs.single_observation_space, envs.single_action_space))
    made = Collector(policy, parts, config, torch.Generator().manual_seed(1), StageTimer())
    made.reset(5)
    return made


def frames(rollout):
    names = ("actions", "rewards", "values", "terminated", "truncated", "final_values", "starts", "previous")
    kept = {name: getattr(rollout, name)[: rollout.filled].clone() for name in names}
    return {**kept, "observation": rollout.obs["observation"][: rollout.filled].clone()}


@pytest.mark.parametrize("cut", [1, 3, 7])
def test_a_cut_rollout_and_the_next_are_those_of_one_long_walk(cut):
    whole, parted = make_collector(RowsEnv(ROWS)), make_collector(RowsEnv(ROWS))
    expected = [frames(whole.collect()) for _ in range(3)]
    rollout = parted.collect(lambda taken: taken == cut)
    assert rollout.filled == cut
    assert rollout.valid[:cut].all()
    assert not rollout.valid[cut:].any()
    first = frames(rollout)
    # The value of the frame after the cut: what the other collector says of it when it acts there.
    torch.testing.assert_close(parted.last_values, expected[0]["values"][cut])
    parts = [first, *(frames(parted.collect()) for _ in range(2))]
    for name in first:
        walk = torch.cat([part[name] for part in expected])
        walked = torch.cat([part[name] for part in parts])
        torch.testing.assert_close(walked, walk[: len(walked)], msg=name)


def test_a_cut_rollout_is_taken_over_by_a_checkpoint():
    first = make_collector(RowsEnv(ROWS))
    first.collect(lambda taken: taken == 3)
    snapshot, state, drawn = first.snapshot(), first.envs.get_state(), first.generator.get_state()
    second = make_collector(RowsEnv(ROWS))
    second.envs.set_state(state)
    second.generator.set_state(drawn)
    second.restore(snapshot)
    ours, theirs = frames(second.collect()), frames(first.collect())
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)


def test_returns_of_a_cut_rollout_by_hand():
    collector = make_collector(RowsEnv(2))
    policy, rollout = collector.policy, collector.rollout
    # What an earlier rollout left behind must not show.
    rollout.rewards.fill_(1e6)
    rollout.terminated.fill_(True)
    rollout.valid.fill_(True)
    rollout.rewards[:3] = torch.tensor([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
    rollout.values[:3] = torch.tensor([[0.5, 0.5], [1.0, 1.0], [1.5, 1.5]])
    rollout.terminated[:3] = torch.tensor([[False, False], [False, True], [False, False]])
    rollout.end(3)
    ppo = toy().ppo
    config = type(ppo)(
        rollout_length=STEPS, minibatches=1, epochs=1, gamma=0.5, gae_lambda=0.5,
        normalize_advantages=False, normalize_values=False,
    )  # fmt: skip
    PPO(policy, config, torch.Generator()).update(rollout, torch.tensor([4.0, 4.0]), 0.0, 0.0)
    # Bootstrapped from 4, the value of the frame after the third; gamma lambda = 0.25.
    # Row 0: 3 + 2 - 1.5 = 3.5; 2 + 0.75 - 1 + 0.25 x 3.5 = 2.625; 1 + 0.5 - 0.5 + 0.25 x 2.625 = 1.65625.
    # Row 1, whose second step ends: 3.5; 2 - 1 = 1; 1 + 0.5 - 0.5 + 0.25 = 1.25.
    expected = torch.tensor([[1.65625, 1.25], [2.625, 1.0], [3.5, 3.5]])
    torch.testing.assert_close(rollout.advantages[:3], expected)
    torch.testing.assert_close(rollout.returns[:3], expected + rollout.values[:3])
    assert (rollout.advantages[3:] == 0).all()
