"""Laws of the environments, over random actions and seeds."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gym_batchnav import BatchPointNavEnv
from tests.unit.envs.doubles import two_rooms

ROWS = 4
ENVS = {}


def env(limit=12):
    """One environment for all examples: making one loads its scenes."""
    if limit not in ENVS:
        ENVS[limit] = BatchPointNavEnv(
            ROWS,
            scenes=two_rooms(3),
            sensors=(),
            straight_ratio=1.0,
            max_episode_steps=limit,
            scene_workers=0,
        )
    return ENVS[limit]


actions = st.lists(st.lists(st.integers(0, 3), min_size=ROWS, max_size=ROWS), min_size=1, max_size=25)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**64), actions)
def test_agents_stay_on_the_ground_and_all_is_finite(seed, choices):
    world = env()
    observation, infos = world.reset(seed=seed)
    for choice in choices:
        observation, rewards, ends, cuts, infos = world.step(np.array(choice))
        state = world.agent_state()
        for row, scene in enumerate(state["scene_id"]):
            assert world.navmesh(scene).is_navigable(state["position"][row : row + 1]).all()
        assert np.isfinite(rewards).all()
        assert observation in world.observation_space
        done = ends | cuts
        shown = [infos] + ([infos["final_info"]] if done.any() else [])
        for part in shown:
            for key in ("spl", "soft_spl", "success"):
                assert ((part[key] >= 0) & (part[key] <= 1)).all()
            assert (part["spl"] <= part["success"]).all()
            assert all(np.isfinite(part[key]).all() for key in ("distance_to_goal", "path_length", "return"))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 1000), min_size=ROWS, max_size=ROWS), actions, st.permutations(range(ROWS)))
def test_permuting_rows_permutes_everything(seeds, choices, order):
    world, order = env(), list(order)
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
