"""Stable-Baselines3's rules for a ``VecEnv``, held against the environment and against its own ones."""

from __future__ import annotations

import sys

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics

from gym_batchnav import BatchPointNavEnv, ConfigError
from gym_batchnav.errors import ActionError
from gym_batchnav.sim import PointNav
from tests.unit.envs.doubles import FurnishedRooms, two_rooms

pytest.importorskip("stable_baselines3")
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.vec_env import DummyVecEnv

from gym_batchnav.integrations.sb3 import SB3VecEnv, SB3Wrapper, make_sb3_vec_env

from .conftest import ROWS, SMALL, STEPS

STOP, FORWARD, LEFT = 0, 1, 2


def actions(step: int) -> np.ndarray:
    """Row 0 stops in its second step, row 1 in the fifth, when its time is over too, row 2 never."""
    return np.array([STOP if step == 1 else LEFT, STOP if step == 4 else LEFT, FORWARD])


def equal(one, other) -> bool:
    return one.keys() == other.keys() and all(np.array_equal(one[key], other[key]) for key in one)


def test_steps_and_ends_are_those_of_the_environment(make, fake_renderer):
    envs = make(render_backend="auto")
    plain = BatchPointNavEnv(ROWS, scenes=two_rooms(2), **{**SMALL, "render_backend": "auto"})
    envs.seed(7)
    obs, (expected, first) = envs.reset(), plain.reset(seed=7)
    assert [info["distance_to_goal"] for info in envs.unwrapped.reset_infos] == first[
        "distance_to_goal"
    ].tolist()
    ends = []
    for step in range(STEPS):
        # 255ths of depth, to the nearest.
        assert np.abs(obs["depth"][:, 0] / 255 - expected["depth"][..., 0]).max() < 0.5 / 255 + 1e-6
        assert len(np.unique(obs["depth"])) > 50
        assert np.array_equal(obs["pointgoal"], expected["pointgoal"])
        obs, rewards, ended, infos = envs.step(actions(step))
        expected, wanted, terminated, truncated, raw = plain.step(actions(step))
        assert rewards.dtype == np.float32
        assert rewards.tolist() == wanted.astype(np.float32).tolist()
        assert ended.dtype == np.bool_
        assert ended.tolist() == (terminated | truncated).tolist()
        for row, told in enumerate(infos):
            told_of = raw["final_info"] if ended[row] else raw
            for name in ("spl", "distance_to_goal", "steps", "collision"):
                assert told[name] == told_of[name][row].item()
            assert told["is_success"] is bool(told_of["success"][row])
            assert ("terminal_observation" in told) == ended[row]
            assert not any(name.startswith("_") or name.startswith("final") for name in told)
            if ended[row]:
                final = raw["final_obs"][row]
                assert np.array_equal(told["terminal_observation"]["pointgoal"], final["pointgoal"])
                seen = told["terminal_observation"]["depth"]
                assert seen.shape == (1, 36, 36)
                assert np.abs(seen[0] / 255 - final["depth"][..., 0]).max() < 0.5 / 255 + 1e-6
                assert (
                    envs.unwrapped.reset_infos[row]["distance_to_goal"] == raw["distance_to_goal"][row].item()
                )
                assert envs.unwrapped.reset_infos[row]["steps"] == 0
                ends.append((step, row, told["TimeLimit.truncated"], told["episode"]["l"]))
    # Row 1 reaches its limit as it stops: it terminated. Row 0 began anew after two steps.
    assert ends == [(1, 0, False, 2), (4, 1, False, 5), (4, 2, True, 5)]
    envs.close()
    assert envs.envs.closed
    envs.close()
    plain.close()


@pytest.mark.parametrize(
    ("env_id", "sensors"),
    [
        ("BatchPointNav-v0", ("depth", "rgb")),
        ("BatchObjectNav-v0", ("depth",)),
        ("BatchFlee-v0", ("normals",)),
    ],
)
def test_all_is_as_in_the_vec_env_of_single_environments(make, fake_renderer, env_id, sensors):
    """The adapter against Stable-Baselines3's own one over single environments: the same in every bit."""
    options = {
        **SMALL, "scenes": [FurnishedRooms("rooms", 0.0)], "sensors": sensors, "render_backend": "auto",
        "object_categories": ("chair", "bed"),
    }  # fmt: skip
    envs = make(env_id=env_id, **options)
    dummy = DummyVecEnv([lambda: SB3Wrapper(gym.make(env_id, **options)) for _ in range(ROWS)])
    assert envs.observation_space == dummy.observation_space
    assert envs.action_space == dummy.action_space
    for one in (envs, dummy):
        one.seed(4)
    assert equal(envs.reset(), dummy.reset())
    assert envs.unwrapped.reset_infos == dummy.reset_infos
    for step in range(2 * STEPS):
        ours, theirs = envs.step(actions(step)), dummy.step(actions(step))
        assert equal(ours[0], theirs[0])
        assert np.array_equal(ours[1], theirs[1])
        assert np.array_equal(ours[2], theirs[2])
        for row, (told, expected) in enumerate(zip(ours[3], theirs[3], strict=True)):
            assert told.pop("episode", None) is None or ours[2][row]
            assert equal(told.pop("terminal_observation", {}), expected.pop("terminal_observation", {}))
            assert told == expected
        began = [row for row in range(ROWS) if ours[2][row]]
        assert [envs.unwrapped.reset_infos[row] for row in began] == [dummy.reset_infos[row] for row in began]
    dummy.close()


def test_seeds_make_runs_equal_and_count_for_one_reset(make):
    envs = make()

    def goals():
        seen = [envs.reset()["pointgoal"]]
        seen += [envs.step(actions(step))[0]["pointgoal"] for step in range(STEPS)]
        return np.stack(seen)

    assert envs.seed(3) == [3, 4, 5]
    first, second = goals(), goals()
    envs.seed(3)
    assert np.array_equal(goals(), first)
    assert not np.array_equal(first[0], second[0])
    # Each row has its own; row 0 of seed 4 is row 1 of seed 3.
    assert len({tuple(goal) for goal in first[0].tolist()}) == ROWS
    envs.seed(4)
    assert np.array_equal(envs.reset()["pointgoal"][0], first[0, 1])
    envs.seed()
    assert not np.array_equal(envs.reset()["pointgoal"], first[0])
    assert np.array_equal(make(seed=3).reset()["pointgoal"], first[0])


def test_spaces_hold_what_comes(make):
    envs = make(sensors=("depth", "rgb", "normals", "gps", "compass"))
    obs = envs.reset()
    while True:
        for row in range(ROWS):
            assert envs.observation_space.contains({key: value[row] for key, value in obs.items()})
        obs, _, ended, infos = envs.step([envs.action_space.sample() for _ in range(ROWS)])
        for row in np.flatnonzero(ended):
            assert envs.observation_space.contains(infos[row]["terminal_observation"])
        if ended.any():
            break
    # Wrappers may change the space in place: it is not that of the environment.
    assert envs.observation_space is not envs.envs.single_observation_space


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([FORWARD] * 2, r"shape \(2,\); expected \(3,\)"),
        (np.ones((ROWS, 1), int), r"shape \(3, 1\); expected \(3,\)"),
        ([1.0, 1.0, 1.0], "dtype float64; expected integers"),
        ([0, 4, 1], "action of row 1 is 4"),
        (None, r"call step_async\(actions\)"),
    ],
)
def test_wrong_actions_are_refused(make, given, words):
    envs = make()
    envs.reset()
    with pytest.raises(ActionError, match=words):
        envs.step(given)


def test_speeds_are_actions_too(make):
    envs = make(actions="velocity")
    envs.reset()
    assert envs.action_space == gym.spaces.Box(-1.0, 1.0, (2,), np.float32)
    envs.step(np.zeros((ROWS, 2), np.float32))
    with pytest.raises(ActionError, match=r"shape \(3,\); expected \(3, 2\)"):
        envs.step(np.zeros(ROWS))


def test_options_are_those_of_all_rows(make):
    envs = make()
    envs.set_options({})
    envs.set_options([{}] * ROWS)
    envs.reset()
    with pytest.raises(ConfigError, match="all 3 rows are reset together"):
        envs.set_options([{"a": 1}, {}, {}])
    with pytest.raises(ConfigError, match="resets all rows"):
        envs.set_options({"reset_mask": np.ones(ROWS, bool)})


def test_pictures_of_all_rows_are_tiled(make, fake_renderer):
    envs = make(render_mode="rgb_array", render_backend="auto", resolution=(36, 40))
    envs.reset()
    images = envs.get_images()
    assert [(image.shape, image.dtype) for image in images] == [((36, 40, 3), np.uint8)] * ROWS
    tiled = envs.render()
    # Two by two, the last one empty.
    assert tiled.shape == (72, 80, 3)
    assert np.array_equal(tiled[36:, :40], images[2])
    assert not tiled[36:, 40:].any()
    assert np.array_equal(envs.render("rgb_array"), tiled)
    with pytest.warns(UserWarning, match="has to be the same"):
        assert envs.render("ansi") is None
    assert envs.unwrapped.metadata["render_fps"] == 10
    without = make()
    without.reset()
    with pytest.warns(UserWarning, match="no `render_mode`"):
        assert without.render() is None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"autoreset_mode": AutoresetMode.NEXT_STEP}, "is 'NextStep'.*autoreset_mode='SameStep'"),
        ({"output": "torch"}, "output='numpy'"),
        ({"copy": False}, "copy=True"),
        ({"env_id": "CartPole-v1"}, r"no task of this library.*SB3VecEnv\(gym.make_vec"),
        ({"env_id": "NoSuchTask-v0"}, "env_id='NoSuchTask-v0' is not allowed"),
        ({"resolution": (35, 64)}, "35 x 64 pixels"),
        ({"resolutoin": (64, 64)}, "did you mean 'resolution'"),
        ({"seed": "a"}, "seed='a' is not allowed"),
        ({"seed": 1.5}, "seed=1.5 is not allowed"),
        ({"seed": -1}, "seed=-1 is not allowed"),
        ({"config": {"resolution": 64}}, "expected an EnvConfig or None"),
        ({"info_keywords": "spl"}, r"give a tuple of names: \('spl',\)"),
    ],
)
def test_environments_of_other_rules_are_refused(options, words):
    with pytest.raises(ConfigError, match=words):
        make_sb3_vec_env(ROWS, **options)


def test_wrappers_that_change_infos_are_refused():
    plain = BatchPointNavEnv(ROWS, scenes=two_rooms(2), **SMALL)
    with pytest.raises(ConfigError, match="DictInfoToList"):
        SB3VecEnv(DictInfoToList(RecordEpisodeStatistics(plain)))
    plain.close()


def test_a_reset_cancels_actions_that_were_given_before(make):
    envs = make()
    envs.reset()
    envs.step_async(actions(0))
    envs.reset()
    with pytest.raises(ActionError, match="without actions"):
        envs.step_wait()


def test_limits_and_configs_arrive(make):
    from gym_batchnav import EnvConfig

    for limit, expected in ((None, None), (7, 7)):
        assert make(max_episode_steps=limit).envs.config.max_episode_steps == expected
    config = EnvConfig(scenes=two_rooms(1), max_episode_steps=9, success_reward=3.0)
    with_config = make_sb3_vec_env(2, config, slack_reward=0.0).envs.config
    assert (with_config.max_episode_steps, with_config.success_reward, with_config.slack_reward) == (9, 3, 0)
    assert make_sb3_vec_env(2, preset="bps").envs.config.max_episode_steps == 499


def test_a_batch_is_adapted_where_no_id_names_it():
    class Mine(BatchPointNavEnv):
        pass

    envs = SB3VecEnv(Mine(2, scenes=two_rooms(1), **SMALL), depth="float32")
    assert envs.reset()["depth"].dtype == np.float32
    assert isinstance(envs.envs, Mine)
    envs.close()


class Halves(PointNav):
    """A task of one's own: tells half of the steps."""

    def metrics(self, state):
        return {"halves": state.steps / 2}


def test_tasks_of_ones_own_and_wrappers_around_keep_all_this(make):
    envs = make(task=Halves)
    envs.reset()
    for _ in range(STEPS):
        infos = envs.step([LEFT] * ROWS)[3]
    # Five steps; there is no success that the task tells of.
    assert [info["halves"] for info in infos] == [2.5] * ROWS
    assert "is_success" not in infos[0]
    batch = BatchPointNavEnv(2, scenes=two_rooms(1), **SMALL)
    wrapped = SB3VecEnv(RecordEpisodeStatistics(batch))
    assert wrapped.reset()["depth"].dtype == np.uint8
    ends = [wrapped.step([LEFT, STOP])[3][1] for _ in range(2)]
    assert [end["episode"]["l"] for end in ends] == [1, 1]
    assert ends[0]["terminal_observation"]["depth"].shape == (1, 36, 36)
    wrapped.close()


@pytest.mark.parametrize("env_id", ["BatchPointNav-v0", "BatchImageNav-v0", "BatchExplore-v0"])
def test_their_checker_is_content_with_single_environments(env_id, fake_renderer, recwarn):
    options = {**SMALL, "scenes": two_rooms(1), "render_backend": "auto"}
    check_env(SB3Wrapper(gym.make(env_id, **options)))
    assert [str(warning.message) for warning in recwarn] == []


@pytest.mark.filterwarnings("ignore:It seems that your observation space depth:UserWarning")
def test_their_checker_takes_the_bare_environment_too(fake_renderer):
    """It warns that float images are none to the policies, which is why there is a wrapper."""
    env = gym.make("BatchPointNav-v0", **{**SMALL, "scenes": two_rooms(1), "render_backend": "auto"})
    with pytest.warns(UserWarning, match="has to be `np.uint8`"):
        check_env(env)


def test_a_missing_library_is_named(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("gym_batchnav.integrations.sb3")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "stable_baselines3", None)
    with pytest.raises(ImportError, match=r"pip install 'gym-batchnav\[sb3\]'"):
        import gym_batchnav.integrations.sb3  # noqa: F401
