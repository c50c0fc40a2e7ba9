"""The update reads nothing back from the device, and skips steps there."""

from __future__ import annotations

import copy
import dataclasses

import pytest
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from gym_batchnav.errors import BatchNavError
from gym_batchnav.rl import PolicyConfig, PPOConfig
from gym_batchnav.rl.collecting.rollout import Rollout
from gym_batchnav.rl.learning.gradients import FlatGradients
from gym_batchnav.rl.learning.optimizers import load_optimizer, make_optimizer
from gym_batchnav.rl.learning.ppo import PPO
from gym_batchnav.rl.learning.vtrace import vtrace
from gym_batchnav.rl.nets.policy import ActorCritic
from gym_batchnav.rl.spec import EnvSpec, FieldSpec

STEPS, ROWS = 6, 5
SPEC = EnvSpec(
    fields={
        "depth": FieldSpec(shape=(16, 16, 1), dtype="float32", unit_range=True),
        "rgb": FieldSpec(shape=(16, 16, 3), dtype="uint8", unit_range=False),
        "pointgoal": FieldSpec(shape=(2,), dtype="float32", unit_range=False),
    },
    num_actions=4,
)
SMALL = PolicyConfig(
    hidden=16, stem_planes=4, planes=(4,), strides=(2,), vector_embedding=8, action_embedding=4
)
CONFIG = PPOConfig(rollout_length=STEPS, minibatches=2, epochs=2)


def make(config=CONFIG, policy=SMALL, device="cpu", threads=1):
    """A learner and a filled rollout; what it holds is random but always the same."""
    torch.manual_seed(0)
    network = ActorCritic(policy, SPEC)
    nn.init.normal_(network.actor.weight)
    rollout = Rollout(network.prepared, STEPS, ROWS, network.initial_state(ROWS).to(device), "float16")
    for slot in rollout.obs.values():
        slot.copy_((torch.rand(slot.shape) * (255 if slot.dtype == torch.uint8 else 1)).to(slot.dtype))
    rollout.starts[2, ::2] = True
    rollout.truncated[1, ::2] = True
    rollout.actions.copy_(torch.randint(4, (STEPS, ROWS)))
    rollout.log_probs.copy_(-torch.rand(STEPS, ROWS) - 1)
    for slot in (rollout.rewards, rollout.values, rollout.final_values):
        slot.copy_(torch.randn(STEPS, ROWS))
    rollout.valid[:] = True
    learner = PPO(network.to(device), config, torch.Generator().manual_seed(1), threads)
    return learner, rollout


def weights(learner):
    return torch.cat([p.detach().flatten() for p in learner.policy.parameters()])


def starts():
    flags = torch.zeros(STEPS + 1, ROWS, dtype=torch.bool)
    flags[2, ::2] = True
    return flags


# Slow only because torch then loads what it knows about shapes.
@pytest.mark.slow
@pytest.mark.parametrize("recurrence", ["gru", "lstm", "none"])
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"optimizer": "lamb", "weight_decay": 0.01, "value_clip": 0.2},
        {"advantage": "vtrace", "normalize_values": False, "normalize_advantages": False},
    ],
)
def test_everything_up_to_the_report_runs_where_there_are_no_values_to_read(changes, recurrence):
    # Tensors of the device "meta" have shapes only: whatever reads a value of theirs raises.
    policy = dataclasses.replace(SMALL, recurrence=recurrence, normalize_rgb=True)
    learner, rollout = make(dataclasses.replace(CONFIG, **changes), policy, "meta")
    last = torch.zeros(ROWS, device="meta")
    progress = learner.improve(rollout, starts(), last, 1e-3, 0.01)
    assert {part.device.type for part in progress} == {"meta"}
    with pytest.raises((RuntimeError, NotImplementedError)):
        learner._report(progress, rollout)


class Reads(TorchDispatchMode):
    """Counts what makes the host wait for a GPU."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        name = func.overloadpacket.__name__
        masks = name.startswith("index") and any(
            isinstance(index, torch.Tensor) and index.dtype == torch.bool
            for index in (args[1] if len(args) > 1 and isinstance(args[1], list | tuple) else ())
        )
        if masks or name in ("_local_scalar_dense", "nonzero", "masked_select", "equal", "unique"):
            self.names.append(name)
        return func(*args, **kwargs or {})


@pytest.mark.parametrize("precision", ["float32", "float16"])
@pytest.mark.parametrize("optimizer", ["adam", "lamb"])
def test_fused_steps_and_loss_scales_read_nothing_either(optimizer, precision):
    # Without a memory: the lengths of packed sequences lie on the CPU and are read there.
    policy = dataclasses.replace(SMALL, recurrence="none")
    learner, rollout = make(dataclasses.replace(CONFIG, optimizer=optimizer), policy)
    learner.policy.precision = precision
    before = weights(learner)
    with Reads() as reads:
        learner.improve(rollout, rollout.starts, torch.zeros(ROWS), 1e-3, 0.01)
    assert reads.names == []
    assert not torch.equal(weights(learner), before)
    with Reads() as reads:
        rollout.rewards[rollout.valid].sum().item()
    assert reads.names == ["index", "_local_scalar_dense"]


def test_a_rollout_stays_on_its_device_in_compact_types():
    _, rollout = make(device="meta")
    stored = {**rollout.obs, **{k: v for k, v in vars(rollout).items() if isinstance(v, torch.Tensor)}}
    assert len(stored) > 10
    assert {value.device.type for value in stored.values()} == {"meta"}
    types = {key: value.dtype for key, value in rollout.obs.items()}
    assert types == {"depth": torch.float16, "rgb": torch.uint8, "pointgoal": torch.float32}
    batch = rollout.batch(torch.tensor([3, 1]), starts())
    assert {value.device.type for value in batch.inputs.obs.values()} == {"meta"}
    assert {key: value.dtype for key, value in batch.inputs.obs.items()} == types


def test_a_gradient_that_is_not_finite_leaves_weights_and_moments_and_is_an_error():
    learner, rollout = make(dataclasses.replace(CONFIG, normalize_values=False, normalize_advantages=False))
    learner.update(rollout, torch.zeros(ROWS), 1e-3, 0.01)
    rollout.rewards[:] = float("inf")
    before = weights(learner)
    moments = [value.clone() for state in learner.optimizer.state.values() for value in state.values()]
    with pytest.raises(BatchNavError, match=r"not finite at learning rate 0\.001"):
        learner.update(rollout, torch.zeros(ROWS), 1e-3, 0.01)
    assert torch.equal(weights(learner), before)
    after = [value for state in learner.optimizer.state.values() for value in state.values()]
    assert all(torch.equal(a, b) for a, b in zip(moments, after, strict=True))


@pytest.mark.parametrize("optimizer", ["adam", "lamb"])
def test_float16_skips_what_overflows_and_lowers_the_scale(optimizer):
    learner, rollout = make(dataclasses.replace(CONFIG, optimizer=optimizer))
    learner.policy.precision = "float16"
    learner.update(rollout, torch.zeros(ROWS), 1e-3, 0.01)
    state = learner.state_dict()
    assert state["loss_scale"]["scale"] == 256.0
    learner.load_state_dict({**state, "loss_scale": {**state["loss_scale"], "scale": 2.0**40}})
    before = weights(learner)
    stats = learner.update(rollout, torch.zeros(ROWS), 1e-3, 0.01)
    assert stats["skipped_steps"] == 4
    assert stats["loss_scale"] == 2.0**36  # halved by each step
    # The value head is rescaled to new units; nothing else moves.
    assert int((weights(learner) != before).sum()) <= learner.policy.critic.weight.numel() + 1
    while stats["skipped_steps"]:
        stats = learner.update(rollout, torch.zeros(ROWS), 1e-3, 0.01)
    assert not torch.equal(weights(learner), before)
    assert 0 < stats["grad_norm"] < 100


def test_float16_learns_nearly_what_float32_does():
    results = {}
    for kind in ("float32", "float16", "bfloat16"):
        learner, rollout = make(dataclasses.replace(CONFIG, epochs=1, minibatches=1))
        learner.policy.precision = kind
        stats = learner.update(rollout, torch.zeros(ROWS), 1e-3, 0.01)
        results[kind] = stats
    for kind, digits in (("float16", 3e-3), ("bfloat16", 3e-2)):
        for name in ("policy_loss", "value_loss", "grad_norm"):
            assert results[kind][name] == pytest.approx(results["float32"][name], rel=digits, abs=digits)


def test_float16_that_never_gets_finite_is_an_error():
    learner, rollout = make()
    learner.policy.precision = "float16"
    rollout.rewards[0, 0] = float("nan")
    updates = [lambda: learner.update(rollout, torch.zeros(ROWS), 1e-3, 0.01)] * 6
    assert [update()["skipped_steps"] for update in updates] == [4] * 6  # 256 / 2^24 may still help
    with pytest.raises(BatchNavError, match="not finite"):
        updates[0]()  # 256 / 2^28 is below 1e-6


def test_vtrace_asks_the_policy_anew_before_the_second_epoch():
    config = dataclasses.replace(CONFIG, advantage="vtrace", normalize_values=False)
    learner, rollout = make(config, threads=2)
    last = torch.full((ROWS,), 0.5)
    learner.update(rollout, last, 0.0, 0.01)  # a rate of 0: the policy stays, and can be asked here
    learner.threads.close()
    state, values, log_probs = rollout.state, [], []
    with torch.no_grad():
        for t in range(STEPS + 1):
            obs = rollout.get_obs(t)
            output, state = learner.policy.step(obs, state, rollout.previous[t], rollout.starts[t])
            values.append(output.values)
            if t < STEPS:
                log_probs.append(output.logits.gather(1, rollout.actions[t][:, None])[:, 0])
    ratios = torch.stack(log_probs) - rollout.log_probs
    assert ratios.abs().max() > 0.1
    expected = vtrace(
        rollout.rewards, torch.stack(values[:STEPS]), values[STEPS], rollout.terminated, rollout.truncated,
        rollout.final_values, ratios, config.gamma, config.gae_lambda, 1.0, 1.0,
    )  # fmt: skip
    torch.testing.assert_close(rollout.returns, expected.returns, rtol=0, atol=1e-4)
    raw = expected.advantages
    scaled = (raw - raw.mean()) / (raw.std(correction=0) + 1e-5)
    torch.testing.assert_close(rollout.advantages, scaled, rtol=0, atol=1e-3)


def test_advantages_are_normalised_over_the_valid_frames_of_the_rollout():
    learner, rollout = make(dataclasses.replace(CONFIG, epochs=1))
    rollout.valid[3, 2] = False
    rollout.rewards[3, 2] = 1e6
    rollout.starts[3, 2] = rollout.terminated[2, 2] = rollout.terminated[3, 2] = True
    learner.update(rollout, torch.zeros(ROWS), 1e-3, 0.01)
    kept = rollout.advantages[rollout.valid]
    assert float(kept.mean()) == pytest.approx(0.0, abs=1e-5)
    assert float(kept.std(correction=0)) == pytest.approx(1.0, abs=1e-3)


def test_flat_gradients_keep_memory_formats_and_none():
    conv = nn.Parameter(torch.randn(2, 3, 2, 2).to(memory_format=torch.channels_last))
    vector, unused = nn.Parameter(torch.randn(4)), nn.Parameter(torch.randn(2))
    flat = FlatGradients([conv, vector, unused], extras=2)
    flat.reserve(2)
    # A gradient comes in any format: here contiguous for a weight that is not.
    one, two = torch.randn(2, 3, 2, 2), torch.randn(4)
    flat.put(0, [one, two, None], torch.tensor([1.0, 2.0]))
    flat.put(1, [2 * one, 3 * two, None], torch.tensor([10.0, 20.0]))
    total = flat.total(2)
    flat.attach()
    assert torch.equal(conv.grad, 3 * one)
    assert conv.grad.stride() == conv.stride()
    assert torch.equal(vector.grad, 4 * two)
    assert unused.grad is None
    assert total[-2:].tolist() == [11.0, 22.0]
    total *= 2
    assert torch.equal(vector.grad, 8 * two)  # a view


@pytest.mark.parametrize("optimizer", ["adam", "lamb"])
def test_moments_of_a_plain_adamw_go_on_in_either_optimiser(optimizer):
    torch.manual_seed(0)
    old = nn.Sequential(nn.Conv2d(3, 4, 3), nn.Flatten(), nn.Linear(4, 2))
    new = nn.Sequential(nn.Conv2d(3, 4, 3), nn.Flatten(), nn.Linear(4, 2)).to(
        memory_format=torch.channels_last
    )
    new.load_state_dict(old.state_dict())
    groups = [{"params": [p for p in old.parameters() if (p.ndim > 1) == many]} for many in (True, False)]
    plain = torch.optim.AdamW(groups, lr=1e-2, eps=1e-5, weight_decay=0.0)
    config = PPOConfig(optimizer=optimizer, learning_rate=1e-2)
    ours = make_optimizer(new, config)
    if optimizer == "lamb":
        ours.param_groups[0]["adapt"] = False  # so that it takes Adam's steps
    x = torch.randn(5, 3, 3, 3)
    for _ in range(3):
        plain.zero_grad()
        old(x).square().sum().backward()
        plain.step()
    new.load_state_dict(old.state_dict())
    load_optimizer(ours, copy.deepcopy(plain.state_dict()))
    flat = FlatGradients(list(new.parameters()), extras=1)
    flat.reserve(1)
    for _ in range(3):
        plain.zero_grad()
        old(x).square().sum().backward()
        plain.step()
        flat.put(0, torch.autograd.grad(new(x).square().sum(), flat.parameters), torch.zeros(1))
        flat.attach()
        ours.step()
    for a, b in zip(old.parameters(), new.parameters(), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-6)


def test_an_optimiser_of_another_network_is_refused():
    one, other = (make_optimizer(nn.Linear(2, k), PPOConfig()) for k in (3, 4))
    state = one.state_dict()
    state["param_groups"][0]["params"] = []
    with pytest.raises(ValueError, match="size"):
        load_optimizer(other, state)
