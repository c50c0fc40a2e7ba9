import numpy as np
import pytest

from gym_batchnav.config import EnvConfig
from gym_batchnav.errors import EpisodeError
from gym_batchnav.sim import sample_episodes
from gym_batchnav.sim.episodes import Draft, keep_probability, place_episodes
from gym_batchnav.sim.random import episode_generator


def draw(ground, number, **rules):
    return sample_episodes(ground, [draft(number)], EnvConfig(**rules), "hall")[0]


def draft(number):
    return Draft(3, number, episode_generator(7, number))


def place(ground, start, goal, name):
    start, goal = (np.array([point], dtype=np.float32) for point in (start, goal))
    return place_episodes(ground, [Draft(0, 0)], start, [0.0], goal, [name])[0]


def test_keep_probability_by_hand():
    # 20 (1 - 0.98)^2 = 0.008; 20 (1.08 - 0.98)^2 = 0.2.
    assert keep_probability(np.array([1.0, 1.08])) == pytest.approx([0.008, 0.2])


def test_rules_hold_and_draws_depend_on_seed_and_number_alone(hall):
    rules = {"straight_ratio": 1.0, "min_geodesic": 3.0, "max_geodesic": 5.0}
    episodes = [draw(hall, number, **rules) for number in range(50)]
    for number, episode in enumerate(episodes):
        assert 3.0 <= episode.distance <= 5.0
        assert episode.distance == pytest.approx(np.linalg.norm(episode.goal - episode.start), abs=1e-5)
        assert -np.pi <= episode.heading < np.pi
        again = draw(hall, number, **rules)
        assert np.array_equal(again.start, episode.start)
        assert np.array_equal(again.goal, episode.goal)
        assert again.heading == episode.heading
    assert len({tuple(episode.start) for episode in episodes}) == 50
    assert np.std([episode.heading for episode in episodes]) > 1.2


def test_together_as_alone(hall):
    """Rows that need many candidates and rows that need few, in one call and one by one."""
    rules = {"min_geodesic": 6.0, "straight_ratio": 1.0}
    together = sample_episodes(hall, [draft(number) for number in range(40)], EnvConfig(**rules), "hall")
    for number, episode in enumerate(together):
        alone = draw(hall, number, **rules)
        assert episode.number == alone.number == number
        assert episode.heading == alone.heading
        assert episode.distance == alone.distance
        for name in ("start", "goal", "anchor", "table"):
            assert np.array_equal(getattr(episode, name), getattr(alone, name)), name


def test_nearly_straight_pairs_are_kept_at_habitats_rate(hall):
    """In an empty hall every ratio is 1, so 0.8% of the candidates are kept: the search ends, but late."""
    tries = []

    class Counting(type(hall)):
        def geodesic_distance(self, starts, goals):
            tries.append(len(starts))
            return super().geodesic_distance(starts, goals)

    for number in range(20):
        draw(Counting(), number)
    # Mean 1 / 0.008 = 125 candidates within the rules each, drawn in batches of up to 512.
    assert 60 * 20 < sum(tries) < 600 * 20


def test_islands_and_storeys(halls):
    for number in range(20):
        episode = draw(halls["split"], number, straight_ratio=1.0)
        assert (episode.start[0] > 0) == (episode.goal[0] > 0)
        episode = draw(halls["storeys"], number, straight_ratio=1.0)
        assert episode.start[1] == episode.goal[1]
    heights = [draw(halls["storeys"], number, straight_ratio=1.0, allow_stairs=True) for number in range(30)]
    assert any(episode.start[1] != episode.goal[1] for episode in heights)


def test_impossible_rules_name_the_scene(hall):
    with pytest.raises(EpisodeError, match=r"scene hall: none of \d+ candidate"):
        draw(hall, 0, min_geodesic=25.0)
    with pytest.raises(EpisodeError, match="island radius of at least 6 m"):
        draw(hall, 0, min_island_radius=6.0)


def test_placed_episode_off_the_mesh(hall):
    name, off, on = "f.json: episode 'a'", (9, 0, 0), (1, 0.1, 0)
    with pytest.raises(EpisodeError, match=r"f.json: episode 'a': the goal \[9"):
        place(hall, on, off, name)
    with pytest.raises(EpisodeError, match="the start"):
        place(hall, off, on, name)
    episode = place(hall, on, (2, 0.1, 0), name)
    assert episode.start.tolist() == [1, 0, 0]
    # The sensor shows the file's goal; the distance is measured from the goal put on the mesh.
    assert episode.goal[1] == np.float32(0.1)
    assert episode.anchor[1] == 0.0
    assert episode.distance == pytest.approx(1.0)


def test_unreachable_goal_is_refused(hall):
    class Cut(type(hall)):
        def distance_to_goal(self, positions, goals, tables):
            return np.full(len(positions), np.inf)

    with pytest.raises(EpisodeError, match="no way leads"):
        place(Cut(), (0, 0, 0), (1, 1, 1), "x")
