"""Scene files of others: they load, have the triangles that their description gives, and are drawn."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from batchnav_renderer import BatchRenderer, RenderConfig
from batchnav_renderer.camera import world_from_camera
from gym_batchnav.scenes import SceneWarning, load_scene

# Triangles, the size along x, y, z in metres to 0.1 m, and images.
FILES = {
    "aws_small_house.glb": (145_844, (19.0, 3.0, 11.4), 46),
    "aws_small_house.basis_etc1s.glb": (145_844, (19.0, 3.0, 11.4), 46),
    "cave_draco.glb": (595_410, (10.7, 3.5, 32.9), 0),
    "hotel_room_meshopt_mm.glb": (99_029, (6.5, 2.2, 10.0), 6),
    "ifc_duplex.glb": (26_348, (9.3, 8.2, 26.6), 0),
    "gazebo_cafe.glb": (23_834, (10.2, 2.9, 24.4), 0),
    "quest_living_room.glb": (62_102, (6.1, 3.9, 4.6), 0),
    "recast_dungeon.obj": (10_133, (74.3, 40.2, 98.9), 0),
    "houseexpo_1451_zup.ply": (1732, (11.3, 3.0, 10.8), 0),
    "PrimitiveModeNormalsTest.glb": (2562, (20.0, 14.0, 3.0), 1),
    "simple-instancing.glb": (1500, (14.4, 14.4, 14.4), 0),
}
OPTIONS = {"hotel_room_meshopt_mm.glb": {"scale": 0.001}, "houseexpo_1451_zup.ply": {"up": "z"}}
NEEDS = {
    "aws_small_house.basis_etc1s.glb": "opengl_basisu",
    "cave_draco.glb": "DracoPy",
    "hotel_room_meshopt_mm.glb": "meshopt",
}


def load(folder, name):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name], reason="the extra 'formats' is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SceneWarning)
        return load_scene(folder / "scenes" / name, **OPTIONS.get(name, {}))


def draw(scene, poses):
    """(n, 64, 64, 3) int colours and (n, 64, 64) depth."""
    config = RenderConfig(
        num_views=len(poses), outputs=("rgb", "depth"), far=200.0, backend="embree", device="cpu"
    )
    with BatchRenderer(config) as renderer:
        renderer.set_views([renderer.add_scene(scene.arrays)] * len(poses), poses)
        images = renderer.render()
        return images["rgb"].astype(int)[..., :3], np.array(images["depth"]).reshape(len(poses), 64, 64)


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_it_loads_and_is_drawn(shared_data, name):
    scene = load(shared_data, name)
    triangles, size, num_images = FILES[name]
    assert scene.arrays.num_triangles == triangles
    np.testing.assert_allclose(np.ptp(scene.positions, axis=0), size, atol=0.06)
    assert len(scene.arrays.textures) == num_images
    low, high = scene.positions.min(axis=0), scene.positions.max(axis=0)
    # From outside, at the height of its middle, looking along -z: its near side is in the view.
    middle = (low + high) / 2
    away = float(np.ptp(scene.positions, axis=0)[:2].max()) / 2
    _, depth = draw(scene, world_from_camera([[middle[0], middle[1], high[2] + away]], [0.0]))
    assert (depth < 200.0).mean() > 0.02
    assert depth.min() == pytest.approx(away, abs=0.5 * float(high[2] - low[2]) + 0.01)


@pytest.mark.slow
def test_the_compressed_textures_look_like_the_images_that_they_were_made_of(shared_data, rng):
    where = rng.uniform([-9, 0.5, -5], [9, 1.7, 5], (256, 3))
    poses = world_from_camera(where, rng.uniform(-np.pi, np.pi, 256), rng.uniform(-0.4, 0.4, 256))
    plain, _ = draw(load(shared_data, "aws_small_house.glb"), poses)
    compressed, _ = draw(load(shared_data, "aws_small_house.basis_etc1s.glb"), poses)
    difference = np.abs(plain - compressed)
    assert plain.std() > 30.0
    assert 0.1 < difference.mean() < 6.0
    assert difference.mean(axis=(1, 2, 3)).max() < 6.0


def test_millimetres_are_noticed(shared_data):
    pytest.importorskip("meshopt", reason="the extra 'formats' is not installed")
    with pytest.warns(SceneWarning, match=r"left out: 1 of LINES|in millimetres") as caught:
        load_scene(shared_data / "scenes" / "hotel_room_meshopt_mm.glb")
    assert len([one for one in caught if issubclass(one.category, SceneWarning)]) == 2


def test_a_z_up_plan_is_noticed(shared_data):
    with pytest.warns(SceneWarning, match="as if z were up"):
        load_scene(shared_data / "scenes" / "houseexpo_1451_zup.ply")
