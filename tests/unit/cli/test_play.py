"""``batchnav play``: keys, time, and what is seen, in fake scenes and with a fake window."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from PIL import Image

from batchnav_renderer import viewer, windowing
from gym_batchnav import BatchPointNavEnv, EnvConfig, VelocityControl
from gym_batchnav.cli import main
from gym_batchnav.cli.evaluation.contestants import Expert
from gym_batchnav.cli.watching import play as command
from gym_batchnav.cli.watching.game import REST, Game
from gym_batchnav.cli.watching.keys import Keyboard, script
from gym_batchnav.cli.watching.walk import Walk
from gym_batchnav.errors import ConfigError
from tests.unit.envs.conftest import fake_renderer, rooms
from tests.unit.envs.doubles import FakeWindow

__all__ = ["fake_renderer", "rooms"]

OPTIONS = {
    "resolution": (8, 8), "straight_ratio": 1.0, "scene_workers": 0, "autoreset_mode": "Disabled",
    "render_mode": "rgb_array",
}  # fmt: skip


@pytest.fixture
def game(fake_renderer, rooms):
    """Makes games, which are closed at the end."""
    made = []

    def make(agent=None, **options):
        envs = BatchPointNavEnv(1, **{"scenes": rooms, "max_episode_steps": 60, **OPTIONS, **options})
        walk = Walk(envs, agent(envs) if agent else None, 5, deterministic=True)
        made.append(Game(walk, agent=agent is not None, fps=10.0, side=48))
        return made[-1]

    yield make
    for each in made:
        each.close()


def state(game):
    return game._walk.envs.agent_state()


def steps(game):
    return int(game._walk.envs._world.simulator.state.steps[0])


def test_keys_mean_actions():
    keys = Keyboard(EnvConfig())
    found = {key: int(keys.action((key,))[0]) for key in ("space", "w", "up", "a", "left", "d", "right")}
    assert found == {"space": 0, "w": 1, "up": 1, "a": 2, "left": 2, "d": 3, "right": 3}
    assert keys.action(("w", "a")).tolist() == [2]
    assert keys.action(("e",)) is None
    assert keys.action(("x",)) is None
    look = Keyboard(EnvConfig(actions="discrete_look"))
    assert [int(look.action((key,))[0]) for key in ("e", "page_up", "c", "page_down")] == [4, 4, 5, 5]
    assert any("look up" in line for line in look.help(agent=False))
    assert not any("forward" in line for line in look.help(agent=True))


def test_keys_together_make_speeds():
    keys = Keyboard(EnvConfig(actions="velocity"))
    # Linear speeds from 0 to 0.25 m/s: -1 stands for none. Angular ones from -10 to 10: 0 does.
    assert keys.action(("w",)).tolist() == [[1.0, 0.0]]
    assert keys.action(("a",)).tolist() == [[-1.0, 1.0]]
    assert keys.action(("w", "d")).tolist() == [[1.0, -1.0]]
    assert keys.action(("space", "w")).tolist() == [[-1.0, 0.0]]
    assert keys.action(("s",)) is None
    both = VelocityControl(linear_range=(-0.5, 1.0), angular_range_deg=(-30.0, 10.0), stop="flag")
    keys = Keyboard(EnvConfig(actions="velocity", velocity=both))
    # No speed lies a third into -0.5 ... 1: at -1 + 2/3, and three quarters into -30 ... 10: at 0.5.
    assert keys.action(("s",)) == pytest.approx(np.array([[-1.0, 0.5, -1.0]]))
    assert keys.action(("space",)) == pytest.approx(np.array([[-1 / 3, 0.5, 1.0]]))


def test_script_of_keys():
    assert script("wA_ n.") == ["w", "a", "space", "space", "n", "."]
    for wrong in ("wx", ""):
        with pytest.raises(ConfigError, match="--keys"):
            script(wrong)


def test_one_key_is_one_step(game):
    game = game()
    heading = state(game)["heading"][0]
    for key in "aaw":
        game.press(key)
    for _ in range(5):
        game.tick()
    # Keys that come at once are taken one a tick; two turns of 10 degrees.
    assert steps(game) == 3
    assert state(game)["heading"][0] - heading == pytest.approx(2 * np.radians(10))


def test_keys_that_are_held_act_again_after_a_while(game):
    game = game()
    game.press("a")
    game.tick(("a",))
    counts = []
    for _ in range(5):
        game.tick(("a",))
        counts.append(steps(game))
    assert counts == [1, 1, 2, 3, 4]


def test_end_of_an_episode_waits_for_the_next_one(game):
    game = game()
    game.press("space")
    game.tick()
    assert game.over
    assert game.episodes == 1
    start = state(game)["start"][0]
    for _ in range(2 * REST):
        game.press("w")
        game.tick(("w",))
    assert steps(game) == 1
    game.press("n")
    assert not game.over
    assert steps(game) == 0
    assert not np.array_equal(state(game)["start"][0], start)


def test_the_same_episode_again(game):
    game = game()
    before = state(game)
    for key in "waws":
        game.press(key)
        game.tick()
    game.press("space")
    game.tick()
    game.press("r")
    assert not game.over
    assert steps(game) == 0
    for name in ("position", "heading", "goal", "episode_id"):
        assert np.array_equal(state(game)[name], before[name]), name
    game.press("n")
    second = state(game)
    game.press("w")
    game.tick()
    game.press("r")
    assert np.array_equal(state(game)["position"], second["position"])


def test_agent_acts_rests_at_the_end_and_goes_on(game):
    game = game(Expert)
    ticks = 0
    while not game.over:
        game.press("w")  # keys do not lead who is watched
        game.tick()
        ticks += 1
    assert steps(game) == ticks
    assert game._walk.infos["success"][0] == 1.0
    for _ in range(REST - 1):
        game.tick()
    assert game.over
    game.tick()
    assert not game.over
    assert game.episodes == 1


def test_pause_and_single_steps(game):
    game = game(Expert)
    game.press("p")
    for _ in range(4):
        game.tick()
    assert steps(game) == 0
    game.press(".")
    game.press(".")
    game.tick()
    assert steps(game) == 2
    game.press("p")
    game.tick()
    assert steps(game) == 3


def test_single_steps_at_the_keyboard_repeat_the_last_one(game):
    game = game()
    game.press(".")
    assert steps(game) == 0
    heading = state(game)["heading"][0]
    for key in "a..":
        game.press(key)
        game.tick()
    assert state(game)["heading"][0] - heading == pytest.approx(3 * np.radians(10))


def test_speed_help_and_quitting(game):
    game = game()
    bare = game.picture()
    assert game.picture() is bare
    game.press("h")
    assert (game.picture() != bare).any()
    game.press("h")
    assert np.array_equal(game.picture(), bare)
    game.press("+")
    assert game.fps == 15.0
    game.press("-")
    game.press("-")
    assert game.fps == pytest.approx(10 / 1.5)
    for _ in range(30):
        game.press("+")
    assert game.fps == 60.0
    assert not game.quit
    game.press("escape")
    assert game.quit


def test_playing_in_a_window(game, monkeypatch):
    slept = []
    monkeypatch.setattr(command.time, "sleep", slept.append)
    made, window = game(), FakeWindow()
    window.keys = [["w"], [], ["a", "a"], [], ["q"]]
    command.play(made, window)
    assert steps(made) == 3
    assert len(window.shown) == 5
    assert len({picture.tobytes() for picture in window.shown}) == 3
    assert max(slept) <= 0.1
    closed = FakeWindow()
    closed.closed = True
    command.play(made, closed)
    assert closed.shown == []


@pytest.mark.slow
def test_command_films_keys_in_a_scene_file(room, tmp_path, capsys):
    film = tmp_path / "walk.gif"
    arguments = ["--record", str(film), "--keys", "wwad_", "--size", "48", "--resolution", "16"]
    assert main(["play", str(room()), *arguments, "--env", "straight_ratio=1"]) == 0
    assert f"written: {film}" in capsys.readouterr().out.replace("\n", "")
    with Image.open(film) as image:
        # The start, and a picture after each key; the last one stands.
        assert image.n_frames in (6, 7)
        assert image.size == (3 * 48 + 4 * 2, 48 + 2 * 2)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--record", "x.gif"], "--record needs --keys"),
        (["--keys", "ww"], "--keys is for films"),
        (["--record", "x.avi", "--keys", "w"], "expected .mp4 or .gif"),
        (["--record", "x.gif", "--keys", "w?"], "--keys"),
        (["--record", "x.gif", "--keys", "w", "--expert", "--pretrained"], "exclude each other"),
        (["--record", "x.gif", "--keys", "w", "--size", "9"], "--size 9"),
        (["--record", "x.gif", "--keys", "w", "a.glb", "--scenes", "b.glb"], "given twice"),
        (["--record", "x.gif", "--keys", "w", "nowhere.glb"], "nowhere.glb"),
        (["--record", "x.gif", "--policy", "nothing.pt"], "nothing.pt"),
        (["--record", "x.gif", "--keys", "w", "--env", "speed=3"], "speed"),
    ],
)
def test_wrong_arguments_are_named(arguments, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["play", *arguments]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("missing", "words"),
    [("display", "there is no display to open a window on"), ("glfw", 'pip install "gym-batchnav[viewer]"')],
)
def test_without_a_window_a_film_is_offered(missing, words, capsys, monkeypatch):
    if missing == "glfw":
        monkeypatch.setitem(sys.modules, "glfw", None)
    else:
        monkeypatch.setattr(windowing.Windowing, "__init__", _no_display)
    monkeypatch.setattr(command, "Window", viewer.Window)
    assert main(["play", "houses:val"]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert "add --record walk.mp4, and --keys wwwad or an agent" in error
    assert error.count("\n") == 1


def _no_display(self):
    raise OSError("GLFW error 0x1000e: Failed to detect any supported platform")
