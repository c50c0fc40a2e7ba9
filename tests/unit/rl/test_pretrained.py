"""Weights alone: exported, loaded, and those that come with the package."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from gym_batchnav.errors import CheckpointError, ConfigError
from gym_batchnav.rl import PolicyConfig, TrainConfig, export_policy, load_checkpoint, load_policy, pretrained
from gym_batchnav.rl.nets.policy import ActorCritic
from gym_batchnav.rl.pretrained import CARD_NAME, FOLDER, WEIGHTS_NAME, pretrained_path
from gym_batchnav.rl.running.checkpoint import save_checkpoint
from gym_batchnav.rl.spec import env_spec

needs_weights = pytest.mark.skipif(
    not (FOLDER / WEIGHTS_NAME).is_file(), reason=f"the package holds no {WEIGHTS_NAME} yet"
)


@pytest.fixture
def policy(stateful_envs) -> ActorCritic:
    envs = stateful_envs(2)
    torch.manual_seed(0)
    config = PolicyConfig(hidden=8, stem_planes=4, planes=(4, 8), vector_embedding=8)
    made = ActorCritic(config, env_spec(envs.single_observation_space, envs.single_action_space))
    torch.nn.init.normal_(made.actor.weight)
    return made


@pytest.fixture
def stored(policy, tmp_path):
    """A checkpoint like those of a run, with more in it than weights."""
    path = tmp_path / "update-00000005.pt"
    save_checkpoint(
        path,
        {
            "config": TrainConfig(policy=policy.config).to_dict(),
            "env_spec": policy.spec.to_dict(),
            "policy": policy.state_dict(),
            "optimizer": {"state": torch.zeros(100_000)},
            "progress": {"frames": 77, "updates": 5, "elapsed_s": 1.5, "best": 0.5, "best_by": "validation"},
            "env_state": {"position": np.zeros((64, 3))},
        },
    )
    return path


@pytest.fixture
def looks():
    rng = np.random.default_rng(0)
    return {
        "depth": rng.random((6, 16, 16, 1), np.float32),
        "pointgoal": np.stack([rng.uniform(0, 9, 6), rng.uniform(-3, 3, 6)], 1).astype(np.float32),
    }


def test_exported_policy_acts_as_the_checkpoint_does(stored, looks, tmp_path):
    starts = np.ones(6, bool)
    before, state = load_policy(stored).act(looks, None, starts)
    target = tmp_path / "deep" / "policy.pt"
    export_policy(stored, target, dtype="float32")
    after, exported = load_policy(target).act(looks, None, starts)
    assert after.tolist() == before.tolist()
    assert torch.equal(exported.memory, state.memory)
    export_policy(stored, target)
    rounded, close = load_policy(target).act(looks, None, starts)
    assert rounded.tolist() == before.tolist()
    # float16 has 11 bits; errors add up over a few layers of small sums.
    assert not torch.equal(close.memory, state.memory)
    assert torch.allclose(close.memory, state.memory, atol=5e-3)
    assert all(p.dtype == torch.float32 for p in load_policy(target).policy.parameters())


def test_only_what_acting_needs_is_kept(stored, policy, tmp_path):
    target = tmp_path / "policy.pt"
    export_policy(stored, target, env={"forward_step": 0.25, "cameras": None}, chosen_by="validation")
    content = load_checkpoint(target)
    assert set(content) == {"format", "config", "env_spec", "progress", "policy", "env", "chosen_by"}
    assert (content["progress"]["frames"], content["chosen_by"]) == (77, "validation")
    assert content["env"] == {"forward_step": 0.25, "cameras": None}
    parameters = dict(policy.named_parameters())
    for name, value in content["policy"].items():
        kept = torch.float16 if name in parameters else policy.state_dict()[name].dtype
        assert value.dtype == kept, name
    assert set(content["policy"]) - set(parameters), "there are running statistics, too"
    count = sum(parameter.numel() for parameter in parameters.values())
    assert target.stat().st_size < 2 * count + 30_000 < stored.stat().st_size
    # An exported file can be exported again, and equal ones are equal to the last byte.
    export_policy(target, tmp_path / "again.pt")
    assert (tmp_path / "again.pt").read_bytes() == target.read_bytes()


def test_weights_that_float16_cannot_hold_are_refused(stored, policy, tmp_path):
    content = load_checkpoint(stored)
    content["policy"]["actor.weight"][0, 0] = 1e5
    content.pop("format")
    save_checkpoint(stored, content)
    with pytest.raises(ConfigError, match=r"actor\.weight reaches 100000"):
        export_policy(stored, tmp_path / "policy.pt")
    assert not (tmp_path / "policy.pt").exists()
    export_policy(stored, tmp_path / "policy.pt", dtype="float32")
    with pytest.raises(ConfigError, match="dtype is 'int8'"):
        export_policy(stored, tmp_path / "policy.pt", dtype="int8")


def test_the_word_pretrained_means_the_policy_of_the_package(stored, looks, tmp_path, monkeypatch):
    monkeypatch.setattr(pretrained, "FOLDER", tmp_path / "package")
    with pytest.raises(CheckpointError, match="no pretrained policy"):
        load_policy("pretrained")
    export_policy(stored, tmp_path / "package" / WEIGHTS_NAME)
    assert pretrained_path() == tmp_path / "package" / WEIGHTS_NAME
    actions, _ = load_policy("pretrained").act(looks, None, np.ones(6, bool))
    assert actions.tolist() == load_policy(stored).act(looks, None, np.ones(6, bool))[0].tolist()


def test_a_missing_checkpoint_is_no_pretrained_one(tmp_path):
    with pytest.raises(CheckpointError, match="there is no checkpoint"):
        load_policy(tmp_path / "pretrained")


@needs_weights
def test_weights_of_the_package_are_small_and_known():
    card = json.loads((FOLDER / CARD_NAME).read_text(encoding="utf-8"))
    weights = FOLDER / WEIGHTS_NAME
    assert weights.stat().st_size == card["bytes"] < 3e6
    agent = load_policy("pretrained")
    assert sum(parameter.numel() for parameter in agent.policy.parameters()) == card["parameters"]
    assert card["frames"] == load_checkpoint(weights)["progress"]["frames"]
    assert card["licence"] == "MIT"
    assert card["evaluation"]["protocol"]["scenes"] == ["houses:test"]
    assert card["evaluation"]["protocol"]["episodes"] >= 1000
