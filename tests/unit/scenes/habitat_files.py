"""Writes tiny Habitat data sets for the tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from tests.unit.scenes.gltf_files import GltfFile

# The origin and a point on each axis; the middle of the bounding box is (0.5, 1, 1.5).
TRIPOD = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]], np.float32)
_SIDES = np.array([0, 1, 2, 0, 2, 3], np.uint8)


def tripod(folder: Path, name: str, *, nodes: int = 1, color: list[float] | None = None) -> Path:
    """A file with the tripod's two triangles under each of some nodes."""
    file = GltfFile()
    more = (
        {} if color is None else {"material": file.material(pbrMetallicRoughness={"baseColorFactor": color})}
    )
    file.primitive(TRIPOD, _SIDES, **more)
    file.json["nodes"] = [{"mesh": 0}] * nodes
    file.json["scenes"][0]["nodes"] = list(range(nodes))
    folder.mkdir(parents=True, exist_ok=True)
    return file.save(folder, name)


def textured(folder: Path, name: str, pixels: np.ndarray) -> Path:
    """A file with one triangle that shows an image."""
    file = GltfFile()
    texture = file.image(pixels)
    material = file.material(pbrMetallicRoughness={"baseColorTexture": {"index": texture}})
    uvs = file.accessor(np.array([[0, 0], [1, 0], [0, 1]], np.float32))
    file.primitive(TRIPOD[:3], _SIDES[:3], material=material)["attributes"]["TEXCOORD_0"] = uvs
    folder.mkdir(parents=True, exist_ok=True)
    return file.save(folder, name)


def write(path: Path, content: dict[str, Any]) -> Path:
    """A JSON file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))
    return path


def data_set(folder: Path, instance: dict[str, Any] | None = None, **sections: Any) -> Path:
    """A data set with the stage ``room``, the objects ``chair`` and ``armchair``, and the scene ``apt_0``."""
    tripod(folder / "stages", "room.glb", nodes=2)
    write(folder / "stages" / "room.stage_config.json", {"render_asset": "room.glb"})
    tripod(folder / "objects", "chair.glb")
    for name in ("armchair", "chair"):
        write(folder / "objects" / f"{name}.object_config.json", {"render_asset": "chair.glb"})
    scene = {"stage_instance": {"template_name": "stages/room"}, **(instance or {})}
    write(folder / "scenes" / "apt_0.scene_instance.json", scene)
    kinds = {kind: {"paths": {".json": [kind]}} for kind in ("stages", "objects")}
    kinds["scene_instances"] = {"paths": {".json": ["scenes"]}}
    return write(folder / "x.scene_dataset_config.json", {**kinds, **sections})


def placed(**item: Any) -> dict[str, Any]:
    """A scene instance with one chair."""
    return {"object_instances": [{"template_name": "chair", **item}]}
