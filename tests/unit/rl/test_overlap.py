"""Halves of the environments that are stepped beside the policy."""

from __future__ import annotations

import dataclasses
import os
import signal
import threading

import gymnasium as gym
import numpy as np
import pytest
import torch
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv

from gym_batchnav.errors import ConfigError
from gym_batchnav.rl import PolicyConfig, PPOConfig, TrainCallback, TrainConfig, load_checkpoint, train
from gym_batchnav.rl.collecting import collect
from gym_batchnav.rl.collecting.acting import FEWEST_ROWS, Actor
from gym_batchnav.rl.collecting.collect import Collector
from gym_batchnav.rl.collecting.parts import EnvParts
from gym_batchnav.rl.collecting.timing import StageTimer
from gym_batchnav.rl.learning.parallel import GradientThreads
from gym_batchnav.rl.nets.policy import ActorCritic
from gym_batchnav.rl.spec import env_spec

STEPS, ROWS = 9, 6
PATIENCE_S = 20.0


class WalkEnv(gym.Env):
    """Observes (seed, episode, position); moves by the action; an episode lasts 3 + seed % 3 steps."""

    observation_space = gym.spaces.Box(-1000, 1000, (3,), np.float32)
    action_space = gym.spaces.Discrete(3)

    def __init__(self) -> None:
        self.episode = -1

    def _shown(self):
        return np.array([self.own, self.episode, self.position], np.float32)

    def reset(self, *, seed=None, options=None):
        self.own = self.own if seed is None else seed
        self.episode, self.position, self.time = self.episode + 1, 0, 0
        return self._shown(), {}

    def step(self, action):
        self.position += int(action)
        self.time += 1
        over = self.time == 3 + self.own % 3
        cut = over and self.episode % 2 == 1
        return self._shown(), float(self.position + self.own), over and not cut, cut, {"success": float(cut)}


def walks(rows: int) -> VectorEnv:
    return SyncVectorEnv([WalkEnv] * rows, autoreset_mode=AutoresetMode.SAME_STEP)


def collector(parts: EnvParts, threads: GradientThreads | None = None) -> Collector:
    torch.manual_seed(0)
    spec = env_spec(parts.single_observation_space, parts.single_action_space)
    policy = ActorCritic(PolicyConfig(hidden=8, vector_embedding=4, action_embedding=4), spec)
    torch.nn.init.normal_(policy.critic.weight)
    torch.nn.init.normal_(policy.actor.weight)
    config = TrainConfig(ppo=PPOConfig(rollout_length=STEPS), metric_keys=("success",))
    made = Collector(policy, parts, config, torch.Generator().manual_seed(0), StageTimer(), threads)
    made.reset(100)
    return made


def tensors(made: Collector) -> dict[str, torch.Tensor]:
    rollout = made.rollout
    names = (
        "state", "starts", "previous", "terminated", "truncated", "valid", "actions", "log_probs", "values",
        "rewards", "final_values",
    )  # fmt: skip
    found = {name: getattr(rollout, name).clone() for name in names}
    return {**found, "obs": rollout.obs["observation"].clone(), "last": made.last_values.clone()}


def same_actions(monkeypatch) -> None:
    """Row n acts at its step t by one table, whether all rows act at once or half of them after the other."""
    table = torch.from_numpy(np.random.default_rng(0).integers(3, size=(3 * STEPS, ROWS)))
    calls = {ROWS: 0, ROWS // 2: 0}

    def chosen(logits, generator, *ranks):
        count = len(logits)
        step, first = divmod(calls[count] * count, ROWS)
        calls[count] += 1
        return table[step, first : first + count]

    monkeypatch.setattr(collect, "sample_actions", chosen)


@pytest.mark.parametrize("overlap", ["auto", "off"])
def test_halves_give_row_by_row_what_one_environment_gives(monkeypatch, overlap):
    same_actions(monkeypatch)
    whole = collector(EnvParts([lambda: walks(ROWS)], "auto", "cpu"))
    parts = EnvParts([lambda: walks(ROWS // 2)] * 2, overlap, "cpu")
    halves = collector(parts)
    assert parts.overlaps is (overlap == "auto")
    for _ in range(3):
        whole.collect()
        halves.collect()
        expected, found = tensors(whole), tensors(halves)
        for name, value in expected.items():
            # Three rows at once and six may be added up in another order.
            exact = name not in ("state", "log_probs", "values", "final_values", "last")
            torch.testing.assert_close(
                found[name], value, rtol=0 if exact else 1e-5, atol=0 if exact else 1e-5, msg=name
            )
    # Each row has its own seed, wherever it is.
    assert found["obs"][0, :, 0].tolist() == [100, 101, 102, 103, 104, 105]
    assert found["truncated"].sum() > 3
    assert len(found["actions"].unique()) == 3
    assert halves.metrics.state() == whole.metrics.state()
    assert whole.metrics.episodes > 10
    parts.close()


class MeetingEnv(VectorEnv):
    """Its ``step`` waits until the policy acts on other rows."""

    def __init__(self, name: str, acted: dict[str, threading.Semaphore]) -> None:
        self.inner = walks(ROWS // 2)
        self.metadata = self.inner.metadata
        for key in ("num_envs", "single_observation_space", "single_action_space"):
            setattr(self, key, getattr(self.inner, key))
        self.name, self.acted, self.threads, self.closed_by = name, acted, set(), None
        self.threads.add(threading.get_ident())

    def reset(self, *, seed=None, options=None):
        self.threads.add(threading.get_ident())
        return self.inner.reset(seed=seed, options=options)

    def step(self, actions):
        self.threads.add(threading.get_ident())
        if self.name in self.acted:
            assert self.acted[self.name].acquire(timeout=PATIENCE_S), "the policy never acted meanwhile"
        return self.inner.step(actions)

    def close(self, **kwargs):
        self.closed_by = threading.get_ident()


def test_a_half_is_stepped_while_the_policy_acts_on_the_other(monkeypatch):
    """The first half's step waits for the policy to act on the second: in turn, that would never end."""
    acted = {"first": threading.Semaphore(0)}
    made: list[MeetingEnv] = []

    def make(name):
        made.append(MeetingEnv(name, acted))
        return made[-1]

    parts = EnvParts([lambda: make("first"), lambda: make("second")], "on", "cpu")
    halves = collector(parts)
    plain = halves._act

    def act(rows, t):
        plain(rows, t)
        if rows.start > 0:
            acted["first"].release()

    monkeypatch.setattr(halves, "_act", act)
    halves.collect()
    parts.close()
    # All of it on one thread, which is not this one, closing included.
    threads = {ident for envs in made for ident in (*envs.threads, envs.closed_by)}
    assert len(threads) == 1
    assert threading.get_ident() not in threads
    assert set(halves.timer.seconds) == {"act", "env", "wait"}


def test_without_overlap_all_is_done_on_the_callers_thread():
    made = MeetingEnv("alone", {})
    parts = EnvParts([lambda: made], "off", "cpu")
    alone = collector(parts)
    alone.collect()
    parts.close()
    assert {*made.threads, made.closed_by} == {threading.get_ident()}
    assert set(alone.timer.seconds) == {"act", "env"}


TINY = TrainConfig(
    policy=PolicyConfig(
        hidden=16, stem_planes=4, planes=(4,), strides=(2,), vector_embedding=8, action_embedding=4
    ),
    ppo=PPOConfig(rollout_length=8, minibatches=2, epochs=1),
    total_frames=4 * 8 * 6,
    metric_keys=("success",),
    tensorboard=False,
    precision="float32",
    threads=1,
)


class Stop(TrainCallback):
    def __init__(self, update: int) -> None:
        self.update = update
        self.messages: list[str] = []
        self.seconds: dict[str, float] = {}

    def on_start(self, run):
        self.run = run

    def on_update(self, record):
        self.seconds = record["seconds"]
        if record["update"] == self.update:
            self.run.stop("enough")

    def on_message(self, text):
        self.messages.append(text)


def weights(result) -> dict[str, torch.Tensor]:
    return load_checkpoint(result.checkpoint)["policy"]


def assert_equal(first, second) -> None:
    for name, value in weights(first).items():
        assert torch.equal(value, weights(second)[name]), name


def test_equal_seeds_give_equal_runs_and_a_resumed_run_is_the_same(stateful_envs, tmp_path):
    make = [lambda: stateful_envs(3), lambda: stateful_envs(3)]
    whole = train(TINY, make, tmp_path / "whole")
    again = train(TINY, make, tmp_path / "again")
    assert_equal(whole, again)
    # Whether they overlap changes nothing but the time.
    in_turn = train(dataclasses.replace(TINY, overlap="off"), make, tmp_path / "in turn")
    assert_equal(whole, in_turn)
    train(TINY, make, tmp_path / "parts", callbacks=[Stop(2)])
    listener = Stop(-1)
    parts = train(TINY, make, tmp_path / "parts", resume=True, callbacks=[listener])
    assert_equal(whole, parts)
    assert whole.frames == parts.frames == 4 * 8 * 6
    assert listener.messages == ["resumed at 96 frames, exactly"]
    assert listener.seconds.keys() >= {"act", "env", "wait", "learn"}


def test_a_run_in_halves_resumed_as_one_begins_new_episodes(stateful_envs, tmp_path):
    train(TINY, [lambda: stateful_envs(3)] * 2, tmp_path, callbacks=[Stop(2)])
    listener = Stop(-1)
    train(TINY, lambda: stateful_envs(6), tmp_path, resume=True, callbacks=[listener])
    assert "new episodes" in listener.messages[0]
    assert "parts" in listener.messages[0]


class BrokenError(Exception):
    pass


def test_an_error_of_a_step_comes_out_as_itself_and_all_are_closed(stateful_envs, tmp_path):
    closed = []

    def make(index):
        envs = stateful_envs(3)
        envs.close = lambda **_: closed.append((index, threading.current_thread().name))
        plain, steps = envs.step, []

        def step(actions):
            steps.append(actions)
            if index == 1 and len(steps) == 5:
                raise BrokenError("no more")
            return plain(actions)

        envs.step = step
        return envs

    with pytest.raises(BrokenError, match="no more"):
        train(TINY, [lambda: make(0), lambda: make(1)], tmp_path)
    assert [index for index, _ in closed] == [0, 1]
    assert all(name.startswith("batchnav-env") for _, name in closed)
    assert not any(thread.name.startswith("batchnav-env") for thread in threading.enumerate())


def test_a_signal_ends_a_run_in_halves_cleanly(stateful_envs, tmp_path):
    closed = []

    def make():
        envs = stateful_envs(3)
        envs.close = lambda **_: closed.append(threading.current_thread().name)
        return envs

    class Kill(TrainCallback):
        def on_update(self, record):
            if record["update"] == 2:
                os.kill(os.getpid(), signal.SIGTERM)

    result = train(TINY, [make, make], tmp_path, callbacks=[Kill()])
    assert (result.reason, result.updates) == ("SIGTERM", 2)
    assert load_checkpoint(result.checkpoint)["progress"]["updates"] == 2
    assert len(closed) == 2
    assert not any(thread.name.startswith("batchnav-env") for thread in threading.enumerate())


def test_an_error_of_making_closes_what_was_made(stateful_envs):
    closed = []

    def first():
        envs = stateful_envs(3)
        envs.close = lambda **_: closed.append(True)
        return envs

    def second():
        raise BrokenError("no room")

    with pytest.raises(BrokenError, match="no room"):
        EnvParts([first, second], "on", "cpu")
    assert closed == [True]


def test_what_cannot_overlap_is_refused(stateful_envs, recall_envs):
    with pytest.raises(ConfigError, match="overlap is 'on'"):
        EnvParts([lambda: stateful_envs(3)], "on", "cpu")
    with pytest.raises(ConfigError, match="make_envs is \\[\\]"):
        EnvParts([], "auto", "cpu")
    with pytest.raises(ConfigError, match="differ"):
        EnvParts([lambda: stateful_envs(3), lambda: recall_envs(3)], "auto", "cpu")


@pytest.mark.parametrize(
    ("overlap", "device", "parts"),
    [("auto", "cpu", 1), ("auto", "cuda:0", 2), ("on", "cpu", 2), ("off", "cuda:0", 1)],
)
def test_number_of_parts_to_make(overlap, device, parts):
    assert TrainConfig(overlap=overlap, device=device).env_parts == parts


@pytest.mark.parametrize("rows", [2 * FEWEST_ROWS, 3 * FEWEST_ROWS + 5])
def test_rows_shared_among_threads_give_what_one_thread_gives(stateful_envs, rows):
    envs = stateful_envs(rows)
    torch.manual_seed(0)
    policy = ActorCritic(TINY.policy, env_spec(envs.single_observation_space, envs.single_action_space))
    obs = {key: torch.as_tensor(value) for key, value in envs.reset(seed=0)[0].items()}
    seen = []
    plain = policy.step

    def step(*args):
        seen.append((len(args[2]), threading.current_thread().name))
        assert not torch.is_grad_enabled()
        return plain(*args)

    policy.step = step
    inputs = (
        policy.prepare(obs), torch.rand(1, rows, 16), torch.arange(rows) % 4, torch.arange(rows) % 5 == 0
    )  # fmt: skip
    alone, after_alone = Actor(policy).step(*inputs)
    threads = GradientThreads(3)
    shared, after = Actor(policy, threads, most=8).step(*inputs)
    threads.close()
    torch.testing.assert_close(shared.logits, alone.logits, rtol=0, atol=1e-6)
    torch.testing.assert_close(shared.values, alone.values, rtol=0, atol=1e-6)
    torch.testing.assert_close(after, after_alone, rtol=0, atol=1e-6)
    # 64 rows are two shares of 32; 101 are three, with edges at 33 and 67.
    expected = [32, 32] if rows == 64 else [33, 34, 34]
    assert sorted(count for count, _ in seen[1:]) == expected
    assert all(name.startswith("batchnav-gradient") for _, name in seen[1:])
