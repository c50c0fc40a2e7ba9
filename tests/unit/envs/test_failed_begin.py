"""A next episode that cannot be begun leaves the finished rows finished, and nothing half done."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

from gym_batchnav import BatchPointNavEnv
from gym_batchnav.errors import EpisodeError, ResetNeededError
from tests.unit.envs.doubles import two_rooms

STOP, FORWARD, LEFT, RIGHT = range(4)


def write_episodes(path, goals):
    """Episodes in the first scene, from (1, 0, 1) to each goal."""
    entries = [
        {
            "episode_id": str(number),
            "scene_id": "rooms/0",
            "start_position": [1.0, 0.0, 1.0],
            "start_rotation": [0.0, 0.0, 0.0, 1.0],
            "goals": [{"position": list(goal)}],
        }
        for number, goal in enumerate(goals)
    ]
    path.write_bytes(gzip.compress(json.dumps({"episodes": entries}).encode()))
    return path


GOOD, BAD = (3.0, 0.0, 3.0), (500.0, 0.0, 500.0)


@pytest.fixture
def make(fake_renderer, tmp_path):
    def build(goals, num_envs=2, **kwargs):
        path = write_episodes(tmp_path / "episodes.json.gz", goals)
        return BatchPointNavEnv(
            num_envs, scenes=two_rooms(1), episodes=path, episode_order="sequential",
            resolution=(4, 5), scene_workers=0, **kwargs,
        )  # fmt: skip

    return build


@pytest.mark.parametrize("bad_row", [0, 1])
def test_same_step_begins_all_rows_or_none(make, bad_row):
    goals = [GOOD] * 4
    goals[2 + bad_row] = BAD
    env = make(goals)
    env.reset(seed=0)
    env.step(np.array([LEFT, LEFT]))
    with pytest.raises(EpisodeError, match=f"episode '{2 + bad_row}'"):
        env.step(np.array([STOP, STOP]))
    state = env.agent_state()
    assert state["episode_id"].tolist() == [0, 1]
    # Nothing can be stepped twice, however often it is tried.
    for _ in range(2):
        with pytest.raises(ResetNeededError, match=r"rows \[0, 1\] are over"):
            env.step(np.array([STOP, STOP]))
    assert np.array_equal(env.agent_state()["position"], state["position"])
    with pytest.raises(EpisodeError):
        env.reset()
    with pytest.raises(ResetNeededError, match=r"rows \[0, 1\]"):
        env.step(np.array([STOP, STOP]))
    _, infos = env.reset(seed=0)
    assert infos["episode_id"].tolist() == [0, 1]
    assert not env.step(np.array([LEFT, LEFT]))[2].any()


def test_rows_that_run_on_are_not_reset_by_it(make):
    env = make([GOOD, GOOD, BAD, GOOD])
    env.reset(seed=0)
    with pytest.raises(EpisodeError, match="episode '2'"):
        env.step(np.array([STOP, LEFT]))
    with pytest.raises(ResetNeededError, match=r"rows \[0\] are over"):
        env.step(np.array([LEFT, LEFT]))
    env.reset(seed=[0, None], options={"reset_mask": np.array([True, False])})
    infos = env.step(np.array([LEFT, LEFT]))[4]
    # Row 1 has acted once before the error and once after it; the refused step does not count.
    assert infos["steps"].tolist() == [1, 2]


def test_next_step_waits_for_reset(make):
    env = make([GOOD, GOOD, BAD, GOOD], autoreset_mode="NEXT_STEP")
    env.reset(seed=0)
    assert env.step(np.array([STOP, STOP]))[2].all()
    with pytest.raises(EpisodeError, match="episode '2'"):
        env.step(np.array([LEFT, LEFT]))
    assert env.agent_state()["episode_id"].tolist() == [0, 1]
    with pytest.raises(ResetNeededError, match=r"rows \[0, 1\] are over"):
        env.step(np.array([LEFT, LEFT]))


def test_rows_in_need_of_reset_are_saved(make):
    env = make([GOOD, GOOD, BAD, GOOD])
    env.reset(seed=0)
    with pytest.raises(EpisodeError):
        env.step(np.array([STOP, LEFT]))
    other = make([GOOD, GOOD, BAD, GOOD])
    other.set_state(env.get_state())
    with pytest.raises(ResetNeededError, match=r"rows \[0\] are over"):
        other.step(np.array([LEFT, LEFT]))


class Unlucky:
    """A scene that may be sound, but there is no memory for it just now."""

    scene_id = "unlucky"

    def load(self):
        raise MemoryError("short of memory")


def test_slots_and_scenes_are_as_before_after_an_error(fake_renderer):
    scenes = [*two_rooms(2), Unlucky()]
    env = BatchPointNavEnv(
        2, scenes=scenes, num_resident_scenes=1, swap_episodes=1, scene_workers=0, resolution=(4, 5),
        straight_ratio=1.0,
    )  # fmt: skip
    # One slot goes through the three scenes in a shuffled order: the second or third episode fails.
    world = env._world
    for seed in range(20):
        try:
            env.reset(seed=seed)
            break
        except MemoryError:
            assert sum(resident.users for resident in world.pool._residents.values()) == 0
            assert world._slots.get_state()[1] == [0]
    slots = world._slots.get_state()
    with pytest.raises(MemoryError, match="short of memory"):
        env.step(np.array([STOP, LEFT]))
    assert world._slots.get_state() == slots
    assert sum(resident.users for resident in world.pool._residents.values()) == 2
