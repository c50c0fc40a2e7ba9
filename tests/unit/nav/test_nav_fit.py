"""Navigation meshes that do not lie in their scene are noticed."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from gym_batchnav.nav import NavMesh, navmesh_for
from gym_batchnav.scenes import SceneWarning

# 6 m along x, 3 m high, 10 m along z, somewhere.
LOW, HIGH = np.array([2.0, -1.0, 5.0]), np.array([8.0, 2.0, 15.0])


@pytest.fixture
def mesh_file(tmp_path):
    (x, y, z), (right, _, back) = LOW, HIGH
    corners = [(x, y, z), (right, y, z), (right, y, back), (x, y, back)]
    NavMesh.from_polygons(corners, [[0, 3, 2, 1]]).save(tmp_path / "a.navmesh")
    return tmp_path / "a.navmesh"


def load(mesh_file, low, high):
    scene = SimpleNamespace(
        scene_id="hall", navmesh_path=mesh_file, walkable=None, positions=np.array([low, high], np.float32)
    )
    return navmesh_for(scene)


def test_a_mesh_in_its_scene_gives_no_warning(mesh_file, recwarn):
    assert load(mesh_file, LOW, HIGH).area_m2 == pytest.approx(60)
    # Less than a metre out of it on one side.
    load(mesh_file, LOW + np.array([0.9, 0, 0]), HIGH)
    assert not recwarn.list


@pytest.mark.parametrize(
    ("low", "high", "advice"),
    [
        # The same room with z up: (x, y, z) in the world is (x, -z, y) in the file.
        ([2, -15, -1], [8, -5, 2], "if z were up in the scene file; if so, pass scene_up='z'"),
        # Turned though y was up: (x, y, z) in the file became (x, z, -y).
        ([2, 5, -2], [8, 15, 1], "if y were up in the scene file; if so, pass scene_up='y'"),
        # In centimetres from the corner on.
        ([0.02, -0.01, 0.05], [0.08, 0.02, 0.15], "check that both are of one scene"),
    ],
)
def test_others_are_noticed(mesh_file, low, high, advice):
    with pytest.warns(SceneWarning, match=rf"hall: spans .*a\.navmesh spans 2\.0\.\.8\.0 x .*{advice}"):
        load(mesh_file, low, high)
