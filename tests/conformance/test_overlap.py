"""Two halves that are stepped beside the policy are the rows of one environment."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import torch

from gym_batchnav.cli.training.factories import env_factories
from gym_batchnav.config import EnvConfig
from gym_batchnav.envs import BatchPointNavEnv
from gym_batchnav.rl import PolicyConfig, PPOConfig, TrainConfig, load_checkpoint, train
from gym_batchnav.rl.collecting import collect
from gym_batchnav.rl.collecting.collect import Collector
from gym_batchnav.rl.collecting.parts import EnvParts
from gym_batchnav.rl.collecting.timing import StageTimer
from gym_batchnav.rl.nets.policy import ActorCritic
from gym_batchnav.rl.spec import env_spec

ROWS, STEPS, ROLLOUTS = 8, 8, 3
ENV = EnvConfig(
    scenes="houses:train[:3]", num_resident_scenes=2, swap_episodes=4, max_episode_steps=6, scene_workers=0,
    resolution=(16, 16), device="cpu", render_backend="embree",
)  # fmt: skip
CONFIG = TrainConfig(
    policy=PolicyConfig(hidden=16, stem_planes=4, planes=(4,), strides=(1,)),
    ppo=PPOConfig(
        rollout_length=STEPS, minibatches=2, epochs=1, schedule="constant", entropy_final_factor=1.0
    ),
    total_frames=4 * ROWS * STEPS,
    precision="float32",
    threads=1,
    tensorboard=False,
)


def rollouts(parts: int, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, torch.Tensor]]:
    """What the rollouts hold where actions depend on row and step alone."""
    calls = iter(range(1000))

    def chosen(logits: torch.Tensor, generator: torch.Generator, *ranks: int) -> torch.Tensor:
        step, first = divmod(next(calls) * len(logits), ROWS)
        return torch.tensor([1 + (3 * step + 5 * row) % 7 % 3 for row in range(first, first + len(logits))])

    monkeypatch.setattr(collect, "sample_actions", chosen)
    envs = EnvParts(env_factories(ROWS, ENV, parts), "auto", "cpu")
    torch.manual_seed(0)
    policy = ActorCritic(CONFIG.policy, env_spec(envs.single_observation_space, envs.single_action_space))
    made = Collector(policy, envs, CONFIG, torch.Generator(), StageTimer())
    made.reset(5)
    found = []
    for _ in range(ROLLOUTS):
        rollout = made.collect()
        names = ("actions", "rewards", "terminated", "truncated", "starts", "valid")
        kept = {name: getattr(rollout, name).clone() for name in names}
        found.append(kept | {key: value.clone() for key, value in rollout.obs.items()})
    envs.close()
    return found


@pytest.mark.slow
def test_halves_hold_bitwise_the_rows_of_one_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, halves = rollouts(1, monkeypatch), rollouts(2, monkeypatch)
    for step, (expected, found) in enumerate(zip(whole, halves, strict=True)):
        for name, value in expected.items():
            assert torch.equal(found[name], value), (step, name)
    # Episodes of at most six steps: 24 steps are at least three of each row, and scenes were swapped.
    assert all(part["truncated"].sum() >= ROWS for part in whole)


@pytest.mark.slow
def test_a_run_in_halves_resumes_bitwise(tmp_path: Path) -> None:
    factories = env_factories(ROWS, ENV, 2)
    whole = train(CONFIG, factories, tmp_path / "whole")
    short = replace(CONFIG, total_frames=2 * ROWS * STEPS)
    train(short, factories, tmp_path / "parts")
    parts = train(CONFIG, factories, tmp_path / "parts", resume=True)
    first, second = (load_checkpoint(result.checkpoint)["policy"] for result in (whole, parts))
    assert whole.frames == parts.frames
    for name, value in first.items():
        assert torch.equal(value, second[name]), name


def test_one_part_is_one_environment() -> None:
    (make,) = env_factories(ROWS, ENV, 1)
    assert isinstance(make, partial)
    assert (make.func, make.args) == (BatchPointNavEnv, (ROWS, ENV))
