"""A fixed set of episodes runs once each, whatever the number of environments, with the same results."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

from gym_batchnav import BatchPointNavEnv, EpisodeSet
from gym_batchnav.rl import StraightWalker, evaluate
from tests.unit.envs.doubles import two_rooms

COUNT, LIMIT = 11, 60
OPTIONS = {
    "sensors": (), "straight_ratio": 1.0, "scene_workers": 0, "episode_order": "sequential",
    "max_episode_steps": LIMIT,
}  # fmt: skip
SIZES = (1, 3, 7, COUNT, COUNT + 5)


def run(num_envs, **options):
    env = BatchPointNavEnv(num_envs, **{**OPTIONS, **options})
    result = evaluate(StraightWalker(), env, COUNT, seed=num_envs)
    env.close()
    return result


@pytest.fixture(params=["set", "file"])
def episodes(request, tmp_path):
    """Sampled ones, and the same number from a file."""
    if request.param == "set":
        return {"scenes": two_rooms(3), "episodes": EpisodeSet(COUNT, seed=4)}
    rng = np.random.default_rng(0)
    entries = []
    for number in range(COUNT):
        # Both rooms of a scene are 4 x 4 m; the first one begins at x = ``shift``, here 0, the second at 5 m.
        start, goal = rng.uniform([0.3, 0.3], [3.7, 3.7]), rng.uniform([5.3, 0.3], [8.7, 3.7])
        entries.append(
            {
                "episode_id": f"e{number}", "scene_id": "rooms/0",
                "start_position": [start[0], 0.0, start[1]], "start_rotation": [0.0, 0.0, 0.0, 1.0],
                "goals": [{"position": [goal[0], 0.0, goal[1]], "radius": None}],
                "info": {"geodesic_distance": None}, "shortest_paths": None,
            }
        )  # fmt: skip
    path = tmp_path / "episodes.json.gz"
    path.write_bytes(gzip.compress(json.dumps({"episodes": entries}).encode()))
    return {"scenes": two_rooms(1), "episodes": str(path)}


def test_every_episode_once_and_the_same_results(episodes):
    alone = run(1, **episodes)
    assert [record.index for record in alone.episodes] == list(range(COUNT))
    # Some stop at the goal, some run against the wall between the rooms until their time is up.
    assert 0 < alone.metrics["success"].mean < 1
    assert {record.truncated for record in alone.episodes} == {True, False}
    for mode in ("SameStep", "NextStep", "Disabled"):
        for num_envs in SIZES[1:] if mode == "SameStep" else (3,):
            result = run(num_envs, autoreset_mode=mode, **episodes)
            assert [record.episode_id for record in result.episodes] == [str(n) for n in range(COUNT)]
            for ours, theirs in zip(result.episodes, alone.episodes, strict=True):
                assert (ours.scene_id, ours.steps, ours.metrics) == (
                    theirs.scene_id, theirs.steps, theirs.metrics,
                )  # fmt: skip
                assert ours.initial_distance == theirs.initial_distance
                assert ours.total_reward == pytest.approx(theirs.total_reward, abs=1e-9)
            assert result.metrics == {
                key: pytest.approx(value, abs=1e-9) for key, value in alone.metrics.items()
            }


def test_short_episodes_do_not_count_more_than_long_ones():
    """Counting the first episodes that end would favour the short ones, which is not what is done."""
    episodes = {"scenes": two_rooms(3), "episodes": EpisodeSet(COUNT, seed=4)}
    steps = [record.steps for record in run(1, **episodes).episodes]
    mean = run(COUNT, **episodes).metrics["steps"].mean
    assert mean == pytest.approx(np.mean(steps))
    env = BatchPointNavEnv(COUNT, **OPTIONS, **episodes)
    agent, ended = StraightWalker(), []
    observation, _ = env.reset(seed=0)
    while len(ended) < COUNT:
        actions, _ = agent.act(observation, None, np.zeros(COUNT, bool))
        observation, *_, infos = env.step(actions)
        for row in np.flatnonzero(infos.get("_final_info", ())):
            ended.append(int(infos["final_info"]["steps"][row]))
    env.close()
    assert np.mean(ended[:COUNT]) < mean - 1


def test_no_action_of_a_counted_episode_is_left_out():
    """What is carried out in counted episodes adds up to their steps, for more rows than episodes too."""
    for num_envs in (3, COUNT + 5):
        carried = []
        env = BatchPointNavEnv(num_envs, scenes=two_rooms(3), episodes=EpisodeSet(COUNT, seed=4), **OPTIONS)
        result = evaluate(
            StraightWalker(), env, COUNT, on_step=lambda step, kept=carried: kept.append(step.active.sum())
        )
        env.close()
        assert sum(carried) == sum(record.steps for record in result.episodes)
