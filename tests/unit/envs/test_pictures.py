"""Mosaics with maps, and where the agents have been."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import ImageColor

from gym_batchnav import BatchPointNavEnv, ConfigError, NavMesh
from gym_batchnav.envs.maps import FLOOR, GOAL, START, WAY, Board, SceneMap
from gym_batchnav.envs.ways import Ways
from gym_batchnav.errors import ResetNeededError
from gym_batchnav.sim import Explore

LIMIT = 6


@pytest.fixture
def make(fake_renderer, rooms):
    def build(**kwargs):
        options = {
            "resolution": (4, 5),
            "straight_ratio": 1.0,
            "scene_workers": 0,
            "render_mode": "rgb_array",
        }
        return BatchPointNavEnv(3, scenes=rooms, **{**options, "max_episode_steps": LIMIT, **kwargs})

    return build


def near(picture, color):
    """Rows and columns of the pixels of a colour, blends of its rim left out."""
    wanted = np.array(ImageColor.getrgb(color))
    return np.argwhere(np.abs(picture.astype(int) - wanted).max(axis=2) < 30)


def test_mosaic_with_maps_has_a_map_to_the_right_of_each_frame(make):
    env = make()
    with pytest.raises(ResetNeededError):
        env.mosaic(maps=True)
    env.reset(seed=1)
    env.step(np.array([1, 1, 1]))
    # Frames of 4 x 5 are enlarged 32 times, to 128 x 160; the map is 128 wide; each has a rim of two pixels.
    whole = env.mosaic(columns=1, maps=True)
    assert whole.shape == (3 * 132, 160 + 4 + 128 + 4, 3)
    assert whole.dtype == np.uint8
    for row, frame in enumerate(env.render()):
        tile = whole[132 * row : 132 * (row + 1)]
        assert np.array_equal(tile[2:130, 2:162][::32, ::32], frame)
        shown = tile[2:130, 166:294]
        for color in (WAY, START, GOAL):
            assert len(near(shown, color)) > 3, color
    # Pictures are unlike since the agents are at different places.
    assert not np.array_equal(whole[2:130, 166:294], whole[134:262, 166:294])
    assert env.mosaic(maps=True).shape == (2 * 132, 2 * 296, 3)
    assert env.mosaic().shape == (8, 10, 3)


def test_maps_need_frames(make):
    env = make(render_mode=None)
    env.reset(seed=0)
    with (
        pytest.warns(UserWarning, match="render_mode is None"),
        pytest.raises(ConfigError, match="render_mode='rgb_array'"),
    ):
        env.mosaic(maps=True)


@pytest.mark.parametrize("mode", ["SameStep", "NextStep", "Disabled"])
def test_ways_hold_the_positions_of_the_episode_so_far(make, mode):
    env = make(autoreset_mode=mode)
    env.reset(seed=4)
    ways = [[env.agent_state()["position"][row]] for row in range(3)]
    rng, begun = np.random.default_rng(0), 0
    for _ in range(4 * LIMIT):
        *_, ends, cuts, _ = env.step(rng.choice(4, 3, p=[0.05, 0.55, 0.2, 0.2]))
        if mode == "Disabled" and (ends | cuts).any():
            env.reset(options={"reset_mask": ends | cuts})
        state, steps = env.agent_state(), env._world.simulator.state.steps
        for row in range(3):
            if steps[row] == 0:
                begun += 1
                ways[row] = []
            ways[row].append(state["position"][row])
            # A partial reset of other rows shows the same moment again.
            found = env._ways.of(row)
            kept = np.concatenate([[True], (np.diff(found, axis=0) != 0).any(axis=1)])
            walked = np.array(ways[row])
            moved = np.concatenate([[True], (np.diff(walked, axis=0) != 0).any(axis=1)])
            assert np.array_equal(found[kept], walked[moved])
    assert begun >= 6


def test_ways_begin_anew_with_a_state_that_is_set(make):
    env = make()
    env.reset(seed=0)
    state = env.get_state()
    env.step(np.array([1, 1, 1]))
    env.step(np.array([1, 1, 1]))
    env.set_state(state)
    assert [len(env._ways.of(row)) for row in range(3)] == [1, 1, 1]
    assert np.array_equal(env._ways.of(2)[0], env.agent_state()["position"][2])


def test_tasks_without_a_goal_show_none(make):
    env = make(task=Explore)
    env.reset(seed=0)
    env.step(np.array([1, 1, 1]))
    shown = env.mosaic(columns=1, maps=True)[2:130, 166:294]
    assert len(near(shown, GOAL)) == 0
    assert len(near(shown, WAY)) > 3


def square():
    """A room of 8 x 4 m, x from 1 to 9, z from 2 to 6."""
    vertices = np.array([(1, 0, 2), (9, 0, 2), (9, 0, 6), (1, 0, 6)], dtype=np.float32)
    return NavMesh.from_polygons(vertices, [(0, 1, 2, 3)])


def test_board_puts_metres_where_they_belong():
    board = Board.of(SceneMap.of(square()), np.array([[5.0, 0.0, 4.0]]), side=184)
    # 8 m and a margin of 0.6 m on each side: 9.2 m on 184 pixels, 20 a metre; 4 + 1.2 m high, so it begins
    # (184 - 104) / 2 = 40 pixels down. x = 0.4 and z = 1.4 lie in the corner.
    picture = np.asarray(board.picture())
    assert picture.shape == (184, 184, 3)
    assert tuple(picture[92, 92]) == FLOOR
    board.disc(np.array([3.4, 0.0, 2.4]), GOAL)
    marked = near(np.asarray(board.picture()), GOAL)
    # (3.4 - 0.4) * 20 = 60 to the right, 40 + (2.4 - 1.4) * 20 = 60 down.
    assert np.abs(marked.mean(axis=0) - [60, 60]).max() < 1.5


@pytest.mark.parametrize(
    ("heading", "towards"), [(0.0, (-1, 0)), (np.pi / 2, (0, -1)), (np.pi, (1, 0)), (-np.pi / 2, (0, 1))]
)
def test_agent_points_where_it_looks(heading, towards):
    """Heading 0 looks along -Z, up on the map; a quarter turn to the left along -X."""
    board = Board.of(SceneMap.of(square()), np.array([[5.0, 0.0, 4.0]]), side=1024)
    ((x, y),) = board.pixels(np.array([[5.0, 0.0, 4.0]]))
    board.agent(np.array([5.0, 0.0, 4.0]), heading)
    marked = near(np.asarray(board.picture()), WAY) - [y / 2, x / 2]
    # On a picture of 1024 pixels the tip is 4 x 9 pixels ahead of the agent, the two corners 4 x 6 behind it.
    along, across = marked @ np.array(towards), marked @ np.array(towards[::-1])
    assert along.max() == pytest.approx(36, abs=5)
    assert along.min() == pytest.approx(-24, abs=5)
    assert np.abs(across[along > 28]).max() < 4
    assert np.abs(across).max() == pytest.approx(24, abs=4)


def test_storeys_are_drawn_one_at_a_time(make):
    """Two floors 3 m apart, the upper one over half of the lower."""
    vertices = np.array(
        [(0, 0, 0), (8, 0, 0), (8, 0, 4), (0, 0, 4), (0, 3, 0), (4, 3, 0), (4, 3, 4), (0, 3, 4)], np.float32
    )
    mesh = NavMesh.from_polygons(vertices, [(0, 1, 2, 3), (4, 5, 6, 7)])
    ways = Ways(1)
    lower, upper = (ways._map(0, mesh, height).mask for height in (0.0, 3.0))
    assert upper.sum() == pytest.approx(lower.sum() / 2, rel=0.05)
    assert ways._map(0, mesh, 0.1).mask is lower
    assert ways._map(1, square(), 0.0).mask.any()
