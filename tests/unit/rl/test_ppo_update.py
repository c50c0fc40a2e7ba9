from __future__ import annotations

import math
import os

import pytest
import torch
from torch import nn

from gym_batchnav.errors import BatchNavError, ConfigError
from gym_batchnav.rl import PolicyConfig, PPOConfig
from gym_batchnav.rl.collecting.rollout import Batch, Rollout
from gym_batchnav.rl.learning.losses import ppo_losses
from gym_batchnav.rl.learning.parallel import choose_threads
from gym_batchnav.rl.learning.ppo import PPO
from gym_batchnav.rl.nets.policy import ActorCritic, PolicyOutput
from gym_batchnav.rl.nets.recurrent import plan_fragments
from gym_batchnav.rl.nets.values import ValueScale
from gym_batchnav.rl.spec import EnvSpec, FieldSpec

SPEC = EnvSpec(
    fields={"observation": FieldSpec(shape=(3,), dtype="float32", unit_range=False)}, num_actions=3
)


def batch(**changes):
    none = torch.zeros(1, 2)
    fields = dict.fromkeys(Batch._fields, none) | {
        "actions": torch.tensor([[0, 1]]),
        "valid": torch.ones(1, 2, dtype=torch.bool),
    }
    return Batch(**(fields | changes))


def test_losses_by_hand():
    # Frame 0: p(a) goes from .5 to .75: ratio 1.5, A = 2; clipped at 1.2: min(3, 2.4) = 2.4
    # Frame 1: p(a) goes from .5 to .25: ratio .5, A = -1; clipped at .8: min(-.5, -.8) = -.8
    logits = torch.log(torch.tensor([[[0.75, 0.25], [0.75, 0.25]]]))
    values = torch.tensor([[1.0, 3.0]])
    old = torch.full((1, 2), math.log(0.5))
    data = batch(log_probs=old, advantages=torch.tensor([[2.0, -1.0]]))
    sums = ppo_losses(
        PolicyOutput(logits, values), data, torch.zeros(1, 2), torch.tensor([[2.0, 2.0]]), PPOConfig()
    )
    assert float(sums.policy) == pytest.approx(-(2.4 - 0.8), abs=1e-6)
    assert float(sums.value) == pytest.approx(0.5 * (1 + 1))
    assert float(sums.entropy) == pytest.approx(
        -2 * (0.75 * math.log(0.75) + 0.25 * math.log(0.25)), abs=1e-6
    )
    # ratio - 1 - log ratio: .5 - log 1.5, and -.5 - log .5
    assert float(sums.kl) == pytest.approx(0.5 - math.log(1.5) - 0.5 - math.log(0.5), abs=1e-6)
    assert float(sums.clipped) == 2.0


def test_value_clipping_takes_the_larger_error():
    # Frame 0: value 1, old 0, clipped to .5, target 2: max(1, 2.25) = 2.25
    # Frame 1: value 3, old 0, clipped to .5, target 2: max(1, 2.25) = 2.25
    logits = torch.log(torch.full((1, 2, 2), 0.5))
    data = batch(log_probs=torch.full((1, 2), math.log(0.5)))
    output = PolicyOutput(logits, torch.tensor([[1.0, 3.0]]))
    sums = ppo_losses(output, data, torch.zeros(1, 2), torch.full((1, 2), 2.0), PPOConfig(value_clip=0.5))
    assert float(sums.value) == pytest.approx(0.5 * 4.5)


def test_value_clipping_leaves_small_changes_and_large_errors():
    # Frame 0: value .3 is within .5 of the old 0, target 1: .7^2 = .49, clipped or not
    # Frame 1: value 3, old 0, clipped to .5, target 0: max(9, .25) = 9
    logits = torch.log(torch.full((1, 2, 2), 0.5))
    data = batch(log_probs=torch.full((1, 2), math.log(0.5)))
    output = PolicyOutput(logits, torch.tensor([[0.3, 3.0]]))
    targets = torch.tensor([[1.0, 0.0]])
    sums = ppo_losses(output, data, torch.zeros(1, 2), targets, PPOConfig(value_clip=0.5))
    assert float(sums.value) == pytest.approx(0.5 * 9.49)


def test_invalid_frames_do_not_count():
    logits = torch.log(torch.tensor([[[0.75, 0.25], [0.75, 0.25]]]))
    data = batch(
        log_probs=torch.full((1, 2), math.log(0.5)),
        advantages=torch.tensor([[2.0, float("nan")]]),
        valid=torch.tensor([[True, False]]),
    )
    targets = torch.tensor([[2.0, float("inf")]])
    output = PolicyOutput(logits, torch.tensor([[1.0, 3.0]]))
    sums = ppo_losses(output, data, torch.zeros(1, 2), targets, PPOConfig())
    assert float(sums.policy) == pytest.approx(-2.4, abs=1e-6)
    assert float(sums.value) == 0.5


def filled_rollout(num_envs: int, steps: int = 5, spec: EnvSpec = SPEC) -> tuple[ActorCritic, Rollout]:
    torch.manual_seed(0)
    policy = ActorCritic(PolicyConfig(hidden=8, vector_embedding=8, action_embedding=4), spec)
    nn.init.normal_(policy.actor.weight)
    rollout = Rollout(policy.prepared, steps, num_envs, policy.initial_state(num_envs), "float32")
    for n in range(num_envs):
        for t in range(steps + 1):
            rollout.obs["observation"][t, n] = torch.tensor([n, t, n * t], dtype=torch.float32)
    rollout.state[:] = torch.arange(num_envs)[None, :, None] / 10
    rollout.starts[2, ::2] = True
    rollout.previous[1:] = 1
    rollout.actions[:] = torch.arange(steps * num_envs).reshape(steps, num_envs) % 3
    rollout.log_probs[:] = -1.0
    rollout.rewards[:] = torch.arange(num_envs) + torch.arange(steps)[:, None] * 100.0
    rollout.valid[:] = True
    return policy, rollout


def test_minibatches_keep_every_sequence_together_and_use_each_environment_once():
    _, rollout = filled_rollout(7)
    seen = []
    for rows in rollout.minibatches(3, torch.Generator().manual_seed(1)):
        data = rollout.batch(rows, rollout.starts)
        for column, row in enumerate(rows.tolist()):
            seen.append(row)
            times = torch.arange(5.0)
            expected = torch.stack([torch.full((5,), float(row)), times, row * times], dim=1)
            assert torch.equal(data.inputs.obs["observation"][:, column], expected)
            assert torch.equal(data.actions[:, column], rollout.actions[:, row])
            assert torch.equal(data.inputs.starts[:, column], rollout.starts[:5, row])
            assert float(data.inputs.state[0, column, 0]) == pytest.approx(row / 10)
    assert sorted(seen) == list(range(7))


def test_every_frame_of_a_minibatch_says_where_it_comes_from():
    # Everything in the frame of step t of environment n is 10 n + t, or made of it.
    steps, num_envs = 6, 7
    _, rollout = filled_rollout(num_envs, steps)
    number = 10 * torch.arange(num_envs)[None] + torch.arange(steps + 1)[:, None]
    rollout.obs["observation"].copy_(number[..., None].expand(-1, -1, 3))
    for name in ("actions", "log_probs", "values", "advantages", "returns"):
        getattr(rollout, name).copy_(number[:steps])
    rollout.previous[1:] = number[:steps]
    rollout.previous[0] = -1
    rollout.starts.copy_(number % 4 == 0)
    rollout.valid.copy_(number[:steps] % 5 > 0)
    rollout.state[:] = 10.0 * torch.arange(num_envs)[None, :, None]
    seen = []
    for rows in rollout.minibatches(3, torch.Generator().manual_seed(0)):
        data = rollout.batch(rows, rollout.starts)
        numbers = data.actions
        # Whole and in order: step after step of one environment in each column.
        assert torch.equal(numbers - numbers[:1], torch.arange(steps)[:, None].expand(-1, len(rows)))
        assert torch.equal(numbers[0], 10 * rows)
        assert torch.equal(data.inputs.obs["observation"], numbers[..., None].expand(-1, -1, 3).float())
        for part in (data.log_probs, data.values, data.advantages, data.returns):
            assert torch.equal(part, numbers.float())
        assert torch.equal(data.inputs.previous[1:], numbers[:-1])
        assert torch.equal(data.inputs.starts, numbers % 4 == 0)
        assert torch.equal(data.valid, numbers % 5 > 0)
        assert torch.equal(data.inputs.state, numbers[0].float()[None, :, None].expand_as(data.inputs.state))
        plan = plan_fragments(data.inputs.starts)
        assert all(torch.equal(a, b) for a, b in zip(data.inputs.plan, plan, strict=True))
        seen += numbers.flatten().tolist()
    assert sorted(seen) == sorted(number[:steps].flatten().tolist())


def test_minibatch_splits_differ_from_epoch_to_epoch():
    _, rollout = filled_rollout(16)
    generator = torch.Generator().manual_seed(1)
    splits = [torch.cat(list(rollout.minibatches(4, generator))).tolist() for _ in range(2)]
    assert splits[0] != splits[1]


def test_microbatches_sum_to_the_gradient_of_the_minibatch():
    updated = []
    for frames in (5, 1000):
        policy, rollout = filled_rollout(6)
        rollout.valid[3, 1] = False
        config = PPOConfig(rollout_length=5, minibatches=2, epochs=1, microbatch_frames=frames)
        PPO(policy, config, torch.Generator().manual_seed(3)).update(rollout, torch.zeros(6), 1e-2, 0.01)
        updated.append(torch.cat([p.detach().flatten() for p in policy.parameters()]))
    torch.testing.assert_close(updated[0], updated[1], rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_gradient_threads_change_nothing_but_rounding_and_repeat_bitwise(threads):
    updated = []
    for count in (1, threads, threads):
        policy, rollout = filled_rollout(8)
        config = PPOConfig(rollout_length=5, minibatches=2, epochs=2)
        ppo = PPO(policy, config, torch.Generator().manual_seed(3), threads=count)
        ppo.update(rollout, torch.zeros(8), 1e-2, 0.01)
        ppo.threads.close()
        updated.append(torch.cat([p.detach().flatten() for p in policy.parameters()]))
    torch.testing.assert_close(updated[0], updated[1], rtol=1e-4, atol=1e-5)
    assert torch.equal(updated[1], updated[2])


def test_threads_are_one_per_core_on_a_cpu_and_one_on_a_gpu(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1, 5}, raising=False)
    assert choose_threads(None, "cpu") == 3
    assert choose_threads(None, "cuda:0") == 1
    assert choose_threads(4, "cpu") == 4


def test_update_makes_good_actions_likelier():
    policy, rollout = filled_rollout(8)
    rollout.terminated[:] = True  # each step stands alone, so the advantage is the reward's
    rollout.rewards[:] = (rollout.actions == 2).float()

    def chance():
        frames = slice(0, 5)
        obs = {"observation": rollout.obs["observation"][frames]}
        output = policy.sequence(obs, rollout.state, rollout.previous[frames], rollout.starts[frames])
        return output.logits[..., 2].exp().mean().item(), output.logits.gather(
            -1, rollout.actions[..., None]
        )[..., 0]

    before, log_probs = chance()
    rollout.log_probs[:] = log_probs.detach()
    ppo = PPO(
        policy, PPOConfig(minibatches=2, epochs=4, entropy_coefficient=0.0), torch.Generator().manual_seed(0)
    )
    stats = ppo.update(rollout, torch.zeros(8), 1e-2, 0.0)
    assert chance()[0] > before + 0.02
    assert set(stats) >= {"policy_loss", "value_loss", "entropy", "kl", "clip_fraction", "explained_variance"}


def test_more_minibatches_than_environments_is_refused():
    policy, rollout = filled_rollout(2)
    ppo = PPO(policy, PPOConfig(minibatches=4), torch.Generator())
    with pytest.raises(ConfigError, match="minibatches is 4, but there are 2"):
        ppo.update(rollout, torch.zeros(2), 1e-3, 0.0)


def test_non_finite_gradients_stop_the_run_and_leave_the_weights():
    policy, rollout = filled_rollout(4)
    before = policy.actor.weight.detach().clone()
    rollout.rewards[0, 0] = float("nan")
    ppo = PPO(policy, PPOConfig(minibatches=2, normalize_values=False), torch.Generator())
    with pytest.raises(BatchNavError, match="not finite"):
        ppo.update(rollout, torch.zeros(4), 1e-3, 0.0)
    assert torch.equal(policy.actor.weight, before)


def test_value_scale_preserves_what_the_head_says():
    torch.manual_seed(0)
    head, scale = nn.Linear(4, 1), ValueScale()
    x = torch.randn(10, 4)
    before = scale.restore(head(x)).detach()
    scale.update(torch.randn(1000) * 7 + 30, head)
    assert float(scale.mean) == pytest.approx(30, abs=1)
    assert float(scale.std) == pytest.approx(7, rel=0.1)
    torch.testing.assert_close(scale.restore(head(x)).detach(), before, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(scale.restore(scale.normalize(before)), before)
