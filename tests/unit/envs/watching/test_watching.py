"""Frames for people beside the observations, and the window of ``render_mode="human"``."""

from __future__ import annotations

import builtins
import sys
import warnings

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from batchnav_renderer import viewer
from batchnav_renderer.errors import ViewerError
from gym_batchnav import BatchPointNavEnv, Camera, ConfigError, PointNavEnv
from gym_batchnav.envs.watching import screen
from gym_batchnav.errors import ResetNeededError
from gym_batchnav.sim import Explore, ObjectNav
from tests.unit.envs.doubles import FakeWindow, FurnishedRooms, two_rooms

SMALL = {"resolution": (4, 5), "straight_ratio": 1.0, "scene_workers": 0, "max_episode_steps": 6}


@pytest.fixture
def made(fake_renderer, rooms):
    """Makes environments, which are closed at the end."""
    envs = []

    def make(number=3, **kwargs):
        envs.append(BatchPointNavEnv(number, **{"scenes": rooms, **SMALL, **kwargs}))
        return envs[-1]

    yield make
    for env in envs:
        env.close()


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still but for what is slept."""

    class Clock:
        now = 100.0
        slept: list[float] = []  # noqa: RUF012

        def monotonic(self):
            return self.now

        def sleep(self, seconds):
            self.slept.append(seconds)
            self.now += seconds

    clock = Clock()
    clock.slept = []
    monkeypatch.setattr(screen, "time", clock)
    return clock


def walk(env, steps=8):
    found = [env.reset(seed=3)]
    for number in range(steps):
        found.append(env.step(np.full(env.num_envs, 1 + number % 3)))
    return found


def test_frames_of_another_size_leave_observations_alone(made, fake_renderer):
    plain, shown = made(), made(render_mode="rgb_array", render_resolution=(12, 20))
    for one, two in zip(walk(plain), walk(shown), strict=True):
        assert list(two[0]) == ["depth", "pointgoal"]
        assert np.array_equal(one[0]["depth"], two[0]["depth"])
        assert np.array_equal(one[0]["pointgoal"], two[0]["pointgoal"])
    frames = shown.render()
    assert [frame.shape for frame in frames] == [(12, 20, 3)] * 3
    # Where nobody asks, nothing is drawn; asked twice, it is drawn once.
    renderer = shown._spectator._renderer
    assert len(renderer.views_drawn) == 1
    again = shown.render()
    assert len(renderer.views_drawn) == 1
    assert np.array_equal(frames, again)
    # What is shown follows the agents.
    shown.step(np.array([2, 2, 2]))
    assert not np.array_equal(shown.render()[0], frames[0])
    shown.close()
    assert renderer.closed


def test_frames_are_those_of_an_environment_of_that_size(made):
    """The same walk in the size of the frames sees the same."""
    shown = made(render_mode="rgb_array", render_resolution=(12, 20))
    same = made(sensors=("rgb",), resolution=(12, 20))
    walk(shown)
    *_, last = walk(same)
    # Ids of the double's scenes differ, so the pixels differ by what each scene adds; poses are alike.
    shown.render()
    assert np.array_equal(shown._spectator._renderer.poses, same._world.images._renderer.poses)
    assert np.array_equal(shown.render(), last[0]["rgb"])


def test_frames_of_several_cameras_stand_side_by_side(made):
    cameras = (Camera(name="left", yaw_deg=90.0), Camera(name="front", hfov_deg=60.0))
    shown = made(render_mode="rgb_array", render_resolution=(6, 8), cameras=cameras)
    same = made(sensors=("rgb",), resolution=(6, 8), cameras=cameras)
    shown.reset(seed=1)
    seen = same.reset(seed=1)[0]
    assert np.array_equal(shown.render(), np.concatenate([seen["left_rgb"], seen["front_rgb"]], axis=2))


def test_panels_show_the_chosen_rows(made):
    env = made(render_mode="rgb_array", render_resolution=(24, 30))
    with pytest.raises(ResetNeededError, match=r"panels\(\)"):
        env.panels()
    walk(env, 2)
    # Views of 5:4, depth of 5:4 and a square map, 120 high: 150 + 150 + 120 and gaps of 3.
    panels = env.panels(120)
    assert [panel.shape for panel in panels] == [(3 + 120 + 24, 150 + 150 + 120 + 4 * 3, 3)] * 3
    assert np.array_equal(env.panels(120, [2, 0])[0], panels[2])
    moment = env.moments(120, [1])[0]
    assert [caption for caption, _ in moment.tiles] == ["camera", "depth", "map"]
    distance, angle = walk(env, 2)[-1][0]["pointgoal"][1]
    assert env.moments(120, [1])[0].goal == pytest.approx((distance, angle), abs=1e-5)
    assert moment.facts[0] == "step 2"
    assert moment.title == env.agent_state()["scene_id"][1]
    plain = made()
    plain.reset(seed=0)
    with pytest.warns(UserWarning, match="render_mode is None"), pytest.raises(ConfigError, match="panels"):
        plain.panels()


def test_panels_say_how_episodes_end(made):
    env = made(render_mode="rgb_array", autoreset_mode="Disabled", success_distance=0.3)
    env.reset(seed=1)
    actions = np.array([0, 2, 2])
    env.step(actions)
    ends = [moment.outcome for moment in env.moments(64)]
    assert not ends[0].good
    assert ends[0].text.startswith("stopped ")
    assert ends[1:] == [None, None]
    env = made(1, render_mode="rgb_array", autoreset_mode="Disabled", max_episode_steps=200)
    env.reset(seed=1)
    while not env._finished[0]:
        env.step(env.expert_actions())
    (moment,) = env.moments(64)
    assert moment.outcome.good
    assert moment.outcome.text == "goal reached"
    assert moment.facts[0].startswith("SPL 0.9") or moment.facts[0] == "SPL 1.00"
    env = made(1, render_mode="rgb_array", autoreset_mode="Disabled", max_episode_steps=1)
    env.reset(seed=1)
    env.step(np.array([2]))
    assert env.moments(64)[0].outcome.text.startswith("out of time, ")


def test_tasks_without_a_goal_have_no_compass(made):
    env = made(1, render_mode="rgb_array", task=Explore)
    env.reset(seed=0)
    env.step(np.array([1]))
    (moment,) = env.moments(64)
    assert moment.goal is None
    assert moment.facts == ("step 1", "1 cells", "0.2 m walked", "bumps 0")


def test_titles_name_the_object_that_is_looked_for(made):
    env = made(3, scenes=[FurnishedRooms("flat")], render_mode="rgb_array", task=ObjectNav)
    goals = env.reset(seed=0)[0]["objectgoal"].reshape(-1)
    names = [env.config.object_categories[number] for number in goals]
    assert set(names) <= {"chair", "bed"}
    assert [moment.title for moment in env.moments(64)] == [f"flat, goal: {name}" for name in names]


def test_human_mode_shows_a_picture_after_every_reset_and_step(made, clock):
    env = made(1, render_mode="human")
    assert FakeWindow.made == []
    env.reset(seed=0)
    (window,) = FakeWindow.made
    for number in range(8):
        env.step(np.array([1 + number % 3]))
        assert len(window.shown) == number + 2
    assert env.render() is None
    assert len({picture.tobytes() for picture in window.shown}) == len(window.shown)
    # Tiles 120 high (360 but for the tests), the view in the shape of the observations, 5:4.
    assert {picture.shape for picture in window.shown} == {(3 + 120 + 24, 150 + 150 + 120 + 4 * 3, 3)}
    # At most 10 pictures a second, as the metadata say.
    assert env.metadata["render_fps"] == 10
    assert clock.slept == pytest.approx([0.0] + [0.1] * 8)
    env.close()
    assert window.closed


def test_human_mode_of_many_is_a_mosaic(made, clock):
    env = made(4, render_mode="human", render_resolution=(20, 20), resolution=(8, 8))
    env.reset(seed=0)
    (window,) = FakeWindow.made
    # Four of 147 high stand one above the other.
    side, height, width = 120, 3 + 120 + 24, 3 * 120 + 4 * 3
    assert window.shown[0].shape == (4 * height, width, 3)
    tile = window.shown[0][:height, :width]
    assert np.array_equal(tile, env.panels(side, [0])[0])


def test_environments_go_on_when_the_window_is_closed(made, clock):
    env = made(2, render_mode="human")
    env.reset(seed=0)
    (window,) = FakeWindow.made
    window.closed = True
    walk(env)
    assert len(window.shown) == 1
    assert len(FakeWindow.made) == 1


def test_without_a_display_human_mode_warns_once_and_goes_on(made, monkeypatch, clock):
    def fail(title=""):
        raise ViewerError("there is no display to open a window on")

    monkeypatch.setattr(viewer, "Window", fail)
    env = made(1, render_mode="human")
    with pytest.warns(UserWarning, match="shows nothing: there is no display") as caught:
        walk(env)
    assert len(caught) == 1


@pytest.mark.parametrize("mode", ["rgb_array", "human"])
def test_gymnasiums_checker_and_both_ways_of_making(fake_renderer, rooms, mode, clock):
    options = {name: value for name, value in SMALL.items() if name != "max_episode_steps"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gym.make("BatchPointNav-v0", render_mode=mode, scenes=rooms, **options)
        check_env(env.unwrapped)
        many = gym.make_vec("BatchPointNav-v0", num_envs=2, render_mode=mode, scenes=rooms, **options)
        many.reset(seed=0)
    assert many.metadata["render_modes"] == PointNavEnv.metadata["render_modes"] == ["rgb_array", "human"]
    env.reset(seed=0)
    assert env.unwrapped.panel(64).shape == (2 + 64 + 2, 80 + 80 + 64 + 4 * 2, 3)
    frames = many.render()
    assert frames is None if mode == "human" else len(frames) == 2
    many.close()


def test_unknown_modes_and_sizes_are_refused(made):
    with pytest.raises(ConfigError, match="expected None, 'rgb_array' or 'human'"):
        made(render_mode="ansi")
    with pytest.raises(ConfigError, match="render_resolution"):
        made(render_mode="rgb_array", render_resolution=(0, 4))


def test_the_viewer_is_loaded_only_for_people(made, monkeypatch):
    imported = builtins.__import__

    def spied(name, *rest):
        assert "viewer" not in name
        assert name != "glfw"
        return imported(name, *rest)

    monkeypatch.delitem(sys.modules, "batchnav_renderer.viewer")
    monkeypatch.setattr(builtins, "__import__", spied)
    env = made(1, render_mode="rgb_array", render_resolution=(8, 8))
    env.reset(seed=0)
    env.panels(64)
    env.mosaic(maps=True)


def test_scenes_that_were_left_are_let_go(fake_renderer):
    env = BatchPointNavEnv(
        1, scenes=two_rooms(14), render_mode="rgb_array", render_resolution=(6, 6), num_resident_scenes=1,
        swap_episodes=1, **SMALL,
    )  # fmt: skip
    for _ in range(14):
        env.reset()
        env.render()
    # The scene in sight and eight that were before.
    assert len(env._spectator._renderer.scenes) <= 9
    env.close()
