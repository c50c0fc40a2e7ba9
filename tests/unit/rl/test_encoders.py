from __future__ import annotations

import dataclasses

import pytest
import torch
from torch import nn
from torch.nn import functional

from gym_batchnav.errors import ConfigError
from gym_batchnav.rl import PolicyConfig
from gym_batchnav.rl.nets.encoder import ImageEncoder, plan_strides
from gym_batchnav.rl.nets.encoders import make_encoder
from gym_batchnav.rl.nets.fixup import FixupBlock, compressed_planes
from gym_batchnav.rl.nets.policy import ActorCritic
from gym_batchnav.rl.nets.resnet import NormBlock
from gym_batchnav.rl.spec import EnvSpec, FieldSpec

ENCODERS = ("narrow", "se-resnet9", "resnet18", "resnet50")
BPS = PolicyConfig(
    encoder="se-resnet9",
    recurrence="lstm",
    layers=2,
    skip=False,
    goal_format="cos-sin",
    depth_transform="none",
)


def depth_spec(size):
    return EnvSpec(
        fields={
            "depth": FieldSpec(shape=(size, size, 1), dtype="float32", unit_range=True),
            "pointgoal": FieldSpec(shape=(2,), dtype="float32", unit_range=False),
        },
        num_actions=4,
    )


def count(module):
    return sum(parameter.numel() for parameter in module.parameters())


def small(encoder, **changes):
    """An encoder with a quarter of the planes or fewer, for images of depth and bins."""
    config = PolicyConfig(encoder=encoder, base_planes=8, hidden=16, **changes)
    return make_encoder(config, 3, (32, 32))


def rms(x):
    return float(x.detach().square().mean().sqrt())


def test_bps_depth_policy_has_its_eleven_million_parameters():
    # 64 x 64 depth with ten bins, in blocks of 4 x 4: 11 * 16 = 176 channels, stem 176 * 64       11,264
    # block of p planes from i: 9 i p + 9 p^2; short cut i p; gate p/16 (2 p + 1) + p; 5 scalars
    #   64 from  64:    36,864 +    36,864 +       0 +    580 + 5                                   74,313
    #  128 from  64:    73,728 +   147,456 +   8,192 +  2,184 + 5                                  231,565
    #  256 from 128:   294,912 +   589,824 +  32,768 +  8,464 + 5                                  925,973
    #  512 from 256: 1,179,648 + 2,359,296 + 131,072 + 33,312 + 5                                3,703,333
    # map 16 -> 16, 8, 4, 2: 4 cells of 1024 / 4 = 256; 9 * 512 * 256 + 256                      1,179,904
    # linear 1024 * 512 without bias, LayerNorm 2 * 512                                            525,312
    # LSTM of 512 + 32 + 32 = 576: 2,048 (576 + 512 + 2) + 2,048 (512 + 512 + 2)                  4,333,568
    # goal 3 * 32 + 32, action (4 + 1) * 32, actor 512 * 4 + 4, critic 512 + 1                       2,853
    assert count(ActorCritic(BPS, depth_spec(64))) == 10_988_085


def test_resnet18_has_its_parameters():
    # Planes 32, 64, 128, 256; GroupNorm has two values a channel.
    # stem 49 * 32 + 64                                                              1,632
    # 32: 2 blocks of 2 (9 * 32 * 32 + 64)                                          37,120
    # 64: (18,432 + 128) + 3 (36,864 + 128) + short cut (2,048 + 128)              131,712
    # 128: (73,728 + 256) + 3 (147,456 + 256) + (8,192 + 256)                      525,568
    # 256: (294,912 + 512) + 3 (589,824 + 512) + (32,768 + 512)                  2,099,712
    # 256 pixels: 128 / 32 = 4, so 16 cells of 2048 / 16 = 128: 9 * 256 * 128 + 256   295,168
    # linear 2048 * 512 + 512                                                    1,049,088
    encoder = make_encoder(PolicyConfig(encoder="resnet18"), 1, (256, 256))
    assert count(encoder) == 4_140_000


def test_resnet50_has_its_parameters():
    # A block of p planes from i: (i p + 2 p) + (9 p^2 + 2 p) + (4 p^2 + 8 p); the first of a stage has a
    # short cut 4 i p + 8 p.
    # stem                                                                           1,632
    # 32: from 32: 14,720 + 4,352; 2 from 128 of 17,792                             54,656
    # 64: from 128: 62,208 + 33,280; 3 from 256 of 70,400                          306,688
    # 128: from 256: 247,296 + 132,096; 5 from 512 of 280,064                    1,779,712
    # 256: from 512: 986,112 + 526,336; 2 from 1,024 of 1,117,184                3,746,816
    # compression 9 * 1,024 * 128 + 256, linear 2048 * 512 + 512                 2,228,992
    encoder = make_encoder(PolicyConfig(encoder="resnet50"), 1, (256, 256))
    assert count(encoder) == 8_118_496


def test_compressed_channels():
    # 1024 / 4 = 256; 1024 / 9 = 113.8 = 3.56 * 32, so 4 * 32; 1024 / 64 = 16 is half of 32, rounded to 0:
    # then plain rounding; never none.
    assert [compressed_planes(1024, cells, 32) for cells in (4, 9, 64, 5000)] == [256, 128, 16, 1]


def test_base_planes_scale_every_part():
    sizes = PolicyConfig(encoder="se-resnet9", base_planes=16).sizes
    assert (sizes.stem_planes, sizes.planes, sizes.strides) == (16, (16, 32, 64, 128), (1, 2, 2, 2))
    assert (sizes.squeeze_excite, sizes.compression, sizes.hidden, sizes.depth_bins) == (16, 1024, 512, 10)
    sizes = PolicyConfig(encoder="resnet50", hidden=64, planes=(8, 8, 16, 16), compression=0).sizes
    assert (sizes.stem_planes, sizes.planes, sizes.compression, sizes.hidden) == (32, (8, 8, 16, 16), 0, 64)
    sizes = PolicyConfig(stem_planes=16, planes=(16, 32), hidden=192).sizes
    assert (sizes.space_to_depth, sizes.stem_planes, sizes.stem_stride, sizes.planes) == (4, 16, 2, (16, 32))
    assert PolicyConfig().sizes.planes == (24, 48)


@pytest.mark.parametrize("encoder", ENCODERS)
def test_filled_config_is_the_same_network_with_every_size(encoder):
    config = PolicyConfig(encoder=encoder, base_planes=8, hidden=24)
    filled = config.filled()
    assert filled.sizes == config.sizes
    assert filled.filled() == filled
    assert (filled.planes[:2], filled.hidden, filled.layers) == ((8, 16), 24, 1)
    assert None not in dataclasses.asdict(filled).values()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"encoder": "resnet34"}, "encoder is 'resnet34'; allowed are narrow, se-resnet9"),
        ({"encoder": "resnet18", "planes": (8, 8), "strides": (1, 2)}, "2 stages; resnet18 has 4"),
        (
            {"encoder": "resnet50", "space_to_depth": 4},
            "space_to_depth is 4, but resnet50 has 1; leave it None",
        ),
        ({"base_planes": 0}, "base_planes is 0; it must be at least 1"),
        ({"hidden": "wide"}, "hidden is 'wide'; it must be an integer or None"),
        ({"planes": 8}, "planes is 8; it must be a list, such as"),
        ({"depth_bins": -1}, "depth_bins is -1"),
    ],
)
def test_wrong_sizes_are_named(changes, words):
    with pytest.raises(ConfigError, match=words):
        PolicyConfig(**changes)


@pytest.mark.parametrize("size", [(1, 1), (9, 13), (30, 47), (64, 64), (128, 96)])
@pytest.mark.parametrize("encoder", ENCODERS)
def test_any_image_size_works(encoder, size):
    config = PolicyConfig(encoder=encoder, base_planes=4, hidden=8, compression=16)
    depth = FieldSpec(shape=(*size, 1), dtype="float32", unit_range=True)
    policy = ActorCritic(config, EnvSpec(fields={"depth": depth}, num_actions=3))
    images = policy.prepare({"depth": torch.rand(3, *size, 1)})
    none, starts = torch.zeros(3, dtype=torch.int64), torch.ones(3) > 0
    output, _ = policy.step(images, policy.initial_state(3), none, starts)
    assert output.logits.shape == (3, 3)
    assert torch.isfinite(output.logits).all()


@pytest.mark.slow
@pytest.mark.parametrize("size", [64, 65, 128, 256])
@pytest.mark.parametrize("encoder", ENCODERS)
def test_published_sizes_work_at_every_resolution(encoder, size):
    policy = ActorCritic(PolicyConfig(encoder=encoder), depth_spec(size))
    obs = policy.prepare({"depth": torch.rand(2, size, size, 1), "pointgoal": torch.ones(2, 2)})
    none, starts = torch.zeros(2, dtype=torch.int64), torch.ones(2) > 0
    output, _ = policy.step(obs, policy.initial_state(2), none, starts)
    assert torch.isfinite(output.values).all()
    compression = {"narrow": 0, "se-resnet9": 1024}.get(encoder, 2048)
    linear = next(m for m in policy.encoder.project.modules() if isinstance(m, nn.Linear))
    assert not compression or abs(linear.in_features / compression - 1) < 0.2


@pytest.mark.parametrize("encoder", ENCODERS)
def test_every_row_and_every_pixel_counts_for_itself(encoder):
    torch.manual_seed(0)
    net = small(encoder)
    wake(net)
    images = torch.rand(4, 32, 32, 3)
    features = net(images)
    torch.testing.assert_close(net(images[2:3])[0], features[2], rtol=0, atol=1e-5)
    changed = images.clone()
    changed[1, 17, 5, 2] += 1.0
    moved = (net(changed) - features).abs().amax(dim=1) > 1e-6
    assert moved.tolist() == [False, True, False, False]


def wake(net):
    """Random weights in the branches, which start at zero."""
    for block in net.modules():
        if isinstance(block, FixupBlock):
            nn.init.normal_(block.second.weight, std=0.1)
        elif isinstance(block, NormBlock):
            nn.init.ones_([m for m in block.branch if isinstance(m, nn.GroupNorm)][-1].weight)


@pytest.mark.parametrize("encoder", ENCODERS)
def test_memory_format_changes_no_number(encoder):
    torch.manual_seed(0)
    nets = [small(encoder, channels_last=last) for last in (True, False)]
    wake(nets[0])
    nets[1].load_state_dict(nets[0].state_dict())
    images = torch.rand(2, 32, 32, 3)
    torch.testing.assert_close(nets[0](images), nets[1](images), rtol=0, atol=1e-5)
    assert next(m for m in nets[0].modules() if isinstance(m, nn.Conv2d)).weight.is_contiguous(
        memory_format=torch.channels_last
    )


@pytest.mark.parametrize("encoder", ENCODERS)
def test_autocast_trains_float32_weights_in_bfloat16(encoder):
    torch.manual_seed(0)
    # 32 pixels leave one cell for the last strides of the ResNets.
    net = small(encoder)
    wake(net)
    images = torch.rand(8, 32, 32, 3)
    plain = net(images)
    maps = []
    hook = net.stages.register_forward_hook(lambda _, __, output: maps.append(output.dtype))
    with torch.autocast("cpu", torch.bfloat16):
        half = net(images)
    hook.remove()
    assert maps == [torch.bfloat16]
    # bfloat16 has 8 bits: 0.4% a step, some ten steps deep.
    assert rms(half.float() - plain) < 0.05 * rms(plain)
    weights = torch.randn_like(plain)
    found = [torch.autograd.grad((y * weights).sum(), list(net.parameters())) for y in (plain, half)]
    assert all(gradient.dtype == torch.float32 for gradient in found[1])
    exact, near = (torch.cat([gradient.flatten() for gradient in gradients]) for gradients in found)
    # One cell and two channels a group: such norms are all but signs, which rounding turns here and there.
    assert functional.cosine_similarity(exact, near, dim=0) > 0.8


def test_strides_along_one_cell_are_one():
    # 5 x 3 cells: strides 2 give 3 x 2, 2 x 1, 1 x 1, and there is nothing left to stride over.
    steps, last = plan_strides((5, 3), (2, 2, 2, 2))
    assert steps == [(2, 2), (2, 2), (2, 1), (1, 1)]
    assert last == (1, 1)


@pytest.mark.slow
@pytest.mark.parametrize("encoder", ENCODERS)
def test_compile_sees_one_graph(encoder):
    net = small(encoder)
    images = torch.rand(2, 32, 32, 3)
    compiled = torch.compile(net, backend="eager", fullgraph=True)
    torch.testing.assert_close(compiled(images), net(images), rtol=0, atol=1e-6)


@pytest.mark.parametrize("encoder", ["se-resnet9", "resnet18", "resnet50"])
def test_branches_start_at_zero(encoder):
    torch.manual_seed(0)
    net = small(encoder)
    outputs = []
    for block in net.modules():
        if isinstance(block, FixupBlock):
            outputs.append(block.branch(torch.randn(2, block.first.in_channels, 4, 4)))
        elif isinstance(block, NormBlock):
            outputs.append(block.branch(torch.randn(2, block.branch[0].in_channels, 4, 4)))
    assert len(outputs) == {"se-resnet9": 4, "resnet18": 8, "resnet50": 16}[encoder]
    assert all(output.abs().max() == 0 for output in outputs)


def test_fixup_first_convolutions_by_hand():
    torch.manual_seed(0)
    # He: sqrt(2 / (9 * 64)) = 0.058926; L = 4 blocks of m = 2 layers: times 4^(-1/2) = 1/2.
    block = FixupBlock(64, 128, (2, 2), 16, 4)
    assert float(block.first.weight.detach().std()) == pytest.approx(0.029463, rel=0.01)
    # 16 blocks: times 16^(-1/2) = 1/4.
    block = FixupBlock(64, 64, (1, 1), 0, 16)
    assert float(block.first.weight.detach().std()) == pytest.approx(0.014731, rel=0.02)


@pytest.mark.parametrize("encoder", ["se-resnet9", "resnet18", "resnet50"])
def test_maps_keep_order_one_at_every_depth(encoder):
    torch.manual_seed(0)
    net = make_encoder(PolicyConfig(encoder=encoder, hidden=64), 3, (64, 64))
    sizes = []
    for stage in net.stages:
        stage.register_forward_hook(lambda _, __, output: sizes.append(rms(output)))
    # Smooth, as images are: every mean over noise would make it smaller. Those of the short cuts of Fixup
    # count the zeros around the map, as published.
    images = functional.interpolate(torch.rand(4, 3, 4, 4) * 2 - 1, (64, 64), mode="bilinear")
    features = net(images.permute(0, 2, 3, 1))
    assert all(0.15 < size < 2 for size in [*sizes, rms(features)]), sizes


def pace(blocks, told):
    """How far one step along the gradient of all weights moves the output of a row of Fixup blocks."""
    torch.manual_seed(0)
    net = nn.Sequential(*(FixupBlock(32, 32, (1, 1), 0, told) for _ in range(blocks)))
    x, target = torch.rand(4, 32, 6, 6), torch.rand(4, 32, 6, 6)
    before = net(x)
    assert rms(before) == pytest.approx(rms(x), rel=1e-5)
    (before - target).square().mean().backward()
    with torch.no_grad():
        for parameter in net.parameters():
            if parameter.ndim > 1:
                parameter -= 0.1 * parameter.grad
        return rms(net(x) - before)


def test_fifty_fixup_layers_learn_at_the_pace_of_ten():
    # What the factor L^(-1/2) is for (Zhang et al. 2019, section 3); without it the pace grows with L.
    assert 0.5 < pace(25, 25) / pace(5, 5) < 2
    assert pace(25, 1) / pace(5, 1) > 4


@pytest.mark.parametrize("encoder", ENCODERS)
def test_biases_norms_and_scalars_are_those_of_at_most_one_axis(encoder):
    net = small(encoder, squeeze_excite=2)
    plain = {name for name, parameter in net.named_parameters() if parameter.ndim <= 1}
    expected = {
        name for name, _ in net.named_parameters() if name.split(".")[-1].startswith(("bias", "scale"))
    }
    for path, module in net.named_modules():
        if isinstance(module, nn.GroupNorm | nn.LayerNorm):
            expected.add(f"{path}.weight")
    assert plain == expected
    assert isinstance(net, ImageEncoder)


@pytest.mark.parametrize("encoder", ENCODERS)
def test_every_encoder_learns_where_a_near_thing_stands(encoder):
    # A bright bar in one of four places, over noise: chance is 1.39 nats.
    torch.manual_seed(0)
    config = PolicyConfig(encoder=encoder, base_planes=8, hidden=32, compression=64, squeeze_excite=2)
    spec = EnvSpec(
        fields={"depth": FieldSpec(shape=(32, 32, 1), dtype="float32", unit_range=True)}, num_actions=4
    )
    policy = ActorCritic(config, spec)
    optimizer = torch.optim.Adam(policy.parameters(), 3e-3)
    places = torch.arange(32) % 4
    images = torch.rand(32, 32, 32, 1)
    for row, place in enumerate(places):
        images[row, :, 8 * place : 8 * place + 8] *= 0.2
    obs = policy.prepare({"depth": images})
    none, starts = torch.zeros(32, dtype=torch.int64), torch.ones(32) > 0
    for _ in range(25):
        output, _ = policy.step(obs, policy.initial_state(32), none, starts)
        loss = functional.nll_loss(output.logits, places)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss < 0.3


def test_compile_sees_one_graph_of_bins_goal_and_images():
    config = PolicyConfig(
        encoder="se-resnet9", base_planes=8, hidden=16, goal_format="cos-sin", normalize_rgb=True
    )
    fields = {**depth_spec(16).fields, "rgb": FieldSpec(shape=(16, 16, 3), dtype="uint8", unit_range=False)}
    policy = ActorCritic(config, EnvSpec(fields=fields, num_actions=4))
    obs = policy.prepare(
        {
            "depth": torch.rand(3, 16, 16, 1),
            "rgb": torch.randint(0, 256, (3, 16, 16, 3), dtype=torch.uint8),
            "pointgoal": torch.rand(3, 2),
        }
    )
    inputs = obs, torch.tensor([0, 1, -1]), torch.tensor([True, False, False])
    compiled = torch.compile(policy.features, backend="eager", fullgraph=True)
    torch.testing.assert_close(compiled(*inputs), policy.features(*inputs), rtol=0, atol=1e-6)
