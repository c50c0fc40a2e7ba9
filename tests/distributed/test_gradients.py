"""R ranks with N / R rows each learn what one rank with N rows learns."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from gym_batchnav.errors import DistributedError
from gym_batchnav.rl.collecting.rollout import Rollout
from gym_batchnav.rl.config import PolicyConfig, PPOConfig
from gym_batchnav.rl.distributed import World, join_world
from gym_batchnav.rl.distributed.agreement import (
    check_own_devices,
    check_own_rows,
    check_same,
    check_same_weights,
    outvoted,
    share_weights,
)
from gym_batchnav.rl.distributed.reduce import moments
from gym_batchnav.rl.learning.ppo import PPO
from gym_batchnav.rl.nets.policy import ActorCritic
from gym_batchnav.rl.spec import EnvSpec, FieldSpec

ROWS, STEPS = 8, 5
SPEC = EnvSpec(
    fields={
        "depth": FieldSpec(shape=(16, 16, 1), dtype="float32", unit_range=True),
        "pointgoal": FieldSpec(shape=(2,), dtype="float32", unit_range=False),
    },
    num_actions=4,
)
SMALL = PolicyConfig(
    hidden=16, stem_planes=4, planes=(4,), strides=(2,), vector_embedding=8, action_embedding=4
)


def make_policy():
    torch.manual_seed(3)
    return ActorCritic(SMALL, SPEC)


def fill(policy, rows):
    """Some rows of one fixed random rollout of 8; most frames of rows 4 and 5 do not count."""
    rng = np.random.default_rng(5)
    full = Rollout(policy.prepared, STEPS, ROWS, policy.initial_state(ROWS), "float32")
    for key, slot in full.obs.items():
        full.obs[key] = torch.as_tensor(rng.random(slot.shape), dtype=slot.dtype)
    full.rewards = torch.as_tensor(rng.normal(size=(STEPS, ROWS)) * 3, dtype=torch.float32)
    full.values = torch.as_tensor(rng.normal(size=(STEPS, ROWS)), dtype=torch.float32)
    full.actions = torch.as_tensor(rng.integers(4, size=(STEPS, ROWS)))
    full.log_probs = torch.as_tensor(-rng.random((STEPS, ROWS)) * 2, dtype=torch.float32)
    full.starts = torch.as_tensor(rng.random((STEPS + 1, ROWS)) < 0.2)
    full.terminated = torch.as_tensor(rng.random((STEPS, ROWS)) < 0.2)
    full.valid = torch.ones(STEPS, ROWS, dtype=torch.bool)
    full.valid[1:, 4:6] = False
    last = torch.as_tensor(rng.normal(size=ROWS), dtype=torch.float32)
    part = Rollout(policy.prepared, STEPS, len(rows), policy.initial_state(len(rows)), "float32")
    for name in ("rewards", "values", "actions", "log_probs", "starts", "terminated", "valid"):
        getattr(part, name).copy_(getattr(full, name)[:, rows])
    for key, slot in part.obs.items():
        slot.copy_(full.obs[key][:, rows])
    return part, last[rows]


def learn(world, epochs=1):
    """One update; gives the summed gradient of its last step before clipping, the weights and the losses."""
    policy = make_policy()
    share = ROWS // world.size
    rows = torch.arange(world.rank * share, (world.rank + 1) * share)
    config = PPOConfig(
        rollout_length=STEPS, minibatches=1, epochs=epochs, max_grad_norm=1e9, learning_rate=1e-3
    )
    ppo = PPO(policy, config, torch.Generator().manual_seed(0), world=world)
    losses = ppo.update(*fill(policy, rows), 1e-3, 0.01)
    gradients = {name: p.grad.clone() for name, p in policy.named_parameters() if p.grad is not None}
    return gradients, policy.state_dict(), losses


def learn_as_rank(launch):
    with join_world("cpu", launch=launch) as world:
        gradients, weights, losses = learn(world)
        return (
            {k: v.numpy() for k, v in gradients.items()},
            {k: v.numpy() for k, v in weights.items()},
            losses,
        )


@pytest.mark.parametrize("size", [2, 4])
def test_ranks_have_the_gradient_of_one(ranks, size):
    gradients, weights, losses = learn(World())
    assert sum(gradient.norm() for gradient in gradients.values()) > 0.1
    for theirs, their_weights, their_losses in ranks(size, learn_as_rank):
        assert theirs.keys() == gradients.keys()
        for name, gradient in gradients.items():
            torch.testing.assert_close(torch.from_numpy(theirs[name]), gradient, atol=1e-6, rtol=1e-5)
        for name, weight in weights.items():
            # The value scale's statistics are among them.
            torch.testing.assert_close(torch.as_tensor(their_weights[name]), weight, atol=2e-5, rtol=1e-4)
        assert their_losses == pytest.approx(losses, abs=1e-5, rel=1e-4)


def test_the_gradient_would_differ_if_ranks_counted_alike():
    # Frames that count: rows 0-3 and 6, 7 have 5, rows 4 and 5 one: 20 and 12 in the halves.
    policy = make_policy()
    counts = [int(fill(policy, torch.arange(k, k + 4))[0].valid.sum()) for k in (0, 4)]
    assert counts == [20, 12]


def reduce_numbers(launch):
    with join_world("cpu", launch=launch) as world:
        own = [[1.0, 2.0, 6.0], [-3.0, 7e9, 7e9], [float("nan")] * 3][world.rank % 3]
        valid = [[True, True, True], [True, False, False], [False, False, False]][world.rank % 3]
        numbers = torch.tensor([own, [1e4 + world.rank] * 3])[:, None]
        return [m.tolist() for m in moments(world, numbers, torch.tensor([valid]))]


def test_moments_count_every_valid_number_once(ranks):
    for mean, square, variance in ranks(4, reduce_numbers):
        # Values 1, 2, 6 | -3 | none | 1, 2, 6: mean 15 / 7, squares (41 + 9 + 41) / 7 = 13,
        # variance 13 - (15 / 7)^2 = 412 / 49. A mean of means would be another.
        assert (mean[0], square[0], variance[0]) == pytest.approx((15 / 7, 13.0, 412 / 49))
        # 10000 three times, 10001, 10003 three times: mean 10000 + 10 / 7, variance 28 / 7 - (10 / 7)^2,
        # which a difference of float32 squares near 1e8, 8 apart, would lose.
        assert mean[1] == pytest.approx(10000 + 10 / 7, abs=2e-3)
        assert variance[1] == pytest.approx(4 - (10 / 7) ** 2, rel=1e-3)


def test_moments_of_one_rank_are_torchs():
    values = torch.randn(2, 10, 100, generator=torch.Generator().manual_seed(0)) * 3 + 5
    valid = torch.rand(10, 100, generator=torch.Generator().manual_seed(1)) < 0.7
    own = moments(World(), values, valid)
    for k in range(2):
        kept = values[k][valid]
        torch.testing.assert_close(own.mean[k], kept.mean())
        torch.testing.assert_close(own.variance[k], kept.var(correction=0))
        torch.testing.assert_close(own.square[k], kept.square().mean())


def differ(launch, disturbed):
    with join_world("cpu", launch=launch) as world:
        torch.manual_seed(world.rank)
        net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4))
        share_weights(world, net)
        check_same_weights(world, net)
        first = net[0].weight.detach().clone().numpy()
        if world.rank in disturbed:
            with torch.no_grad():
                # The last bit of one number of twelve.
                net[0].weight.view(torch.int32)[2, 1] ^= 1
        try:
            check_same_weights(world, net)
        except DistributedError as error:
            return first, str(error), error.ranks
        return first, "", ()


@pytest.mark.parametrize(("size", "disturbed"), [(4, (2,)), (2, (1,)), (2, (0,)), (2, ())])
def test_a_disturbed_rank_is_caught(ranks, size, disturbed):
    results = ranks(size, differ, disturbed)
    # Of two ranks nobody knows who is right: rank 0 counts.
    blamed = {(0,): (1,)}.get(disturbed, disturbed)
    for first, text, named in results:
        assert (first == results[0][0]).all()
        assert named == blamed
        assert text.startswith(f"the weights of rank {blamed[0]} differ") if blamed else text == ""


def settings(launch):
    with join_world("cpu", launch=launch) as world:
        own = {"seed": 3, "num_envs": 8 if world.rank < 3 else 6}
        try:
            check_same(world, own)
        except DistributedError as error:
            return str(error)
        return ""


def test_other_settings_are_named(ranks):
    for text in ranks(4, settings):
        assert text.startswith("num_envs is 6 on rank 3, but 8 on the others; start all ranks")


def rows(launch, step):
    with join_world("cpu", launch=launch) as world:
        first = step * world.rank
        # Two halves, of 4 and 4 rows.
        try:
            check_own_rows(world, [(first, first + 4), (first + 4, first + 8)])
        except DistributedError as error:
            return str(error), error.ranks
        return "", ()


@pytest.mark.parametrize(("step", "shared"), [(8, None), (0, 0), (6, 6)])
def test_ranks_with_the_same_rows_are_refused(ranks, step, shared):
    for text, named in ranks(2, rows, step):
        if shared is None:
            assert text == ""
        else:
            assert text.startswith(f"ranks 0 and 1 both have the row {shared}, so they would walk the same")
            assert "index_offset=rank * num_envs" in text
            assert named == (0, 1)


def gpus(launch, uuids):
    from types import SimpleNamespace

    with join_world("cpu", launch=launch) as world, pytest.MonkeyPatch.context() as patch:
        here = SimpleNamespace(uuid=uuids[world.rank])
        patch.setattr(torch.cuda, "get_device_properties", lambda device: here)
        try:
            check_own_devices(world, "cuda:0")
        except DistributedError as error:
            return str(error), error.ranks
        return "", ()


def test_ranks_on_the_same_gpu_are_refused(ranks):
    # Each may see its own GPU as cuda:0.
    assert ranks(2, gpus, ["GPU-1", "GPU-2"]) == [("", ())] * 2
    for text, named in ranks(3, gpus, ["GPU-1", "GPU-2", "GPU-1"]):
        assert text.startswith("ranks 0, 2 all work on the GPU GPU-1 of ")
        assert named == (0, 2)


def test_outvoted():
    assert outvoted([1, 1, 1]) == []
    assert outvoted([1, 2, 1, 3]) == [1, 3]
    assert outvoted([5, 7]) == [1]
