"""What a peer is given to do; written to a file, since the peer may live in another interpreter."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

Array = Any


class Mesh(NamedTuple):
    """A scene. An array without rows stands for one that the scene does not have."""

    positions: Array
    """(V, 3) float32, metres."""
    triangles: Array
    """(F, 3) int32."""
    uvs: Array
    """(V, 2) float32."""
    colors: Array
    """(V, 4) uint8 linear vertex colours."""
    material_ids: Array
    """(F,) int32."""
    base_colors: Array
    """(M, 4) float32 linear factors."""
    texture_ids: Array
    """(M,) int32; -1 for none."""
    textures: Sequence[Array] = ()
    """(h, w, 4) uint8 sRGB each; none where no colours are drawn."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """Scenes and cameras, or an environment to step."""

    outputs: tuple[str, ...]
    """Images to draw."""
    height: int
    """Rows of an image."""
    width: int
    """Columns of an image."""
    seed: int
    """Seed of what the peer draws at random."""
    threads: int = 1
    """Threads that draw."""
    hfov_deg: float = 90.0
    """Horizontal field of view, degrees."""
    near: float = 0.01
    """Nearest depth, metres."""
    far: float = 10.0
    """Farthest depth, metres."""
    num_envs: int = 1
    """Environments to step."""
    env: dict[str, Any] = field(default_factory=dict)
    """Keyword arguments of these."""
    learner: dict[str, Any] = field(default_factory=dict)
    """Settings of the learner, as ``TrainConfig.to_dict`` gives them."""
    action_probabilities: tuple[float, ...] = ()
    """Of the actions by number."""
    scenes: Sequence[Mesh] = ()
    """The scenes of a render benchmark."""
    slots: Array = None
    """(N,) the scene of each view."""
    poses: Array = None
    """(S, N, 4, 4) float32 world_from_camera: S batches of views, to be drawn in turn."""

    @property
    def resolution(self) -> tuple[int, int]:
        """(height, width)."""
        return self.height, self.width

    @property
    def batch(self) -> int:
        """Images of a whole batch."""
        return self.num_envs if self.slots is None else len(self.slots)

    def views(self) -> Iterator[tuple[int, Array]]:
        """(scene, pose) of one view after the other, without end; those of a scene together in each batch."""
        order = np.argsort(self.slots, kind="stable")
        for poses in itertools.cycle(self.poses):
            for view in order:
                yield int(self.slots[view]), poses[view]


def write_task(path: Path, task: Task) -> None:
    """Write a task."""
    arrays = {"slots": task.slots, "poses": task.poses} if task.scenes else {}
    for number, mesh in enumerate(task.scenes):
        arrays.update({f"{number}/{name}": getattr(mesh, name) for name in Mesh._fields[:-1]})
        arrays.update({f"{number}/textures/{n}": texture for n, texture in enumerate(mesh.textures)})
    plain = {k: v for k, v in vars(task).items() if k not in ("scenes", "slots", "poses")}
    np.savez(path, plain=np.array(json.dumps(plain)), num_scenes=np.array(len(task.scenes)), **arrays)


def read_task(path: Path) -> Task:
    """Read what ``write_task`` wrote."""
    with np.load(path) as file:
        plain = json.loads(str(file["plain"]))
        plain["outputs"] = tuple(plain["outputs"])
        scenes = [_read_mesh(file, number) for number in range(int(file["num_scenes"]))]
        if not scenes:
            return Task(**plain)
        return Task(**plain, scenes=scenes, slots=file["slots"], poses=file["poses"])


def _read_mesh(file: Any, number: int) -> Mesh:
    arrays = {name: file[f"{number}/{name}"] for name in Mesh._fields[:-1]}
    textures: list[Array] = []
    while (name := f"{number}/textures/{len(textures)}") in file:
        textures.append(file[name])
    return Mesh(**arrays, textures=textures)
