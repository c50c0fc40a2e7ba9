"""Validation while training, and which checkpoints are written and kept."""

from __future__ import annotations

import dataclasses
import os
import random
import signal
import time

import numpy as np
import pytest
import torch

from gym_batchnav.errors import ConfigError
from gym_batchnav.rl import (
    PolicyConfig,
    PPOConfig,
    TrainCallback,
    TrainConfig,
    best_checkpoint,
    evaluate,
    load_checkpoint,
    load_policy,
    read_log,
    train,
)

UPDATE = 6 * 8  # frames of one update: six environments, eight steps
CONFIG = TrainConfig(
    policy=PolicyConfig(hidden=16, stem_planes=4, planes=(4,), strides=(2,), action_embedding=4),
    ppo=PPOConfig(rollout_length=8, minibatches=2, epochs=1),
    total_frames=8 * UPDATE,
    metric_keys=("success",),
    tensorboard=False,
    precision="float32",
    checkpoint_every_s=1e9,
    best_metric="success",
)
VALIDATED = dataclasses.replace(CONFIG, validate_every_frames=2 * UPDATE)


class Scores:
    """Gives scripted scores, one a validation."""

    def __init__(self, *scores: float) -> None:
        self.scores, self.calls = list(scores), 0

    def __call__(self, agent):
        self.calls += 1
        return {"success": self.scores.pop(0), "steps": 3.0}


class StopAt(TrainCallback):
    def __init__(self, update, act=None):
        self.update, self.act, self.records = update, act, []

    def on_start(self, run):
        self.run = run

    def on_update(self, record):
        if record["update"] == self.update:
            (self.act or (lambda: self.run.stop("enough")))()

    def on_validation(self, record):
        self.records.append(record)


def names(folder):
    return sorted(path.name for path in (folder / "checkpoints").iterdir())


def test_validation_leaves_no_trace_in_the_training(tmp_path, stateful_envs):
    drawn = []

    def validate(agent):
        # Walks the policy, and draws from every global generator as a careless environment would.
        drawn.append((torch.rand(3), np.random.normal(size=3), random.random()))  # noqa: NPY002
        result = evaluate(agent, stateful_envs(3), 6, deterministic=False, seed=1)
        agent.policy.train()
        with torch.no_grad():
            for parameter in agent.policy.parameters():
                parameter.zero_()
        return {"success": result.metrics["success"].mean}

    make = lambda: stateful_envs(6)  # noqa: E731
    plain = train(CONFIG, make, tmp_path / "plain")
    validated = train(VALIDATED, make, tmp_path / "validated", validate=validate)
    assert len(drawn) == 4
    first, second = load_checkpoint(plain.checkpoint), load_checkpoint(validated.checkpoint)
    assert first["metrics"] == second["metrics"]
    for rng in (first["rng"], second["rng"]):
        rng.update(rng.pop("global"))
    assert first["rng"]["python"] == second["rng"]["python"]
    assert (first["rng"]["numpy"][1] == second["rng"]["numpy"][1]).all()
    assert all(torch.equal(first["rng"][name], second["rng"][name]) for name in ("torch", "act", "learn"))
    assert all(torch.equal(value, second["policy"][name]) for name, value in first["policy"].items())
    losses = [[r["losses"] for r in read_log(tmp_path / name)] for name in ("plain", "validated")]
    assert losses[0] == losses[1]


def test_the_agent_is_the_policy_as_it_is_then_with_the_same_actions_every_time(tmp_path, stateful_envs):
    seen = []

    def validate(agent):
        weights = {name: value.clone() for name, value in agent.policy.state_dict().items()}
        result = evaluate(agent, stateful_envs(3), 9, deterministic=False, seed=1)
        seen.append((weights, result.metrics["return"].mean))
        return {"success": 0.5}

    config = dataclasses.replace(VALIDATED, checkpoint_every_frames=UPDATE, keep_checkpoints=99)
    train(config, lambda: stateful_envs(6), tmp_path, validate=validate)
    for number, (weights, score) in enumerate(seen):
        path = tmp_path / "checkpoints" / f"update-{2 * number + 2:08d}.pt"
        stored = load_checkpoint(path)["policy"]
        assert all(torch.equal(weights[name], stored[name]) for name in stored)
        # The same seed on the same episodes: what it gives can be had from the checkpoint again.
        seed = int(np.random.SeedSequence([config.seed, 3]).generate_state(1)[0] >> 1)
        again = evaluate(load_policy(path, seed=seed), stateful_envs(3), 9, deterministic=False, seed=1)
        assert again.metrics["return"].mean == score


def test_the_best_by_validation_is_kept_and_resuming_knows_it(tmp_path, stateful_envs):
    make = lambda: stateful_envs(6)  # noqa: E731
    listener = StopAt(5)
    train(VALIDATED, make, tmp_path, callbacks=[listener], validate=Scores(0.2, 0.8, 0.4))
    # After updates 2 and 4, and where it stopped.
    assert [record["frames"] for record in listener.records] == [2 * UPDATE, 4 * UPDATE, 5 * UPDATE]
    assert [record["best"] for record in listener.records] == [True, True, False]
    assert load_checkpoint(best_checkpoint(tmp_path))["progress"]["updates"] == 4
    train(VALIDATED, make, tmp_path, resume=True, validate=Scores(0.7, 0.79))
    assert load_checkpoint(best_checkpoint(tmp_path))["progress"]["updates"] == 4
    log = read_log(tmp_path, "validation")
    assert [record["metrics"]["success"] for record in log] == [0.2, 0.8, 0.4, 0.7, 0.79]
    assert [record["update"] for record in log] == [2, 4, 5, 6, 8]
    more = dataclasses.replace(VALIDATED, total_frames=10 * UPDATE)
    train(more, make, tmp_path, resume=True, validate=Scores(0.81))
    assert load_checkpoint(best_checkpoint(tmp_path))["progress"]["updates"] == 10


def test_scores_of_training_episodes_do_not_stand_against_validations(tmp_path, stateful_envs):
    make = lambda: stateful_envs(64)  # noqa: E731
    frames = 64 * 8
    config = dataclasses.replace(CONFIG, total_frames=4 * frames)
    first = train(config, make, tmp_path)
    assert load_checkpoint(first.best_checkpoint)["progress"]["best_by"] == "training"
    config = dataclasses.replace(config, total_frames=6 * frames, validate_every_frames=frames)
    # Where it goes on, and after each update: below what training gave, but the first of its kind.
    train(config, make, tmp_path, resume=True, validate=Scores(0.001, 0.0005, 0.0001))
    progress = load_checkpoint(best_checkpoint(tmp_path))["progress"]
    assert (progress["best_by"], progress["best"], progress["updates"]) == ("validation", 0.001, 4)


def test_time_of_validation_is_no_training_time(tmp_path, stateful_envs, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])

    class Tick(TrainCallback):
        def on_update(self, record):
            now[0] += 10.0

    def validate(agent):
        now[0] += 1000.0
        return {"success": 0.5}

    config = dataclasses.replace(VALIDATED, time_limit_s=75.0, total_frames=10**9)
    result = train(config, lambda: stateful_envs(6), tmp_path, callbacks=[Tick()], validate=validate)
    # Eight updates of 10 s pass 75 s; 4,000 s of validations count nowhere.
    assert (result.updates, result.elapsed_s, result.reason) == (8, 80.0, "time")
    assert [record["seconds"] for record in read_log(tmp_path, "validation")] == [{"validate": 1000.0}] * 4


def test_a_signal_ends_a_validation_which_is_made_up_for_on_resuming(tmp_path, stateful_envs):
    make = lambda: stateful_envs(6)  # noqa: E731

    def validate(agent):
        signals = iter(range(10))

        def kill(step):
            if next(signals) == 3:
                os.kill(os.getpid(), signal.SIGTERM)

        evaluate(agent, stateful_envs(3), 300, on_step=kill)
        raise AssertionError("went on after the signal")

    result = train(VALIDATED, make, tmp_path, validate=validate)
    assert (result.reason, result.updates) == ("SIGTERM", 2)
    assert read_log(tmp_path, "validation") == []
    listener = StopAt(3)
    train(VALIDATED, make, tmp_path, resume=True, callbacks=[listener], validate=Scores(0.1, 0.2))
    assert [record["update"] for record in listener.records] == [2, 3]


def test_validations_need_a_function_and_its_metric(tmp_path, stateful_envs):
    with pytest.raises(ConfigError, match="validate_every_frames is 96, but train"):
        train(VALIDATED, lambda: stateful_envs(6), tmp_path / "a")
    with pytest.raises(ConfigError, match=r"best_metric is 'success'.*it gives spl, steps"):
        train(VALIDATED, lambda: stateful_envs(6), tmp_path / "b",
              validate=lambda agent: {"steps": 1.0, "spl": 0.5})  # fmt: skip


def test_tensorboard_holds_the_validations(tmp_path, stateful_envs):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    config = dataclasses.replace(VALIDATED, tensorboard=True)
    train(config, lambda: stateful_envs(6), tmp_path, validate=Scores(0.25, 0.5, 0.75, 1.0))
    events = EventAccumulator(str(tmp_path / "tensorboard"))
    events.Reload()
    points = [(event.step, event.value) for event in events.Scalars("validation/success")]
    assert points == [(96, 0.25), (192, 0.5), (288, 0.75), (384, 1.0)]
    assert len(events.Scalars("seconds/validate")) == 4


def test_checkpoints_by_frames_and_those_kept_for_good(tmp_path, stateful_envs):
    written = []

    class Watch(TrainCallback):
        def on_update(self, record):
            written.append(names(tmp_path) if (tmp_path / "checkpoints").exists() else [])

    config = dataclasses.replace(
        CONFIG, checkpoint_every_frames=2 * UPDATE, keep_every_frames=3 * UPDATE, keep_checkpoints=1
    )
    train(config, lambda: stateful_envs(6), tmp_path, callbacks=[Watch()])
    # Before the second update nothing is due, after it the first one is written.
    assert written[1] == []
    assert written[2] == ["update-00000002.pt"]
    # After the third because it is kept for good, and again after the fourth.
    assert written[3] == ["frames-000000000144.pt", "update-00000003.pt"]
    assert written[4] == ["frames-000000000144.pt", "update-00000004.pt"]
    assert names(tmp_path) == ["frames-000000000144.pt", "frames-000000000288.pt", "update-00000008.pt"]
    kept = load_checkpoint(tmp_path / "checkpoints" / "frames-000000000144.pt")
    assert kept["progress"]["updates"] == 3


def test_resuming_counts_frames_on(tmp_path, stateful_envs):
    make = lambda: stateful_envs(6)  # noqa: E731
    config = dataclasses.replace(CONFIG, keep_every_frames=3 * UPDATE)
    train(config, make, tmp_path, callbacks=[StopAt(4)])
    train(config, make, tmp_path, resume=True)
    kept = [name for name in names(tmp_path) if name.startswith("frames")]
    assert kept == ["frames-000000000144.pt", "frames-000000000288.pt"]


def test_frames_that_are_no_multiple_of_an_update_come_with_the_next_one(tmp_path, stateful_envs):
    config = dataclasses.replace(CONFIG, validate_every_frames=100, keep_every_frames=100)
    train(config, lambda: stateful_envs(6), tmp_path, validate=Scores(0.1, 0.2, 0.3, 0.4))
    # Updates end at 48, 96, 144, 192, 240, 288, 336, 384: 100, 200 and 300 are passed at 144, 240 and 336.
    assert [r["frames"] for r in read_log(tmp_path, "validation")] == [144, 240, 336, 384]
    kept = [name for name in names(tmp_path) if name.startswith("frames")]
    assert kept == [f"frames-{frames:012d}.pt" for frames in (144, 240, 336)]
