"""Broken scenes of a set are named once and left out; the streams are the same whoever finds them when."""

from __future__ import annotations

import warnings
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

from gym_batchnav import BatchPointNavEnv, EpisodeError, EpisodeSet, NavMeshError, SceneError
from gym_batchnav.scenes import SceneWarning
from gym_batchnav.sim import SceneSlots
from tests.unit.envs.doubles import Broken, TwoRooms, two_rooms
from tests.unit.scenes.gltf_files import GltfFile

KWARGS = {"resolution": (2, 2), "straight_ratio": 1.0, "max_episode_steps": 3, "scene_cache": False}


def floor(width: float, height: float = 0.0) -> bytes:
    """A floor of 5 m times ``width``, counter-clockwise seen from above, that climbs ``height``."""
    corners = [[0, 0, 0], [0, 0, 5], [width, height, 5], [width, height, 0]]
    file = GltfFile()
    file.primitive(np.array(corners, np.float32), np.array([0, 1, 2, 0, 2, 3], np.uint16))
    return file.glb()


BROKEN = {
    "03-cut": floor(5.0)[:300],
    "05-empty": b"",
    "06-steep": floor(1.0, 5.0),  # walkable up to 45 degrees
    "08-narrow": floor(1.3),  # of its island, 1.1 x 4.8 m, no two points are 6 m apart
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Twelve scenes, four of them broken: cut short, empty, without ground, without room for episodes."""
    path = tmp_path_factory.mktemp("set")
    broken = {name[:2]: name for name in BROKEN}
    for number in range(12):
        name = broken.get(f"{number:02}", f"{number:02}")
        content = BROKEN[name] if name in BROKEN else floor(6.0 + number / 8)
        (path / f"{name}.glb").write_bytes(content)
    return path


def play(env, steps: int = 40, seed: int = 5):
    """Scenes of all rows step by step, the observations, and the warnings about scenes."""
    rng = np.random.default_rng(0)
    scenes, images = [], []
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", SceneWarning)
        infos = env.reset(seed=seed)[1]
        for _ in range(steps):
            scenes.append(np.array(infos["scene_id"]).tolist())
            observation, _, _, _, infos = env.step(rng.integers(1, 4, env.num_envs))
            images.append(observation["depth"].tobytes())
    left = env.left_out_scenes
    env.close()
    return scenes, images, left, sorted(str(item.message) for item in told)


@pytest.fixture
def make(fake_renderer, folder):
    def build(num_envs=4, **kwargs):
        # At least 6 m: more than the narrow floor has, and less than the others.
        return BatchPointNavEnv(num_envs, **{**KWARGS, "scenes": folder, "min_geodesic": 6.0, **kwargs})

    return build


SETTINGS = {
    "slots": {"num_resident_scenes": 2, "swap_episodes": 2},
    "all held": {"num_resident_scenes": 12},
    "one row": {"num_envs": 1, "num_resident_scenes": 1, "swap_episodes": 1},
}


@pytest.mark.parametrize(
    ("setting", "workers"),
    [*((setting, 1) for setting in SETTINGS), pytest.param("slots", 3, marks=pytest.mark.slow)],
)
def test_stream_and_report_do_not_depend_on_workers(make, setting, workers):
    plain = play(make(scene_workers=0, **SETTINGS[setting]))
    ahead = play(make(scene_workers=workers, **SETTINGS[setting]))
    scenes, images, left, told = plain
    assert ahead[:2] == (scenes, images)
    drawn = {scene for row in scenes for scene in row}
    assert drawn.isdisjoint({3, 5, 6, 8})
    assert len(drawn) >= 6
    # All were met in this time, each is reported once, with its reason; workers may be further ahead.
    assert {Path(name).stem for name in left} == set(BROKEN)
    assert ahead[2] == left
    assert told == ahead[3] == sorted(f"scene {name} is left out: {why}" for name, why in left.items())
    reasons = {Path(name).stem: why for name, why in left.items()}
    assert "within 45 degrees" in reasons["06-steep"]
    assert "none of 20476 candidate episodes fits" in reasons["08-narrow"]


def test_stream_is_that_of_an_environment_that_knew_before(make):
    env = make(scene_workers=0, **SETTINGS["slots"])
    first = play_on(env)
    again = play_on(env)
    env.close()
    assert first == again


def play_on(env, steps: int = 20):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SceneWarning)
        infos = env.reset(seed=3)[1]
        scenes = []
        for _ in range(steps):
            scenes.append(infos["scene_id"].tolist())
            infos = env.step(np.full(env.num_envs, 2))[4]
    return scenes


def test_saved_state_goes_on_alike_where_nothing_is_known_of_broken_scenes(make):
    env = make(scene_workers=0, **SETTINGS["slots"])
    play_on(env, 4)
    state = env.get_state()
    other = make(scene_workers=0, **SETTINGS["slots"])
    other.set_state(state)
    streams = []
    for one in (env, other):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SceneWarning)
            streams.append([one.step(np.full(4, 2))[4]["scene_id"].tolist() for _ in range(30)])
        one.close()
    assert streams[0] == streams[1]


def test_single_environment_has_the_stream_of_a_vector_of_one(fake_renderer, folder):
    kwargs = {key: value for key, value in KWARGS.items() if key != "max_episode_steps"}
    kwargs |= {"scenes": folder, "min_geodesic": 6.0, "num_resident_scenes": 1, "swap_episodes": 1}
    single = gym.make("BatchPointNav-v0", **kwargs)
    vector = BatchPointNavEnv(1, scene_workers=1, **kwargs)
    streams = []
    for env in (single, vector):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SceneWarning)
            infos = [env.reset(seed=seed)[1] for seed in (1, None, None, None, 2)]
        streams.append([int(np.ravel(info["scene_id"])[0]) for info in infos])
        env.close()
    assert streams[0] == streams[1]


@pytest.mark.slow
def test_one_of_a_thousand_is_reported_once(fake_renderer):
    scenes = two_rooms(1000)
    scenes[357] = Broken()
    env = BatchPointNavEnv(
        50, scenes=scenes, num_resident_scenes=50, swap_episodes=1, scene_workers=0, sensors=(),
        straight_ratio=1.0,
    )  # fmt: skip
    seen: list[int] = []
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        # 50 slots go through the whole list in 20 changes: twice in 40.
        for number in range(40):
            seen += env.reset(seed=0 if number == 0 else None)[1]["scene_id"].tolist()
    env.close()
    assert [str(item.message) for item in told] == ["scene broken is left out: broken on purpose"]
    counts = np.bincount(seen, minlength=1000)
    # Each of the others twice, but for the two that once stand in, and so come a third time.
    assert counts[357] == 0
    assert sorted(set(np.delete(counts, 357).tolist())) in ([2, 3], [2, 4])
    assert counts.sum() == 2000


def test_slots_give_the_place_of_a_broken_scene_to_the_next_in_the_list():
    plain, known, late = (SceneSlots(5, 2, 1, 2) for _ in range(3))
    order = [plain.scene(place % 2, place // 2) for place in range(10)]
    assert sorted(order[:5]) == sorted(order[5:]) == [0, 1, 2, 3, 4]
    broken = order[1]
    known.leave_out(broken)
    late.scene(1, 0)
    late.leave_out(broken)
    # Slot 1 after no swap, the second place of the first pass, gets the third; the last place gets the first.
    assert known.scene(1, 0) == late.scene(1, 0) == order[2]
    assert known.scene(0, 0) == order[0]
    last = 5 + order[5:].index(broken)
    successor = order[5 + (last - 5 + 1) % 5]
    assert known.scene(last % 2, last // 2) == successor


def test_rows_draw_again_without_favour(fake_renderer):
    """Each of the others comes as often: 600 draws of 3 scenes, 200 +- 4 standard deviations of 11.5."""
    env = BatchPointNavEnv(1, scenes=[*two_rooms(2), Broken(), TwoRooms("rooms/9", 9.0)], **KWARGS)
    with pytest.warns(SceneWarning, match="scene broken is left out: broken on purpose"):
        drawn = [env.reset()[1]["scene_id"][0] for _ in range(20)]
    assert set(drawn) == {0, 1, 3}
    source = env._world._source
    drawn = np.bincount([source.draft(0, 0, number).scene for number in range(600)], minlength=4)
    assert drawn[2] == 0
    assert np.abs(drawn[[0, 1, 3]] - 200).max() < 46


@pytest.mark.filterwarnings("ignore::gym_batchnav.scenes.SceneWarning")
@pytest.mark.parametrize("resident", [1, 3])
@pytest.mark.parametrize("workers", [0, 1])
def test_where_all_are_broken_the_first_one_s_error_is_raised(fake_renderer, tmp_path, resident, workers):
    for number, content in enumerate((floor(1.0, 5.0), b"", floor(5.0)[:300])):
        (tmp_path / f"{number}.glb").write_bytes(content)
    env = BatchPointNavEnv(2, scenes=tmp_path, num_resident_scenes=resident, scene_workers=workers, **KWARGS)
    with pytest.raises(NavMeshError, match=r"0\.glb.*45 degrees"):
        env.reset(seed=0)
    env.close()


@pytest.mark.parametrize("workers", [0, 1])
def test_fixed_sets_have_to_be_whole(make, folder, workers):
    """Results on a fixed set are compared; dropping some of its episodes would go unnoticed in them."""
    options = {"episode_order": "sequential", "num_resident_scenes": 1, "scene_workers": workers}
    env = make(1, episodes=EpisodeSet(count=12), autoreset_mode="DISABLED", **options)
    # Episode m lies in scene m: those before the first broken one can be played.
    for number in range(3):
        assert env.reset()[1]["scene_id"].tolist() == [number]
    with pytest.raises(SceneError, match="03-cut"):
        env.reset()
    assert env.left_out_scenes == {}
    env.close()
    env = make(1, episodes=EpisodeSet(count=2), scenes=[folder / "08-narrow.glb"], **options)
    with pytest.raises(EpisodeError, match="none of 20476"):
        env.reset(seed=0)
    env.close()
