"""A state that does not fit is refused before anything of it is taken over."""

from __future__ import annotations

import numpy as np
import pytest

from gym_batchnav import BatchPointNavEnv, ConfigError
from tests.unit.envs.doubles import two_rooms

LEFT = 2


def remade(state, **changes):
    return {**state, **changes}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda state: None, "state is a NoneType"),
        (lambda state: {}, "finished"),
        (lambda state: {"finished": state["finished"]}, "lacks seeds, numbers"),
        (lambda state: remade(state, seeds=[1]), "'seeds' has 1 entries; expected 3"),
        (lambda state: remade(state, seeds=None), "'seeds' has None; expected 3"),
        (lambda state: remade(state, seeds=[1, 2, "x"]), "'seeds' holds something else"),
        (lambda state: remade(state, numbers=[0, 0, -2]), "'numbers' holds something else"),
        (lambda state: remade(state, finished=np.zeros(2, bool)), "has 2 rows"),
        (lambda state: remade(state, simulator=None), "'simulator' is a NoneType"),
        (lambda state: remade(state, simulator={}), "saved state has scene=None"),
        (lambda state: remade(state, slots=(3, [0])), "resident scenes"),
        (
            lambda state: remade(
                state, simulator={**state["simulator"], "scene": np.full(3, 9, dtype=np.int32)}
            ),
            "scenes from 9 to 9",
        ),
        (
            lambda state: remade(
                state, simulator={**state["simulator"], "position": np.full((3, 3), np.nan, np.float32)}
            ),
            "position holds numbers that are not finite",
        ),
    ],
)
def test_bad_state_is_refused_and_changes_nothing(fake_renderer, change, message):
    env = BatchPointNavEnv(3, scenes=two_rooms(3), resolution=(4, 5), scene_workers=0, straight_ratio=1.0)
    env.reset(seed=0)
    env.step(np.array([LEFT] * 3))
    before, good = env.get_state(), env.get_state()
    with pytest.raises(ConfigError, match=message):
        env.set_state(change(good))
    after = env.get_state()
    assert (after["seeds"], after["numbers"]) == (before["seeds"], before["numbers"])
    for name, values in before["simulator"].items():
        assert np.array_equal(after["simulator"][name], values)
    env.step(np.array([LEFT] * 3))


def test_slots_must_fit(fake_renderer):
    arguments = {"scenes": two_rooms(3), "resolution": (4, 5), "scene_workers": 0, "straight_ratio": 1.0}
    env = BatchPointNavEnv(3, num_resident_scenes=1, **arguments)
    env.reset(seed=0)
    state = env.get_state()
    for slots, message in [(None, "resident"), (3, "no pair"), ((3, [0, 0]), "has 2 entries; expected 1")]:
        with pytest.raises(ConfigError, match=message):
            env.set_state({**state, "slots": slots})
    env.set_state(state)
