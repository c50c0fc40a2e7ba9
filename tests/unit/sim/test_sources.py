from collections import Counter

import numpy as np
import pytest

from gym_batchnav.config import EnvConfig, EpisodeSet
from gym_batchnav.sim import EpisodeSetSource, SampledSource, SceneSlots
from gym_batchnav.sim.random import episode_generator


def test_generator_is_keyed_by_both_numbers():
    draws = {(s, e): episode_generator(s, e).random() for s in range(4) for e in range(4)}
    assert len(set(draws.values())) == 16
    assert episode_generator(2**70 + 1, 0).random() == episode_generator(2**70 + 1, 0).random()
    # Philox4x64-10 with key (1, 2) and counter 1: the value that NumPy documents by its own generator.
    assert episode_generator(1, 2).random() == np.random.Generator(np.random.Philox(key=[1, 2])).random()


def test_sampled_scene_is_uniform_and_upcoming_agrees():
    source = SampledSource(4, EnvConfig())
    scenes = [source.draft(0, 5, number).scene for number in range(2000)]
    # 500 each; four standard deviations are 4 sqrt(2000 x 0.25 x 0.75) = 77.
    assert all(abs(count - 500) < 78 for count in Counter(scenes).values())
    assert [source.upcoming(0, 5, number, 1) for number in range(100)] == scenes[1:101]
    assert [source.upcoming(0, 5, number, 3) for number in range(100)] == scenes[3:103]


def test_slots_swap_at_fixed_counts_and_cover_all_scenes():
    slots = SceneSlots(num_scenes=6, num_slots=2, swap_episodes=3, num_rows=6)
    slots.restart(11)
    first = [slots.begin(row=0) for _ in range(9)]
    assert [len(set(first[k : k + 3])) for k in (0, 3, 6)] == [1, 1, 1]
    second = [slots.begin(row=3) for _ in range(9)]
    # Three swaps of two slots walk through all six scenes once.
    assert sorted(first[::3] + second[::3]) == list(range(6))
    # Rows of one slot count together.
    slots.restart(11)
    mixed = [slots.begin(row) for row in (0, 2, 1, 0)]
    assert mixed == first[:4]
    assert slots.upcoming(0, 1) == first[6]


def test_slot_schedule_is_a_function_of_seed_slot_and_swap():
    one, two = SceneSlots(7, 3, 2, 3), SceneSlots(7, 3, 2, 3)
    one.restart(4)
    two.restart(4)
    order = [(slot, swap) for swap in range(9) for slot in range(3)]
    assert [one.scene(*place) for place in order] == [two.scene(*place) for place in order]
    two.restart(5)
    assert [one.scene(*place) for place in order] != [two.scene(*place) for place in order]


@pytest.mark.parametrize("rows", [1, 3, 8])
def test_sequential_set_gives_every_episode_once(rows):
    config = EnvConfig(episodes=EpisodeSet(20, seed=3), episode_order="sequential")
    source = EpisodeSetSource(EpisodeSet(20, seed=3), 4, rows, config)
    drafts = [
        source.draft(row, 99 + row, number) for row in range(rows) for number in range(-(-(20 - row) // rows))
    ]
    assert sorted(draft.number for draft in drafts) == list(range(20))
    # Five episodes in each of the four scenes, in one run each.
    assert all(draft.scene == draft.number // 5 for draft in drafts)
    by_number = {draft.number: draft.generator.random() for draft in drafts}
    assert by_number == {m: episode_generator(3, m).random() for m in range(20)}


def test_random_order_is_drawn_by_the_row():
    source = EpisodeSetSource(EpisodeSet(10), 1, 2, EnvConfig(episodes=EpisodeSet(10)))
    one = [source.draft(0, 1, number).number for number in range(300)]
    two = [source.draft(1, 2, number).number for number in range(300)]
    assert one != two
    assert set(one) == set(two) == set(range(10))
