"""``call``, ``get_attr`` and ``set_attr`` answer as Gymnasium's vector of single environments does."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import SyncVectorEnv

from gym_batchnav import BatchPointNavEnv, ConfigError

OPTIONS = {"straight_ratio": 1.0, "resolution": (4, 5), "render_mode": "rgb_array"}


@pytest.fixture
def pair(fake_renderer, rooms):
    batch = BatchPointNavEnv(3, scenes=rooms, scene_workers=0, **OPTIONS)
    sync = SyncVectorEnv([lambda: gym.make("BatchPointNav-v0", scenes=rooms, **OPTIONS).unwrapped] * 3)
    batch.reset(seed=5)
    sync.reset(seed=5)
    for _ in range(3):
        batch.step(np.array([1, 2, 3]))
        sync.step(np.array([1, 2, 3]))
    yield batch, sync
    batch.close()
    sync.close()


def test_calls_answer_row_by_row(pair):
    batch, sync = pair
    for name in ("render", "agent_state", "expert_action"):
        ours, theirs = batch.call(name), sync.call(name)
        assert isinstance(ours, tuple)
        assert len(ours) == 3
        assert data_equivalence(list(ours), list(theirs)), name
    assert [mesh.num_polygons for mesh in batch.call("navmesh", 1)] == [
        mesh.num_polygons for mesh in sync.call("navmesh", 1)
    ]


@pytest.mark.parametrize("name", ["observation_space", "action_space", "render_mode", "scene_ids"])
def test_attributes_answer_row_by_row(pair, name):
    batch, sync = pair
    assert batch.get_attr(name) == sync.get_attr(name)


def test_seeds_of_the_rows(pair):
    batch, sync = pair
    assert batch.get_attr("np_random_seed") == sync.get_attr("np_random_seed") == (5, 6, 7)
    batch.reset(seed=[3, None, 9])
    assert batch.row_seeds == (3, 6, 9)


def test_values_are_kept_by_row(pair):
    batch, sync = pair
    for env in pair:
        env.set_attr("note", [1, 2, 3])
        env.set_attr("mark", "x")
    assert batch.get_attr("note") == sync.get_attr("note") == (1, 2, 3)
    assert batch.call("mark") == sync.call("mark") == ("x", "x", "x")


def test_what_cannot_be_is_refused(pair):
    batch, _ = pair
    for name in ("config", "render", "np_random_seed", "num_envs"):
        with pytest.raises(ConfigError, match=f"set_attr.'{name}'"):
            batch.set_attr(name, 1)
    with pytest.raises(ConfigError, match="got 2 values; expected 3"):
        batch.set_attr("note", [1, 2])
    for name in ("reset", "step", "close", "_world"):
        with pytest.raises(ConfigError, match="call it directly"):
            batch.call(name)
    with pytest.raises(AttributeError, match="gravity"):
        batch.get_attr("gravity")
