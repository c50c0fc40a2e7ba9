"""The batch equals Gymnasium's SyncVectorEnv over single environments of the same row seeds, step by step."""

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from gym_batchnav.config import EpisodeSet
from gym_batchnav.envs import BatchPointNavEnv, PointNavEnv

LIMIT, ROWS = 25, 5
MODES = list(AutoresetMode)


def pair(mode, scenes, copy=True, env_id="BatchPointNav-v0", **kwargs):
    """The batch and its reference."""
    kwargs = {"scenes": scenes, "resolution": (4, 6), "straight_ratio": 1.0, "scene_workers": 0, **kwargs}
    own = {"num_envs": ROWS, "max_episode_steps": LIMIT, "autoreset_mode": mode, "copy": copy}
    batch = gym.make_vec(env_id, **own, **kwargs)
    singles = [lambda: gym.make(env_id, max_episode_steps=LIMIT, **kwargs) for _ in range(ROWS)]
    return batch, SyncVectorEnv(singles, autoreset_mode=mode)


def assert_same(one, two, where):
    """Equal types, keys, dtypes and bits."""
    if isinstance(one, dict):
        assert one.keys() == two.keys(), where
        for key in one:
            assert_same(one[key], two[key], f"{where}.{key}")
    else:
        assert data_equivalence(one, two, exact=True), f"{where}: {one} differs from {two}"


def compare(batch, sync, mode, steps=120, seed=7):
    rng = np.random.default_rng(1)
    ended, stopped = 0, 0
    for place in ("obs", "infos"):
        index = ("obs", "infos").index(place)
        assert_same(batch.reset(seed=seed)[index], sync.reset(seed=seed)[index], f"reset {place}")
    for step in range(steps):
        actions = rng.choice(4, ROWS, p=[0.02, 0.5, 0.24, 0.24])
        ours, theirs = batch.step(actions), sync.step(actions)
        for name, one, two in zip(("obs", "rewards", "ends", "cuts", "infos"), ours, theirs, strict=True):
            assert_same(one, two, f"step {step} {name}")
        done = ours[2] | ours[3]
        ended, stopped = ended + done.sum(), stopped + ours[2].sum()
        if mode == AutoresetMode.DISABLED and done.any():
            ours = batch.reset(options={"reset_mask": done})
            theirs = sync.reset(options={"reset_mask": done.copy()})
            assert_same(ours[0], theirs[0], f"masked reset {step} obs")
            assert_same(ours[1], theirs[1], f"masked reset {step} infos")
    assert ended > 2 * ROWS
    assert stopped > 0
    batch.close()
    sync.close()


@pytest.mark.parametrize("mode", MODES)
def test_equal_in_every_mode(fake_renderer, rooms, mode):
    compare(*pair(mode, rooms, sensors=("depth", "rgb")), mode)


@pytest.mark.parametrize(
    "options",
    [
        {"goal_format": "cartesian", "obs_keys": "habitat", "sensors": ()},
        {"goal_format": "polar_cos_sin", "sliding": False},
        {"normalize_depth": False, "min_depth": 0.5},
        {"episodes": EpisodeSet(7, seed=2)},
        {"num_resident_scenes": 3, "turn_angle_deg": 30.0, "success_distance": 2.0},
    ],
)
def test_equal_with_options(fake_renderer, rooms, options):
    mode = AutoresetMode.SAME_STEP
    compare(*pair(mode, rooms, **options), mode, steps=60)


def test_equal_without_copies(fake_renderer, rooms):
    mode = AutoresetMode.SAME_STEP
    compare(*pair(mode, rooms, copy=False, sensors=("rgb", "depth")), mode, steps=60)


def test_equal_on_houses(fake_renderer):
    mode = AutoresetMode.SAME_STEP
    compare(*pair(mode, "houses:train[:2]", straight_ratio=1.1), mode, steps=60)


def test_rows_do_not_depend_on_the_batch(fake_renderer, rooms):
    """Row i of a batch of 6 seeded s is row 0 of a batch of 1 or 2 seeded s + i."""
    rng = np.random.default_rng(0)
    actions = rng.choice(4, (40, 6), p=[0.05, 0.45, 0.25, 0.25])
    kwargs = {
        "scenes": rooms,
        "resolution": (3, 3),
        "straight_ratio": 1.0,
        "scene_workers": 0,
        "max_episode_steps": 15,
    }
    batch = BatchPointNavEnv(6, **kwargs)
    for row, rows in ((0, 1), (3, 2), (5, 1)):
        other = BatchPointNavEnv(rows, **kwargs)
        assert_same(
            {key: value[row] for key, value in batch.reset(seed=40)[0].items()},
            {key: value[0] for key, value in other.reset(seed=40 + row)[0].items()},
            "reset",
        )
        for choice in actions:
            whole = batch.step(choice)
            part = other.step(choice[row : row + rows] if row + rows <= 6 else choice[:rows])
            for key in whole[0]:
                assert np.array_equal(whole[0][key][row], part[0][key][0]), key
            assert whole[1][row] == part[1][0]


def test_single_env_is_a_row(fake_renderer, rooms):
    single = PointNavEnv(scenes=rooms, resolution=(2, 2), straight_ratio=1.0)
    batch = BatchPointNavEnv(2, scenes=rooms, resolution=(2, 2), straight_ratio=1.0)
    observation, info = single.reset(seed=1)
    observations, infos = batch.reset(seed=[1, 9])
    assert all(np.array_equal(observation[key], observations[key][0]) for key in observation)
    assert info == {key: value[0] for key, value in infos.items() if key[0] != "_"}
