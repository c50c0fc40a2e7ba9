"""embreex: Embree's rays one by one, called with arrays of rays. Its rays are made ready beforehand."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from .peer import THE_SAME, Peer
from .task import Task

_MOST_BYTES = 1 << 30
"""Of ready rays; where they take more, fewer of the batches are drawn in turn."""


def setup(task: Task) -> Callable[[], int]:
    """Scenes and rays; a call of the library casts the rays of one thread's share of one scene's views."""
    from embreex.mesh_construction import TriangleMesh
    from embreex.rtcore_scene import EmbreeScene

    scenes = []
    for mesh in task.scenes:
        scenes.append(EmbreeScene())
        TriangleMesh(scenes[-1], mesh.positions, mesh.triangles)
    size = len(task.slots) * task.height * task.width * 2 * 3 * 4
    batches = [_jobs(task, poses) for poses in task.poses[: max(1, _MOST_BYTES // size)]]
    turns = itertools.cycle(batches)
    pool = ThreadPoolExecutor(task.threads)
    # Distances alone are quicker; everything else comes with identities and normals.
    how: dict[str, Any] = {"query": "DISTANCE"} if task.outputs == ("depth",) else {"output": 1}

    def cast(job: tuple[int, Any, Any]) -> None:
        scene, origins, directions = job
        scenes[scene].run(origins, directions, **how)

    def draw() -> int:
        list(pool.map(cast, next(turns)))
        return len(task.slots)

    return draw


def _jobs(task: Task, poses: Any) -> list[tuple[int, Any, Any]]:
    """(scene, origins, directions) of shares that keep all threads busy."""
    directions = camera_rays(task.height, task.width, task.hfov_deg)
    jobs = []
    for scene in np.unique(task.slots):
        for views in np.array_split(poses[task.slots == scene], task.threads):
            if len(views):
                world = np.einsum("nij,pj->npi", views[:, :3, :3], directions)
                origins = np.broadcast_to(views[:, None, :3, 3], world.shape)
                jobs.append((int(scene), _rays(origins), _rays(world)))
    return jobs


def _rays(vectors: Any) -> Any:
    return np.ascontiguousarray(vectors.reshape(-1, 3), dtype=np.float32)


def camera_rays(height: int, width: int, hfov_deg: float) -> Any:
    """Directions (H * W, 3) through the pixel centres, of length 1 along the view axis; row 0 is the top."""
    pixel = 2.0 * np.tan(np.deg2rad(hfov_deg) / 2.0) / width
    right = (np.arange(width) + 0.5 - width / 2.0) * pixel
    up = (height / 2.0 - np.arange(height) - 0.5) * pixel
    grid = np.meshgrid(right, up)
    return np.stack([*grid, np.full((height, width), -1.0)], axis=-1).reshape(-1, 3)


PEER = Peer(
    name="embreex",
    file=__file__,
    distribution="embreex",
    benchmark="render",
    outputs=("depth", "semantic", "normals"),
    scene=THE_SAME,
    setup=setup,
    threads=None,
)
