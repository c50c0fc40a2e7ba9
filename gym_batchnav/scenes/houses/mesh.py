"""Collects quads, boxes and prisms in whole millimetres and turns them into the renderer's arrays."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from batchnav_renderer.types import SceneArrays

from .classes import CLASS_NAMES
from .finishes import Palette
from .quads import LONGEST, Quads, cut_long, triangles
from .shapes.shape import Shape

Ints = NDArray[np.int64]


class Turn(NamedTuple):
    """Rotation about +Y by the angle whose cosine and sine are ``c / d`` and ``s / d`` (Pythagorean)."""

    c: int
    s: int
    d: int = 1


QUARTER_TURNS = (Turn(1, 0), Turn(0, 1), Turn(-1, 0), Turn(0, -1))
"""Turns that make a piece's front (+z) face away from sides 0 to 3 of a room."""


class Place(NamedTuple):
    """Where the local origin of a piece stands, and how it is turned."""

    x: int
    z: int
    turn: Turn = QUARTER_TURNS[0]
    y: int = 0
    """Height of the floor that it stands on."""

    def apply(self, x: int, z: int) -> tuple[int, int]:
        """Local to plan coordinates, rounded to a millimetre."""
        c, s, d = self.turn
        return self.x + _divide(c * x - s * z, d), self.z + _divide(s * x + c * z, d)


def _divide(value: Any, by: Any) -> Any:
    """Division rounded half up, in whole numbers."""
    return (2 * value + by) // (2 * by)


# Corners of a box: bit 0 is x, bit 1 is y, bit 2 is z. Faces: -x, +x, -y, +y, -z, +z, seen from outside.
_FACES = np.array([[0, 4, 6, 2], [5, 1, 3, 7], [0, 1, 5, 4], [6, 7, 3, 2], [1, 0, 2, 3], [4, 5, 7, 6]])
_FACE_AXES = np.array([[2, 1], [2, 1], [0, 2], [0, 2], [0, 1], [0, 1]])


@dataclass(slots=True)
class MeshBuilder:
    """Geometry of one house."""

    fineness: int = 1
    """Divides the largest quads of the shell and of long boards."""
    object_classes: list[str] = field(default_factory=lambda: ["void"])
    """Class of each object id; id 0 is nothing."""
    _boxes: list[tuple[int, ...]] = field(default_factory=list)
    # x0, y0, z0, x1, y1, z1, c, s, d, x, z, y, finish, object id.
    _shapes: list[tuple[Shape, Place, Ints | int, int]] = field(default_factory=list)
    _corners: list[Ints] = field(default_factory=list)
    _texture: list[Ints] = field(default_factory=list)
    _normals: list[Ints] = field(default_factory=list)
    _finish: list[Ints] = field(default_factory=list)
    _object: list[Ints] = field(default_factory=list)

    def new_object(self, class_name: str) -> int:
        """Id of a new object of a class out of ``CLASS_NAMES``."""
        assert class_name in CLASS_NAMES, class_name
        self.object_classes.append(class_name)
        return len(self.object_classes) - 1

    @property
    def triangles_of_shapes(self) -> int:
        """Triangles of all shapes so far."""
        return 2 * sum(len(shape.corners) for shape, *_ in self._shapes)

    def mark(self) -> tuple[int, ...]:
        """How much there is so far, for ``undo``."""
        kept = (self.object_classes, self._boxes, self._shapes, self._corners, self._texture, self._normals)
        return tuple(len(some) for some in (*kept, self._finish, self._object))

    def undo(self, mark: tuple[int, ...]) -> None:
        """Take back all that was added since a ``mark``."""
        kept = (self.object_classes, self._boxes, self._shapes, self._corners, self._texture, self._normals)
        for some, count in zip((*kept, self._finish, self._object), mark, strict=True):
            del some[count:]  # type: ignore[attr-defined]

    def add_box(
        self, bounds: tuple[int, int, int, int, int, int], place: Place, finish: int, owner: int
    ) -> None:
        """Add a box given as x0, y0, z0, x1, y1, z1 in the local frame of ``place``."""
        self._boxes.append((*bounds, *place.turn, place.x, place.z, place.y, finish, owner))

    def add_shape(self, shape: Shape, place: Place, finish: Ints | int, owner: int) -> None:
        """Add a shape at a place, ``place.y`` up; one finish for all its quads, or (Q,)."""
        self._shapes.append((shape, place, finish, owner))

    def add_quads(
        self, corners: Ints, texture: Ints, finish: Ints | int, owner: int, normals: Ints | None = None
    ) -> None:
        """Add quads in world coordinates.

        Args:
            corners: (Q, 4, 3) millimetres, counter-clockwise from the front.
            texture: (Q, 4, 2) millimetres along the texture, or per mille of it for fitted finishes.
            finish: finish of all, or (Q,).
            owner: object id.
            normals: (Q, 4, 3) directions of any length in which the surface faces at each corner, for round
                things; None for flat quads.
        """
        count = len(corners)
        self._corners.append(corners)
        self._texture.append(texture)
        self._normals.append(_flat_normals(corners) if normals is None else normals)
        self._finish.append(np.broadcast_to(np.asarray(finish, np.int64), (count,)))
        self._object.append(np.full(count, owner, np.int64))

    def finish(self, palette: Palette) -> SceneArrays:
        """Turn everything into arrays."""
        self._flush_boxes(palette)
        self._flush_shapes()
        arrays = (self._corners, self._texture, self._normals, self._finish, self._object)
        quads = Quads(*(np.concatenate(parts) for parts in arrays))
        emission = palette.emission
        quads = cut_long(quads, palette.glowing[quads.finish], LONGEST // self.fineness)
        finish = quads.finish
        from .light import bake_light  # numba is loaded when a house is made, not with the command line

        light = bake_light(
            quads.corners, quads.normals, palette.colors[finish], emission[finish], quads.owner
        )
        colors = np.full((light.size // 3, 4), 255, np.uint8)
        colors[:, :3] = light.reshape(-1, 3)
        used = np.bincount(finish, minlength=len(palette.finishes)) > 0
        materials, textures = palette.pack(used)
        repeats = palette.repeats[finish]
        scale = np.where(repeats == 0, 1.0, repeats / 1000.0)[:, None, None] / 1000.0
        faces, drawn = triangles(quads, light)
        return SceneArrays(
            positions=(quads.corners.reshape(-1, 3) / 1000.0).astype(np.float32),
            triangles=faces,
            material_ids=np.repeat((np.cumsum(used) - 1)[finish], 2).astype(np.int32)[drawn],
            uvs=(quads.texture * scale).reshape(-1, 2).astype(np.float32),
            colors=colors,
            object_ids=np.repeat(quads.owner, 2).astype(np.int32)[drawn],
            materials=materials,
            textures=textures,
        )

    def _flush_boxes(self, palette: Palette) -> None:
        """All visible faces of all boxes at once."""
        if not self._boxes:
            return
        table = np.array(self._boxes, np.int64)
        low, high, place = table[:, 0:3], table[:, 3:6], table[:, 6:12]
        bits = np.arange(8)[:, None] >> np.arange(3) & 1
        local = np.where(bits[None] == 1, high[:, None], low[:, None])
        box, face = np.nonzero(_visible(low, high))
        corners = _to_world(local, place)[box[:, None], _FACES[face]]
        axes = _FACE_AXES[face]
        flat = np.take_along_axis(local[box[:, None], _FACES[face]], axes[:, None, :], axis=2)
        flat[..., 1] = np.where(face[:, None] // 2 == 1, flat[..., 1], -flat[..., 1])
        finish = table[box, 12]
        texture = _texture_of(flat, palette.repeats[finish] == 0, palette.grained[finish])
        self._corners.append(corners)
        self._texture.append(texture)
        self._normals.append(_flat_normals(corners))
        self._finish.append(finish)
        self._object.append(table[box, 13])
        self._boxes.clear()

    def _flush_shapes(self) -> None:
        """All shapes at once."""
        if not self._shapes:
            return
        shapes, places, finishes, owners = zip(*self._shapes, strict=True)
        counts = np.array([len(shape.corners) for shape in shapes])
        table = np.array([(*place.turn, place.x, place.z, place.y) for place in places], np.int64)
        table = np.repeat(table, counts, axis=0)
        corners, texture, normals = (np.concatenate(arrays) for arrays in zip(*shapes, strict=True))
        straight = np.concatenate(
            [table[:, :2], np.ones((len(table), 1), np.int64), 0 * table[:, 3:]], axis=1
        )
        turned = _to_world(normals, straight)
        turned[..., 1] *= table[:, 2, None]
        self._corners.append(_to_world(corners, table))
        self._texture.append(texture)
        self._normals.append(turned)
        self._finish.append(
            np.concatenate(
                [
                    np.broadcast_to(np.asarray(finish, np.int64), (count,))
                    for finish, count in zip(finishes, counts, strict=True)
                ]
            )
        )
        self._object.append(np.repeat(np.array(owners, np.int64), counts))
        self._shapes.clear()


def _visible(low: Ints, high: Ints) -> NDArray[np.bool_]:
    """(B, 6) faces to draw: bottoms near the floor and faces without area are left out."""
    size = high - low
    shown = np.ones((len(low), 6), np.bool_)
    shown[:, 2] = low[:, 1] > 300
    for axis in range(3):
        other = [1, 2] if axis == 0 else [0, 2] if axis == 1 else [0, 1]
        flat = (size[:, other] == 0).any(axis=1)
        shown[flat, 2 * axis : 2 * axis + 2] = False
    return shown


def _to_world(local: Ints, place: Ints) -> Ints:
    """(B, K, 3) local corners to world corners; ``place`` (B, 6) is c, s, d, x, z, y."""
    c, s, d, x, z, y = (place[:, None, column] for column in range(6))
    across, deep = local[..., 0], local[..., 2]
    turned = [x + _divide(c * across - s * deep, d), y + local[..., 1], z + _divide(s * across + c * deep, d)]
    return np.stack(turned, axis=2)


def _flat_normals(corners: Ints) -> Ints:
    """(Q, 4, 3) normals of flat quads; twice their areas long."""
    normal = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    return np.repeat(normal[:, None], 4, axis=1)


def _texture_of(flat: Ints, fitted: NDArray[np.bool_], grained: NDArray[np.bool_]) -> Ints:
    """Texture coordinates of faces: millimetres, or per mille of the face where the finish is fitted."""
    low, high = flat.min(axis=1), flat.max(axis=1)
    extent = np.maximum(high - low, 1)
    swap = grained & (extent[:, 0] > extent[:, 1])
    scaled = (flat - low[:, None]) * 1000 // extent[:, None]
    swapped = np.where(swap[:, None, None], flat[..., ::-1], flat)
    return np.asarray(np.where(fitted[:, None, None], scaled, swapped), np.int64)
