"""The environments with the real renderer: determinism, and what an observation shows."""

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from batchnav_renderer import EGLError
from gym_batchnav import BatchPointNavEnv, Camera, check_vector_env
from gym_batchnav.sim.geometry import camera_poses
from tests.unit.envs.doubles import two_rooms

SMALL = {"resolution": (12, 16), "scene_workers": 0}


@pytest.fixture
def make():
    made = []

    def build(num_envs, **kwargs):
        env = BatchPointNavEnv(num_envs, **{**SMALL, **kwargs})
        made.append(env)
        return env

    yield build
    for env in made:
        env.close()


def reset_or_skip(env, seed):
    try:
        return env.reset(seed=seed)
    except EGLError as error:
        pytest.skip(f"no GL: {error}")


def test_metadata_says_what_draws_and_why():
    """``make`` and ``make_vec`` alike, once the renderer is made by the first reset."""
    single = gym.make("BatchPointNav-v0", scenes="houses:train[:1]", device="cpu")
    batch = gym.make_vec("BatchPointNav-v0", num_envs=2, scenes="houses:train[:1]", device="cpu")
    for env in (single, batch):
        env.reset(seed=0)
        assert env.metadata["backend"] == env.metadata["renderer"]["backend"] == "embree"
        assert "device='cpu' was asked for" in env.metadata["renderer"]["reason"]
        env.close()


def test_equal_seeds_give_equal_bytes_over_200_steps(make):
    """Two environments side by side, episodes ending on the way, 2 of 4 scenes held at a time."""
    options = {
        "scenes": two_rooms(4),
        "num_resident_scenes": 2,
        "swap_episodes": 5,
        "max_episode_steps": 40,
        "straight_ratio": 1.0,
    }
    one, two = (make(6, sensors=("depth", "rgb"), **options) for _ in range(2))
    first, second = reset_or_skip(one, 11), reset_or_skip(two, 11)
    rng = np.random.default_rng(0)
    for _ in range(200):
        for key in first[0]:
            assert first[0][key].tobytes() == second[0][key].tobytes()
        assert first[0] in one.observation_space
        actions = rng.choice(4, 6, p=[0.01, 0.59, 0.2, 0.2])
        first, second = one.step(actions), two.step(actions)
        assert first[1].tobytes() == second[1].tobytes()
    assert one.agent_state()["episode_id"].min() > 3


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_equals_sync_vector_env(make, mode):
    kwargs = {"scenes": "houses:val[:1]", "sensors": ("depth", "rgb"), **SMALL}
    batch = make(3, autoreset_mode=mode, max_episode_steps=8, **kwargs)
    reset_or_skip(batch, 3)
    sync = SyncVectorEnv(
        [lambda: gym.make("BatchPointNav-v0", max_episode_steps=8, **kwargs)] * 3, autoreset_mode=mode
    )
    ours, theirs = batch.reset(seed=3)[0], sync.reset(seed=3)[0]
    rng = np.random.default_rng(0)
    for _ in range(20):
        for key in ours:
            assert np.array_equal(ours[key], theirs[key]), key
        actions = rng.choice(4, 3, p=[0.1, 0.5, 0.2, 0.2])
        ours, _, ends, cuts, infos = batch.step(actions)
        theirs, _, _, _, other_infos = sync.step(actions)
        done = ends | cuts
        if mode == AutoresetMode.SAME_STEP and done.any():
            for row in np.flatnonzero(done):
                for key, image in infos["final_obs"][row].items():
                    assert np.array_equal(image, other_infos["final_obs"][row][key])
        if mode == AutoresetMode.DISABLED and done.any():
            ours = batch.reset(options={"reset_mask": done})[0]
            theirs = sync.reset(options={"reset_mask": done.copy()})[0]
    sync.close()


def test_depth_ahead_is_the_distance_to_the_wall_by_hand(make):
    """The end wall of a hand-made room spans z 0..4 at x = 0, as one triangle up to 3 m at z = 4."""
    env = make(1, scenes=two_rooms(1), resolution=(33, 33), normalize_depth=False, straight_ratio=1.0)
    reset_or_skip(env, 0)
    world = env._world
    state = world.simulator.state
    # At x = 3, z = 3.2, looking along -X (a quarter turn to the left): the wall is 3 m ahead; at z = 3.2 it
    # is 3 * 3.2 / 4 = 2.4 m high, more than the camera's 1.25 m.
    state.position[0], state.heading[0] = (3.0, 0.0, 3.2), np.pi / 2
    depth = world.observe()["depth"][0, ..., 0]
    assert depth[16, 16] == pytest.approx(3.0, abs=1e-4)
    # The floor in the last row: half the field is 45 deg, the row's centre at tan = 32/33; 1.25 * 33/32.
    assert depth[32, 16] == pytest.approx(1.25 * 33 / 32, abs=1e-3)
    # No ceiling and no wall above 3 m: the top row reads the far value.
    assert depth[0, 0] == 10.0
    assert np.allclose(camera_poses(state.position, state.heading, 1.25)[0, :3, 3], [3.0, 1.25, 3.2])


def test_fewer_views_draw_what_the_whole_batch_draws(make):
    """Observations after a SAME_STEP reset come from a smaller draw: they equal the whole batch's."""
    env = make(5, scenes="houses:val[:1]", sensors=("depth", "rgb"), max_episode_steps=9)
    reset_or_skip(env, 1)
    for step in range(12):
        # Row 3 stops at step 4; all rows end later.
        actions = np.where((np.arange(5) == 3) & (step == 4), 0, 2)
        observation = env.step(actions)[0]
        again = env._world.observe()
        for key in observation:
            assert np.array_equal(observation[key], again[key]), (step, key)


@pytest.mark.parametrize("backend", ["gl", "gl-raycast", "embree"])
def test_ids_and_normals_of_two_cameras_by_hand(make, backend):
    """The agent of above, at x = 3, z = 3.2: one camera looks at the wall, one to the left, along +Z."""
    cameras = (Camera(name="front"), Camera(name="left", yaw_deg=90, pitch_deg=-45, hfov_deg=60))
    env = make(
        1, scenes=two_rooms(1), cameras=cameras, sensors=("semantic", "normals"), resolution=(33, 33),
        straight_ratio=1.0, render_backend=backend, device="cpu",
    )  # fmt: skip
    reset_or_skip(env, 0)
    state = env._world.simulator.state
    state.position[0], state.heading[0] = (3.0, 0.0, 3.2), np.pi / 2
    seen = {key: image[0] for key, image in env._world.observe().items()}
    # The wall faces the camera; the sky above it is nothing. Nothing has an id of its own: all are 0.
    assert seen["front_normals"][16, 16] == pytest.approx([0.0, 0.0, 1.0], abs=1e-5)
    assert seen["front_semantic"][16, 16, 0] == 0
    assert seen["front_normals"][0, 0].tolist() == [0.0, 0.0, 0.0]
    assert seen["front_semantic"][0, 0, 0] == -1
    # The second looks 45 deg down: up is (0, cos 45, sin 45) in its frame. Its middle ray would meet the
    # floor 1.25 m away, beyond the floor's end at z = 4; that of its last row, 29 deg below (tan = tan 30 x
    # 32/33), meets it 1.25 / tan 74 = 0.36 m away.
    assert seen["left_normals"][32, 16] == pytest.approx([0.0, np.sqrt(0.5), np.sqrt(0.5)], abs=1e-5)
    assert seen["left_semantic"][32, 16, 0] == 0
    assert seen["left_semantic"][16, 16, 0] == -1


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("copy", [True, False])
def test_checker_finds_nothing(make, mode, copy):
    env = make(
        3, scenes="houses:val[:1]", sensors=("depth", "rgb"), max_episode_steps=6, autoreset_mode=mode,
        render_mode="rgb_array", copy=copy, device="cpu",
    )  # fmt: skip
    check_vector_env(env, steps=16, views=not copy)
