"""Kinds of actions, noise and sensors: what holds without them holds with them, bit for bit."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from gym_batchnav import ActuationNoise, DepthNoise, PoseNoise, RgbNoise, VelocityControl
from gym_batchnav.envs import BatchPointNavEnv
from tests.conformance.test_saved_state import assert_equal
from tests.conformance.test_sync_equality import ROWS, assert_same, pair
from tests.unit.envs.doubles import two_rooms

MODES = list(AutoresetMode)
NOISE = {
    "actuation_noise": ActuationNoise(controller="Proportional", multiplier=0.5), "depth_noise": DepthNoise(),
    "rgb_noise": RgbNoise(), "pose_noise": PoseNoise(position=0.05, heading_deg=2.0),
}  # fmt: skip
SENSORS = ("depth", "rgb", "semantic", "gps", "compass", "heading", "collision")
OPTIONS: dict[str, dict[str, Any]] = {
    "noise": {"sensors": SENSORS, **NOISE, "sliding": False},
    "look": {"sensors": SENSORS, **NOISE, "actions": "discrete_look", "goal_sensor": "start"},
    "velocity": {
        "sensors": ("depth", "gps", "collision"), "actions": "velocity", "depth_noise": DepthNoise(),
        "velocity": VelocityControl(linear_range=(-0.2, 0.5), angular_range_deg=(-45, 45)),
    },
    "flag": {
        "sensors": ("compass",), "actions": "velocity", "velocity": VelocityControl(stop="flag"),
        "goal_sensor": "none", "index_offset": 7,
    },
}  # fmt: skip
SMALL = {"resolution": (4, 6), "straight_ratio": 1.0, "scene_workers": 0}


def drawn(option, rng, rows):
    """Actions of which few are a stop."""
    kind = OPTIONS[option].get("actions", "discrete")
    if kind != "velocity":
        number = 6 if kind == "discrete_look" else 4
        return rng.choice(number, rows, p=[0.03, *[0.97 / (number - 1)] * (number - 1)])
    size = 3 if option == "flag" else 2
    actions = rng.uniform(-1, 1, (rows, size)).astype(np.float32)
    if size == 3:
        actions[:, 2] = np.where(rng.random(rows) < 0.04, 0.5, -0.5)
    return actions


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("option", OPTIONS)
def test_batch_equals_sync_vector_env(fake_renderer, option, mode):
    batch, sync = pair(mode, two_rooms(3), **OPTIONS[option])
    rng = np.random.default_rng(3)
    for one, two in zip(batch.reset(seed=7), sync.reset(seed=7), strict=True):
        assert_same(one, two, "reset")
    ended = 0
    for step in range(70):
        actions = drawn(option, rng, ROWS)
        ours, theirs = batch.step(actions), sync.step(actions)
        for name, one, two in zip(("obs", "rewards", "ends", "cuts", "infos"), ours, theirs, strict=True):
            assert_same(one, two, f"step {step} {name}")
        done = ours[2] | ours[3]
        ended += int(done.sum())
        if mode == AutoresetMode.DISABLED and done.any():
            ours = batch.reset(options={"reset_mask": done})
            theirs = sync.reset(options={"reset_mask": done.copy()})
            assert_same(ours[0], theirs[0], f"masked reset {step}")
    assert ended >= 2 * ROWS
    batch.close()
    sync.close()


def stream(option, mode, rows=3, episodes=3):
    """All that each row shows in its first episodes; what it does depends on row, episode and step alone."""
    env = BatchPointNavEnv(
        rows, scenes=two_rooms(3), autoreset_mode=mode, max_episode_steps=9, **SMALL, **OPTIONS[option]
    )
    seen: list[dict[tuple[int, int], Any]] = [{} for _ in range(rows)]
    episode, step = np.zeros(rows, int), np.zeros(rows, int)

    def record(row, observation, reward=0.0):
        seen[row][episode[row], step[row]] = ({name: np.array(v) for name, v in observation.items()}, reward)

    observation, _ = env.reset(seed=21)
    for row in range(rows):
        record(row, {name: value[row] for name, value in observation.items()})
    resting = np.zeros(rows, bool)
    while episode.min() < episodes:
        generators = [np.random.default_rng([row, episode[row], step[row]]) for row in range(rows)]
        actions = np.concatenate([drawn(option, generator, 1) for generator in generators])
        observation, rewards, ends, cuts, infos = env.step(actions)
        done = ends | cuts
        if mode == AutoresetMode.DISABLED and done.any():
            begun = env.reset(options={"reset_mask": done})[0]
        for row in range(rows):
            shown = {name: value[row] for name, value in observation.items()}
            if resting[row]:
                episode[row], step[row] = episode[row] + 1, 0
                record(row, shown)
                continue
            step[row] += 1
            final = infos["final_obs"][row] if mode == AutoresetMode.SAME_STEP and done[row] else shown
            record(row, final, rewards[row])
            if done[row] and mode != AutoresetMode.NEXT_STEP:
                episode[row], step[row] = episode[row] + 1, 0
                after = observation if mode == AutoresetMode.SAME_STEP else begun
                record(row, {name: value[row] for name, value in after.items()})
        resting = done & (mode == AutoresetMode.NEXT_STEP)
    env.close()
    return [{key: value for key, value in row.items() if key[0] < episodes} for row in seen]


@pytest.mark.parametrize("option", OPTIONS)
def test_streams_are_equal_in_all_autoreset_modes(fake_renderer, option):
    streams = [stream(option, mode) for mode in MODES]
    for one, other in itertools.pairwise(streams):
        for row, expected in zip(one, other, strict=True):
            assert row.keys() == expected.keys()
            for key, (observation, reward) in row.items():
                assert_equal(observation, expected[key][0])
                assert reward == expected[key][1], key
    assert all(len(row) > 12 for row in streams[0])


@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
@pytest.mark.parametrize("option", OPTIONS)
def test_run_goes_on_bitwise_from_a_saved_state(fake_renderer, option, mode):
    """Noise, tilt and slots included; the other environment was somewhere else before."""
    arguments: dict[str, Any] = {
        "scenes": two_rooms(5), "num_resident_scenes": 2, "swap_episodes": 3, "max_episode_steps": 12,
        "autoreset_mode": mode, **SMALL, **OPTIONS[option],
    }  # fmt: skip
    rng = np.random.default_rng(1)
    actions = [drawn(option, rng, 6) for _ in range(40)]
    env, again = BatchPointNavEnv(6, **arguments), BatchPointNavEnv(6, **arguments)
    env.reset(seed=5)
    for choice in actions[:9]:
        shown = env.step(choice)[0]
    state = env.get_state()
    expected = [env.step(choice) for choice in actions[9:]]
    again.reset(seed=99)
    again.step(actions[0])
    assert_equal(again.set_state(state), shown)
    for choice, before in zip(actions[9:], expected, strict=True):
        for one, other in zip(again.step(choice), before, strict=True):
            assert_equal(one, other)
    assert sum(int((step[2] | step[3]).sum()) for step in expected) >= 6
    if option == "look":
        assert np.abs(state["simulator"]["pitch"]).max() > 0
    env.close()
    again.close()


def test_rows_differ_and_repeat_nothing(fake_renderer):
    """Each row, episode and step has noise of its own: the same view never looks the same twice."""
    env = BatchPointNavEnv(
        4, scenes=two_rooms(1), sensors=("rgb",), rgb_noise=RgbNoise(), max_episode_steps=3, **SMALL
    )
    images = list(env.reset(seed=0)[0]["rgb"])
    for action in (2, 3, 2, 3, 2, 3, 2, 3):
        images += list(env.step(np.full(4, action))[0]["rgb"])
    assert len({image.tobytes() for image in images}) == len(images) == 36
    env.close()
