from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch
from torch import nn

from gym_batchnav.errors import ConfigError
from gym_batchnav.rl import (
    PolicyConfig,
    PPOConfig,
    RandomAgent,
    StraightWalker,
    TrainConfig,
    load_checkpoint,
    load_policy,
    train,
)
from gym_batchnav.rl.agents import PolicyAgent
from gym_batchnav.rl.nets.policy import ActorCritic
from gym_batchnav.rl.running.checkpoint import save_checkpoint
from gym_batchnav.rl.spec import BOX_KEY, EnvSpec, FieldSpec

SPEC = EnvSpec(
    fields={
        "depth": FieldSpec(shape=(20, 23, 1), dtype="float32", unit_range=True),
        "rgb": FieldSpec(shape=(20, 23, 3), dtype="uint8", unit_range=False),
        "pointgoal": FieldSpec(shape=(2,), dtype="float32", unit_range=False),
    },
    num_actions=4,
)
ENCODERS = ("narrow", "se-resnet9", "resnet18", "resnet50")


def policy_config(encoder, recurrence="gru", layers=1):
    return PolicyConfig(
        encoder=encoder,
        base_planes=4,
        hidden=16,
        compression=32,
        recurrence=recurrence,
        layers=layers,
        depth_bins=3,
        normalize_rgb=True,
        goal_format="cos-sin",
    )


def observations(num_envs, seed):
    generator = np.random.default_rng(seed)
    return {
        "depth": generator.random((num_envs, 20, 23, 1), dtype=np.float32),
        "rgb": generator.integers(0, 256, (num_envs, 20, 23, 3), dtype=np.uint8),
        "pointgoal": generator.normal(size=(num_envs, 2)).astype(np.float32),
    }


def lively_policy(config):
    """A policy whose actions depend on everything."""
    torch.manual_seed(3)
    policy = ActorCritic(config, SPEC)
    for parameter in policy.parameters():
        if parameter.ndim > 1:
            nn.init.normal_(parameter, std=0.2)
    prepared = policy.prepare({key: torch.as_tensor(v) for key, v in observations(8, 9).items()})
    policy.merge_images(policy.count_images({key: v[None] for key, v in prepared.items()}))
    return policy


@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize(
    ("recurrence", "layers"), [("gru", 1), ("gru", 2), ("lstm", 1), ("lstm", 3), ("none", 1)]
)
def test_a_loaded_policy_acts_as_the_saved_one(tmp_path, encoder, recurrence, layers):
    config = policy_config(encoder, recurrence, layers)
    policy = lively_policy(config)
    content = {"config": TrainConfig(policy=config).to_dict(), "env_spec": SPEC.to_dict(),
               "policy": policy.state_dict()}  # fmt: skip
    save_checkpoint(tmp_path / "a.pt", content)
    torch.load(tmp_path / "a.pt", weights_only=True)
    agents, states, actions = [PolicyAgent(policy), load_policy(tmp_path / "a.pt")], [None, None], []
    for step in range(4):
        starts = np.array([step in (0, 2), step == 0, step == 0, step == 0, step == 0])
        for k, agent in enumerate(agents):
            chosen, states[k] = agent.act(observations(5, step), states[k], starts, deterministic=False)
            actions.append(chosen.tolist())
        assert torch.equal(states[0].memory, states[1].memory)
    assert actions[0::2] == actions[1::2]
    assert len({action for row in actions for action in row}) > 1


@pytest.mark.parametrize("encoder", ENCODERS)
def test_a_trained_policy_loads_without_trainer_and_environment(tmp_path, stateful_envs, encoder):
    config = TrainConfig(
        policy=dataclasses.replace(policy_config(encoder), recurrence="lstm", layers=2),
        ppo=PPOConfig(rollout_length=4, minibatches=1, epochs=1),
        total_frames=8,
        tensorboard=False,
        precision="float32",
    )
    result = train(config, lambda: stateful_envs(2), tmp_path)
    agent = load_policy(tmp_path)
    stored = load_checkpoint(result.checkpoint)["policy"]
    loaded = agent.policy.state_dict()
    assert loaded.keys() == stored.keys()
    assert all(torch.equal(loaded[key], stored[key]) for key in stored)
    obs = {"depth": np.zeros((16, 16, 1), np.float32), "pointgoal": np.array([1.0, 0.5], np.float32)}
    action, state = agent.act(obs, None, True)
    assert action in range(4)
    assert state.memory.shape == (4, 1, 16)


@pytest.mark.parametrize("encoder", ENCODERS)
def test_one_observation_acts_as_a_batch_of_one(encoder):
    policy = lively_policy(policy_config(encoder))
    robot, batch = PolicyAgent(policy), PolicyAgent(policy)
    one = many = None
    for step in range(3):
        obs = observations(1, step)
        action, one = robot.act({key: value[0] for key, value in obs.items()}, one, step == 0)
        actions, many = batch.act(obs, many, [step == 0])
        assert np.shape(action) == ()
        assert isinstance(action, np.int64)
        assert actions.shape == (1,)
        assert action == actions[0]
        assert torch.equal(one.memory, many.memory)


def test_observations_of_other_shapes_are_refused():
    agent = PolicyAgent(lively_policy(policy_config("narrow")))
    obs = observations(2, 0)
    with pytest.raises(
        ConfigError, match="'depth' has 2 rows, but episode_start is one bool; give one a row"
    ):
        agent.act(obs, None, True)
    one = {key: value[0] for key, value in obs.items()}
    with pytest.raises(
        ConfigError, match=r"'depth' is that of one agent, \(20, 23, 1\).*one bool, or .* batch axis"
    ):
        agent.act(one, None, [True])
    words = r"'depth' of an agent has the shape \(20, 22, 1\).*trained on \(20, 23, 1\); .*resolution"
    with pytest.raises(ConfigError, match=words):
        agent.act({**one, "depth": one["depth"][:, 1:]}, None, True)
    with pytest.raises(ConfigError, match=words):
        agent.act({**obs, "depth": obs["depth"][:, :, 1:]}, None, [True, True])
    with pytest.raises(ConfigError, match="needs the observation 'rgb'; given are depth"):
        agent.act({"depth": obs["depth"]}, None, [True, True])


def test_a_plain_array_is_one_observation_too():
    spec = EnvSpec(fields={BOX_KEY: FieldSpec(shape=(3,), dtype="float32", unit_range=False)}, num_actions=2)
    agent = PolicyAgent(ActorCritic(PolicyConfig(hidden=4), spec))
    action, state = agent.act(np.zeros(3, np.float32), None, True)
    assert action in (0, 1)
    actions, _ = agent.act(np.zeros((1, 3), np.float32), state, [False])
    assert actions.shape == (1,)


def test_simple_agents_take_one_observation_too():
    action, _ = StraightWalker().act({"pointgoal": np.array([3.0, 0.5])}, None, True)
    assert int(action) == 2
    action, _ = RandomAgent(3, probabilities=[0, 1, 0]).act({}, None, True)
    assert int(action) == 1


OLD_KEYS = [
    "value_scale.mean",
    "value_scale.std",
    "value_scale.square",
    "value_scale.weight",
    "embed.pointgoal.weight",
    "embed.pointgoal.bias",
    "encoder.stem.weight",
    "encoder.stem.bias",
    "encoder.stages.0.first.weight",
    "encoder.stages.0.first.bias",
    "encoder.stages.0.second.weight",
    "encoder.stages.0.second.bias",
    "encoder.stages.1.first.weight",
    "encoder.stages.1.first.bias",
    "encoder.stages.1.second.weight",
    "encoder.stages.1.second.bias",
    "encoder.stages.1.project.weight",
    "encoder.stages.1.project.bias",
    "encoder.project.weight",
    "encoder.project.bias",
    "action_embedding.weight",
    "core.net.weight_ih_l0",
    "core.net.weight_hh_l0",
    "core.net.bias_ih_l0",
    "core.net.bias_hh_l0",
    "actor.weight",
    "actor.bias",
    "critic.weight",
    "critic.bias",
]
OLD_CONFIG = {
    "space_to_depth": 4, "stem_planes": 16, "stem_stride": 2, "planes": (16, 32), "strides": (1, 2),
    "squeeze_excite": 0, "hidden": 192, "recurrence": "gru", "layers": 1, "skip": True,
    "vector_embedding": 64, "action_embedding": 32, "goal_key": "pointgoal", "goal_format": "polar",
    "depth_transform": "sqrt",
    "initial_action_probabilities": (0.002, 0.6, 0.199, 0.199), "channels_last": True,
}  # fmt: skip


def test_checkpoints_from_before_the_other_encoders_load(tmp_path):
    # As the first narrow policies were stored: no encoder is named, every size is.
    shapes = {
        "encoder.stem.weight": (16, 16, 3, 3),
        "encoder.stages.1.first.weight": (32, 16, 3, 3),
        "encoder.project.weight": (192, 32 * 4 * 4),
        "core.net.weight_ih_l0": (3 * 192, 192 + 64 + 32),
        "actor.weight": (4, 192 + 192 + 64 + 32),
    }
    spec = {
        "fields": {
            "depth": {"shape": [64, 64, 1], "dtype": "float32", "unit_range": True},
            "pointgoal": {"shape": [2], "dtype": "float32", "unit_range": False},
        },
        "num_actions": 4,
    }
    config = TrainConfig.from_dict({"policy": OLD_CONFIG})
    policy = ActorCritic(config.policy, EnvSpec.from_dict(spec))
    weights = policy.state_dict()
    assert sorted(weights) == sorted(OLD_KEYS)
    assert {key: tuple(weights[key].shape) for key in shapes} == shapes
    save_checkpoint(
        tmp_path / "old.pt", {"config": {"policy": OLD_CONFIG}, "env_spec": spec, "policy": weights}
    )
    agent = load_policy(tmp_path / "old.pt")
    assert agent.policy.encoder.sizes.planes == (16, 32)
    obs = {"depth": np.zeros((64, 64, 1), np.float32), "pointgoal": np.zeros(2, np.float32)}
    assert agent.act(obs, None, True)[0] in range(4)
