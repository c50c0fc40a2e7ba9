"""What a GL driver says of itself, for bug reports: name, limits, and the extensions that matter."""

from __future__ import annotations

import dataclasses
from typing import Any

from ..config import RenderConfig
from .api import GLApi
from .settings import DRAW_PARAMETERS, LAYER_IN_VERTEX, NEEDED
from .workers import GLWorkers, query_integer

USED_EXTENSIONS = {
    **dict.fromkeys(NEEDED, "needed"),
    LAYER_IN_VERTEX: "faster: layers without a geometry shader",
    DRAW_PARAMETERS: "for ids, normals and headlight shading",
}
"""Extensions that the renderer uses, and what for; the others are part of OpenGL 4.5."""
_LIMITS = (
    "GL_MAX_TEXTURE_SIZE",
    "GL_MAX_ARRAY_TEXTURE_LAYERS",
    "GL_MAX_FRAMEBUFFER_LAYERS",
    "GL_MAX_COLOR_ATTACHMENTS",
    "GL_MAX_SHADER_STORAGE_BLOCK_SIZE",
    "GL_MAX_VERTEX_SHADER_STORAGE_BLOCKS",
    "GL_MAX_FRAGMENT_SHADER_STORAGE_BLOCKS",
    "GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS",
    "GL_MAX_UNIFORM_BLOCK_SIZE",
    "GL_MAX_COMPUTE_TEXTURE_IMAGE_UNITS",
    "GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS",
    "GL_MAX_COMPUTE_SHARED_MEMORY_SIZE",
)


def driver_report(config: RenderConfig) -> dict[str, Any]:
    """What draws for a configuration, asked on a context of its own.

    Args:
        config: says the device; sizes do not matter.

    Returns:
        "gl_renderer", "gl_vendor", "gl_version"; "display" and "reason"; "limits", by the name that GL gives
        them without GL_MAX_, in lower case; "extensions", those that the renderer uses and whether they are
        there; and "num_extensions".

    Raises:
        EGLError: there is no context to be had.
    """
    one = dataclasses.replace(config, num_views=1, num_workers=1)
    workers = GLWorkers(one, share=False)
    try:
        worker = workers.all[0]
        limits, driver = worker.run(_limits, worker.api), workers.limits
        return {
            **driver.strings,
            "display": workers.displays[0].name,
            "reason": workers.reason,
            "limits": limits,
            "extensions": {name: name in driver.extensions for name in USED_EXTENSIONS},
            "num_extensions": len(driver.extensions),
        }
    finally:
        workers.close()


def _limits(api: GLApi) -> dict[str, int]:
    return {name.removeprefix("GL_MAX_").lower(): query_integer(api, getattr(api, name)) for name in _LIMITS}
