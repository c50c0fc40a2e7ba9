"""Stable-Baselines3's rules, held against the environment itself."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from gym_batchnav import BatchPointNavEnv, ConfigError
from tests.unit.envs.doubles import two_rooms

sb3 = pytest.importorskip("stable_baselines3")
from gym_batchnav.integrations.sb3 import SB3VecEnv, make_sb3_vec_env  # noqa: E402

ROWS, STEPS = 3, 5
STOP, FORWARD, LEFT = 0, 1, 2
OPTIONS = {
    "resolution": (3, 4), "straight_ratio": 1.0, "scene_workers": 0, "max_episode_steps": STEPS,
    "render_backend": "constant",
}  # fmt: skip


def make(**options) -> SB3VecEnv:
    return make_sb3_vec_env(ROWS, scenes=two_rooms(2), **{**OPTIONS, **options})


def actions(step: int) -> np.ndarray:
    """Row 0 stops in its second step, row 1 in the fifth, when its time is over too, row 2 never."""
    return np.array([STOP if step == 1 else LEFT, STOP if step == 4 else LEFT, FORWARD])


def test_steps_are_those_of_the_environment_and_ends_are_told_as_asked():
    envs, plain = make(), BatchPointNavEnv(ROWS, scenes=two_rooms(2), **OPTIONS)
    envs.seed(7)
    obs, (expected, first) = envs.reset(), plain.reset(seed=7)
    assert envs.reset_infos[1]["distance_to_goal"] == first["distance_to_goal"][1]
    assert len(envs.reset_infos) == ROWS
    ends = []
    for step in range(STEPS):
        assert obs.keys() == expected.keys()
        for name, values in expected.items():
            assert np.array_equal(obs[name], values), (step, name)
        obs, rewards, ended, infos = envs.step(actions(step))
        expected, wanted, terminated, truncated, raw = plain.step(actions(step))
        assert rewards.dtype == np.float32
        assert rewards.tolist() == wanted.astype(np.float32).tolist()
        assert ended.tolist() == (terminated | truncated).tolist()
        for row in range(ROWS):
            if not ended[row]:
                assert infos[row] == {}
                continue
            final, told = raw["final_obs"][row], infos[row]
            assert all(np.array_equal(told["terminal_observation"][name], final[name]) for name in final)
            assert told["episode"]["r"] == pytest.approx(raw["final_info"]["return"][row])
            assert told["spl"] == raw["final_info"]["spl"][row]
            assert told["is_success"] is bool(raw["final_info"]["success"][row])
            ends.append((step, row, told["TimeLimit.truncated"], told["episode"]["l"]))
    # Row 1 reaches its limit as it stops: it terminated. Row 0 began anew after two steps.
    assert ends == [(1, 0, False, 2), (4, 1, False, 5), (4, 2, True, 5)]
    envs.close()
    assert envs.envs.closed
    plain.close()


def test_seeds_count_for_one_reset():
    envs = make()
    envs.seed(3)
    first, second = envs.reset()["pointgoal"], envs.reset()["pointgoal"]
    envs.seed(3)
    assert np.array_equal(envs.reset()["pointgoal"], first)
    assert not np.array_equal(first, second)
    envs.close()


def test_attributes_and_methods_are_those_of_the_whole_environment():
    envs = make(render_mode="rgb_array", render_backend="embree")
    envs.reset()
    assert envs.get_attr("num_envs") == [ROWS] * ROWS
    assert envs.get_attr("num_envs", [0, 2]) == [ROWS] * 2
    assert envs.env_is_wrapped(object) == [False] * ROWS
    envs.set_attr("note", 5)
    assert envs.envs.note == 5
    (state, *_) = envs.env_method("agent_state")
    assert state["position"].shape == (ROWS, 3)
    assert [image.shape for image in envs.get_images()] == [(3, 4, 3)] * ROWS
    for call in (lambda: envs.set_attr("note", 1, 0), lambda: envs.env_method("agent_state", indices=[1])):
        with pytest.raises(ConfigError, match="all rows are one environment"):
            call()
    envs.close()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"autoreset_mode": AutoresetMode.NEXT_STEP}, "autoreset_mode='SameStep'"),
        ({"output": "torch"}, "output='numpy'"),
    ],
)
def test_environments_of_other_rules_are_refused(options, words):
    with pytest.raises(ConfigError, match=words):
        make(**options)


def test_ppo_learns_with_it():
    envs = make()
    model = sb3.PPO("MultiInputPolicy", envs, n_steps=8, batch_size=12, n_epochs=1, seed=1, device="cpu")
    before = [p.clone() for p in model.policy.parameters()]
    model.learn(2 * 8 * ROWS)
    assert any(not (a == b).all() for a, b in zip(before, model.policy.parameters(), strict=True))
    # Rows 0 to 2 end every fifth step at the latest: at least 3 in each of three rows.
    assert len(model.ep_info_buffer) >= 3 * ROWS
    assert max(episode["l"] for episode in model.ep_info_buffer) == STEPS
    envs.close()
