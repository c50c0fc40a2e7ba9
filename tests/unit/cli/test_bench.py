"""Benchmarks: how windows are cut, and what a record holds."""

from __future__ import annotations

import dataclasses
import json
import threading

import numpy as np
import pytest

from gym_batchnav.cli import main
from gym_batchnav.cli.bench.peers.window import Window
from gym_batchnav.cli.bench.step import spread_ages
from gym_batchnav.cli.bench.updates import Updates
from gym_batchnav.cli.bench.windows import NUM_WINDOWS, Measurement, measure
from gym_batchnav.config import EnvConfig
from gym_batchnav.envs import BatchPointNavEnv
from gym_batchnav.errors import ConfigError
from gym_batchnav.rl import PolicyConfig, PPOConfig, TrainConfig


class Clock:
    """Time that moves by what the calls say they take."""

    def __init__(self, durations):
        self.now = 0.0
        self.durations = iter(durations)

    def __call__(self) -> float:
        return self.now

    def work(self) -> int:
        self.now += next(self.durations)
        return 100


def test_windows_hold_whole_calls_and_the_median_counts():
    # 10 s: a warm-up of 1 s, five windows of at least 2 s. Calls of 1 s, but for the last window's of 4 s.
    clock = Clock([1.0] * 9 + [4.0])
    begun = []
    (measured,) = measure(clock.work, 10.0, clock=clock, started=lambda: begun.append(clock.now))
    assert begun == [1.0]
    # 2 calls of 100 frames in 2 s four times, then one call in 4 s: 100, 100, 100, 100, 25 frames/s.
    assert measured.windows == pytest.approx((100.0, 100.0, 100.0, 100.0, 25.0))
    assert measured.frames_per_second == pytest.approx(100.0)
    assert measured.frames == 900
    assert len(measured.call_ms) == 9
    assert measured.quantile_ms(0.5) == pytest.approx(1000.0)
    assert measured.quantile_ms(0.99) == pytest.approx(4000.0)


def test_a_call_longer_than_its_window_still_counts():
    clock = Clock([3.0] * 6)
    (measured,) = measure(clock.work, 1.0, clock=clock)
    assert measured.windows == pytest.approx((100 / 3,) * NUM_WINDOWS)


def test_windows_of_rivals_lie_between_ours():
    clock, order = Clock([1.0] * 7), []

    def ours() -> int:
        order.append("ours")
        return clock.work()

    def rival(seconds: float) -> Window:
        order.append(f"rival {seconds:g}")
        # Twice as slow: 50 frames in a second, but 20 in the last window.
        return Window(50 if order.count("rival 1") < 5 else 20, 1.0, ())

    begun = []
    measured, theirs = measure(ours, 5.0, rivals=[rival], clock=clock, started=lambda: begun.extend(order))
    assert begun == ["ours", "rival 0.5"]
    assert order[2:] == ["ours", "rival 1"] * NUM_WINDOWS
    assert measured.windows == pytest.approx([100.0] * NUM_WINDOWS)
    assert theirs.windows == (50.0, 50.0, 50.0, 50.0, 20.0)
    assert theirs.frames_per_second == 50.0
    assert theirs.frames == 220


@pytest.mark.slow
def test_starts_are_measured_in_fresh_processes_with_caches_of_their_own(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("gym_batchnav.cli.bench.start.NUM_STARTS", 1)
    monkeypatch.setenv("BATCHNAV_CACHE", str(tmp_path / "users"))
    path = tmp_path / "record.json"
    command = ["bench", "start", "--scenes", "houses:train/3", "--num-envs", "2", "--resolution", "8"]
    assert main([*command, "--backend", "embree", "--json", str(path)]) == 0
    record = json.loads(path.read_text())
    for name, other in (("cold", "warm"), ("warm", "cold")):
        starts = record["starts_s"][name]
        assert starts["all"] == [pytest.approx(starts["make"] + starts["reset"])]
        assert starts["stages"]["scene"] <= starts["reset"]
        assert starts["all"] != record["starts_s"][other]["all"]
    assert record["backend"] == "embree"
    assert not (tmp_path / "users").exists()
    assert "all in the cache" in capsys.readouterr().out


def test_start_that_fails_says_why(tmp_path, capsys):
    (tmp_path / "broken.glb").write_bytes(b"glTF")
    assert main(["bench", "start", "--scenes", str(tmp_path / "broken.glb"), "--num-envs", "1"]) == 2
    assert "these environments do not start: " in (said := capsys.readouterr().err)
    assert "broken.glb" in said


def test_quantile_of_one_call():
    assert Measurement((1.0,) * 5, (7.0,), 1).quantile_ms(0.99) == 7.0


def small(**changes) -> TrainConfig:
    policy = PolicyConfig(hidden=8, stem_planes=4, planes=(4,), strides=(2,))
    plain = TrainConfig(
        policy=policy, ppo=PPOConfig(rollout_length=4, minibatches=2, epochs=1), total_frames=10**12,
        checkpoint_every_s=1e9, tensorboard=False, precision="float32", threads=1,
    )  # fmt: skip
    return dataclasses.replace(plain, **changes)


def blind(**changes) -> EnvConfig:
    return EnvConfig.from_kwargs({"scenes": "houses:train/0", "sensors": (), **changes}, None)


@pytest.mark.parametrize(("overlap", "stages"), [("off", {"act", "env", "learn"}), ("on", {"wait"})])
def test_a_run_goes_on_by_one_update_a_call(overlap, stages):
    with Updates(small(overlap=overlap), 4, blind()) as updates:
        assert updates.records == []
        assert [updates(), updates()] == [4 * 4, 4 * 4]
        # The first three warmed up.
        assert [record["update"] for record in updates.records] == [4, 5]
        assert stages <= set(updates.stages_ms())
        seconds = sum(record["seconds"]["learn"] for record in updates.records)
        # Two updates of four steps each.
        assert updates.stages_ms()["learn"] == pytest.approx(1000 * seconds / 8)
        assert updates.renderer["backend"] == "none"
        updates.clear()
        assert updates.records == []
    assert not any(thread.name.startswith("batchnav-bench") for thread in threading.enumerate())


def test_what_goes_wrong_in_a_run_is_raised_by_the_call():
    with pytest.raises(ConfigError, match="minibatches is 9"):
        Updates(small(ppo=PPOConfig(rollout_length=4, minibatches=9)), 4, blind())
    with pytest.raises(ConfigError, match="num_envs=3"):
        Updates(small(overlap="on"), 3, blind())


SCENES = ["--scenes", "houses:train[:2]", "--num-envs", "4", "--resolution", "16", "--seconds", "0.2"]


@pytest.mark.slow
@pytest.mark.parametrize("what", ["render", "step", "train"])
def test_record_says_how_fast_and_on_what(what, tmp_path, capsys):
    path = tmp_path / "record.json"
    learner = ["--set", "threads=1", "--set", "ppo.rollout_length=8", "--set", "policy.hidden=16"]
    more = learner if what == "train" else []
    assert main(["bench", what, *SCENES, *more, "--json", str(path)]) == 0
    record = json.loads(path.read_text())
    assert record["benchmark"] == what
    assert len(record["windows"]) == NUM_WINDOWS
    assert record["frames_per_second"] == sorted(record["windows"])[2]
    assert record["triangles_per_scene"]["least"] > 0
    assert record["gl_renderer"]
    assert record["backend"] == record["machine"]["renderer"]["backend"]
    assert record["reason"] == record["machine"]["renderer"]["reason"] != ""
    assert record["peak_memory_mib"] > 50
    assert {"cpu", "cores", "python", "torch", "numpy", "gym_batchnav", "renderer"} <= set(record["machine"])
    assert record["config"]["resolution"] == [16, 16]
    assert record["arguments"]["num_envs"] == 4
    wanted = {"render": {"set_views", "render"}, "step": {"simulate", "render", "scene", "episode"}}
    assert wanted.get(what, {"act", "env", "learn"}) <= set(record["stages_ms"])
    if what != "train":
        assert record["resident_scenes"] == 2
    if what == "render":
        assert set(record["memory"]) >= {"scenes", "images"}
    if what == "step":
        assert record["action_probabilities"] == [0.0, 0.6, 0.2, 0.2]
        assert "mean_episode_length" in record
    assert "frames/s (median of 5 windows)" in capsys.readouterr().out


def test_ages_are_spread_so_that_resets_are_measured():
    envs = BatchPointNavEnv(5, scenes="houses:train/0", sensors=(), max_episode_steps=10)
    envs.reset(seed=0)
    spread_ages(envs)
    ended = []
    for _ in range(10):
        *_, truncations, _ = envs.step(np.full(5, 2))
        ended.append(int(truncations.sum()))
    envs.close()
    # Counters start at 0, 2, 4, 6, 8 of 10: one row ends in every second step.
    assert ended == [0, 1, 0, 1, 0, 1, 0, 1, 0, 1]


def test_constant_images_leave_the_simulator(tmp_path, capsys):
    path = tmp_path / "record.json"
    command = ["--backend", "constant", "--scenes", "houses:train[:1]", "--num-envs", "4", "--seconds", "0.1"]
    assert main(["bench", "step", *command, "--json", str(path)]) == 0
    record = json.loads(path.read_text())
    assert record["backend"] == "constant"
    assert record["stages_ms"]["render"] < record["stages_ms"]["total"]
    for what in ("render", "start"):
        assert main(["bench", what, *command]) != 0
        assert f"not allowed for bench {what}" in " ".join(capsys.readouterr().err.split())
