"""What follows from a configuration and a driver's limits, for the rasterising backend."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..config import RenderConfig
from ..errors import CapacityError, EGLError
from .mesh import MeshSettings
from .pipeline import PipelineSettings
from .workers import Limits

NEEDED = ("GL_ARB_indirect_parameters", "GL_EXT_texture_compression_s3tc")
"""Extensions that the backend cannot do without."""
LAYER_IN_VERTEX = "GL_ARB_shader_viewport_layer_array"
DRAW_PARAMETERS = "GL_ARB_shader_draw_parameters"
_TARGET_BYTES = 1 << 29  # of one texture array; llvmpipe refuses more than twice this
_COMMAND_BYTES = 1 << 28  # of the indirect draw commands of one batch


def mesh_settings(config: RenderConfig) -> MeshSettings:
    """How scenes are prepared."""
    return MeshSettings(
        rgb="rgb" in config.outputs,
        ids="ids" in config.outputs,
        max_texture_size=config.max_texture_size,
        chunk_triangles=config.chunk_triangles,
    )


def pipeline_settings(config: RenderConfig, mesh: MeshSettings, limits: Limits) -> PipelineSettings:
    """How views are drawn; raises ``EGLError`` where the driver cannot.

    Occlusion culling "auto" is on in software. With cameras that walk as agents do (steps of 0.25 m and 10
    degrees), it changed the speed of depth at 64 x 64 by 1.50 in built-in houses of 90,000 triangles and by
    1.19 in a furnished home of 146,000, at 128 x 128 by 1.44 and 1.07 (in a house of 4,400: 0.91 and 0.69,
    as boxes of chunks are large there beside what hides them). It has not been measured on a GPU.
    """
    in_vertex = LAYER_IN_VERTEX in limits.extensions
    if config.layer_stage == "vertex" and not in_vertex:
        raise EGLError(f"layer_stage is 'vertex', but the driver lacks {LAYER_IN_VERTEX}; take 'auto'")
    numbers = {"ids", "normals"} & set(config.outputs)
    if (numbers or config.shading == "headlight") and DRAW_PARAMETERS not in limits.extensions:
        raise EGLError(
            f"outputs ids and normals and shading='headlight' need {DRAW_PARAMETERS}, which "
            f"{limits.strings['gl_renderer']} lacks; a newer driver is needed"
        )
    return PipelineSettings(
        config=config,
        mesh=mesh,
        layer_in_vertex=in_vertex and config.layer_stage != "geometry",
        occlusion=config.occlusion_culling == "on"
        or (config.occlusion_culling == "auto" and limits.software),
        packed=bool(numbers) or config.depth_dtype == "float16" or not limits.software,
    )


def largest_that_fits(reserve: Callable[[int], None], wanted: int) -> int:
    """The most layers that can be had: ``wanted``, or the first of its halves that ``reserve`` takes.

    Raises:
        CapacityError: not even one can be had.
    """
    while True:
        try:
            reserve(wanted)
        except CapacityError:
            if wanted == 1:
                raise
            wanted //= 2
        else:
            return wanted


def batch_limits(config: RenderConfig, limits: Limits) -> tuple[int, int]:
    """The most views of a batch, and bytes of its draw commands."""
    pixels = config.height * config.width
    packed = max(int(np.prod(shape)) * config.dtypes[name].itemsize for name, shape in config.shapes.items())
    views = min(
        config.max_layers or limits.layers,
        limits.layers,
        _TARGET_BYTES // (4 * pixels),
        limits.storage_bytes // packed - 1,
    )
    return max(1, views), min(limits.storage_bytes, _COMMAND_BYTES)
