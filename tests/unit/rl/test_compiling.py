from __future__ import annotations

import dataclasses
import shutil

import pytest
import torch

from gym_batchnav.errors import ConfigError
from gym_batchnav.rl import PolicyConfig, PPOConfig, TrainConfig, load_checkpoint, load_policy, train
from gym_batchnav.rl.learning.compiling import compile_policy
from gym_batchnav.rl.nets.policy import ActorCritic
from gym_batchnav.rl.spec import EnvSpec, FieldSpec

SMALL = PolicyConfig(
    hidden=16, stem_planes=4, planes=(4,), strides=(2,), vector_embedding=8, action_embedding=4
)
TINY = TrainConfig(
    policy=SMALL,
    ppo=PPOConfig(rollout_length=8, minibatches=2, epochs=2),
    total_frames=3 * 8 * 6,
    metric_keys=("success",),
    tensorboard=False,
    precision="float32",
    checkpoint_every_s=1e9,
    threads=2,
)
GOAL = FieldSpec(shape=(2,), dtype="float32", unit_range=False)
DEPTH = FieldSpec(shape=(16, 16, 1), dtype="float32", unit_range=True)


def test_without_images_there_is_nothing_to_compile():
    policy = ActorCritic(SMALL, EnvSpec(fields={"pointgoal": GOAL}, num_actions=4))
    with pytest.raises(ConfigError, match="compile is True, but the network reads no images"):
        compile_policy(policy)


@pytest.mark.slow
def test_without_a_compiler_the_error_says_what_to_install():
    policy = ActorCritic(SMALL, EnvSpec(fields={"depth": DEPTH}, num_actions=4))
    broken = {"cpp.cxx": ("no-such-compiler",), "force_disable_caches": True}
    with (
        torch._inductor.config.patch(broken),
        pytest.raises(ConfigError, match=r"compiling for cpu fails \(.*\); install a C\+\+ compiler"),
    ):
        compile_policy(policy)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++")
def test_a_compiled_run_learns_what_an_eager_one_does(tmp_path, stateful_envs):
    make = lambda: stateful_envs(6)  # noqa: E731
    eager = train(TINY, make, tmp_path / "eager")
    compiled = train(dataclasses.replace(TINY, compile=True), make, tmp_path / "compiled")
    first, second = (load_checkpoint(run.checkpoint)["policy"] for run in (eager, compiled))
    assert first.keys() == second.keys()
    for key, value in first.items():
        torch.testing.assert_close(second[key], value, rtol=0, atol=1e-5)
    # A compiled run's weights load anywhere.
    assert load_policy(tmp_path / "compiled").policy.encoder._compiled_call_impl is None
