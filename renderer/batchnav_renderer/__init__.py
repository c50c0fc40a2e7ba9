"""Draws batches of views of triangle scenes; knows nothing of navigation; importing it loads no GL."""

from __future__ import annotations

from .config import RenderConfig
from .errors import (
    CapacityError,
    ClosedError,
    EGLError,
    InteropError,
    RenderConfigError,
    RendererError,
    ShaderError,
)
from .renderer import BatchRenderer
from .types import Material, SceneArrays, Texture

__all__ = [
    "BatchRenderer",
    "CapacityError",
    "ClosedError",
    "EGLError",
    "InteropError",
    "Material",
    "RenderConfig",
    "RenderConfigError",
    "RendererError",
    "SceneArrays",
    "ShaderError",
    "Texture",
]
