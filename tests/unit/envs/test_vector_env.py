import gzip
import json

import numpy as np
import pytest

from gym_batchnav import ActionError, BatchPointNavEnv, ClosedEnvError, ConfigError, EpisodeSet, PointNavEnv
from gym_batchnav.errors import EpisodeError, ResetNeededError
from gym_batchnav.sim import PointNav
from tests.unit.envs.doubles import two_rooms

SMALL = {"resolution": (4, 5), "straight_ratio": 1.0, "scene_workers": 0}
STOP, FORWARD, LEFT, RIGHT = range(4)


@pytest.fixture
def make(fake_renderer, rooms):
    def build(num_envs=3, **kwargs):
        return BatchPointNavEnv(num_envs, **{"scenes": rooms, **SMALL, **kwargs})

    return build


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([0, 1, 4], "action of row 2 is 4; allowed: 0 stop"),
        ([0, -1, 1], "action of row 1 is -1"),
        ([0, 1], r"shape \(2,\); expected \(3,\)"),
        ([0.0, 1.0, 2.0], "dtype float64; expected integers"),
        ([True, False, True], "dtype bool"),
    ],
)
def test_bad_actions(make, actions, message):
    env = make()
    env.reset(seed=0)
    before = env.agent_state()
    with pytest.raises(ActionError, match=message):
        env.step(np.array(actions))
    assert np.array_equal(env.agent_state()["position"], before["position"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seed": [1, 2]}, "list of 2; expected 3"),
        ({"seed": [1, -2, 3]}, "seed=-2"),
        ({"seed": "x"}, "seed='x'"),
        ({"options": {"reset_mask": np.zeros(3, bool)}}, "all False"),
        ({"options": {"reset_mask": np.ones(2, bool)}}, r"shape \(2,\)"),
        ({"options": {"reset_mask": np.ones(3)}}, "dtype float64"),
    ],
)
def test_bad_resets(make, arguments, message):
    env = make()
    env.reset(seed=0)
    with pytest.raises(ConfigError, match=message):
        env.reset(**arguments)


def test_order_of_calls(make):
    env = make(autoreset_mode="DISABLED", max_episode_steps=1)
    with pytest.raises(ResetNeededError, match="before reset"):
        env.step(np.zeros(3, int))
    with pytest.raises(ResetNeededError, match="whole"):
        env.reset(options={"reset_mask": np.array([True, False, False])})
    env.reset(seed=0)
    env.step(np.array([LEFT] * 3))
    env.reset(options={"reset_mask": np.array([True, False, True])})
    with pytest.raises(ResetNeededError, match=r"rows \[1\] are over"):
        env.step(np.array([LEFT] * 3))


def test_closing(make):
    env = make()
    env.reset(seed=0)
    renderer = env._world.images._renderer
    env.close()
    env.close()
    assert renderer.closed == 1
    for call in (env.reset, lambda: env.step(np.zeros(3, int)), env.render):
        with pytest.raises(ClosedEnvError, match="closed"):
            call()
    make().close()
    single = PointNavEnv(scenes=two_rooms(1), sensors=())
    single.close()
    single.close()
    with pytest.raises(ClosedEnvError):
        single.reset()


def test_final_observation_is_the_one_before_the_reset(make):
    """A twin with autoreset disabled shows the last observation of each episode."""
    kwargs = {"max_episode_steps": 7, "sensors": ("depth", "rgb")}
    env, twin = make(**kwargs), make(autoreset_mode="DISABLED", **kwargs)
    env.reset(seed=5)
    twin.reset(seed=5)
    actions = np.random.default_rng(2).choice(4, (30, 3), p=[0.1, 0.5, 0.2, 0.2])
    checked = 0
    for choice in actions:
        observation, _, _, _, infos = env.step(choice)
        last, _, ends, cuts, last_infos = twin.step(choice)
        done = ends | cuts
        assert ("final_obs" in infos) == done.any()
        if not done.any():
            continue
        fresh, _ = twin.reset(options={"reset_mask": done})
        assert np.array_equal(infos["_final_obs"], done)
        for row in range(3):
            final = infos["final_obs"][row]
            assert (final is None) == (not done[row])
            for key in last if done[row] else ():
                assert np.array_equal(final[key], last[key][row])
                checked += 1
        for key in observation:
            assert np.array_equal(observation[key], fresh[key])
        for key in ("success", "distance_to_goal", "steps", "return", "episode_id"):
            assert np.array_equal(infos["final_info"][key][done], last_infos[key][done])
            assert not infos["final_info"][key][~done].any()
    assert checked > 20


def test_only_rows_that_were_reset_are_drawn_again(make):
    env = make(num_envs=4)
    env.reset(seed=0)
    drawn = env._world.images._renderer.views_drawn
    drawn.clear()
    env.step(np.array([LEFT, STOP, LEFT, STOP]))
    env.step(np.array([LEFT] * 4))
    assert drawn == [4, 2, 4]


def test_truncation_and_termination_apart(make):
    env = make(num_envs=2, max_episode_steps=3)
    env.reset(seed=0)
    assert env.step(np.array([STOP, LEFT]))[2].tolist() == [True, False]
    env.step(np.array([LEFT, LEFT]))
    _, _, ends, cuts, _ = env.step(np.array([LEFT, LEFT]))
    assert not ends.any()
    # Row 0 began anew after its stop and is at step 2.
    assert cuts.tolist() == [False, True]


def test_next_step_ignores_the_action_of_a_fresh_row(make):
    env = make(num_envs=2, autoreset_mode="NEXT_STEP")
    env.reset(seed=0)
    env.step(np.array([STOP, LEFT]))
    _, rewards, ends, cuts, infos = env.step(np.array([STOP, LEFT]))
    assert rewards[0] == 0.0
    assert not (ends | cuts).any()
    assert infos["steps"].tolist() == [0, 2]
    assert "final_obs" not in infos


def test_masked_reset_leaves_other_rows(make):
    env = make(autoreset_mode="DISABLED")
    env.reset(seed=0)
    observation = env.step(np.array([LEFT, FORWARD, LEFT]))[0]
    state = env.agent_state()
    mask = np.array([True, False, False])
    options = {"reset_mask": mask}
    fresh, infos = env.reset(options=options)
    assert options["reset_mask"] is mask
    for key in fresh:
        assert np.array_equal(fresh[key][1:], observation[key][1:])
    assert np.array_equal(env.agent_state()["position"][1:], state["position"][1:])
    assert infos["_steps"].tolist() == [True, False, False]
    assert env.agent_state()["episode_id"].tolist() == [1, 0, 0]


def test_equal_seeds_equal_frames(make):
    def run(seed):
        env = make(num_envs=4, sensors=("depth", "rgb"), max_episode_steps=20)
        observation, _ = env.reset(seed=seed)
        rows = [observation]
        rng = np.random.default_rng(0)
        rows += [env.step(rng.choice(4, 4, p=[0.05, 0.55, 0.2, 0.2]))[0] for _ in range(200)]
        return rows

    one, two, other = run(3), run(3), run(4)
    for key in one[0]:
        assert all(a[key].tobytes() == b[key].tobytes() for a, b in zip(one, two, strict=True))
        assert any(a[key].tobytes() != b[key].tobytes() for a, b in zip(one, other, strict=True))


def test_reset_without_seed_goes_on_and_unseeded_envs_differ(make):
    env = make()
    env.reset(seed=1)
    first = env.agent_state()["start"]
    env.reset()
    second = env.agent_state()["start"]
    assert not np.array_equal(first, second)
    env.reset(seed=1)
    assert np.array_equal(env.agent_state()["start"], first)
    env.reset()
    assert np.array_equal(env.agent_state()["start"], second)
    one, two = make(), make()
    one.reset()
    two.reset()
    assert not np.array_equal(one.agent_state()["start"], two.agent_state()["start"])


def test_copies(make):
    env = make()
    first, _ = env.reset(seed=0)
    kept = {key: value.copy() for key, value in first.items()}
    second = env.step(np.array([LEFT] * 3))[0]
    for key in first:
        assert not np.shares_memory(first[key], second[key])
        assert np.array_equal(first[key], kept[key])
    views = make(copy=False)
    first, _ = views.reset(seed=0)
    second = views.step(np.array([LEFT] * 3))[0]
    assert np.shares_memory(first["depth"], second["depth"])


def test_torch_output(make):
    torch = pytest.importorskip("torch")
    env = make(output="torch", sensors=("depth", "rgb"), max_episode_steps=3)
    plain = make(sensors=("depth", "rgb"), max_episode_steps=3)
    observation, _ = env.reset(seed=0)
    expected, _ = plain.reset(seed=0)
    for _ in range(5):
        actions = torch.tensor([LEFT, FORWARD, RIGHT])
        observation, rewards, ends, cuts, infos = env.step(actions)
        expected, right_rewards, _, right_cuts, _ = plain.step(actions.numpy())
        assert all(np.array_equal(observation[key].numpy(), expected[key]) for key in expected)
        assert rewards.dtype == torch.float32
        assert np.allclose(rewards.numpy(), right_rewards)
        assert ends.dtype == cuts.dtype == torch.bool
        assert cuts.tolist() == right_cuts.tolist()
        if cuts.any():
            assert isinstance(infos["final_obs"][0]["depth"], torch.Tensor)


@pytest.mark.parametrize("rows", [1, 2, 5])
def test_sequential_set_is_the_same_whatever_the_number_of_rows(make, rows):
    def episodes(num_envs):
        env = make(
            num_envs=num_envs, episodes=EpisodeSet(7, seed=5), episode_order="sequential", sensors=(),
            max_episode_steps=2, num_resident_scenes=1,
        )  # fmt: skip
        env.reset(seed=num_envs)
        found = {}
        quota = [len(range(row, 7, num_envs)) for row in range(num_envs)]
        while any(quota):
            state = env.agent_state()
            env.step(np.full(num_envs, LEFT))
            env.step(np.full(num_envs, LEFT))
            for row in range(num_envs):
                if quota[row]:
                    quota[row] -= 1
                    number = int(state["episode_id"][row])
                    assert number not in found
                    poses = [state[key][row].tolist() for key in ("start", "goal")]
                    found[number] = (*poses, state["scene_id"][row])
        return found

    assert episodes(rows) == episodes(3)
    assert sorted(episodes(rows)) == list(range(7))


def test_episode_file(make, tmp_path):
    entries = [
        {
            "episode_id": f"e{number}",
            "scene_id": f"data/rooms/{number % 2}.glb",
            "start_position": [1.0 + number % 2, 0.0, 1.0],
            "start_rotation": [0.0, 0.0, 0.0, 1.0],
            "goals": [{"position": [6.0, 0.0, 2.0 + 0.25 * number], "radius": 0.2}],
        }
        for number in range(4)
    ]
    path = tmp_path / "episodes.json.gz"
    path.write_bytes(gzip.compress(json.dumps({"episodes": entries}).encode()))
    env = make(num_envs=2, episodes=path, episode_order="sequential", max_episode_steps=1)
    _, infos = env.reset(seed=0)
    assert env.episode_names == ("e0", "e1", "e2", "e3")
    assert infos["episode_id"].tolist() == [0, 1]
    assert env.agent_state()["scene_id"] == ["rooms/0", "rooms/1"]
    # Scene 0, from (1, 1) to (6, 2) around the door's corner (4, 1.5) alone if it is in the way: the straight
    # line passes x = 4 at z = 1.6, inside the door (1.5 to 2.5), and x = 5 at z = 1.8: sqrt(25 + 1).
    assert infos["distance_to_goal"][0] == pytest.approx(np.sqrt(26), abs=1e-5)
    infos = env.step(np.array([LEFT, LEFT]))[4]
    assert infos["episode_id"].tolist() == [2, 3]
    assert infos["final_info"]["episode_id"].tolist() == [0, 1]
    assert env.step(np.array([LEFT, LEFT]))[4]["episode_id"].tolist() == [0, 1]
    assert make().episode_names is None


def test_depth_normalisation(make):
    raw = make(normalize_depth=False).reset(seed=0)[0]["depth"]
    unit = make().reset(seed=0)[0]["depth"]
    assert raw.max() == 10.0
    assert unit.max() == 1.0
    assert np.allclose(unit, raw / 10, atol=1e-6)
    cut = make(min_depth=2.0, max_depth=6.0).reset(seed=0)[0]["depth"]
    assert np.allclose(cut, (np.clip(raw, 2, 6) - 2) / 4, atol=1e-6)


def test_own_task(make):
    class Patient(PointNav):
        """Ends only when five steps are over."""

        def advance(self, state):
            rewards, _ = super().advance(state)
            return rewards + 1.0, state.steps >= 5

    env = make(task=Patient)
    env.reset(seed=0)
    ends = [env.step(np.array([LEFT] * 3))[2].all() for _ in range(5)]
    assert ends == [False] * 4 + [True]


def test_reports_on_the_world(make):
    env = make()
    env.reset(seed=0)
    state = env.agent_state()
    assert set(state["scene_id"]) <= set(env.scene_ids)
    mesh = env.navmesh(state["scene_id"][0])
    assert mesh.is_navigable(state["position"][:1]).all()
    assert env.navmesh(0).area_m2 == pytest.approx(33.0)
    with pytest.raises(ConfigError, match="none of the 3 scenes"):
        env.navmesh("nowhere")
    assert env.metadata["backend"] == "fake"
    assert set(env.timings) == {"simulate", "episode", "scene", "render", "other"}
    assert all(seconds >= 0 for seconds in env.timings.values())


def test_blind_agents_make_no_renderer(fake_renderer, rooms):
    before = fake_renderer.made
    env = BatchPointNavEnv(2, scenes=rooms, sensors=(), straight_ratio=1.0)
    observation, _ = env.reset(seed=0)
    assert list(observation) == ["pointgoal"]
    assert fake_renderer.made == before
    assert env.metadata["backend"] == "none"


@pytest.mark.filterwarnings("ignore::gym_batchnav.scenes.SceneWarning")
def test_impossible_rules_are_reported(make):
    with pytest.raises(EpisodeError, match="rooms/"):
        make(min_geodesic=25.0).reset(seed=0)


def test_expert_acts_in_every_row_of_every_scene(make):
    """Rows lie in three scenes; each gets the action that a batch of its own would get."""
    env = make(6, num_resident_scenes=3)
    with pytest.raises(ResetNeededError, match="call reset"):
        env.expert_actions()
    env.reset(seed=0)
    assert len(set(env.agent_state()["scene_id"])) == 3
    over = np.zeros(6, dtype=bool)
    for _ in range(200):
        actions = env.expert_actions()
        assert actions.dtype == np.int64
        _, _, terminations, _, infos = env.step(actions)
        if terminations.any():
            assert infos["final_info"]["success"][terminations].all()
            assert (infos["final_info"]["spl"][terminations] > 0.9).all()
        over |= terminations
    assert over.all()


def test_single_env_has_an_expert(fake_renderer, rooms):
    env = PointNavEnv(scenes=rooms, **SMALL)
    env.reset(seed=1)
    for _ in range(200):
        _, _, terminated, _, info = env.step(env.expert_action())
        if terminated:
            break
    assert terminated
    assert info["success"] == 1.0


def test_tasks_that_forget_a_sensor_or_take_a_name_are_named(make):
    class Forgetful(PointNav):
        def observe(self, state):
            return {}

    class Taker(PointNav):
        def metrics(self, state):
            return {**super().metrics(state), "steps": -state.steps}

    with pytest.raises(ConfigError, match=r"Forgetful.observe\(\) gives \[\], but .* \['pointgoal'\]"):
        make(task=Forgetful).reset(seed=0)
    with pytest.raises(ConfigError, match=r"metrics \['steps'\] of Taker are infos of every task"):
        make(task=Taker).reset(seed=0)


def test_an_episode_that_is_over_asks_for_the_reset_that_there_is(make, rooms, fake_renderer):
    many = make(2, autoreset_mode="Disabled")
    many.reset(seed=0)
    many.step(np.array([STOP, STOP]))
    with pytest.raises(ResetNeededError, match=r"rows \[0, 1\] are over.*reset_mask"):
        many.step(np.array([STOP, STOP]))
    one = PointNavEnv(scenes=rooms, **SMALL)
    one.reset(seed=0)
    one.step(STOP)
    with pytest.raises(ResetNeededError, match=r"^the episode is over .*; call reset\(\) before step\(\)$"):
        one.step(FORWARD)
