"""Casts the rays of batches of views in one context, and reads the images back."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bvh import MAX_LEVELS
from ..config import RenderConfig
from .api import GLApi
from .buffers import GLBuffer
from .raycast_scene import num_units, unit_of
from .raycast_store import RaycastStore
from .shaders import build_program
from .shared import DeviceImages
from .textures import make_sampler

_RAY_FIELDS = (
    ("right", "pixel"),
    ("down", "place"),
    ("first", "unused"),
    ("position", "unused2"),
    ("back", "unused3"),
)
VIEW_RECORD = np.dtype(
    [
        field
        for vector, scalar in _RAY_FIELDS
        for field in ((vector, "<f4", 3), (scalar, "<u4" if scalar == "place" else "<f4"))
    ]
    + [("scene", "<u4", 4)]
)
"""A view: the rays of ``pixel_rays``, the side of a pixel at a distance of 1, its place in the images, the
camera's third axis, and where the nodes, triangles, surfaces and materials of its scene begin."""
_TILE = 8
_MAX_VIEWS = 65535  # of one dispatch, in every driver
_EVERYWHERE = 1e30
_BEYOND = 1.001
_BLOCKS = {"depth": 5, "ids": 6, "normals": 7}
_BYTE_IMAGE, _HALF_IMAGE = 0, 1
Images = Mapping[str, Any]


class RaycastPipeline:
    """Programs and buffers of one context; all methods run on its thread.

    The images are buffers in their final type and order, (N, H, W, C), not texture arrays: pixels are
    computed once and never blended, so nothing is gained from textures, and buffers go to the host or to CUDA
    as they are.
    """

    def __init__(self, api: GLApi, store: RaycastStore, config: RenderConfig, storage_bytes: int) -> None:
        """Make the buffers and compile the program for scenes without holes."""
        self._api, self._store, self._config = api, store, config
        self._programs: dict[bool, int] = {}
        self._views = GLBuffer(api)
        self._images: dict[str, GLBuffer] = {name: GLBuffer(api) for name in config.outputs}
        self._textures: dict[str, int] = {}
        pixels = config.height * config.width
        self._view_bytes: dict[str, int] = {
            name: pixels * config.shapes[name][2] * config.dtypes[name].itemsize for name in config.outputs
        }
        largest = max(*self._view_bytes.values(), 12 * pixels)
        self._max_views = max(1, min(_MAX_VIEWS, storage_bytes // largest))
        # The shader chooses the two mipmaps itself.
        self._sampler = make_sampler(api, api.GL_LINEAR_MIPMAP_NEAREST)
        self._program(False)

    def render(self, views: NDArray[np.void], scene_ids: NDArray[np.int64], out: Images) -> dict[str, float]:
        """Draw views and write their images; returns the seconds of each stage.

        Args:
            views: (n,) VIEW_RECORD, all but ``scene`` filled in.
            scene_ids: (n,) their scenes.
            out: their slices of the outputs, contiguous arrays or device memory, all of one kind. For device
                memory the work is queued and not waited for.
        """
        seconds = dict.fromkeys(("upload", "draw", "readback"), 0.0)
        for first in range(0, len(views), self._max_views):
            rows = slice(first, first + self._max_views)
            marks = [time.perf_counter()]
            num_plain = self._upload(views[rows], scene_ids[rows])
            marks.append(time.perf_counter())
            self._dispatch(num_plain, len(views[rows]))
            on_device = self._take({name: images[rows] for name, images in out.items()})
            if not on_device:
                self._api.glFinish()
            marks.append(time.perf_counter())
            if not on_device:
                self._read({name: images[rows] for name, images in out.items()})
            marks.append(time.perf_counter())
            for stage, duration in zip(seconds, np.diff(marks).tolist(), strict=True):
                seconds[stage] += duration
        return seconds

    def nbytes(self) -> int:
        """Bytes of the buffers of images and views."""
        return self._views.size + sum(buffer.size for buffer in self._images.values())

    def _upload(self, views: NDArray[np.void], scene_ids: NDArray[np.int64]) -> int:
        """Write the view records, those of scenes without holes first; returns how many these are."""
        offsets, holes = self._store.offsets(scene_ids)
        order = np.argsort(holes, kind="stable")
        records = views[order]
        records["scene"], records["place"] = offsets[order], order
        self._views.resize(records.nbytes)
        self._views.write(0, records)
        for name, buffer in self._images.items():
            if buffer.resize(len(views) * self._view_bytes[name]):
                self._make_texture(name)
        return int((~holes).sum())

    def _dispatch(self, num_plain: int, num_views: int) -> None:
        api, store, config = self._api, self._store, self._config
        blocks = {0: self._views.name, **{1 + i: heap.buffer for i, heap in enumerate(store.heaps)}}
        blocks |= {_BLOCKS[name]: self._images[name].name for name in config.outputs if name in _BLOCKS}
        for binding, buffer in blocks.items():
            api.glBindBufferBase(api.GL_SHADER_STORAGE_BUFFER, binding, buffer)
        for name, texture in self._textures.items():
            unit, kind = (_BYTE_IMAGE, api.GL_R8UI) if name == "rgb" else (_HALF_IMAGE, api.GL_R16F)
            api.glBindImageTexture(unit, texture, 0, 0, 0, api.GL_WRITE_ONLY, kind)
        for kind in store.textures.names:
            unit = unit_of(kind)
            store.textures.bind(kind, unit)
            api.glBindSampler(unit, self._sampler)
        tiles = (-(-config.width // _TILE), -(-config.height // _TILE))
        # Each scene's views are drawn by the program that this scene alone decides, so a batch never shows.
        for has_holes, first, stop in ((False, 0, num_plain), (True, num_plain, num_views)):
            if stop > first:
                program = self._program(has_holes)
                api.glUseProgram(program)
                api.glProgramUniform1ui(program, 0, first)
                api.glDispatchCompute(*tiles, stop - first)
        api.glMemoryBarrier(api.GL_BUFFER_UPDATE_BARRIER_BIT)

    def _take(self, out: Images) -> bool:
        """Queue copies to those outputs that are device memory; says whether they are."""
        for name, images in out.items():
            if not isinstance(images, DeviceImages):
                return False
            images.take(self._api, self._images[name].name)
        return True

    def _read(self, out: Images) -> None:
        for name, images in out.items():
            self._api.glGetNamedBufferSubData(self._images[name].name, 0, images.nbytes, images.ctypes.data)

    def _make_texture(self, name: str) -> None:
        """Show a buffer as texels where a pixel is smaller than the words that shaders write to buffers."""
        api = self._api
        if self._config.dtypes[name].itemsize == 4:
            return
        if name in self._textures:
            api.glDeleteTextures(1, ctypes.byref(ctypes.c_uint(self._textures[name])))
        texture = ctypes.c_uint()
        api.glCreateTextures(api.GL_TEXTURE_BUFFER, 1, ctypes.byref(texture))
        kind = api.GL_R8UI if name == "rgb" else api.GL_R16F
        api.glTextureBuffer(texture.value, kind, self._images[name].name)
        self._textures[name] = texture.value

    def _program(self, has_holes: bool) -> int:
        if has_holes not in self._programs:
            files = ["raycast.comp", "raycast_trace.comp"]
            if has_holes or "rgb" in self._config.outputs:
                files.append("raycast_shade.comp")
            self._programs[has_holes] = build_program(self._api, files, defines(self._config, has_holes))
        return self._programs[has_holes]


def defines(config: RenderConfig, has_holes: bool) -> dict[str, str]:
    """What the shaders are specialised with."""
    flags = {
        "DEPTH32": "depth" in config.outputs and config.depth_dtype == "float32",
        "DEPTH16": "depth" in config.outputs and config.depth_dtype == "float16",
        "RGB": "rgb" in config.outputs,
        "IDS": "ids" in config.outputs,
        "NORMALS": "normals" in config.outputs,
        "HEADLIGHT": config.shading == "headlight",
        "HOLES": has_holes,
        "SURFACE": has_holes or "rgb" in config.outputs,
    }
    units = num_units(config.max_texture_size)
    # Only depth ends at `far`; a little beyond it, so that rounding loses no surface that lies before it.
    farthest = (
        np.float32(config.far) * np.float32(_BEYOND)
        if config.outputs == ("depth",)
        else np.float32(_EVERYWHERE)
    )
    return {
        "WIDTH": f"{config.width}u",
        "HEIGHT": f"{config.height}u",
        "NEAR": repr(float(np.float32(config.near))),
        "FAR": repr(float(np.float32(config.far))),
        "FARTHEST": repr(float(farthest)),
        "LEVELS": str(MAX_LEVELS),
        "UNITS": f"{units}u",
        "FETCHES": " ".join(f"FETCH({unit})" for unit in range(units)),
        **{name: "1" for name, on in flags.items() if on},
    }
