"""Writes tiny glTF files for the tests."""

from __future__ import annotations

import base64
import importlib
import io
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

_CODES = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}
_TYPES = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}

TRIANGLE = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)


class GltfFile:
    """A glTF asset that grows; ``json`` may be edited freely."""

    def __init__(self) -> None:
        self.binary = bytearray()
        self.json: dict[str, Any] = {
            "asset": {"version": "2.0"},
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            "nodes": [{"mesh": 0}],
            "meshes": [{"primitives": []}],
            "accessors": [],
            "bufferViews": [],
            "buffers": [{"byteLength": 0}],
        }

    def view(self, content: bytes, **more: Any) -> int:
        """Append bytes as a buffer view."""
        while len(self.binary) % 4:
            self.binary.append(0)
        self.json["bufferViews"].append(
            {"buffer": 0, "byteOffset": len(self.binary), "byteLength": len(content), **more}
        )
        self.binary += content
        self.json["buffers"][0]["byteLength"] = len(self.binary)
        return len(self.json["bufferViews"]) - 1

    def accessor(self, array: np.ndarray, **more: Any) -> int:
        """Append an array as an accessor with a view of its own."""
        array = np.ascontiguousarray(array)
        entry = self.entry(array)
        entry["bufferView"] = self.view(array.tobytes())
        self.json["accessors"].append({**entry, **more})
        return len(self.json["accessors"]) - 1

    @staticmethod
    def entry(array: np.ndarray) -> dict[str, Any]:
        """Component type, type and count of an array."""
        width = 1 if array.ndim == 1 else array.shape[1]
        return {"componentType": _CODES[array.dtype.str[1:]], "type": _TYPES[width], "count": len(array)}

    def raw_accessor(self, **entry: Any) -> int:
        """Append an accessor as it is."""
        self.json["accessors"].append(entry)
        return len(self.json["accessors"]) - 1

    def primitive(self, positions: np.ndarray | int, indices: np.ndarray | None = None, **more: Any) -> dict:
        """Append a primitive to mesh 0 and return its JSON."""
        number = positions if isinstance(positions, int) else self.accessor(positions)
        primitive: dict[str, Any] = {"attributes": {"POSITION": number}, **more}
        if indices is not None:
            primitive["indices"] = self.accessor(indices)
        self.json["meshes"][0]["primitives"].append(primitive)
        return primitive

    def image(self, pixels: np.ndarray, *, sampler: dict[str, Any] | None = None) -> int:
        """Append a PNG image with a texture; returns the texture."""
        content = io.BytesIO()
        Image.fromarray(pixels).save(content, "PNG")
        view = self.view(content.getvalue())
        self.json.setdefault("images", []).append({"bufferView": view, "mimeType": "image/png"})
        texture: dict[str, Any] = {"source": len(self.json["images"]) - 1}
        if sampler is not None:
            self.json.setdefault("samplers", []).append(sampler)
            texture["sampler"] = len(self.json["samplers"]) - 1
        self.json.setdefault("textures", []).append(texture)
        return len(self.json["textures"]) - 1

    def material(self, **entry: Any) -> int:
        """Append a material."""
        self.json.setdefault("materials", []).append(entry)
        return len(self.json["materials"]) - 1

    def glb(self) -> bytes:
        """The binary container."""
        text = json.dumps(self.json).encode()
        text += b" " * (-len(text) % 4)
        binary = bytes(self.binary) + b"\0" * (-len(self.binary) % 4)
        chunks = struct.pack("<II", len(text), 0x4E4F534A) + text
        chunks += struct.pack("<II", len(binary), 0x004E4942) + binary
        return b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks

    def save(self, folder: Path, name: str = "scene.glb") -> Path:
        """Write it as .glb, or as .gltf with a data URI."""
        path = folder / name
        if name.endswith(".glb"):
            path.write_bytes(self.glb())
        else:
            encoded = base64.b64encode(bytes(self.binary)).decode()
            self.json["buffers"][0]["uri"] = f"data:application/octet-stream;base64,{encoded}"
            path.write_text(json.dumps(self.json))
        return path


def one_triangle(**node: Any) -> GltfFile:
    """A file with one triangle under one node."""
    file = GltfFile()
    file.primitive(TRIANGLE, np.arange(3, dtype=np.uint16))
    file.json["nodes"][0].update(node)
    return file


def hide_codecs(monkeypatch: Any, *names: str) -> None:
    """Make packages look as if they were not installed."""
    real = importlib.import_module

    def import_or_refuse(name: str, package: str | None = None) -> Any:
        if name in names:
            raise ImportError(name)
        return real(name, package)

    monkeypatch.setattr(importlib, "import_module", import_or_refuse)
