"""Stand-ins for the renderer and for scenes: exact, quick, and without GL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from batchnav_renderer.prepare import PreparedScene, Preparer
from batchnav_renderer.types import SceneArrays
from gym_batchnav.errors import SceneError
from gym_batchnav.scenes import Scene, WalkableGround


def prepare(arrays):
    """Nothing to do for the renderer's double."""
    assert isinstance(arrays, SceneArrays)
    return arrays


class FakeRenderer:
    """Pixels are a fixed function of the scene's arrays and the camera's pose, row by row."""

    made = 0
    added = 0

    def __init__(self, config):
        self.config = config
        self.info = {"backend": "fake", "reason": "a test"}
        self.scenes = {}
        self.views_drawn = []
        self.closed = 0
        self.shown = set()
        FakeRenderer.made += 1

    @property
    def preparer(self):
        return Preparer("fake", prepare)

    def add_scene(self, prepared, wait=True):
        assert isinstance(prepared, PreparedScene)
        arrays = prepared.payload
        number = 10 + 3 * FakeRenderer.added
        FakeRenderer.added += 1
        self.scenes[number] = np.float32(np.abs(arrays.positions).sum() % 7.0)
        return number

    def wait_for_scene(self, number):
        assert number in self.scenes

    def remove_scene(self, number):
        assert number not in self.shown
        del self.scenes[number]

    def set_views(self, scene_ids, world_from_camera, hfov_deg=None):
        assert 1 <= len(scene_ids) <= self.config.num_views
        assert world_from_camera.shape == (len(scene_ids), 4, 4)
        self.shown = {int(number) for number in scene_ids}
        self.looks = [self.scenes[int(number)] for number in scene_ids]
        self.poses = np.array(world_from_camera, dtype=np.float64)
        self.hfov_deg = np.full(len(scene_ids), self.config.hfov_deg) if hfov_deg is None else hfov_deg

    def render(self, out=None):
        config, count = self.config, len(self.looks)
        self.views_drawn.append(count)
        pixels = np.arange(config.height * config.width).reshape(config.height, config.width)
        depth = np.empty((count, config.height, config.width, 1), dtype=np.float32)
        for row, (look, pose, hfov) in enumerate(zip(self.looks, self.poses, self.hfov_deg, strict=True)):
            seed = float(look) + float((pose * np.arange(16).reshape(4, 4)).sum()) + hfov
            depth[row, ..., 0] = np.minimum((seed + 0.37 * pixels) % 12.0, config.far)
        images = {
            "depth": depth,
            "rgb": (np.repeat(depth, 3, axis=3) * [10, 20, 25]).astype(np.uint8),
            "ids": (depth * 100).astype(np.int32) - 1,
            "normals": np.sin(depth * np.float32([1, 2, 3])) * np.float32(1.0000001),
        }
        images = {name: images[name] for name in config.outputs}
        if out is None:
            return images
        for name, image in images.items():
            out[name][...] = image
        return out

    def close(self):
        self.closed += 1


class FakeRenderConfig:
    def __init__(self, **fields):
        self.__dict__.update(fields)


class FakeWindow:
    """Keeps what it is shown; ``keys`` are lists that ``poll`` hands out one after the other."""

    made: ClassVar[list[FakeWindow]] = []

    def __init__(self, title="gym-batchnav"):
        self.title, self.closed = title, False
        self.shown, self.keys, self.held = [], [], ()
        FakeWindow.made.append(self)

    def show(self, picture):
        assert not self.closed
        assert picture.dtype == np.uint8
        self.shown.append(picture)

    def poll(self):
        return self.keys.pop(0) if self.keys else []

    def close(self):
        self.closed = True

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


@dataclass(frozen=True, slots=True)
class TwoRooms:
    """Two rooms of 4 x 4 m joined by a door, ``shift`` metres apart from other scenes' ones."""

    scene_id: str
    shift: float = 0.0

    def load(self):
        points = [
            (0, 0), (4, 0), (4, 1.5), (4, 2.5), (4, 4), (0, 4),
            (5, 1.5), (5, 2.5), (5, 0), (9, 0), (9, 4), (5, 4),
        ]  # fmt: skip
        vertices = np.array([(x + self.shift, 0.0, z) for x, z in points], dtype=np.float32)
        polygons = ((0, 1, 2, 3, 4, 5), (2, 6, 7, 3), (8, 9, 10, 11, 7, 6))
        floor = np.array([(0, 0, 0), (9, 0, 0), (9, 0, 4), (0, 0, 4), (0, 3, 4)], dtype=np.float32)
        arrays = SceneArrays(
            positions=floor + np.array([self.shift, 0, 0], dtype=np.float32),
            triangles=np.array([[0, 1, 2], [0, 2, 3], [0, 3, 4]], dtype=np.uint32),
            material_ids=np.zeros(3, dtype=np.int32),
        )
        return Scene(
            scene_id=self.scene_id,
            arrays=arrays,
            walkable=WalkableGround(vertices=vertices, polygons=polygons),
        )


def box(low, high):
    """Corners (8, 3) and triangles (12, 3) of a box."""
    corners = np.array([[(low, high)[bit >> axis & 1][axis] for axis in range(3)] for bit in range(8)])
    quads = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    return corners, [half for a, b, c, d in quads for half in ((a, b, c), (a, c, d))]


def scene_of_boxes(scene_id, boxes, walkable=None):
    """A scene of boxes (class, low, high), each an object with the number of its place."""
    made = [box(low, high) for _, low, high in boxes]
    corners = np.concatenate([corners for corners, _ in made]).astype(np.float32)
    faces = np.concatenate([np.array(part) + 8 * number for number, (_, part) in enumerate(made)])
    arrays = SceneArrays(
        positions=corners,
        triangles=faces.astype(np.uint32),
        material_ids=np.zeros(len(faces), np.int32),
        object_ids=np.repeat(np.arange(len(boxes), dtype=np.int32), 12),
    )
    names = tuple(name for name, _, _ in boxes)
    return Scene(scene_id=scene_id, arrays=arrays, walkable=walkable, object_classes=names)


@dataclass(frozen=True, slots=True)
class FurnishedRooms(TwoRooms):
    """The two rooms with a floor, two chairs and a bed, all of which one can walk through."""

    def load(self):
        boxes = [
            ("floor", (0, -0.1, 0), (9, 0, 4)),
            ("chair", (0.75, 0, 1.75), (1.25, 0.9, 2.25)),
            ("chair", (7.75, 0, 0.5), (8.25, 0.9, 1)),
            ("bed", (6.25, 0, 3), (8.75, 0.5, 3.75)),
        ]
        move = np.array([self.shift, 0, 0])
        moved = [(name, move + low, move + high) for name, low, high in boxes]
        return scene_of_boxes(self.scene_id, moved, TwoRooms.load(self).walkable)


def two_rooms(count):
    """``count`` scenes that differ."""
    return [TwoRooms(f"rooms/{number}", float(number)) for number in range(count)]


class Broken:
    """A scene that cannot be loaded."""

    scene_id = "broken"

    def load(self):
        raise SceneError("broken on purpose")
