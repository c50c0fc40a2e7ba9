"""docs/policies.md is true: its settings exist, its numbers are those of the networks."""

from __future__ import annotations

import re
import shlex
from dataclasses import fields
from pathlib import Path

import pytest

from gym_batchnav.cli.app import parse
from gym_batchnav.cli.training.plan import plan_training
from gym_batchnav.rl import PolicyConfig
from gym_batchnav.rl.config.encoders import PUBLISHED
from gym_batchnav.rl.nets.policy import ActorCritic
from gym_batchnav.rl.spec import EnvSpec, FieldSpec

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "policies.md").read_text(encoding="utf-8")


def block(language):
    found = re.search(rf"^```{language}\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


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


def test_settings_of_the_page_exist():
    assert set(re.findall(r"policy\.(\w+)", PAGE)) - {"NAME"} <= {
        field.name for field in fields(PolicyConfig)
    }


def test_every_encoder_has_its_row_and_its_parameters():
    rows = re.findall(r"^\| `([\w-]+)`.*?\| ([\d.]+) million at (\d+) x", PAGE, flags=re.MULTILINE)
    assert {name for name, _, _ in rows} == set(PUBLISHED)
    for name, millions, size in rows:
        policy = ActorCritic(PolicyConfig(encoder=name), depth_spec(int(size)))
        assert count(policy.encoder) / 1e6 == pytest.approx(float(millions), abs=0.005)


def test_the_command_makes_the_policy_of_bps():
    arguments = shlex.split(block("sh"))[1:]
    config = plan_training(parse(arguments)).learner
    assert count(ActorCritic(config.policy, depth_spec(64))) == 10_988_085
    assert "10,988,085" in PAGE
