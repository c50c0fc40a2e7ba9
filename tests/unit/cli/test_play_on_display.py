"""``batchnav play`` and ``render_mode="human"`` in a real window, as it stands on the screen."""

from __future__ import annotations

import json

import pytest

from tests.displays import display, run

pytest.importorskip("glfw", reason="glfw is not installed")

__all__ = ["display", "run"]

PLAY = """
import json, sys
import numpy as np
from PIL import ImageGrab
from batchnav_renderer.viewer import Window
from gym_batchnav.cli import main

keys = [["w"], ["a"], [], ["h"], ["h", "q"]]
seen, shown, show, poll = [], [], Window.show, Window.poll

def scripted(window):
    poll(window)
    return keys.pop(0)

def watched(window, picture):
    show(window, picture)
    poll(window)
    shown.append(picture)
    seen.append(np.asarray(ImageGrab.grab().convert("RGB")))

Window.poll, Window.show = scripted, watched
status = main(["play", "SCENE", "--size", "120", "--env", "straight_ratio=1", "--fps", "50"])
told = []
for picture, screen in zip(shown, seen):
    rows, columns = np.nonzero(screen.any(axis=2))
    top, left = rows.min(), columns.min()
    box = screen[top : rows.max() + 1, left : columns.max() + 1]
    told.append([list(box.shape), list(picture.shape), bool(np.array_equal(box, picture))])
print(json.dumps([status, told, len({screen.tobytes() for screen in seen})]))
"""

HUMAN = """
import json
import gymnasium as gym
import numpy as np
from PIL import ImageGrab
import gym_batchnav

env = gym.make("BatchPointNav-v0", scenes="SCENE", render_mode="human", straight_ratio=1.0)
told = []
env.reset(seed=0)
for action in (1, 2):
    env.step(action)
    told.append(np.asarray(ImageGrab.grab().convert("RGB")))
env.close()
gone = np.asarray(ImageGrab.grab().convert("RGB"))
lit, left = (int(screen.any(axis=2).sum()) for screen in (told[0], gone))
print(json.dumps([bool((told[0] != told[1]).any()), lit, left]))
"""


@pytest.mark.slow
def test_the_screen_shows_what_play_draws(run, room):
    found = run(PLAY.replace("SCENE", str(room())))
    assert found.returncode == 0, found.stderr
    status, told, different = json.loads(found.stdout.splitlines()[-1])
    assert status == 0
    # Three tiles of 120 with gaps of 3, and a line of text.
    assert told == [[[3 + 120 + 24, 3 * 120 + 4 * 3, 3]] * 2 + [True]] * 5
    # A step, a turn, nothing, the help, and no help again.
    assert different == 3
    assert "W  forward" in found.stdout


@pytest.mark.slow
def test_the_screen_shows_what_human_mode_draws(run, room):
    found = run(HUMAN.replace("SCENE", str(room())))
    assert found.returncode == 0, found.stderr
    moved, lit, gone = json.loads(found.stdout.splitlines()[-1])
    assert moved
    # 1116 x 409, shrunk to nine tenths of the screen of 640 x 480: 576 wide.
    assert lit == pytest.approx(576 * 576 * 409 / 1116, rel=0.02)
    assert gone == 0
