"""How each peer's library is used; mocks stand in for the libraries, which are not installed here."""

from __future__ import annotations

import dataclasses
import math
import sys
from types import SimpleNamespace
from unittest.mock import MagicMock

import gymnasium
import numpy as np
import pytest

from gym_batchnav.cli.bench.peers import PEERS
from gym_batchnav.cli.bench.peers.task import Mesh, Task


@pytest.fixture
def library(monkeypatch):
    """Puts a mock in the place of a library."""

    def put(name: str, **attributes: object) -> MagicMock:
        mock = MagicMock(**attributes)
        monkeypatch.setitem(sys.modules, name, mock)
        return mock

    return put


def mesh(textured: bool) -> Mesh:
    """Two triangles of materials 1 and 0 without vertex colours."""
    return Mesh(
        positions=np.arange(18, dtype=np.float32).reshape(6, 3),
        triangles=np.array([[0, 1, 2], [3, 4, 5]], dtype=np.int32),
        uvs=np.array([[0, 0], [0.25, 0.75], [1, 1]] * 2, dtype=np.float32),
        colors=np.empty((0, 4), np.uint8),
        material_ids=np.array([1, 0], dtype=np.int32),
        base_colors=np.array([[1, 1, 1, 1], [0.5, 0, 0, 1]], dtype=np.float32),
        texture_ids=np.array([0, -1], dtype=np.int32),
        textures=[np.full((2, 2, 4), 7, np.uint8)] if textured else (),
    )


def poses() -> np.ndarray:
    """One batch of two views at x = 1 and x = 2, the second turned by 90 degrees about y."""
    made = np.stack([np.eye(4, dtype=np.float32)] * 2)
    made[:, 0, 3] = 1, 2
    made[1, :3, :3] = [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]
    return made[None]


def task(outputs: tuple[str, ...], **changes: object) -> Task:
    # Twice as wide as high: the vertical field of view of 90 degrees is 2 atan(tan(45 deg) / 2).
    plain = Task(outputs=outputs, height=8, width=16, seed=5, near=0.02, far=9.0, hfov_deg=90.0)
    return dataclasses.replace(plain, **changes)


VFOV = 2 * math.atan(0.5)


def test_pyrender_draws_each_view_of_each_material(library):
    pyrender = library("pyrender")
    node = pyrender.Scene.return_value.add.return_value
    given = task(("rgb",), scenes=[mesh(True)], slots=np.array([0, 0]), poses=poses())
    draw = PEERS["pyrender"].setup(given)
    (camera,) = pyrender.PerspectiveCamera.call_args_list
    assert camera.kwargs == pytest.approx({"yfov": VFOV, "aspectRatio": 2.0, "znear": 0.02, "zfar": 9.0})
    first, second = pyrender.Primitive.call_args_list
    # Material 0 is that of the second triangle.
    assert np.array_equal(first.kwargs["positions"], mesh(True).positions[3:])
    assert first.kwargs["indices"].tolist() == second.kwargs["indices"].tolist() == [[0, 1, 2]]
    # v = 0 is the top here and the bottom there.
    assert first.kwargs["texcoord_0"].tolist() == [[0, 1], [0.25, 0.25], [1, 0]]
    plain, red = (call.kwargs for call in pyrender.MetallicRoughnessMaterial.call_args_list)
    assert plain["baseColorTexture"] is pyrender.Texture.return_value
    assert red["baseColorTexture"] is None
    assert red["baseColorFactor"].tolist() == [0.5, 0, 0, 1]
    assert [draw(), draw(), draw()] == [1, 1, 1]
    seen = pyrender.Scene.return_value.set_pose.call_args_list
    assert [call.args[0] for call in seen] == [node] * 3
    assert [call.args[1][0, 3] for call in seen] == [1, 2, 1]
    pyrender.OffscreenRenderer.assert_called_once_with(16, 8)
    assert pyrender.OffscreenRenderer.return_value.render.call_count == 3


def test_pyrender_draws_depth_as_one_mesh(library):
    pyrender = library("pyrender")
    pyrender.RenderFlags = SimpleNamespace(SKIP_CULL_FACES=1, FLAT=2, DEPTH_ONLY=4)
    given = task(("depth",), scenes=[mesh(False)], slots=np.array([0, 0]), poses=poses())
    PEERS["pyrender"].setup(given)()
    assert pyrender.Primitive.call_count == 1
    render = pyrender.OffscreenRenderer.return_value.render
    render.assert_called_once_with(pyrender.Scene.return_value, flags=1 | 4)


def test_mujoco_draws_depth_from_where_the_camera_is(library):
    mujoco = library("mujoco")
    spec = mujoco.MjSpec.return_value
    data = mujoco.MjData.return_value
    data.cam_xpos, data.cam_xmat = np.zeros((1, 3)), np.zeros((1, 9))
    seen = []
    renderer = mujoco.Renderer.return_value
    renderer.update_scene.side_effect = lambda data, camera: seen.append(
        (data.cam_xpos[0].tolist(), data.cam_xmat[0].tolist(), camera)
    )
    given = task(("depth",), scenes=[mesh(False)], slots=np.array([0, 0]), poses=poses())
    draw = PEERS["mujoco"].setup(given)
    assert spec.worldbody.add_camera.call_args.kwargs["fovy"] == pytest.approx(math.degrees(VFOV))
    assert (spec.stat.extent, spec.visual.map.znear, spec.visual.map.zfar) == (1.0, 0.02, 9.0)
    assert spec.add_mesh.call_args.kwargs["userface"].tolist() == [0, 1, 2, 3, 4, 5]
    mujoco.Renderer.assert_called_once_with(spec.compile.return_value, 8, 16)
    renderer.enable_depth_rendering.assert_called_once_with()
    assert [draw(), draw()] == [1, 1]
    assert renderer.render.call_count == 2
    assert seen == [([1, 0, 0], [1, 0, 0, 0, 1, 0, 0, 0, 1], 0), ([2, 0, 0], [0, 0, 1, 0, 1, 0, -1, 0, 0], 0)]


@pytest.mark.parametrize("outputs", [("depth",), ("rgb",), ("depth", "rgb")])
def test_miniworld_draws_what_is_asked_for_from_its_places(library, monkeypatch, outputs):
    pyglet = library("pyglet", options={})
    library("miniworld")
    env = MagicMock()
    env.agent = SimpleNamespace(pos=np.zeros(3), dir=0.0)

    def place(agent: SimpleNamespace) -> None:
        agent.pos, agent.dir = agent.pos + 1.0, agent.dir + 0.1

    env.place_entity.side_effect = place
    made = []

    def make(name: str, **size: int) -> SimpleNamespace:
        made.append((name, size))
        return SimpleNamespace(reset=env.reset, unwrapped=env)

    monkeypatch.setattr(gymnasium, "make", make)
    draw = PEERS["miniworld"].setup(task(outputs))
    assert pyglet.options["headless"] is True
    assert made == [("MiniWorld-FourRooms-v0", {"obs_width": 16, "obs_height": 8})]
    env.reset.assert_called_once_with(seed=5)
    assert [draw(), draw()] == [1, 1]
    # The agent stands at the second of the places: (2, 2, 2).
    assert env.agent.pos.tolist() == [2, 2, 2]
    assert env.agent.dir == pytest.approx(0.2)
    assert env.render_obs.call_count == 2 * ("rgb" in outputs)
    assert env.render_depth.call_count == 2 * ("depth" in outputs)


def test_vizdoom_acts_and_begins_anew(library):
    vizdoom = library("vizdoom", scenarios_path="/scenarios")
    game = vizdoom.DoomGame.return_value
    game.get_available_buttons_size.return_value = 3
    game.is_episode_finished.side_effect = [False, True]
    draw = PEERS["vizdoom"].setup(task(("depth",), height=120, width=160))
    game.load_config.assert_called_once_with("/scenarios/my_way_home.cfg")
    game.set_screen_resolution.assert_called_once_with(vizdoom.ScreenResolution.RES_160X120)
    game.set_depth_buffer_enabled.assert_called_once_with(True)
    game.set_labels_buffer_enabled.assert_called_once_with(False)
    game.set_seed.assert_called_once_with(5)
    assert [draw(), draw()] == [1, 1]
    game.new_episode.assert_called_once_with()
    assert [len(call.args[0]) for call in game.make_action.call_args_list] == [3, 3]
    assert game.get_state.call_count == 2


@pytest.mark.parametrize(
    ("outputs", "how"), [(("depth",), {"query": "DISTANCE"}), (("semantic",), {"output": 1})]
)
def test_embreex_casts_all_rays_of_a_batch_in_shares(monkeypatch, outputs, how):
    from embreex import mesh_construction, rtcore_scene

    scene = MagicMock()
    monkeypatch.setattr(rtcore_scene, "EmbreeScene", MagicMock(return_value=scene))
    monkeypatch.setattr(mesh_construction, "TriangleMesh", MagicMock())
    given = task(outputs, scenes=[mesh(False)], slots=np.array([0, 0]), poses=poses(), threads=2)
    assert PEERS["embreex"].setup(given)() == 2
    first, second = sorted(scene.run.call_args_list, key=lambda call: call.args[0][0, 0])
    assert first.kwargs == second.kwargs == how
    # A view of 8 x 16 rays for each thread, from x = 1 and x = 2.
    assert first.args[0].tolist() == [[1, 0, 0]] * 128
    assert second.args[0].tolist() == [[2, 0, 0]] * 128
    # 90 degrees over 16 pixels of 1/8: the pixel at the top left looks along (-15/16, 7/16, -1).
    assert first.args[1][0].tolist() == [-15 / 16, 7 / 16, -1]
    # The second camera is turned: x becomes -z, and -z becomes -x.
    assert second.args[1][0].tolist() == [-1, 7 / 16, 15 / 16]
