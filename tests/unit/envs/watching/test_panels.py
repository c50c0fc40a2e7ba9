"""Panels: what stands where on them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from gym_batchnav.envs.pictures import tiling
from gym_batchnav.envs.watching import Moment, Outcome, draw_panel, panel_size
from gym_batchnav.envs.watching.compass import draw_compass
from gym_batchnav.envs.watching.theme import ACCENT, BAD, GOOD, INK, PAGE, depth_colors, fitted, text_width

RED, BLUE = (200, 20, 20), (20, 20, 200)


def plain(color, height, width):
    return np.full((height, width, 3), color, np.uint8)


def count(picture, color, within=6):
    return int((np.abs(picture.astype(int) - color).max(axis=2) <= within).sum())


@pytest.fixture
def moment():
    """A red view and a blue picture twice as wide as high."""
    return Moment(tiles=(("camera", plain(RED, 10, 10)), ("depth", plain(BLUE, 20, 40))))


def test_tiles_stand_side_by_side_in_one_height(moment):
    # Gaps of 100 / 40 = 2 pixels; no text below 120: 2 + 100 + 2 high, 2 + 100 + 2 + 200 + 2 wide.
    picture = draw_panel(moment, 100)
    assert picture.shape == (104, 306, 3)
    assert panel_size([(10, 10), (20, 40)], 100) == (306, 104)
    assert picture.dtype == np.uint8
    assert (picture[2:102, 52] == RED).all()
    assert (picture[52, 2:102] == RED).all()
    assert (picture[52, 104:304] == BLUE).all()
    for row, column in ((52, 0), (52, 102), (52, 305), (0, 50), (103, 50)):
        assert tuple(picture[row, column]) == PAGE, (row, column)
    # Corners are round.
    assert (picture[2, 2] != RED).any()


def test_small_pictures_keep_square_pixels_and_large_ones_are_averaged():
    stripes = np.zeros((4, 4, 3), np.uint8)
    stripes[:, ::2] = 200
    (large,) = (draw_panel(Moment(tiles=(("camera", stripes),)), 100)[50, 2:102, 0] for _ in range(1))
    # 4 columns on 100 pixels: 25 each.
    assert large[12::25].tolist() == [200, 0, 200, 0]
    fine = np.zeros((200, 200, 3), np.uint8)
    fine[:, ::2] = 200
    assert (draw_panel(Moment(tiles=(("camera", fine),)), 100)[50, 5:95] == 100).all()


def test_text_and_captions_appear_where_there_is_room(moment):
    said = replace(moment, title="house 7", facts=("step 3", "2.0 m to go"))
    # Letters of 12 pixels, a bar of 24; from 180 on captions too, in a dark pill at the upper left.
    small, middle, large = (draw_panel(said, side) for side in (119, 120, 180))
    # 119 // 40 = 2; 120 // 40 = 3; 180 // 40 = 4.
    assert [picture.shape[0] for picture in (small, middle, large)] == [123, 147, 208]
    assert count(small, INK) == 0
    assert count(middle[123:], INK) > 40
    # Facts end at the right gap, the title begins at the left one.
    columns = np.flatnonzero((middle[123:].astype(int) - PAGE).max(axis=(0, 2)) > 40)
    assert columns.min() in range(3, 6)
    assert columns.max() in range(middle.shape[1] - 7, middle.shape[1] - 2)
    assert (middle[3:123, 63] == RED).all()
    assert (large[8:20, 12:50] != RED).any(axis=2).mean() > 0.8
    # A line that does not fit loses its last facts, not its first ones.
    many = replace(said, facts=("step 3", "a very long fact " * 10))
    assert np.array_equal(
        draw_panel(many, 120)[123:, 100:], draw_panel(replace(said, facts=("step 3",)), 120)[123:, 100:]
    )


@pytest.mark.parametrize(("good", "color"), [(True, GOOD), (False, BAD)])
def test_an_end_is_marked_in_its_colour(moment, good, color):
    picture = draw_panel(replace(moment, outcome=Outcome(good, "over")), 240)
    # Gap 6, rim 240 // 60 = 4 pixels around the view.
    for row, column in ((126, 7), (126, 244), (8, 126), (244, 126)):
        assert tuple(picture[row, column]) == color
    assert tuple(picture[126, 12]) == RED
    # The words stand on that colour in the upper middle: 6 + 240 // 6 = 46 and below.
    assert count(picture[46:72, 80:170], color, 2) > 200
    assert count(draw_panel(moment, 240), color, 2) == 0


def test_help_covers_the_middle(moment):
    bare, helped = draw_panel(moment, 200), draw_panel(moment, 200, lines=["W  forward", "Q  quit"])
    assert bare.shape == helped.shape
    changed = np.argwhere((bare != helped).any(axis=2))
    middle = changed.mean(axis=0) * 2 / bare.shape[:2]
    assert middle == pytest.approx([1, 1], abs=0.05)
    assert count(helped, INK) > 50


@pytest.mark.parametrize(
    ("angle", "towards"), [(0.0, (0, -1)), (np.pi / 2, (-1, 0)), (-np.pi / 2, (1, 0)), (np.pi, (0, 1))]
)
def test_compass_points_to_the_goal(angle, towards):
    """Angles are positive to the left; ahead is up."""
    view = Image.new("RGB", (180, 180), (128, 128, 128))
    draw_compass(view, 3.0, angle)
    arrow = np.argwhere(np.abs(np.asarray(view).astype(int) - ACCENT).max(axis=2) < 20)[:, ::-1]
    # Radius 180 // 9 = 20 at (90, 180 - 20 - 4); the tip is 0.78 of it ahead, the tails 0.55 behind.
    offsets = arrow - [89.5, 155.5]
    along = offsets @ np.array(towards)
    # Of its sharp ends, pixels that are mostly covered count.
    assert along.max() == pytest.approx(15.6, abs=2.6)
    assert along.min() == pytest.approx(-11, abs=2.6)
    across = offsets @ np.array([towards[1], -towards[0]])
    assert np.abs(across[along > 11]).max() < 3
    assert count(np.asarray(view), GOOD) == 0


def test_compass_of_a_goal_that_is_here_is_a_dot():
    view = Image.new("RGB", (180, 180), (128, 128, 128))
    draw_compass(view, 0.15, 1.0)
    # A disc of a third of 40 pixels: pi * 6.7^2 = 140.
    assert count(np.asarray(view), GOOD, 20) == pytest.approx(140, abs=20)
    assert count(np.asarray(view), ACCENT, 20) == 0


def test_depth_is_bright_where_it_is_near():
    colors = depth_colors(np.linspace(0.0, 1.0, 50)).astype(int)
    assert colors.shape == (50, 3)
    assert (np.diff(colors @ [299, 587, 114]) <= 0).all()
    assert colors[0].sum() > 600
    assert colors[-1].sum() < 10
    # The square root: 1 - sqrt(0.25) = 0.5, in the middle of 0 ... 0.49 ... 1.
    assert 200 < depth_colors(np.array([0.25])).sum() < 400
    assert np.array_equal(depth_colors(np.array([-1.0, 7.0])), depth_colors(np.array([0.0, 1.0])))


def test_fitted_text_is_no_wider_than_asked_for():
    whole = "houses-v2/val/0003"
    assert fitted(whole, 1000, 14) == whole
    cut = fitted(whole, 80, 14)
    assert cut.endswith("...")
    assert text_width(cut, 14) <= 80
    assert fitted(whole, 3, 14) == ""


@pytest.mark.parametrize("number", [1, 2, 4, 9, 30])
def test_panels_of_many_fit_into_the_window(number):
    side, columns = tiling(number, 3)
    width, height = panel_size([(1, 1)] * 3, side)
    rows = -(-number // columns)
    assert columns * width <= 1600
    assert rows * height <= 900
    # One is as large as allowed, others not much smaller than the window.
    assert side == 360 if number == 1 else columns * width > 900 or rows * height > 600
