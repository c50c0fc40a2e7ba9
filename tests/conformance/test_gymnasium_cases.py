"""What Gymnasium asks of its own vector environments, asked of this one: its test cases, written anew."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.spaces import Dict, Discrete, MultiDiscrete
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv

from gym_batchnav import (
    ActuationNoise,
    BatchPointNavEnv,
    Camera,
    ConfigError,
    DepthNoise,
    EnvConfig,
    EpisodeSet,
    VelocityControl,
    check_vector_env,
)
from gym_batchnav.errors import ResetNeededError
from tests.unit.envs.doubles import two_rooms

ID = "BatchPointNav-v0"
LEFT = 2
MODES = list(AutoresetMode)
OPTIONS: dict[str, Any] = {
    "scenes": two_rooms(3), "resolution": (4, 5), "straight_ratio": 1.0, "render_backend": "constant",
}  # fmt: skip


@pytest.fixture
def make():
    made = []

    def build(num_envs=3, **kwargs):
        made.append(BatchPointNavEnv(num_envs, **{**OPTIONS, "scene_workers": 0, **kwargs}))
        return made[-1]

    yield build
    for env in made:
        env.close()


@pytest.mark.parametrize("num_envs", [1, 3, 10])
def test_spaces_and_shapes_follow_the_number(make, num_envs):
    env = make(num_envs)
    assert env.num_envs == env.unwrapped.num_envs == num_envs
    assert isinstance(env.single_action_space, Discrete)
    assert isinstance(env.action_space, MultiDiscrete)
    assert isinstance(env.observation_space, Dict)
    observation, _ = env.reset(seed=0)
    for key, space in env.observation_space.items():
        assert isinstance(observation[key], np.ndarray)
        assert observation[key].dtype == space.dtype
        assert observation[key].shape == space.shape == (num_envs, *env.single_observation_space[key].shape)


@pytest.mark.parametrize("single", [True, False])
def test_actions_may_be_a_list_of_single_ones(make, single):
    env = make(8)
    env.reset(seed=0)
    drawn = [env.single_action_space.sample() for _ in range(8)] if single else env.action_space.sample()
    _, rewards, terminations, truncations, _ = env.step(drawn)
    assert isinstance(rewards[0], np.floating)
    assert rewards.shape == terminations.shape == truncations.shape == (8,)
    assert terminations.dtype == truncations.dtype == np.bool_


@pytest.mark.parametrize("given", ["enum", "text"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("vectorization", ["vector_entry_point", "sync", "async"])
def test_make_vec_in_every_mode(vectorization, mode, given):
    value = mode if given == "enum" else mode.value
    own = vectorization == "vector_entry_point"
    how = (
        {"autoreset_mode": value, "scene_workers": 0} if own else {"vector_kwargs": {"autoreset_mode": value}}
    )
    env = gym.make_vec(
        ID, num_envs=2, vectorization_mode=vectorization, max_episode_steps=7, **how, **OPTIONS
    )
    kinds = {"sync": SyncVectorEnv, "async": AsyncVectorEnv}
    assert isinstance(env.unwrapped, kinds.get(vectorization, BatchPointNavEnv))
    assert env.metadata["autoreset_mode"] == mode
    assert env.spec.id == ID
    env.close()


def run(env, mode, steps=14):
    """All that the calls return, under actions of which every row's fourth or so stops."""
    rng = np.random.default_rng(1)
    returned = [env.reset(seed=6)]
    for _ in range(steps):
        returned.append(env.step(rng.choice(4, env.num_envs, p=[0.15, 0.45, 0.2, 0.2])))
        done = returned[-1][2] | returned[-1][3]
        if mode == AutoresetMode.DISABLED and done.any():
            returned.append(env.reset(options={"reset_mask": done}))
    return copy.deepcopy(returned)


@pytest.mark.parametrize(
    ("mode", "shared_memory"), [*((mode, True) for mode in MODES), (AutoresetMode.SAME_STEP, False)]
)
def test_async_vector_env_over_single_ones_equals_the_batch(make, mode, shared_memory):
    makers = [lambda: gym.make(ID, max_episode_steps=5, **OPTIONS)] * 2
    other = AsyncVectorEnv(makers, shared_memory=shared_memory, autoreset_mode=mode)
    env = make(2, autoreset_mode=mode, max_episode_steps=5)
    assert other.observation_space == env.observation_space
    assert other.action_space == env.action_space
    ours, theirs = run(env, mode), run(other, mode)
    other.close()
    assert data_equivalence(ours, theirs)
    assert sum(int((step[2] | step[3]).sum()) for step in ours if len(step) == 5) >= 4


def counted(env, actions):
    """Steps that the rows have taken in their episodes, rewards, and ends."""
    _, rewards, terminations, truncations, infos = env.step(actions)
    return infos["steps"].tolist(), rewards, terminations.tolist(), truncations.tolist(), infos


def spread(env, steps):
    """Set how many steps the rows have taken."""
    state = env.get_state()
    state["simulator"]["steps"][:] = steps
    env.set_state(state)


def test_next_step_rests_after_an_end(make):
    env = make(autoreset_mode="NextStep", max_episode_steps=3)
    env.reset(seed=0)
    spread(env, [1, 0, 0])
    turn = np.full(3, LEFT)
    assert counted(env, turn)[0] == [2, 1, 1]
    steps, rewards, _, cuts, infos = counted(env, turn)
    assert (steps, cuts) == ([3, 2, 2], [True, False, False])
    assert "final_obs" not in infos
    episode = infos["episode_id"]
    # Row 0 rests: a new episode of no steps, no reward for the turn.
    steps, rewards, _, cuts, infos = counted(env, turn)
    assert (steps, cuts) == ([0, 3, 3], [False, True, True])
    assert rewards.tolist() == [0.0, -0.01, -0.01]
    assert (infos["episode_id"] - episode).tolist() == [1, 0, 0]
    assert counted(env, turn)[0] == [1, 0, 0]


def test_same_step_begins_at_once(make):
    env = make(autoreset_mode="SameStep", max_episode_steps=3)
    env.reset(seed=0)
    spread(env, [1, 0, 0])
    turn = np.full(3, LEFT)
    assert counted(env, turn)[0] == [2, 1, 1]
    before = env.agent_state()["heading"]
    steps, rewards, _, cuts, infos = counted(env, turn)
    assert (steps, cuts) == ([0, 2, 2], [True, False, False])
    assert rewards.tolist() == [-0.01] * 3
    assert infos["_final_obs"].tolist() == infos["_final_info"].tolist() == [True, False, False]
    assert infos["final_info"]["steps"].tolist() == [3, 0, 0]
    assert infos["final_obs"][0] in env.single_observation_space
    assert infos["final_obs"][1] is infos["final_obs"][2] is None
    assert before[1:] == pytest.approx(env.agent_state()["heading"][1:] - np.pi / 18)
    steps, _, _, cuts, infos = counted(env, turn)
    assert (steps, cuts) == ([1, 0, 0], [False, True, True])
    assert infos["_final_obs"].tolist() == [False, True, True]


def test_disabled_waits_for_the_mask(make):
    env = make(autoreset_mode="Disabled", max_episode_steps=3)
    env.reset(seed=0)
    spread(env, [1, 0, 0])
    turn = np.full(3, LEFT)
    counted(env, turn)
    steps, _, _, cuts, infos = counted(env, turn)
    assert (steps, cuts) == ([3, 2, 2], [True, False, False])
    assert "final_obs" not in infos
    with pytest.raises(ResetNeededError, match=r"rows \[0\]"):
        env.step(turn)
    _, infos = env.reset(options={"reset_mask": np.array(cuts)})
    assert infos["_steps"].tolist() == [True, False, False]
    assert counted(env, turn)[0] == [1, 3, 3]


@pytest.mark.parametrize("ends", [1, 2, 3])
def test_rows_that_end_together(make, ends):
    env = make(max_episode_steps=None)
    env.reset(seed=1)
    stops = np.arange(3) < ends
    infos = env.step(np.where(stops, 0, LEFT))[4]
    assert infos["_final_obs"].tolist() == stops.tolist()
    assert [seen is not None for seen in infos["final_obs"]] == stops.tolist()


def test_partial_reset_with_seeds(make):
    env = make(autoreset_mode="Disabled")
    first, _ = env.reset(seed=[0, 1, 2])
    for _ in range(3):
        stepped = env.step(np.full(3, LEFT))[0]
    again, infos = env.reset(seed=[0, 1, 0], options={"reset_mask": np.array([True, True, False])})
    assert np.array_equal(again["pointgoal"][:2], first["pointgoal"][:2])
    assert np.array_equal(again["pointgoal"][2], stepped["pointgoal"][2])
    assert infos["_episode_id"].tolist() == [True, True, False]


def test_partial_reset_is_checked(make):
    env = make(autoreset_mode="Disabled")
    with pytest.raises(ResetNeededError):
        env.reset(options={"reset_mask": np.array([True, True, False])})
    env.reset(options={"reset_mask": np.array([True, True, True])})
    for mask in ([True], [True, True, False, False], [[True] * 3], [1, 1, 0], [1.0, 1.0, 0.0], [False] * 3):
        with pytest.raises(ConfigError, match="reset_mask"):
            env.reset(options={"reset_mask": np.array(mask)})


def test_options_are_left_as_they_were(make):
    env = make()
    env.reset(seed=0)
    mask = np.array([True, False, True])
    options = {"reset_mask": mask, "more": 1}
    env.reset(options=options)
    assert options.keys() == {"reset_mask", "more"}
    assert options["reset_mask"] is mask
    assert mask.tolist() == [True, False, True]


def test_seeds(make):
    env, other = make(), make()
    assert env.row_seeds == ()
    first, _ = env.reset(seed=42)
    assert env.np_random_seed == 42
    assert env.row_seeds == (42, 43, 44)
    second, _ = env.reset()
    assert env.row_seeds == (42, 43, 44)
    assert not np.array_equal(first["pointgoal"], second["pointgoal"])
    assert np.array_equal(other.reset(seed=[42, 43, 44])[0]["pointgoal"], first["pointgoal"])
    assert np.array_equal(other.reset()[0]["pointgoal"], second["pointgoal"])
    # Not seeded: each starts somewhere else.
    assert len({make(1).reset()[0]["pointgoal"].tobytes() for _ in range(4)}) == 4
    # The same actions from equally seeded spaces.
    for space, same in ((env.action_space, other.action_space),):
        space.seed(5)
        same.seed(5)
        assert all(np.array_equal(space.sample(), same.sample()) for _ in range(20))


def test_closing_twice_and_the_end_of_it(make):
    env = make(render_mode="rgb_array")
    env.reset(seed=0)
    env.close()
    env.close()
    assert env.closed
    for use in (env.reset, env.render, lambda: env.step(np.zeros(3, int))):
        with pytest.raises(RuntimeError, match="closed"):
            use()
    make().close()  # before its first reset


def test_render_without_a_mode_gives_nothing(make):
    env = make()
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="render_mode is None"):
        assert env.render() is None
    with pytest.raises(ConfigError, match="render_mode='ansi'"):
        make(render_mode="ansi")


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"scenes": "houses:val[:2]", "episodes": EpisodeSet(7, seed=3), "episode_order": "sequential"},
        {"cameras": (Camera(name="left", yaw_deg=90.0),), "sensors": ("depth", "rgb"), "device": "cuda:1"},
        {"actions": "velocity", "velocity": VelocityControl(), "autoreset_mode": AutoresetMode.DISABLED},
        {"actuation_noise": ActuationNoise(), "depth_noise": DepthNoise(), "min_depth": 0.5},
    ],
)
def test_config_survives_pickle_copy_and_a_dict(fields):
    config = EnvConfig(**fields)
    for again in (pickle.loads(pickle.dumps(config)), copy.deepcopy(config)):
        assert again == config
        assert again.to_dict() == config.to_dict()


def noisy(**fields: Any) -> dict[str, Any]:
    return {"actuation_noise": ActuationNoise(), "depth_noise": DepthNoise(), **fields}


@pytest.mark.parametrize(
    "fields",
    [
        {"actions": "velocity"},
        {"preset": "bps"},
        {"preset": "realistic"},
        noisy(sliding=False, sensors=("depth", "rgb")),
        {"episodes": EpisodeSet(5, seed=1), "episode_order": "sequential", "goal_format": "cartesian"},
        {"cameras": (Camera(name="a"), Camera(name="b", yaw_deg=90)), "output": "torch", "copy": False},
    ],
    ids=["velocity", "bps", "realistic", "noise", "set", "rig"],
)
@pytest.mark.parametrize("mode", MODES)
def test_options_pass_the_checker(fake_renderer, fields, mode):
    options = {
        "max_episode_steps": 9,
        "render_mode": "rgb_array",
        **OPTIONS,
        "render_backend": "auto",
        **fields,
    }
    env = BatchPointNavEnv(3, autoreset_mode=mode, scene_workers=0, **options)
    check_vector_env(env, steps=25, views=fields.get("copy") is False)


@pytest.mark.parametrize("task", ["Flee", "Explore", "ImageNav"])
@pytest.mark.parametrize("mode", MODES)
def test_tasks_pass_the_checker(fake_renderer, task, mode):
    options = {**OPTIONS, "render_backend": "auto", "sensors": ("rgb",), "max_episode_steps": 9}
    env = gym.make_vec(f"Batch{task}-v0", num_envs=3, autoreset_mode=mode, scene_workers=0, **options)
    check_vector_env(env.unwrapped, steps=25)
