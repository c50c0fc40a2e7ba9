"""Ranks of one run: no two have a row in common, and together they have those of one environment."""

from __future__ import annotations

import numpy as np
import pytest

from gym_batchnav import ActuationNoise, BatchPointNavEnv, ConfigError, DepthNoise, EnvConfig, EpisodeSet
from gym_batchnav.envs.planning import split_rows
from gym_batchnav.sim import SceneSlots
from tests.unit.envs.doubles import two_rooms

ROWS = 4
OPTIONS = {
    "resolution": (3, 4), "straight_ratio": 1.0, "scene_workers": 0, "max_episode_steps": 7,
    "sensors": ("depth", "gps"), "actuation_noise": ActuationNoise(), "depth_noise": DepthNoise(),
}  # fmt: skip


def play(num_envs, first, steps=40, **options):
    """Scenes, episodes, observations and rewards of the rows from ``first`` on."""
    env = BatchPointNavEnv(num_envs, **{**OPTIONS, "index_offset": first, **options})
    actions = np.random.default_rng(0).choice(4, (steps, 3 * ROWS), p=[0.03, 0.57, 0.2, 0.2])
    shown, infos = env.reset(seed=11)
    seen = [{**shown, "episode_id": infos["episode_id"]}]
    for choice in actions:
        shown, rewards, ends, cuts, infos = env.step(choice[first : first + num_envs])
        names = ("scene_id", "episode_id", "path_length", "collisions")
        seen.append({**shown, **{name: infos[name] for name in names}, "r": rewards, "e": ends, "c": cuts})
    env.close()
    return seen


def assert_rows_of_one(ranks, whole):
    for step, (parts, expected) in enumerate(zip(zip(*ranks, strict=True), whole, strict=True)):
        for name, values in expected.items():
            joined = np.concatenate([part[name] for part in parts])
            assert joined.tobytes() == values.tobytes(), (step, name)


@pytest.mark.parametrize("total", [None, 3 * ROWS])
def test_ranks_have_the_rows_of_one_environment(fake_renderer, total):
    scenes = two_rooms(3)
    whole = play(3 * ROWS, 0, scenes=scenes)
    ranks = [play(ROWS, rank * ROWS, scenes=scenes, total_envs=total) for rank in range(3)]
    assert_rows_of_one(ranks, whole)
    assert whole[-1]["episode_id"].min() >= 3
    # All rows differ.
    assert len(np.unique(whole[0]["depth"].reshape(3 * ROWS, -1), axis=0)) == 3 * ROWS


@pytest.mark.parametrize("per_rank", [1, 2, 4])
def test_ranks_share_the_schedule_of_scenes(fake_renderer, per_rank):
    """Each of three ranks holds a third of the slots; scenes are swapped all the time."""
    options = {"scenes": two_rooms(13), "swap_episodes": 3}
    whole = play(3 * ROWS, 0, num_resident_scenes=3 * per_rank, **options)
    ranks = [
        play(ROWS, rank * ROWS, num_resident_scenes=per_rank, total_envs=3 * ROWS, **options)
        for rank in range(3)
    ]
    assert_rows_of_one(ranks, whole)
    assert len({int(scene) for step in whole[1:] for scene in step["scene_id"]}) > 3 * per_rank


@pytest.mark.parametrize("order", ["random", "sequential"])
def test_ranks_walk_through_one_set(fake_renderer, order):
    options = {"scenes": two_rooms(3), "episodes": EpisodeSet(17, seed=2), "episode_order": order}
    whole = play(3 * ROWS, 0, steps=25, **options)
    ranks = [play(ROWS, rank * ROWS, steps=25, total_envs=3 * ROWS, **options) for rank in range(3)]
    assert_rows_of_one(ranks, whole)
    if order == "sequential":
        assert whole[0]["episode_id"].tolist() == list(range(12))


def test_list_of_seeds_and_later_resets(fake_renderer, rooms):
    """A list names the seeds of this rank's rows themselves; None goes on with them."""
    env = BatchPointNavEnv(2, scenes=rooms, **{**OPTIONS, "index_offset": 6})
    one = env.reset(seed=[9, 10])[0]
    two = env.reset(seed=3)[0]
    assert one["depth"].tobytes() == two["depth"].tobytes()
    assert env.get_state()["seeds"] == [9, 10]
    env.reset()
    assert env.get_state()["seeds"] == [9, 10]
    assert env.get_state()["numbers"] == [1, 1]


@pytest.mark.parametrize(("first", "total"), [(0, 3), (1, 4), (4, 4), (2, 3)])
def test_ranks_of_unequal_size_are_refused(first, total):
    with pytest.raises(ConfigError, match=f"num_envs=2 rows from index_offset={first} on are no rank's"):
        BatchPointNavEnv(2, scenes=two_rooms(1), index_offset=first, total_envs=total, sensors=())


def test_sequential_ranks_have_to_know_of_one_another():
    with pytest.raises(ConfigError, match="needs total_envs="):
        EnvConfig(episodes=EpisodeSet(5), episode_order="sequential", index_offset=2)


def test_rows_of_a_rank_share_slots_among_themselves():
    """12 rows and 6 slots: two rows each; the rank of rows 4 to 7 has slots 2 and 3."""
    whole, rank = SceneSlots(40, 6, 1, 12), SceneSlots(40, 6, 1, 12, first_row=4)
    whole.restart(5)
    rank.restart(5)
    scenes = [whole.begin(row) for row in range(12)]
    assert [rank.begin(row) for row in range(4)] == scenes[4:8]
    assert rank.get_state()[1] == [0, 0, 2, 2, 0, 0]


@pytest.mark.parametrize(("resident", "held"), [(4, 2), (None, 13)])
def test_halves_have_the_rows_of_one_environment(fake_renderer, resident, held):
    """With 4 resident scenes each half holds 2; by default all 13 are held, and so by each half."""
    options = {**OPTIONS, "scenes": two_rooms(13), "swap_episodes": 3, "num_resident_scenes": resident}
    halves = split_rows(3 * ROWS, EnvConfig.from_kwargs(options, None), 2, 13)
    assert [half.num_resident_scenes for half in halves] == [held, held]
    assert [(half.index_offset, half.total_envs) for half in halves] == [(0, 3 * ROWS), (6, 3 * ROWS)]
    whole = play(3 * ROWS, 0, **options)
    parts = [
        play(6, half.index_offset, **{**options, "num_resident_scenes": held, "total_envs": half.total_envs})
        for half in halves
    ]
    assert_rows_of_one(parts, whole)


def test_halves_of_a_rank_keep_its_place():
    rank = EnvConfig(index_offset=8, total_envs=16, num_resident_scenes=3)
    halves = split_rows(8, rank, 2, 100)
    # Three scenes are not two halves: each holds two.
    assert [(h.index_offset, h.total_envs, h.num_resident_scenes) for h in halves] == [
        (8, 16, 2),
        (12, 16, 2),
    ]


def test_rows_that_cannot_be_split_are_refused():
    with pytest.raises(ConfigError, match="num_envs=7"):
        split_rows(7, EnvConfig(), 2, 100)
    with pytest.raises(ConfigError, match="index_offset=8"):
        split_rows(8, EnvConfig(index_offset=8), 2, 100)
