from __future__ import annotations

import dataclasses

import pytest
import torch

from gym_batchnav.errors import ConfigError
from gym_batchnav.rl import PolicyConfig, PPOConfig, TrainConfig, load_checkpoint, load_policy, train
from gym_batchnav.rl.learning import precision as precision_module
from gym_batchnav.rl.learning.precision import choose_precision
from gym_batchnav.rl.nets.policy import ActorCritic
from gym_batchnav.rl.running.checkpoint import save_checkpoint
from gym_batchnav.rl.spec import EnvSpec, FieldSpec

SMALL = PolicyConfig(hidden=16, stem_planes=4, planes=(4,), strides=(2,), vector_embedding=8)
DEPTH = FieldSpec(shape=(16, 16, 1), dtype="float32", unit_range=True)
GOAL = FieldSpec(shape=(2,), dtype="float32", unit_range=False)
TINY = TrainConfig(
    policy=SMALL,
    ppo=PPOConfig(rollout_length=8, minibatches=2, epochs=1),
    total_frames=2 * 8 * 6,
    metric_keys=("success",),
    tensorboard=False,
    checkpoint_every_s=1e9,
    precision="float32",
)


def policy(**fields):
    return ActorCritic(SMALL, EnvSpec(fields=fields or {"depth": DEPTH, "pointgoal": GOAL}, num_actions=4))


@pytest.mark.parametrize(("bf16", "expected"), [("auto", "auto"), ("on", "bfloat16"), ("off", "float32")])
def test_configs_of_earlier_runs_load(bf16, expected):
    data = TrainConfig().to_dict()
    del data["precision"]
    assert TrainConfig.from_dict({**data, "bf16": bf16}).precision == expected
    assert TrainConfig.from_dict(data) == TrainConfig()


def test_unknown_precision_is_refused():
    with pytest.raises(ConfigError, match=r"precision is 'fp8'.*bfloat16"):
        TrainConfig(precision="fp8")


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        ({"float32": 1.2, "bfloat16": 1.0}, "bfloat16"),
        ({"float32": 1.05, "bfloat16": 1.0}, "float32"),  # not worth the rounding
    ],
)
def test_auto_goes_lower_only_where_that_is_faster(monkeypatch, seconds, expected):
    monkeypatch.setattr(precision_module, "_seconds", lambda encoder, images, kind: seconds[kind])
    assert choose_precision(policy(), "auto") == expected
    assert choose_precision(policy(), "float16") == "float16"
    assert choose_precision(policy(), "float32") == "float32"
    # Without images there is nothing on a CPU that would be faster.
    assert choose_precision(policy(pointgoal=GOAL), "bfloat16") == "float32"


def test_the_measurement_runs_and_leaves_no_gradients():
    network = policy()
    assert choose_precision(network, "auto") in ("float32", "bfloat16")
    assert all(p.grad is None for p in network.parameters())


@pytest.mark.parametrize("kind", ["bfloat16", "float16"])
def test_lower_precision_rounds_the_encoder_and_nothing_else_on_a_cpu(kind):
    torch.manual_seed(0)
    network, types = policy(), {}
    network.encoder.register_forward_hook(lambda module, args, out: types.update(encoder=out.dtype))
    network.core.net.register_forward_hook(lambda module, args, out: types.update(core=out[0].dtype))
    obs = {"depth": torch.rand(3, 16, 16, 1), "pointgoal": torch.rand(3, 2)}
    args = (network.initial_state(3), torch.zeros(3, dtype=torch.int64), torch.zeros(3, dtype=torch.bool))
    exact, _ = network.step(network.prepare(obs), *args)
    network.precision = kind
    rounded, state = network.step(network.prepare(obs), *args)
    assert types == {"encoder": getattr(torch, kind), "core": torch.float32}
    assert {rounded.logits.dtype, rounded.values.dtype, state.dtype} == {torch.float32}
    assert {p.dtype for p in network.parameters()} == {torch.float32}
    assert not torch.equal(exact.values, rounded.values)
    # bfloat16 keeps 8 bits: errors near 1/256 of values of order 1.
    torch.testing.assert_close(exact.values, rounded.values, rtol=0, atol=0.02)


def test_checkpoints_of_earlier_runs_resume(tmp_path, stateful_envs):
    make = lambda: stateful_envs(6)  # noqa: E731
    result = train(dataclasses.replace(TINY, precision="bfloat16"), make, tmp_path / "new")
    content = load_checkpoint(result.checkpoint)
    assert content.pop("precision") == "bfloat16"
    del content["config"]["precision"]
    content = {**content, "bf16": True, "config": {**content["config"], "bf16": "on"}}
    save_checkpoint(tmp_path / "old" / "checkpoints" / result.checkpoint.name, content)
    longer = dataclasses.replace(TINY, total_frames=4 * 8 * 6, precision="auto")
    rest = train(longer, make, tmp_path / "old", resume=True)
    assert rest.updates == 4
    assert load_checkpoint(rest.checkpoint)["precision"] == "bfloat16"  # "auto" stays what it was
    assert load_policy(tmp_path / "old").policy.precision == "float32"
