"""Draws batches of views of triangle scenes; knows nothing of navigation; loads GL and Embree when used."""

from __future__ import annotations

from .config import RenderConfig
from .errors import (
    CapacityError,
    ClosedError,
    ContextLostError,
    EGLError,
    EmbreeError,
    InteropError,
    RenderConfigError,
    RendererError,
    ShaderError,
    ViewerError,
)
from .prepare import PreparedScene, Preparer
from .renderer import BatchRenderer
from .types import Material, SceneArrays, Texture

__all__ = [
    "BatchRenderer",
    "CapacityError",
    "ClosedError",
    "ContextLostError",
    "EGLError",
    "EmbreeError",
    "InteropError",
    "Material",
    "PreparedScene",
    "Preparer",
    "RenderConfig",
    "RenderConfigError",
    "RendererError",
    "SceneArrays",
    "ShaderError",
    "Texture",
    "ViewerError",
]
