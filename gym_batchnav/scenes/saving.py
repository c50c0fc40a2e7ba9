"""Scenes to glTF files.

Written here, as the libraries at hand keep base colours in 8 bits, and not textures with vertex colours.
"""

from __future__ import annotations

import io
import json
import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from batchnav_renderer.types import Material, SceneArrays, Texture

from ..errors import SceneError
from .scene import Scene

_FLOAT, _BYTE, _INDEX = 5126, 5121, 5125
_VERTICES, _INDICES = 34962, 34963
_WRAPS = {"repeat": 10497, "clamp": 33071, "mirror": 33648}
_UNLIT = "KHR_materials_unlit"


def save_scene(scene: Scene, path: str | Path, names: Mapping[int, str] | None = None) -> None:
    """Write a scene as a binary glTF 2.0 file (``.glb``), +Y up and in metres.

    Each object is a node, in the order of the ids, with its id in ``extras``; colours are written for drawing
    without light (``KHR_materials_unlit``), as this library draws them. ``load_scene`` gives the same
    triangles and materials back, sorted by object; objects are then counted from 1.

    Args:
        scene: What to write; its ground is not part of the file.
        path: Where to; a file that is there is replaced as a whole.
        names: Names of objects by id, for ``extras["class"]`` and the nodes' names; None takes the classes
            that the scene knows.

    Raises:
        SceneError: The file cannot be written.
    """
    if names is None:
        names = dict(enumerate(scene.object_classes or ()))
    content = _Writer(scene.arrays, names).content(scene.scene_id)
    target = Path(path)
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        draft.write_bytes(content)
        os.replace(draft, target)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise SceneError(f"{target}: cannot be written ({error})") from error


@dataclass(slots=True)
class _Writer:
    """The file on its way: its JSON, and its binary part."""

    arrays: SceneArrays
    names: Mapping[int, str]
    binary: bytearray = field(default_factory=bytearray)
    views: list[dict[str, Any]] = field(default_factory=list)
    accessors: list[dict[str, Any]] = field(default_factory=list)

    def content(self, title: str) -> bytes:
        """The whole file."""
        objects = np.zeros(self.arrays.num_triangles, np.int32)
        if self.arrays.object_ids is not None:
            objects = self.arrays.object_ids
        numbers = np.unique(objects).tolist()
        meshes = [{"primitives": self._primitives(np.flatnonzero(objects == number))} for number in numbers]
        document = {
            "asset": {"version": "2.0", "generator": "gym-batchnav"},
            "extensionsUsed": [_UNLIT],
            "scene": 0,
            "scenes": [{"name": title, "nodes": list(range(len(numbers)))}],
            "nodes": [self._node(place, number) for place, number in enumerate(numbers)],
            "meshes": meshes,
            "materials": [_material(material) for material in self.arrays.materials],
            **self._textures(),
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [{"byteLength": len(self.binary)}],
        }
        text = json.dumps(document, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        self.binary += b"\0" * (-len(self.binary) % 4)
        header = struct.pack("<4sII", b"glTF", 2, 12 + 8 + len(text) + 8 + len(self.binary))
        chunks = struct.pack("<I4s", len(text), b"JSON") + text
        return header + chunks + struct.pack("<I4s", len(self.binary), b"BIN\0") + bytes(self.binary)

    def _node(self, mesh: int, number: int) -> dict[str, Any]:
        extras: dict[str, Any] = {"object_id": number}
        if number in self.names:
            extras["class"] = self.names[number]
        return {"name": f"{self.names.get(number, 'object')}_{number}", "mesh": mesh, "extras": extras}

    def _primitives(self, faces: NDArray[np.intp]) -> list[dict[str, Any]]:
        """One primitive for each material of some triangles."""
        materials = self.arrays.material_ids[faces]
        return [
            self._primitive(faces[materials == material], material)
            for material in np.unique(materials).tolist()
        ]

    def _primitive(self, faces: NDArray[np.intp], material: int) -> dict[str, Any]:
        arrays = self.arrays
        used, places = np.unique(arrays.triangles[faces], return_inverse=True)
        positions = arrays.positions[used]
        bounds = {"min": positions.min(axis=0).tolist(), "max": positions.max(axis=0).tolist()}
        attributes = {"POSITION": self._accessor(positions, _FLOAT, "VEC3", **bounds)}
        if arrays.uvs is not None and arrays.materials[material].texture >= 0:
            attributes["TEXCOORD_0"] = self._accessor(arrays.uvs[used], _FLOAT, "VEC2")
        if arrays.colors is not None:
            attributes["COLOR_0"] = self._accessor(arrays.colors[used], _BYTE, "VEC4", normalized=True)
        indices = self._accessor(places.reshape(-1).astype(np.uint32), _INDEX, "SCALAR")
        return {"attributes": attributes, "indices": indices, "material": material}

    def _accessor(self, array: NDArray[Any], component: int, kind: str, **more: Any) -> int:
        target = _INDICES if kind == "SCALAR" else _VERTICES
        view = self._view(np.ascontiguousarray(array).tobytes(), target=target)
        count = len(array)
        entry = {"bufferView": view, "componentType": component, "type": kind, "count": count, **more}
        self.accessors.append(entry)
        return len(self.accessors) - 1

    def _view(self, content: bytes, **more: Any) -> int:
        self.binary += b"\0" * (-len(self.binary) % 4)
        self.views.append({"buffer": 0, "byteOffset": len(self.binary), "byteLength": len(content), **more})
        self.binary += content
        return len(self.views) - 1

    def _textures(self) -> dict[str, Any]:
        """Textures with their images and samplers; nothing where there are none."""
        textures = self.arrays.textures
        if not textures:
            return {}
        images = [{"mimeType": "image/png", "bufferView": self._view(_png(one))} for one in textures]
        return {
            "textures": [{"source": number, "sampler": number} for number in range(len(textures))],
            "images": images,
            "samplers": [{"wrapS": _WRAPS[one.wrap[0]], "wrapT": _WRAPS[one.wrap[1]]} for one in textures],
        }


def _material(material: Material) -> dict[str, Any]:
    surface: dict[str, Any] = {
        "baseColorFactor": [min(max(float(value), 0.0), 1.0) for value in material.base_color],
        "metallicFactor": 0.0,
        "roughnessFactor": 1.0,
    }
    if material.texture >= 0:
        surface["baseColorTexture"] = {"index": material.texture}
    entry: dict[str, Any] = {
        "pbrMetallicRoughness": surface,
        "doubleSided": True,
        "extensions": {_UNLIT: {}},
    }
    if material.alpha_cutoff > 0.0:
        entry.update(alphaMode="MASK", alphaCutoff=float(material.alpha_cutoff))
    return entry


def _png(texture: Texture) -> bytes:
    opaque = bool((texture.pixels[..., 3] == 255).all())
    buffer = io.BytesIO()
    Image.fromarray(texture.pixels[..., :3] if opaque else texture.pixels).save(buffer, format="PNG")
    return buffer.getvalue()
