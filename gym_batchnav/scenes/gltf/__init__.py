"""Reader of glTF 2.0 files (.glb, and .gltf with its buffers and images)."""

from __future__ import annotations

from .assemble import load_gltf

__all__ = ["load_gltf"]
