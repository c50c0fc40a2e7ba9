from __future__ import annotations

import pytest
import torch
from torch import nn

from gym_batchnav.errors import ConfigError
from gym_batchnav.rl import PolicyConfig
from gym_batchnav.rl.nets.features import (
    image_channels,
    image_floats,
    one_hot_bins,
    polar_goal_features,
    prepare_image,
    prepared_field,
    space_to_depth,
    transform_depth,
    trigonometric_goal_features,
)
from gym_batchnav.rl.nets.packed_gru import packed_gru
from gym_batchnav.rl.nets.policy import ActorCritic, sample_actions
from gym_batchnav.rl.nets.recurrent import RecurrentCore, plan_fragments
from gym_batchnav.rl.spec import EnvSpec, FieldSpec

IMAGE_SPEC = EnvSpec(
    fields={
        "depth": FieldSpec(shape=(16, 16, 1), dtype="float32", unit_range=True),
        "rgb": FieldSpec(shape=(16, 16, 3), dtype="uint8", unit_range=False),
        "pointgoal": FieldSpec(shape=(2,), dtype="float32", unit_range=False),
    },
    num_actions=4,
)

GOAL_SPEC = EnvSpec(
    fields={"pointgoal": FieldSpec(shape=(2,), dtype="float32", unit_range=False)}, num_actions=4
)


def test_fragments_by_hand():
    # env 0: frames 0 1 2 3, one fragment. env 1 starts at 0 and 3: lengths 3 and 1.
    # Longest first: (env 0, 4), (env 1, 3), (env 1, 1).
    starts = torch.zeros(4, 2, dtype=torch.bool)
    starts[0, 1] = starts[3, 1] = True
    plan = plan_fragments(starts)
    assert plan.batch_sizes.tolist() == [3, 2, 2, 1]
    assert plan.env.tolist() == [0, 1, 1]
    assert plan.fresh.tolist() == [False, True, True]
    # packed rows, flat index 2 t + n: step 0: (0,0) (0,1) (3,1); 1: (1,0) (1,1); 2: (2,0) (2,1); 3: (3,0)
    assert plan.order.tolist() == [0, 1, 7, 2, 3, 4, 5, 6]
    assert plan.order[plan.inverse].tolist() == list(range(8))


@pytest.mark.parametrize("kind", ["gru", "lstm", "none"])
@pytest.mark.parametrize("layers", [1, 2, 3])
def test_sequence_equals_steps(kind, layers):
    torch.manual_seed(0)
    steps, num_envs = 23, 6
    core = RecurrentCore(kind, 5, 7, layers)
    x, state = torch.randn(steps, num_envs, 5), torch.randn(core.state_rows, num_envs, 7)
    starts = torch.rand(steps, num_envs) < 0.2
    outputs, now = [], state
    for t in range(steps):
        out, now = core.step(x[t], now, starts[t])
        outputs.append(out)
    assert core.state_rows == {"gru": layers, "lstm": 2 * layers, "none": 0}[kind]
    assert now.shape == (core.state_rows, num_envs, 7)
    torch.testing.assert_close(core.sequence(x, state, starts), torch.stack(outputs), rtol=0, atol=1e-5)


@pytest.mark.parametrize("layers", [1, 3])
def test_packed_gru_is_torchs(layers):
    torch.manual_seed(0)
    net = nn.GRU(5, 4, layers).double()
    sizes = torch.tensor([6, 6, 4, 3, 3, 1])
    rows = torch.randn(int(sizes.sum()), 5, dtype=torch.float64)
    state, weights = torch.randn(layers, 6, 4, dtype=torch.float64), torch.randn(len(rows), 4).double()
    inputs = [rows.requires_grad_(), state.requires_grad_(), *net.parameters()]
    ours = packed_gru(net, rows, sizes, state)
    theirs = net(nn.utils.rnn.PackedSequence(rows, sizes), state)[0].data
    torch.testing.assert_close(ours, theirs)
    for mine, other in zip(
        torch.autograd.grad((ours * weights).sum(), inputs),
        torch.autograd.grad((theirs * weights).sum(), inputs),
        strict=True,
    ):
        torch.testing.assert_close(mine, other)


@pytest.mark.parametrize("kind", ["gru", "lstm"])
def test_gradients_of_a_sequence_equal_those_of_steps(kind):
    torch.manual_seed(0)
    steps, num_envs = 11, 4
    core = RecurrentCore(kind, 3, 5, 2)
    starts = torch.rand(steps, num_envs) < 0.25
    weights = torch.randn(steps, num_envs, 5)
    x, state = torch.randn(steps, num_envs, 3), torch.randn(core.state_rows, num_envs, 5)
    inputs = [x.requires_grad_(), state.requires_grad_(), *core.parameters()]
    whole = torch.autograd.grad((core.sequence(x, state, starts) * weights).sum(), inputs)
    total, now = torch.zeros(()), state
    for t in range(steps):
        out, now = core.step(x[t], now, starts[t])
        total = total + (out * weights[t]).sum()
    for one, other in zip(whole, torch.autograd.grad(total, inputs), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


def test_gradient_does_not_cross_an_episode_start():
    core = RecurrentCore("gru", 3, 4, 1)
    x = torch.randn(6, 2, 3, requires_grad=True)
    starts = torch.zeros(6, 2, dtype=torch.bool)
    starts[3, 0] = True
    core.sequence(x, torch.zeros(1, 2, 4), starts)[5].sum().backward()
    assert x.grad is not None
    assert x.grad[:3, 0].abs().sum() == 0
    assert x.grad[:3, 1].abs().sum() > 0


@pytest.mark.parametrize("config", [
    PolicyConfig(hidden=16, stem_planes=4, planes=(4, 8), strides=(1, 2)),
    PolicyConfig(hidden=16, stem_planes=4, planes=(4,), strides=(2,), squeeze_excite=2, recurrence="lstm",
                 layers=2, channels_last=False, depth_transform="log"),
])  # fmt: skip
def test_whole_policy_sequence_equals_steps(config):
    torch.manual_seed(1)
    steps, num_envs = 9, 3
    policy = ActorCritic(config, IMAGE_SPEC)
    for parameter in policy.parameters():
        nn.init.normal_(parameter, std=0.2)
    obs = {
        "depth": torch.rand(steps, num_envs, 16, 16, 1),
        "rgb": torch.randint(0, 256, (steps, num_envs, 16, 16, 3), dtype=torch.uint8),
        "pointgoal": torch.rand(steps, num_envs, 2) * 3,
    }
    frames = [policy.prepare({key: value[t] for key, value in obs.items()}) for t in range(steps)]
    stacked = {key: torch.stack([frame[key] for frame in frames]) for key in obs}
    previous = torch.randint(0, 4, (steps, num_envs))
    starts = torch.rand(steps, num_envs) < 0.25
    state = torch.randn(policy.core.state_rows, num_envs, 16)
    whole = policy.sequence(stacked, state, previous, starts)
    for t in range(steps):
        out, state = policy.step(frames[t], state, previous[t], starts[t])
        torch.testing.assert_close(whole.logits[t], out.logits, rtol=0, atol=1e-5)
        torch.testing.assert_close(whole.values[t], out.values, rtol=0, atol=1e-5)


def test_previous_action_does_not_count_at_a_start():
    policy = ActorCritic(PolicyConfig(hidden=16, stem_planes=4, planes=(4,), strides=(2,)), IMAGE_SPEC)
    obs = {"depth": torch.zeros(2, 16, 16, 1), "rgb": torch.zeros(2, 16, 16, 3, dtype=torch.uint8),
           "pointgoal": torch.ones(2, 2)}  # fmt: skip
    obs = policy.prepare(obs)
    features = policy.features(obs, torch.tensor([1, 3]), torch.tensor([True, True]))[:, -32:]
    assert torch.equal(features[0], features[1])
    features = policy.features(obs, torch.tensor([1, 3]), torch.tensor([False, False]))[:, -32:]
    assert not torch.equal(features[0], features[1])


def test_space_to_depth_keeps_blocks_together():
    images = torch.arange(1 * 4 * 4 * 1).reshape(1, 4, 4, 1).float()
    blocks = space_to_depth(images, 2)
    assert blocks.shape == (1, 2, 2, 4)
    assert blocks[0, 0, 1].tolist() == [2, 3, 6, 7]  # upper right block of rows 0 1 2 3 / 4 5 6 7
    assert space_to_depth(torch.ones(2, 5, 3, 1), 4).shape == (2, 2, 1, 16)


def test_feature_transforms():
    goal = torch.tensor([[0.0, 0.0], [0.2, torch.pi / 2]])
    features = polar_goal_features(goal)
    assert features.shape == (2, 16)
    # At 0.2 m the second bump is 1, its neighbours an octave away exp(-4) = 0.0183156; log 1.2 = 0.1823216.
    expected = torch.tensor([0.02, 0.1823216, 0.0183156, 1.0, 0.0183156, 1.125e-7])
    torch.testing.assert_close(features[1, :6], expected, rtol=0, atol=1e-6)
    # cos and sin of 90, 180 and 360 degrees.
    circle = torch.tensor([0.0, -1.0, 1.0, 1.0, 0.0, 0.0])
    torch.testing.assert_close(features[1, 10:], circle, rtol=0, atol=1e-6)
    assert torch.isfinite(features[0]).all()
    assert features[0, 10:].tolist() == [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]
    for kind in ("none", "sqrt", "log"):
        assert transform_depth(torch.tensor([0.0, 1.0]), kind).tolist() == pytest.approx([0.0, 1.0])
    assert float(transform_depth(torch.tensor(0.25), "sqrt")) == 0.5


def test_images_reach_the_network_between_minus_one_and_one():
    depth, rgb = IMAGE_SPEC.fields["depth"], IMAGE_SPEC.fields["rgb"]
    free = FieldSpec(shape=(1, 1, 3), dtype="float32", unit_range=False)
    half = torch.tensor([0.0, 0.25, 1.0]).half().reshape(1, 1, 1, 3)
    for image, field in (
        (half, depth),
        (torch.tensor([0, 64, 255], dtype=torch.uint8).reshape(1, 1, 1, 3), depth),
        (torch.tensor([0, 64, 255], dtype=torch.uint8).reshape(1, 1, 1, 3), rgb),
    ):
        floats = image_floats(image, field)
        assert floats.dtype == torch.float32
        # 64 / 255 * 2 - 1 = -0.49804
        torch.testing.assert_close(floats.flatten(), torch.tensor([-1.0, -0.5, 1.0]), rtol=0, atol=2e-3)
    assert image_floats(half, free).flatten().tolist() == [0.0, 0.25, 1.0]
    assert half.flatten().tolist() == [0.0, 0.25, 1.0]


def test_goal_as_published_by_hand():
    goal = torch.tensor([[2.5, 0.0], [4.0, torch.pi / 2], [1.0, -torch.pi / 6]])
    expected = torch.tensor([[2.5, 1.0, 0.0], [4.0, 0.0, 1.0], [1.0, 0.8660254, -0.5]])
    torch.testing.assert_close(trigonometric_goal_features(goal), expected, rtol=0, atol=1e-6)
    policy = ActorCritic(PolicyConfig(hidden=16, goal_format="cos-sin", action_embedding=0), GOAL_SPEC)
    assert policy.embed["pointgoal"].weight.shape == (32, 3)
    with torch.no_grad():
        policy.embed["pointgoal"].weight.copy_(torch.eye(3).repeat(11, 1)[:32])
        policy.embed["pointgoal"].bias.zero_()
    found = policy.features({"pointgoal": goal}, torch.zeros(3, dtype=torch.int64), torch.ones(3) > 0)
    # Linear: the -0.5 passes.
    torch.testing.assert_close(found[:, :3], expected, rtol=0, atol=1e-6)


def test_depth_bins_by_hand():
    # Four bins of [0, 1]: 0.0 and 0.2 in the first, 0.25 in the second, 0.74 in the third, 1.0 in the last.
    values = torch.tensor([0.0, 0.2, 0.25, 0.74, 1.0])
    bins = one_hot_bins(values[:, None], 4)
    assert bins.tolist() == [[1, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    assert one_hot_bins(torch.tensor([[0.1, 0.6]]), 2).tolist() == [[1, 0, 0, 1]]
    assert one_hot_bins(torch.tensor([[-0.1, 1.7]]), 2).tolist() == [[1, 0, 0, 1]]


def test_bins_follow_the_depth_that_was_transformed():
    field = FieldSpec(shape=(1, 2, 1), dtype="float32", unit_range=True)
    depth = torch.tensor([0.09, 0.64]).reshape(1, 1, 2, 1)
    # sqrt: 0.3 and 0.8, which are -0.4 and 0.6 of [-1, 1], in the second and the fourth of four bins.
    stored = prepare_image(depth, field, "sqrt", 2)
    assert stored.shape == (1, 1, 1, 4)
    found = image_floats(stored, field, 4)
    assert found.shape == (1, 1, 1, image_channels(prepared_field(field, 2), 4))
    torch.testing.assert_close(found[0, 0, 0, :2], torch.tensor([-0.4, 0.6]), rtol=0, atol=1e-6)
    assert found[0, 0, 0, 4:12].tolist() == [0, 1, 0, 0, 0, 0, 0, 1]
    # 255ths: 76.5 is rounded to 76, 0.298.
    small = image_floats((stored * 255).to(torch.uint8), field, 4)
    assert torch.equal(small[..., 4:], found[..., 4:])
    colour = FieldSpec(shape=(1, 2, 3), dtype="uint8", unit_range=False)
    assert image_floats(torch.zeros(1, 1, 2, 3, dtype=torch.uint8), colour, 4).shape == (1, 1, 2, 3)


def test_untrained_policy_acts_by_its_prior():
    spec = EnvSpec(fields={"x": FieldSpec(shape=(3,), dtype="float32", unit_range=False)}, num_actions=3)
    prior = (0.1, 0.6, 0.3)
    policy = ActorCritic(PolicyConfig(hidden=16, initial_action_probabilities=prior), spec)
    output, _ = policy.step(
        {"x": torch.randn(5, 3)}, policy.initial_state(5), torch.full((5,), -1), torch.ones(5) > 0
    )
    torch.testing.assert_close(output.logits.exp(), torch.tensor(prior).expand(5, 3), rtol=0, atol=0.03)
    with pytest.raises(ConfigError, match="3 entries, but there are 4"):
        ActorCritic(PolicyConfig(initial_action_probabilities=prior), IMAGE_SPEC)


def test_sampled_actions_follow_the_probabilities():
    logits = torch.log(torch.tensor([0.1, 0.2, 0.7])).expand(20_000, 3)
    actions = sample_actions(logits, torch.Generator().manual_seed(0))
    shares = torch.bincount(actions, minlength=3) / 20_000
    torch.testing.assert_close(shares, torch.tensor([0.1, 0.2, 0.7]), rtol=0, atol=0.015)
    assert sample_actions(logits[:2], None).tolist() == [2, 2]
