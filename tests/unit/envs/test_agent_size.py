"""The ground is for the agent that is asked for."""

from __future__ import annotations

import logging

import numpy as np
import pytest

from gym_batchnav import BatchPointNavEnv, ConfigError, NavMeshError
from gym_batchnav.nav import AgentSettings, bake_navmesh, navmesh_for
from gym_batchnav.scenes import load_scene
from tests.unit.scenes.gltf_files import GltfFile

KWARGS = {"sensors": (), "straight_ratio": 1.0, "scene_cache": False}


def box(low, high):
    """Corners of a box's six sides, each counter-clockwise seen from outside."""
    (a, b, c), (x, y, z) = low, high
    return [
        [(a, y, c), (a, y, z), (x, y, z), (x, y, c)],
        [(a, b, c), (x, b, c), (x, b, z), (a, b, z)],
        [(a, b, z), (x, b, z), (x, y, z), (a, y, z)],
        [(x, b, c), (a, b, c), (a, y, c), (x, y, c)],
        [(x, b, c), (x, y, c), (x, y, z), (x, b, z)],
        [(a, b, c), (a, b, z), (a, y, z), (a, y, c)],
    ]


@pytest.fixture
def room(tmp_path):
    """Floor of 8 x 4 m; over its half x > 4 a slab from 1.2 m to 1.4 m up; a step of 0.3 m at x < 1."""
    sides = [*box((0, -0.1, 0), (8, 0, 4)), *box((4, 1.2, 0), (8, 1.4, 4)), *box((0, 0, 0), (1, 0.3, 4))]
    file = GltfFile()
    corners = np.array(sides, np.float32).reshape(-1, 3)
    order = np.array([0, 1, 2, 0, 2, 3]) + 4 * np.arange(len(sides))[:, None]
    file.primitive(corners, order.ravel().astype(np.uint16))
    return file.save(tmp_path, "room.glb")


def ground(path, **kwargs):
    env = BatchPointNavEnv(1, scenes=path, **{**KWARGS, **kwargs})
    mesh = env.navmesh(0)
    env.close()
    return mesh


def on(mesh, x, y=0.0, z=2.0):
    return bool(mesh.is_navigable([[x, y, z]])[0])


def test_each_part_of_the_agent_reaches_the_bake(room):
    usual = ground(room)
    # Two metres from the walls, on the step, under the slab (1.2 m high), on the slab.
    assert [on(usual, 2.5), on(usual, 0.5, 0.3), on(usual, 6.0)] == [True, True, False]
    assert usual.island([[2.5, 0, 2]]) != usual.island([[0.5, 0.3, 2]])
    low = ground(room, agent_height=1.0)
    assert on(low, 6.0)
    # Voxels are 0.2 m high: the step, and two of them.
    climber = ground(room, agent_max_climb=0.4)
    assert climber.island([[2.5, 0, 2]]) == climber.island([[0.5, 0.3, 2]])
    for radius in (0.1, 0.5):
        mesh = ground(room, agent_radius=radius)
        # Along z there are 4 m of floor; cells are 0.05 m.
        assert on(mesh, 2.5, z=radius + 0.1)
        assert not on(mesh, 2.5, z=radius - 0.06)
    mesh = ground(room, agent_radius=0.5)
    assert mesh.settings == AgentSettings(agent_radius=0.5)


def test_slope_reaches_the_bake(tmp_path):
    file = GltfFile()
    # 30 degrees: 3 m up on 5.2 m.
    corners = np.array([[0, 0, 0], [0, 0, 5], [5.2, 3, 5], [5.2, 3, 0]], np.float32)
    file.primitive(corners, np.array([0, 1, 2, 0, 2, 3], np.uint16))
    path = file.save(tmp_path, "ramp.glb")
    assert ground(path, agent_max_climb=0.4).area_m2 > 20.0
    with pytest.raises(NavMeshError, match="within 25 degrees"):
        ground(path, agent_max_slope=25.0)


@pytest.mark.parametrize(
    ("wanted", "suits"),
    [
        ({}, True),
        ({"agent_radius": 0.2}, True),
        ({"agent_radius": 0.3}, False),
        ({"agent_height": 1.0}, True),
        ({"agent_height": 1.6}, False),
        ({"agent_max_climb": 0.3}, True),
        ({"agent_max_climb": 0.1}, False),
        ({"agent_max_slope": 50.0}, True),
        ({"agent_max_slope": 40.0}, False),
    ],
)
def test_file_beside_a_scene_counts_for_agents_no_larger_than_its_own(room, caplog, wanted, suits):
    scene = load_scene(room)
    made = AgentSettings(agent_radius=0.2)
    bake_navmesh(scene.positions, scene.triangles, made).save(room.with_suffix(".navmesh"))
    with caplog.at_level(logging.INFO):
        mesh = ground(room, **wanted)
    assert (mesh.settings == made) == suits
    if not suits:
        assert mesh.settings == AgentSettings(**wanted)
        assert "room.navmesh: was baked for an agent of radius 0.2 m" in caplog.text
        assert "baked anew" in caplog.text
    # As a file that was asked for by name, it is no file to be passed over.
    if suits:
        assert ground(room, navmesh=room.with_suffix(".navmesh"), **wanted).settings == made
    else:
        with pytest.raises(NavMeshError, match=r"too small for one of .*leave the file out"):
            ground(room, navmesh=room.with_suffix(".navmesh"), **wanted)


def test_without_an_agent_a_file_is_taken_as_it_is(room):
    scene = load_scene(room)
    small = AgentSettings(agent_radius=0.05, agent_height=0.5)
    bake_navmesh(scene.positions, scene.triangles, small).save(room.with_suffix(".navmesh"))
    assert navmesh_for(load_scene(room)).settings == small
    assert navmesh_for(load_scene(room), AgentSettings()).settings == AgentSettings()


def test_houses_are_made_for_the_agent():
    areas = [ground("houses:train/3", agent_radius=radius).area_m2 for radius in (0.05, 0.1, 0.25)]
    assert areas[0] > areas[1] > areas[2]
    assert ground("houses:train/3", agent_height=1.0, agent_max_climb=0.5).area_m2 == areas[1]


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"agent_radius": 0.35}, r"agent_radius=0.35 .*0\.05 to 0\.3 in steps of 0\.01"),
        ({"agent_radius": 0.123}, "agent_radius=0.123"),
        ({"agent_height": 1.6}, r"agent_height=1.6 is not allowed with built-in houses.* 1\.5 m"),
        ({"agent_max_climb": 0.1}, r"agent_max_climb=0.1 is not allowed with built-in houses.* 0\.2 m"),
        ({"agent_radius": -0.1}, "agent_radius"),
        ({"agent_max_slope": 90.0}, "agent_max_slope"),
        ({"agent_height": 0.0}, "agent_height"),
    ],
)
def test_agents_that_cannot_be(wanted, message):
    with pytest.raises(ConfigError, match=message):
        BatchPointNavEnv(1, scenes="houses:train/3", **wanted)
