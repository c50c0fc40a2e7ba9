"""Pictures of scenes: maps that fit the ground, marks that fit the views, views worth seeing."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from batchnav_renderer import Material, SceneArrays
from gym_batchnav.cli.scenes.drawing.above import (
    MAIN,
    PAPER,
    add_marks,
    add_scale,
    clearance,
    draw_above,
    frame_of,
    with_ground,
)
from gym_batchnav.cli.scenes.drawing.choice import Viewpoint, choose_views, scores
from gym_batchnav.cli.scenes.drawing.preview import draw_preview
from gym_batchnav.cli.scenes.drawing.sheet import Exhibit, draw_sheet
from gym_batchnav.cli.scenes.drawing.text import fitted, font
from gym_batchnav.cli.scenes.drawing.views import FAR, Lens, draw
from gym_batchnav.nav import NavMesh
from gym_batchnav.nav.survey import survey
from tests.unit.cli.boxes import box

GREY, RED, GREEN = (0.2, 0.2, 0.2, 1.0), (1.0, 0.0, 0.0, 1.0), (0.0, 1.0, 0.0, 1.0)


def scene_of(*boxes):
    """Boxes of one colour each, as the renderer takes them."""
    positions, triangles, materials = [], [], []
    for number, (corners, sides) in enumerate(boxes):
        positions.append(corners)
        for side in sides:
            a, b, c, d = (8 * number + corner for corner in side)
            triangles += [[a, b, c], [a, c, d]]
            materials += [number, number]
    colors = (GREY, RED, GREEN)[: len(boxes)]
    return SceneArrays(
        positions=np.concatenate(positions).astype(np.float32),
        triangles=np.array(triangles, np.uint32),
        material_ids=np.array(materials, np.int32),
        materials=tuple(Material(base_color=color) for color in colors),
    )


def ground_of(low, high, y=0.0):
    corners = [[low[0], y, low[1]], [low[0], y, high[1]], [high[0], y, high[1]], [high[0], y, low[1]]]
    return survey(NavMesh.from_polygons(corners, [range(4)]))


# A grey room of 8 x 3 x 6 m with a red box in its corner near x = 1, z = 1 and a green one near x = 7, z = 1.
ROOM = scene_of(
    box((0, 0, 0), (8, 3, 6), inward=True),
    box((0.5, 0, 0.5), (1.5, 1, 1.5)),
    box((6.5, 0, 0.5), (7.5, 1, 1.5)),
)
GROUND = ground_of((0.2, 2.0), (7.8, 5.8))


def is_red(pixel):
    return pixel[0] > 100 and pixel[1] < 60


def is_green(pixel):
    return pixel[1] > 100 and pixel[0] < 60


def at(image, frame, x, z):
    column, row = frame.pixels(np.array([x, 0.0, z]))
    return image.getpixel((int(column), int(row)))


def test_the_map_is_cut_open_and_lies_as_its_frame_says():
    frame = frame_of(ground_of((0, 0), (8, 6)), [0], 400, 400)
    # 8 + 2 x 0.8 m on 400 pixels.
    assert frame.pixels_per_meter == pytest.approx(400 / 9.6)
    assert (frame.width, frame.height) == (400, round(400 * 7.6 / 9.6))
    image = draw_above(ROOM, 0.0, frame)
    assert image.size == (frame.width, frame.height)
    # x grows to the right and z downwards: red up left, green up right, and the ceiling is gone.
    assert is_red(at(image, frame, 1, 1))
    assert is_green(at(image, frame, 7, 1))
    for x, z in ((1, 5), (7, 5), (4, 3)):
        assert len(set(at(image, frame, x, z))) == 1
        assert at(image, frame, x, z) != PAPER
    assert at(image, frame, -0.5, 3) == at(image, frame, 8.5, 3) == PAPER
    # The edges of the boxes are where they should be, to 5 cm.
    assert is_red(at(image, frame, 1.45, 1))
    assert not is_red(at(image, frame, 1.56, 1))


def test_a_low_ceiling_is_cut_too():
    low = scene_of(box((0, 0, 0), (8, 1.7, 6), inward=True), box((0.5, 0, 0.5), (1.5, 1, 1.5)))
    views = [Viewpoint(ground=np.array([4.0, 0, 3.0]), heading=0.0)]
    assert clearance(low, views) == pytest.approx(1.7, abs=0.01)
    frame = frame_of(ground_of((0, 0), (8, 6)), [0], 200, 200)
    assert not is_red(at(draw_above(low, 0.0, frame), frame, 1, 1))
    assert is_red(at(draw_above(low, 0.0, frame, cut=1.5), frame, 1, 1))


def test_what_lies_far_below_a_storey_is_pale():
    frame = frame_of(ground_of((0, 0), (8, 6)), [0], 200, 200)
    plain, below = draw_above(ROOM, 0.0, frame), draw_above(ROOM, 2.4, frame, cut=0.5)
    # 80% paper over the colour of the room's floor, which is 2.4 m down.
    mixed = 0.2 * np.array(at(plain, frame, 4, 3)) + 0.8 * np.array(PAPER)
    np.testing.assert_allclose(at(below, frame, 4, 3), mixed, atol=2)


def test_the_ground_is_drawn_where_it_is():
    frame = frame_of(ground_of((0, 0), (8, 6)), [0], 400, 400)
    white = Image.new("RGB", (frame.width, frame.height), "white")
    image = with_ground(white, GROUND, 0, frame)
    inside, outside = at(image, frame, 4, 4), at(image, frame, 4, 1.5)
    assert outside == (255, 255, 255)
    # The tint is 90 of 255 parts of the colour.
    np.testing.assert_allclose(inside, 255 + (np.array(MAIN) - 255) * 90 / 255, atol=2)
    assert at(image, frame, 4, 2.0)[0] < inside[0]


@pytest.mark.parametrize(
    ("heading", "seen", "unseen"),
    [(0.0, (0, -1), (0, 1)), (np.pi / 2, (-1, 0), (1, 0)), (-np.pi / 2, (1, 0), (-1, 0))],
)
def test_marks_point_where_the_view_looks(heading, seen, unseen):
    frame = frame_of(ground_of((0, 0), (8, 6)), [0], 400, 400)
    image = Image.new("RGB", (frame.width, frame.height), "white")
    view = Viewpoint(ground=np.array([4.0, 0.0, 3.0]), heading=heading)
    add_marks(image, [view], 1, frame)
    assert at(image, frame, 4 + 0.5 * seen[0], 3 + 0.5 * seen[1]) != (255, 255, 255)
    assert at(image, frame, 4 + 0.5 * unseen[0], 3 + 0.5 * unseen[1]) == (255, 255, 255)


def test_a_view_shows_what_its_mark_points_at():
    # From the middle of the room, up and left (45 degrees to the left of -z) stands the red box.
    red = Viewpoint(ground=np.array([3.0, 0.0, 3.0]), heading=np.pi / 4)
    green = Viewpoint(ground=np.array([5.0, 0.0, 3.0]), heading=-np.pi / 4)
    drawn = draw(ROOM, np.stack([red.pose, green.pose]), Lens(width=40, height=30), smooth=False)
    middle = drawn.rgb[:, 18:26, 18:22].reshape(2, -1, 3)
    assert is_red(np.median(middle[0], axis=0))
    assert is_green(np.median(middle[1], axis=0))
    # 2 x sqrt(2) m to the box's middle, less the half of its diagonal: 2.12 m to its nearest corner.
    assert drawn.depth[0, 18:26, 18:22].min() == pytest.approx(1.5 * 2**0.5, abs=0.1)


def test_the_scale_is_as_long_as_it_says():
    image = Image.new("RGB", (400, 300), "grey")
    add_scale(image, 20.0)
    # A fifth of 400 / 20 = 20 m is 4 m; 2 m is the largest round length in it, 40 pixels.
    row = np.asarray(image)[290, :, :].sum(axis=1)
    assert np.count_nonzero(row[:120] == 0) == pytest.approx(40, abs=2)


def test_views_of_nothing_and_of_walls_score_less():
    open_view = np.tile(np.linspace(1.5, 8.0, 40, dtype=np.float32), (30, 1))
    depth = np.stack([open_view, np.full((30, 40), 0.3), np.full((30, 40), FAR), np.full((30, 40), 3.0)])
    rgb = np.random.default_rng(0).integers(0, 256, (4, 30, 40, 3), np.uint8)
    rgb[3] = 90
    found = scores(rgb, depth.astype(np.float32))
    assert found[1] == found[2] == 0.0
    assert found[0] > 2 * found[3] > 0.0


def test_chosen_views_are_clear_and_apart(rng):
    views = choose_views(ROOM, GROUND, 0, 3, rng)
    places = np.stack([view.ground for view in views])
    assert ((places >= (0.2, 0, 2.0)) & (places <= (7.8, 0, 5.8))).all()
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)[np.triu_indices(3, 1)]
    assert apart.min() > 1.0
    depth = draw(ROOM, np.stack([view.pose for view in views]), Lens(width=40, height=30), smooth=False).depth
    assert np.median(depth, axis=(1, 2)).min() > 1.5


def test_a_sheet_shows_both_storeys():
    # The room, and another one over it whose floor is 3.4 m up; the lower ground is the larger.
    upper = [box((0, 3.4, 0), (8, 6.4, 6), inward=True)]
    both = scene_of(box((0, 0, 0), (8, 3, 6), inward=True), *upper)
    corners = [
        [x, y, z] for y in (0.0, 3.4) for x, z in ((0.2, 1 + y / 4), (0.2, 5.8), (7.8, 5.8), (7.8, 1 + y / 4))
    ]
    ground = survey(NavMesh.from_polygons(corners, [range(4), range(4, 8)]))
    assert len(ground.storeys) == 2
    page = draw_sheet([Exhibit(arrays=both, ground=ground, name="two", facts="facts")], "a house", seed=0)
    pixels = np.asarray(page.convert("RGB")).astype(int)
    # Under the views, the grey lower storey is on the left and the red upper one on the right.
    plans = pixels[-240:-60]
    left, right = (half.reshape(-1, 3) for half in np.array_split(plans, 2, axis=1))
    red = [((half[:, 0] > 150) & (half[:, 1] < 60)).sum() for half in (left, right)]
    assert red[0] == 0
    assert red[1] > 5000


def test_equal_seeds_give_equal_pages():
    pages = [draw_preview(ROOM, GROUND, "room", "facts", np.random.default_rng(1)).image for _ in range(2)]
    assert np.array_equal(*map(np.asarray, pages))


def test_long_titles_are_cut_in_the_middle():
    text = fitted("a/very/long/path/to/some/scene/file.glb", 150, 16)
    assert font(16).getlength(text) <= 150
    assert text.startswith("a/ve")
    assert text.endswith(".glb")
    assert fitted("short", 150, 16) == "short"
