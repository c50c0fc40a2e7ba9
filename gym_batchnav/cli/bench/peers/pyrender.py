"""pyrender: whole scenes through OpenGL, one image a call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .peer import THE_SAME, Peer
from .task import Mesh, Task


def setup(task: Task) -> Callable[[], int]:
    """Scenes with their materials, and one camera that goes from view to view."""
    import pyrender

    aspect = task.width / task.height
    yfov = 2.0 * np.arctan(np.tan(np.deg2rad(task.hfov_deg) / 2.0) / aspect)
    camera = pyrender.PerspectiveCamera(yfov=yfov, aspectRatio=aspect, znear=task.near, zfar=task.far)
    scenes = []
    for mesh in task.scenes:
        scene = pyrender.Scene(bg_color=np.zeros(4))
        scene.add(pyrender.Mesh(_primitives(mesh, "rgb" in task.outputs)))
        scenes.append((scene, scene.add(camera)))
    renderer = pyrender.OffscreenRenderer(task.width, task.height)
    flags = pyrender.RenderFlags.SKIP_CULL_FACES
    flags |= pyrender.RenderFlags.FLAT if "rgb" in task.outputs else pyrender.RenderFlags.DEPTH_ONLY
    views = task.views()

    def draw() -> int:
        slot, pose = next(views)
        scene, node = scenes[slot]
        scene.set_pose(node, pose)
        renderer.render(scene, flags=flags)
        return 1

    return draw


def _primitives(mesh: Mesh, colored: bool) -> list[Any]:
    """One primitive a material, or one of all triangles where colours do not matter."""
    import pyrender

    if not colored:
        return [pyrender.Primitive(positions=mesh.positions, indices=mesh.triangles)]
    textures = [pyrender.Texture(source=image, source_channels="RGBA") for image in mesh.textures]
    made = []
    for number in np.unique(mesh.material_ids):
        vertices, indices = np.unique(mesh.triangles[mesh.material_ids == number], return_inverse=True)
        texture = mesh.texture_ids[number]
        material = pyrender.MetallicRoughnessMaterial(
            baseColorFactor=mesh.base_colors[number],
            baseColorTexture=textures[texture] if texture >= 0 else None,
        )
        made.append(
            pyrender.Primitive(
                positions=mesh.positions[vertices],
                indices=indices.reshape(-1, 3),
                # Its images begin at the bottom.
                texcoord_0=mesh.uvs[vertices] * (1, -1) + (0, 1) if len(mesh.uvs) else None,
                color_0=mesh.colors[vertices] if len(mesh.colors) else None,
                material=material,
            )
        )
    return made


PEER = Peer(
    name="pyrender",
    file=__file__,
    distribution="pyrender",
    benchmark="render",
    outputs=("depth", "rgb"),
    scene=THE_SAME,
    setup=setup,
    images_per_call=1,
    processes=None,
    environment={"PYOPENGL_PLATFORM": "egl", "LP_NUM_THREADS": "0"},
)
