from __future__ import annotations

import dataclasses
import io
import json
import os
import signal
import time

import pytest
import torch
from rich.console import Console

from gym_batchnav.errors import BatchNavError, CheckpointError
from gym_batchnav.rl import (
    PolicyConfig,
    PPOConfig,
    ProgressBar,
    TrainCallback,
    TrainConfig,
    evaluate,
    latest_checkpoint,
    load_checkpoint,
    load_policy,
    read_log,
    train,
)
from gym_batchnav.rl.running.progress import clock, time_left

SMALL = PolicyConfig(
    hidden=16, stem_planes=4, planes=(4,), strides=(2,), vector_embedding=8, action_embedding=4
)
TINY = TrainConfig(
    policy=SMALL,
    ppo=PPOConfig(rollout_length=8, minibatches=2, epochs=2),
    total_frames=4 * 8 * 6,
    metric_keys=("success",),
    tensorboard=False,
    precision="float32",
    checkpoint_every_s=1e9,
)


class StopAfter(TrainCallback):
    def __init__(self, updates, act=None):
        self.updates, self.act, self.messages, self.result = updates, act, [], None
        self.signals = []

    def on_start(self, run):
        self.run = run

    def on_update(self, record):
        if record["update"] == self.updates:
            (self.act or (lambda: self.run.stop("enough")))()

    def on_signal(self, name):
        self.signals.append(name)

    def on_message(self, text):
        self.messages.append(text)

    def on_end(self, result):
        self.result = result


def same(a, b, path=""):
    """All differences between two nested structures."""
    if isinstance(a, dict):
        assert a.keys() == b.keys(), path
        return [d for key in a for d in same(a[key], b[key], f"{path}/{key}")]
    if isinstance(a, list | tuple):
        assert len(a) == len(b), path
        return [d for k, (x, y) in enumerate(zip(a, b, strict=True)) for d in same(x, y, f"{path}/{k}")]
    equal = (
        torch.equal(a, b)
        if isinstance(a, torch.Tensor)
        else bool((a == b) if not hasattr(a, "all") else (a == b).all())
    )
    return [] if equal else [path]


@pytest.mark.parametrize(
    ("recurrence", "precision", "ppo"),
    [
        ("gru", "float32", {}),
        ("lstm", "float32", {"optimizer": "lamb", "scale_learning_rate": True}),
        ("gru", "float16", {"advantage": "vtrace"}),
        ("gru", "bfloat16", {"optimizer": "lamb", "weight_decay": 0.01}),
    ],
)
def test_four_updates_equal_two_and_two_bitwise(tmp_path, stateful_envs, recurrence, precision, ppo):
    config = dataclasses.replace(
        TINY,
        policy=dataclasses.replace(SMALL, recurrence=recurrence),
        ppo=dataclasses.replace(TINY.ppo, **ppo),
        precision=precision,
    )
    make = lambda: stateful_envs(6)  # noqa: E731
    whole = train(config, make, tmp_path / "whole")
    part = train(config, make, tmp_path / "parts", callbacks=[StopAfter(2)])
    assert (part.updates, part.reason) == (2, "enough")
    listener = StopAfter(0)
    rest = train(config, make, tmp_path / "parts", resume=True, callbacks=[listener])
    assert listener.messages == ["resumed at 96 frames, exactly"]
    assert (whole.updates, rest.updates, rest.frames, rest.reason) == (4, 4, 192, "frames")
    first, second = load_checkpoint(whole.checkpoint), load_checkpoint(rest.checkpoint)
    assert (first["loss_scale"] != {}) == (precision == "float16")
    for content in (first, second):
        content["progress"].pop("elapsed_s")
    assert same(first, second) == []
    logs = [[record["losses"] for record in read_log(tmp_path / name)] for name in ("whole", "parts")]
    assert logs[0] == logs[1]
    assert len(logs[0]) == 4


def test_equal_seeds_give_equal_weights_and_unequal_seeds_do_not(tmp_path, stateful_envs):
    make = lambda: stateful_envs(6)  # noqa: E731
    runs = [
        train(dataclasses.replace(TINY, seed=seed), make, tmp_path / f"{k}")
        for k, seed in enumerate((1, 1, 2))
    ]
    a, b, c = (load_checkpoint(run.checkpoint)["policy"] for run in runs)
    assert same(a, b) == []
    assert same(a, c)


def test_resume_without_env_state_begins_new_episodes_and_says_so(tmp_path, stateful_envs):
    seeds = []

    def make():
        envs = stateful_envs(6, with_state=False)
        plain = envs.reset
        envs.reset = lambda *, seed=None, options=None: (
            seeds.append(seed),
            plain(seed=seed, options=options),
        )[1]
        return envs

    train(TINY, make, tmp_path, callbacks=[StopAfter(2)])
    listener = StopAfter(0)
    result = train(TINY, make, tmp_path, resume=True, callbacks=[listener])
    assert result.frames == 192
    assert "new episodes" in listener.messages[0]
    assert seeds[0] == 0
    assert seeds[1] not in (0, None)
    assert [record["update"] for record in read_log(tmp_path)] == [1, 2, 3, 4]


def test_log_lines_of_a_lost_part_are_removed_on_resume(tmp_path, stateful_envs):
    make = lambda: stateful_envs(6)  # noqa: E731
    train(TINY, make, tmp_path, callbacks=[StopAfter(2)])
    with (tmp_path / "train.jsonl").open("a") as log:
        log.write(json.dumps({"kind": "update", "update": 3, "frames": 144}) + "\n" + '{"kind": "upd')
    train(TINY, make, tmp_path, resume=True)
    assert [record["update"] for record in read_log(tmp_path)] == [1, 2, 3, 4]
    assert [record["frames"] for record in read_log(tmp_path, "run")] == [0, 96]


def test_a_finished_folder_is_not_overwritten(tmp_path, stateful_envs):
    make = lambda: stateful_envs(6)  # noqa: E731
    train(TINY, make, tmp_path)
    with pytest.raises(BatchNavError, match="already holds a run"):
        train(TINY, make, tmp_path)


def test_another_network_or_environment_is_refused_on_resume(tmp_path, stateful_envs, recall_envs):
    train(TINY, lambda: stateful_envs(6), tmp_path)
    wider = dataclasses.replace(TINY, policy=dataclasses.replace(SMALL, hidden=32))
    with pytest.raises(CheckpointError, match="does not fit the network"):
        train(wider, lambda: stateful_envs(6), tmp_path, resume=True)
    words = r"'depth' was float32 \(16, 16, 1\) in \[0, 1\], and is absent.*were 4 actions, and are 2"
    with pytest.raises(CheckpointError, match=words):
        train(TINY, lambda: recall_envs(6), tmp_path, resume=True)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1])
def test_signals_end_the_run_cleanly(tmp_path, stateful_envs, number):
    before = signal.getsignal(number)
    listener = StopAfter(2, lambda: os.kill(os.getpid(), number))
    closed = []

    def make():
        envs = stateful_envs(6)
        envs.close_extras = lambda **_: closed.append(True)
        return envs

    result = train(TINY, make, tmp_path, callbacks=[listener])
    assert (result.reason, result.updates) == (number.name, 2)
    assert listener.signals == [number.name]
    assert load_checkpoint(result.checkpoint)["progress"]["updates"] == 2
    assert signal.getsignal(number) == before
    assert closed == [True]


def test_time_limit_counts_over_resumptions_and_anneals_the_rate(tmp_path, stateful_envs, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])

    class Tick(TrainCallback):
        def on_update(self, record):
            now[0] += 10.0

    config = dataclasses.replace(TINY, time_limit_s=35.0, total_frames=10**9)
    make = lambda: stateful_envs(6)  # noqa: E731
    first = train(config, make, tmp_path, callbacks=[StopAfter(2), Tick()])
    assert (first.updates, first.elapsed_s) == (2, 20.0)
    now[0] = 1000.0
    second = train(config, make, tmp_path, resume=True, callbacks=[Tick()])
    assert (second.updates, second.elapsed_s, second.reason) == (4, 40.0, "time")
    rates = [record["learning_rate"] for record in read_log(tmp_path)]
    assert rates[1] > rates[2] > rates[3]


def test_history_best_and_progress_are_kept(tmp_path, stateful_envs):
    config = dataclasses.replace(TINY, total_frames=64 * 8 * 8, checkpoint_every_s=0.0, keep_checkpoints=2)
    result = train(config, lambda: stateful_envs(64), tmp_path)
    names = sorted(path.name for path in (tmp_path / "checkpoints").iterdir())
    assert names == ["best.pt", "update-00000007.pt", "update-00000008.pt"]
    assert latest_checkpoint(tmp_path) == result.checkpoint
    assert 0 < result.metrics["success"] < 1
    record = read_log(tmp_path)[-1]
    assert record["frames"] == 4096
    assert set(record["seconds"]) == {"env", "act", "learn"}
    assert record["progress"] == 1.0


def test_tensorboard_files_hold_the_scalars(tmp_path, stateful_envs):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    train(dataclasses.replace(TINY, tensorboard=True), lambda: stateful_envs(6), tmp_path)
    events = EventAccumulator(str(tmp_path / "tensorboard"))
    events.Reload()
    assert [event.step for event in events.Scalars("losses/entropy")] == [48, 96, 144, 192]
    assert "metrics/success" in events.Tags()["scalars"]


def test_uint8_storage_trains(tmp_path, stateful_envs):
    config = dataclasses.replace(TINY, float_image_storage="uint8")
    assert train(config, lambda: stateful_envs(6), tmp_path).updates == 4


def test_progress_writes_plain_lines_where_there_is_no_terminal(tmp_path, stateful_envs):
    text = io.StringIO()
    console = Console(file=text, force_terminal=False)
    train(TINY, lambda: stateful_envs(6), tmp_path, callbacks=[ProgressBar(console, every_s=0.0)])
    lines = text.getvalue().splitlines()
    assert lines[0].startswith(" 25%  48 frames, ")
    assert "success" in lines[1]
    assert lines[-1].startswith("trained 192 frames")
    assert "\x1b" not in text.getvalue()


def test_time_left_and_clock():
    assert time_left({"progress": 0.25, "elapsed_s": 10.0}, None) == pytest.approx(30.0)
    assert (clock(5), clock(65), clock(3725)) == ("0:05", "1:05", "1:02:05")


def recall_config(recurrence):
    return TrainConfig(
        policy=PolicyConfig(hidden=16, vector_embedding=16, action_embedding=0, recurrence=recurrence),
        ppo=PPOConfig(rollout_length=16, minibatches=2, epochs=4, learning_rate=1e-2, gamma=0.9, warmup=0.0),
        total_frames=25_600,
        metric_keys=("success",),
        tensorboard=False,
        checkpoint_every_s=1e9,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("recurrence", "low", "high"), [("gru", 0.95, 1.0), ("lstm", 0.95, 1.0), ("none", 0.35, 0.65)]
)
def test_only_a_memory_recalls_the_cue(tmp_path, recall_envs, recurrence, low, high):
    train(recall_config(recurrence), lambda: recall_envs(64), tmp_path)
    result = evaluate(load_policy(tmp_path), recall_envs(64), 256, deterministic=False, seed=9)
    assert low <= result.metrics["success"].mean <= high
