"""MuJoCo: whole scenes through OpenGL, one image a call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .peer import THE_SAME, Peer
from .task import Mesh, Task


def setup(task: Task) -> Callable[[], int]:
    """A model of each scene: one body, nothing that moves, and a camera that goes from view to view."""
    import mujoco

    worlds = []
    for mesh in task.scenes:
        model = _model(mesh, task)
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        renderer = mujoco.Renderer(model, task.height, task.width)
        renderer.enable_depth_rendering()
        worlds.append((data, renderer))
    views = task.views()

    def draw() -> int:
        slot, pose = next(views)
        data, renderer = worlds[slot]
        data.cam_xpos[0], data.cam_xmat[0] = pose[:3, 3], pose[:3, :3].reshape(9)
        renderer.update_scene(data, camera=0)
        renderer.render()
        return 1

    return draw


def _model(mesh: Mesh, task: Task) -> Any:
    import mujoco

    spec = mujoco.MjSpec()
    spec.stat.extent = 1.0
    spec.visual.map.znear, spec.visual.map.zfar = task.near, task.far
    spec.add_mesh(
        name="scene",
        uservert=mesh.positions.ravel(),
        userface=mesh.triangles.ravel(),
        inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
    )
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname="scene", contype=0, conaffinity=0)
    aspect = task.width / task.height
    fovy = 2.0 * np.rad2deg(np.arctan(np.tan(np.deg2rad(task.hfov_deg) / 2.0) / aspect))
    spec.worldbody.add_camera(name="eye", fovy=fovy)
    return spec.compile()


PEER = Peer(
    name="mujoco",
    file=__file__,
    distribution="mujoco",
    benchmark="render",
    outputs=("depth",),
    scene=THE_SAME,
    setup=setup,
    images_per_call=1,
    processes=None,
    environment={"MUJOCO_GL": "egl", "LP_NUM_THREADS": "0"},
)
