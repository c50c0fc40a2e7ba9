"""Episodes that cannot be, and those that are over before they begin: refused by name, or all finite."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

from gym_batchnav import ActuationNoise, BatchPointNavEnv, EpisodeError
from gym_batchnav.scenes import Scene, WalkableGround
from tests.unit.envs.doubles import TwoRooms, two_rooms

STOP, FORWARD = 0, 1
NAN = float("nan")


class Split(TwoRooms):
    """Two rooms without the door between them."""

    def load(self):
        whole = TwoRooms.load(self)
        rooms = (whole.walkable.polygons[0], whole.walkable.polygons[2])
        ground = WalkableGround(vertices=whole.walkable.vertices, polygons=rooms)
        return Scene(scene_id=self.scene_id, arrays=whole.arrays, walkable=ground)


def written(path, *ends):
    """A file of episodes from start to goal."""
    entries = [
        {
            "episode_id": str(number), "scene_id": "rooms/0", "start_position": start,
            "start_rotation": [0, 0, 0, 1], "goals": [{"position": goal}],
        }
        for number, (start, goal) in enumerate(ends)
    ]  # fmt: skip
    path.write_bytes(gzip.compress(json.dumps({"episodes": entries}).encode()))
    return path


def make(path, scenes=None, **options):
    kwargs = {"sensors": ("gps", "compass"), "scene_workers": 0, "episode_order": "sequential", **options}
    return BatchPointNavEnv(2, scenes=scenes or two_rooms(1), episodes=path, **kwargs)


GOOD = ([1, 0, 2], [3, 0, 2])


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (([1, 0, 2], [30, 0, 2]), "'2' in scene rooms/0: the goal .* is not on the scene's navigation mesh"),
        (([-9, 0, 2], [3, 0, 2]), "the start .* is not on the scene's navigation mesh"),
    ],
)
def test_ends_off_the_mesh_leave_the_others_as_they_were(fake_renderer, tmp_path, bad, message):
    env = make(written(tmp_path / "some.json.gz", GOOD, GOOD, bad, GOOD))
    env.reset(seed=0)
    env.step(np.array([FORWARD, FORWARD]))
    before = env.agent_state()
    with pytest.raises(EpisodeError, match=message):
        env.step(np.array([STOP, FORWARD]))  # row 0 goes on to episode 2
    state = env.get_state()
    assert state["numbers"] == [0, 0]
    assert state["finished"].tolist() == [True, False]
    assert np.isfinite(state["simulator"]["position"]).all()
    assert np.array_equal(env.agent_state()["start"], before["start"])


@pytest.mark.parametrize("place", [[NAN, 0, 2], [float("inf"), 0, 2]])
def test_ends_that_are_no_numbers_are_refused_when_read(fake_renderer, tmp_path, place):
    with pytest.raises(EpisodeError, match="episode '1'"):
        make(written(tmp_path / "some.json.gz", GOOD, (place, [3, 0, 2])))


def test_goals_out_of_reach_are_refused(fake_renderer, tmp_path):
    env = make(written(tmp_path / "some.json.gz", GOOD, ([1, 0, 2], [8, 0, 2])), [Split("rooms/0")])
    with pytest.raises(EpisodeError, match="no way leads"):
        env.reset(seed=0)
    assert not env._world.begun


@pytest.mark.parametrize("noise", [None, ActuationNoise()])
def test_a_goal_at_the_start_is_finite_throughout(fake_renderer, tmp_path, noise):
    """l = 0: SPL is the success, whatever way was walked; the goal's angle is 0."""
    path = written(tmp_path / "some.json.gz", ([1, 0, 2], [1, 0, 2]), ([1, 0, 2], [1, 0, 2]))
    env = make(path, actuation_noise=noise)
    observation, infos = env.reset(seed=0)
    assert observation["pointgoal"].tolist() == [[0, 0], [0, 0]]
    assert infos["distance_to_goal"].tolist() == [0, 0]
    observation, rewards, ends, _, infos = env.step(np.array([STOP, FORWARD]))
    assert ends.tolist() == [True, False]
    assert infos["final_info"]["spl"][0] == infos["final_info"]["success"][0] == 1.0
    assert rewards[0] == pytest.approx(2.49)
    for values in (*observation.values(), rewards, infos["distance_to_goal"], infos["soft_spl"]):
        assert np.isfinite(values).all()
