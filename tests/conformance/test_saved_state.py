"""A run that goes on from a saved state equals the run that was never interrupted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gym_batchnav.envs import BatchPointNavEnv
from gym_batchnav.errors import ConfigError, ResetNeededError

ARGUMENTS: dict[str, Any] = {
    "scenes": "houses:train[:4]", "num_resident_scenes": 2, "swap_episodes": 3, "max_episode_steps": 12,
    "resolution": (16, 16), "device": "cpu", "scene_workers": 0,
}  # fmt: skip


def assert_equal(first: Any, second: Any) -> None:
    if isinstance(first, dict):
        assert first.keys() == second.keys()
        for key in first:
            assert_equal(first[key], second[key])
    elif isinstance(first, np.ndarray) and first.dtype == object:
        for one, other in zip(first, second, strict=True):
            assert_equal(one, other)
    else:
        np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
def test_run_goes_on_bitwise(mode: str) -> None:
    actions = np.random.default_rng(1).integers(0, 4, size=(30, 6))
    envs = BatchPointNavEnv(6, autoreset_mode=mode, **ARGUMENTS)
    envs.reset(seed=5)
    for row in actions[:10]:
        shown = envs.step(row)[0]
    state = envs.get_state()
    expected = [envs.step(row) for row in actions[10:]]
    envs.close()
    again = BatchPointNavEnv(6, autoreset_mode=mode, **ARGUMENTS)
    assert_equal(again.set_state(state), shown)
    for row, before in zip(actions[10:], expected, strict=True):
        after = again.step(row)
        for one, other in zip(after, before, strict=True):
            assert_equal(one, other)
    # Episodes of 12 steps and four actions: every row has ended at least once behind the saved moment.
    assert sum(int((step[2] | step[3]).sum()) for step in expected) >= 6
    again.close()


def test_state_needs_a_reset_and_equal_size() -> None:
    envs = BatchPointNavEnv(2, sensors=(), **{**ARGUMENTS, "scenes": "houses:train/0"})
    with pytest.raises(ResetNeededError, match="get_state"):
        envs.get_state()
    envs.reset(seed=0)
    other = BatchPointNavEnv(3, sensors=(), **{**ARGUMENTS, "scenes": "houses:train/0"})
    with pytest.raises(ConfigError, match="2 rows"):
        other.set_state(envs.get_state())
    envs.close()
    other.close()
