"""Laws of the environments, over random actions and seeds."""

import numpy as np
from gymnasium.utils.env_checker import data_equivalence
from hypothesis import given, settings
from hypothesis import strategies as st

from gym_batchnav import ActuationNoise, BatchPointNavEnv, PoseNoise, VelocityControl
from tests.unit.envs.doubles import two_rooms

ROWS = 4
ENVS = {}


SENSED = {"sensors": ("gps", "compass", "heading", "collision"), "pose_noise": PoseNoise(position=0.1)}
KINDS = {
    "plain": {"sensors": ()},
    "noisy": {
        **SENSED, "actions": "discrete_look", "sliding": False,
        "actuation_noise": ActuationNoise(robot="LoCoBot-Lite", controller="Movebase", multiplier=2.0),
    },
    "velocity": {
        **SENSED, "actions": "velocity",
        "velocity": VelocityControl(linear_range=(-1.0, 1.0), angular_range_deg=(-90.0, 90.0)),
    },
}  # fmt: skip


def env(kind="plain", rows=ROWS):
    """One environment for all examples: making one loads its scenes."""
    if (kind, rows) not in ENVS:
        ENVS[kind, rows] = BatchPointNavEnv(
            rows,
            scenes=two_rooms(3),
            straight_ratio=1.0,
            max_episode_steps=12,
            scene_workers=0,
            **KINDS[kind],
        )
    return ENVS[kind, rows]


def choices_of(kind):
    """Actions of all rows for some steps."""
    one = {
        "plain": st.integers(0, 3),
        "noisy": st.integers(0, 5),
        "velocity": st.tuples(st.floats(-1, 1), st.floats(-1, 1)),
    }[kind]
    return st.lists(st.lists(one, min_size=ROWS, max_size=ROWS), min_size=1, max_size=25)


played = st.sampled_from(sorted(KINDS)).flatmap(lambda kind: st.tuples(st.just(kind), choices_of(kind)))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**64), played)
def test_agents_stay_on_the_ground_and_all_is_finite(seed, play):
    kind, choices = play
    world = env(kind)
    observation, infos = world.reset(seed=seed)
    for choice in choices:
        observation, rewards, ends, cuts, infos = world.step(np.array(choice))
        state = world.agent_state()
        for row, scene in enumerate(state["scene_id"]):
            assert world.navmesh(scene).is_navigable(state["position"][row : row + 1]).all()
        assert np.isfinite(rewards).all()
        assert observation in world.observation_space
        assert all(np.isfinite(values).all() for values in observation.values())
        done = ends | cuts
        shown = [infos] + ([infos["final_info"]] if done.any() else [])
        for part in shown:
            for key in ("spl", "soft_spl", "success"):
                assert ((part[key] >= 0) & (part[key] <= 1)).all()
            assert (part["spl"] <= part["success"]).all()
            assert all(np.isfinite(part[key]).all() for key in ("distance_to_goal", "path_length", "return"))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 1000), min_size=ROWS, max_size=ROWS), played, st.permutations(range(ROWS)))
def test_permuting_rows_permutes_everything(seeds, play, order):
    kind, choices = play
    world, order = env(kind), list(order)
    plain = [world.reset(seed=seeds)[0]]
    rewards = []
    for choice in choices:
        step = world.step(np.array(choice))
        plain.append(step[0])
        rewards.append(step[1])
    mixed = world.reset(seed=[seeds[row] for row in order])[0]
    for number, choice in enumerate(choices):
        for key in mixed:
            assert np.array_equal(mixed[key], plain[number][key][order])
        step = world.step(np.array(choice)[order])
        mixed = step[0]
        assert np.array_equal(step[1], rewards[number][order])


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 2**64), min_size=ROWS, max_size=ROWS), played, st.integers(0, ROWS - 1))
def test_a_row_is_an_environment_of_its_own(seeds, play, row):
    kind, choices = play
    world, alone = env(kind), env(kind, rows=1)
    whole, one = world.reset(seed=seeds)[0], alone.reset(seed=[seeds[row]])[0]
    for choice in [*choices, choices[0]]:
        assert all(np.array_equal(one[key][0], whole[key][row]) for key in whole)
        (whole, *results, infos), (one, *own, own_infos) = (
            world.step(np.array(choice)),
            alone.step(np.array(choice)[row : row + 1]),
        )
        assert [values[row] for values in results] == [values[0] for values in own]
        assert all(
            infos[key][row] == own_infos[key][0] for key in ("path_length", "collisions", "episode_id")
        )


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000), played, st.integers(0, 24))
def test_a_saved_state_goes_on_as_if_nothing_had_been(seed, play, saved_at):
    kind, choices = play
    world = env(kind)
    observation = world.reset(seed=seed)[0]
    state, kept, seen = None, None, []
    for number, choice in enumerate(choices):
        if number == min(saved_at, len(choices) - 1):
            state, kept, seen = world.get_state(), observation, []
        observation, rewards, *_ = world.step(np.array(choice))
        seen.append((observation, rewards))
    world.reset(seed=seed + 1)
    again = world.set_state(state)
    assert all(np.array_equal(again[key], kept[key]) for key in kept)
    for choice, (expected, rewards) in zip(choices[-len(seen) :], seen, strict=True):
        found = world.step(np.array(choice))
        assert all(np.array_equal(found[0][key], expected[key]) for key in expected)
        assert np.array_equal(found[1], rewards)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000), st.integers(0, 40))
def test_progress_rewards_add_up_to_the_distance_covered(seed, steps):
    """Without slack and success, the return is the start's distance minus the distance now."""
    world = ENVS.setdefault(
        "progress",
        BatchPointNavEnv(
            ROWS, scenes=two_rooms(2), sensors=(), straight_ratio=1.0, slack_reward=0.0, success_reward=0.0,
            max_episode_steps=None, scene_workers=0,
        ),
    )  # fmt: skip
    _, infos = world.reset(seed=seed)
    start, total = infos["distance_to_goal"].astype(float), np.zeros(ROWS)
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        _, rewards, _, _, infos = world.step(rng.integers(1, 4, ROWS))
        total += rewards
    assert np.allclose(total, start - infos["distance_to_goal"], atol=1e-4)
    assert (infos["path_length"] >= total - 1e-4).all()


def rollout(world, seed, choices):
    """All that a seeded run returns; None goes on with what is seeded already."""
    return [world.reset(seed=seed), *(world.step(np.array(choice)) for choice in choices)]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**64), played, played)
def test_equal_seeds_give_equal_rollouts_whatever_was_before(seed, play, before):
    (kind, choices), (other, ignored) = play, before
    first = rollout(env(kind), seed, choices)
    rollout(env(other), None, ignored)
    assert data_equivalence(first, rollout(env(kind), seed, choices), exact=True)
