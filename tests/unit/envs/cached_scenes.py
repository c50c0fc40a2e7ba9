"""Scenes of several files, written by hand, for the tests of the cache."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from PIL import Image

from batchnav_renderer.prepare import Preparer
from gym_batchnav.envs.loading import Loading
from gym_batchnav.scenes import SceneRef, resolve_scenes
from tests.unit.envs.doubles import prepare
from tests.unit.scenes.gltf_files import GltfFile

# A floor of 6 x 6 m, counter-clockwise seen from above, and a wall of 3 m along its edge x = 0.
ROOM = (
    "mtllib room.mtl\nusemtl floor\nv 0 0 0\nv 0 0 6\nv 6 0 6\nv 6 0 0\nv 0 3 0\nv 0 3 6\n"
    "vt 0 0\nvt 0 1\nvt 1 1\nf 1/1 2/2 3/3\nf 1 3 4\nf 1 5 6 2\n"
)
IMAGES = Preparer("a test", prepare)


def write_room(folder: Path) -> Path:
    folder.mkdir()
    (folder / "room.obj").write_text(ROOM)
    (folder / "room.mtl").write_text("newmtl floor\nKd 1 0.5 0.25\nmap_Kd floor.png\n")
    Image.new("RGB", (4, 4), (200, 100, 50)).save(folder / "floor.png")
    return folder / "room.obj"


def write_data_set(folder: Path) -> Path:
    """A floor and, on it, an instance of a chair."""
    folder.mkdir()
    for kind in ("stages", "objects", "scene_instances"):
        (folder / kind).mkdir()
    floor, chair = GltfFile(), GltfFile()
    corners = np.array([[0, 0, 0], [0, 0, 6], [6, 0, 6], [6, 0, 0]], np.float32)
    order = np.array([0, 1, 2, 0, 2, 3], np.uint16)
    floor.primitive(corners, order)
    chair.primitive(corners / 8, order)
    floor.save(folder / "stages", "floor.glb")
    chair.save(folder / "objects", "b_chair.glb")
    upright = {"render_asset": "floor.glb", "up": [0, 1, 0], "front": [0, 0, -1]}
    (folder / "stages" / "floor.stage_config.json").write_text(json.dumps(upright))
    paths = {"objects": {"paths": {".glb": ["objects/*.glb"]}}}
    paths |= {kind: {"paths": {".json": [f"{kind}/*.json"]}} for kind in ("stages", "scene_instances")}
    config = folder / "set.scene_dataset_config.json"
    config.write_text(json.dumps(paths))
    placed = {"template_name": "chair", "translation": [2.0, 1.0, 2.0]}
    scene = {"stage_instance": {"template_name": "floor"}, "object_instances": [placed]}
    (folder / "scene_instances" / "flat.scene_instance.json").write_text(json.dumps(scene))
    return config


def ref_of(path: Path, **fields) -> SceneRef:
    return resolve_scenes(path, **fields)[0]


def kinds(how: Loading) -> list[str]:
    return sorted(entry.kind for entry in how.cache.entries())
