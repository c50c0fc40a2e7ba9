"""Draws batches of views in one context: cull, draw, read back."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..config import RenderConfig
from ..types import Wrap
from .api import GLApi
from .mesh import ATTRIBUTE_RECORD, DrawGroup
from .plan import COMMAND_BYTES, Batch
from .shaders import build_program
from .store import GLBuffer, SceneStore
from .target import LayeredTarget

VIEW_RECORD = np.dtype(
    [("clip_x", "<f4", 4), ("clip_y", "<f4", 4), ("clip_w", "<f4", 4), ("layer", "<u4", 4)]
)
_WRAPS: dict[Wrap, str] = {
    "repeat": "GL_REPEAT",
    "clamp": "GL_CLAMP_TO_EDGE",
    "mirror": "GL_MIRRORED_REPEAT",
}
_MAX_GROUPS_X = 32768
Images = Mapping[str, NDArray[Any]]


class ViewPipeline:
    """Programs, buffers and target of one context; all methods run on its thread."""

    def __init__(self, api: GLApi, store: SceneStore, config: RenderConfig, layer_in_vertex: bool) -> None:
        """Compile the culling program and make the buffers."""
        self._api, self._store, self._config = api, store, config
        self._rgb = "rgb" in config.outputs
        self._defines = {"NEAR": repr(float(np.float32(config.near)))}
        self._layer_in_vertex = layer_in_vertex
        # Beyond `far` depth is clamped anyway, so without colours the culling may skip what lies there.
        beyond = {} if self._rgb else {"FAR": repr(config.far * 1.0001)}
        self._cull = build_program(api, ("cull.comp",), {**self._defines, **beyond})
        self._programs: dict[tuple[bool, bool], int] = {}
        self._samplers: dict[tuple[Wrap, Wrap], int] = {}
        self._views, self._items = GLBuffer(api), GLBuffer(api)
        self._commands, self._counts = GLBuffer(api), GLBuffer(api)
        self._target: LayeredTarget | None = None
        self._arrays: dict[bool, int] = {}
        self._bound: tuple[int, int] = (-1, -1)
        self._batch: Batch | None = None
        self._set_state()

    def render(self, batch: Batch, views: NDArray[np.void], out: Images) -> dict[str, float]:
        """Draw a batch and write its images; returns the seconds of each stage.

        Args:
            batch: what to draw.
            views: (n,) VIEW_RECORD.
            out: the batch's slices of the outputs, contiguous.
        """
        marks = [time.perf_counter()]
        self._upload(batch, views)
        marks.append(time.perf_counter())
        target = self._fit_target(batch.num_views)
        if len(batch.items):
            self._run_culling(batch)
        target.bind_and_clear()
        for number, group in enumerate(batch.groups):
            self._draw(group, batch.first_command[number], batch.max_commands[number], number)
        self._api.glFinish()
        marks.append(time.perf_counter())
        if "depth" in out:
            target.read_depth(out["depth"], self._config.near, self._config.far)
        if "rgb" in out:
            target.read_rgb(out["rgb"])
        marks.append(time.perf_counter())
        return dict(zip(("upload", "draw", "readback"), np.diff(marks).tolist(), strict=True))

    def _set_state(self) -> None:
        api = self._api
        api.glClipControl(api.GL_LOWER_LEFT, api.GL_ZERO_TO_ONE)
        api.glEnable(api.GL_DEPTH_TEST)
        api.glDepthFunc(api.GL_GREATER)
        api.glEnable(api.GL_FRAMEBUFFER_SRGB)
        api.glPixelStorei(api.GL_PACK_ALIGNMENT, 1)
        for with_surface in (False, True):
            name = ctypes.c_uint()
            api.glCreateVertexArrays(1, ctypes.byref(name))
            self._arrays[with_surface] = name.value
            self._describe_vertices(name.value, with_surface)

    def _describe_vertices(self, array: int, with_surface: bool) -> None:
        api, floats = self._api, self._api.GL_FLOAT
        api.glVertexArrayBindingDivisor(array, 1, 1)
        api.glVertexArrayAttribFormat(array, 0, 3, floats, 0, 0)
        for location in (1, 2, 3):
            api.glVertexArrayAttribFormat(array, location, 4, floats, 0, 16 * (location - 1))
        api.glVertexArrayAttribIFormat(array, 4, 1, api.GL_UNSIGNED_INT, 48)
        api.glVertexArrayAttribFormat(array, 5, 2, floats, 0, 0)
        api.glVertexArrayAttribFormat(array, 6, 4, api.GL_UNSIGNED_SHORT, 1, 8)
        api.glVertexArrayAttribIFormat(array, 7, 1, api.GL_UNSIGNED_INT, 16)
        for location in range(8 if with_surface else 5):
            api.glVertexArrayAttribBinding(array, location, (0, 1, 1, 1, 1, 2, 2, 2)[location])
            api.glEnableVertexArrayAttrib(array, location)

    def _upload(self, batch: Batch, views: NDArray[np.void]) -> None:
        grown = self._views.resize(views.nbytes, keep=False)
        self._views.write(0, views)
        if batch is not self._batch:
            self._items.resize(batch.items.nbytes, keep=False)
            self._items.write(0, batch.items)
            self._commands.resize(sum(batch.max_commands) * COMMAND_BYTES, keep=False)
            self._counts.resize(4 * (1 + len(batch.groups)), keep=False)
            self._batch = batch
        counts = np.zeros(1 + len(batch.groups), np.uint32)
        counts[0] = len(batch.items)
        self._counts.write(0, counts)
        if grown or self._bound != (self._store.version, self._views.name):
            self._bind_vertices()

    def _bind_vertices(self) -> None:
        api, store = self._api, self._store
        for array in self._arrays.values():
            api.glVertexArrayVertexBuffer(array, 0, store.positions.name, 0, 12)
            api.glVertexArrayVertexBuffer(array, 1, self._views.name, 0, VIEW_RECORD.itemsize)
            api.glVertexArrayVertexBuffer(array, 2, store.attributes.name, 0, ATTRIBUTE_RECORD.itemsize)
            api.glVertexArrayElementBuffer(array, store.indices.name)
        self._bound = (store.version, self._views.name)

    def _run_culling(self, batch: Batch) -> None:
        api = self._api
        buffers = (self._views, self._store.chunks, self._items, self._commands, self._counts)
        for binding, buffer in enumerate(buffers):
            api.glBindBufferBase(api.GL_SHADER_STORAGE_BUFFER, binding, buffer.name)
        api.glUseProgram(self._cull)
        wide = min(len(batch.items), _MAX_GROUPS_X)
        api.glDispatchCompute(wide, -(-len(batch.items) // wide), 1)
        api.glMemoryBarrier(api.GL_COMMAND_BARRIER_BIT)

    def _draw(self, group: DrawGroup, first_command: int, max_commands: int, number: int) -> None:
        api = self._api
        surface = self._rgb or group.cutout
        api.glBindVertexArray(self._arrays[surface])
        api.glUseProgram(self._program(group))
        if group.texture_size:
            self._store.textures.bind(group.texture_size, 0)
            api.glBindSampler(0, self._sampler(group.wrap))
        api.glBindBuffer(api.GL_DRAW_INDIRECT_BUFFER, self._commands.name)
        api.glBindBuffer(api.GL_PARAMETER_BUFFER_ARB, self._counts.name)
        api.glMultiDrawElementsIndirectCountARB(
            api.GL_TRIANGLES,
            api.GL_UNSIGNED_INT,
            first_command * COMMAND_BYTES,
            4 * (1 + number),
            max_commands,
            0,
        )

    def _program(self, group: DrawGroup) -> int:
        key = (group.cutout, group.texture_size > 0)
        if key not in self._programs:
            flags = {
                "LAYER_IN_VERTEX": self._layer_in_vertex,
                "RGB": self._rgb,
                "CUTOUT": group.cutout,
                "SURFACE": self._rgb or group.cutout,
                "TEXTURED": group.texture_size > 0,
            }
            files = (
                ("mesh.vert", "mesh.frag")
                if self._layer_in_vertex
                else ("mesh.vert", "layer.geom", "mesh.frag")
            )
            defines = {**self._defines, **{name: "1" for name, on in flags.items() if on}}
            self._programs[key] = build_program(self._api, files, defines)
        return self._programs[key]

    def _sampler(self, wrap: tuple[Wrap, Wrap]) -> int:
        if wrap not in self._samplers:
            api, name = self._api, ctypes.c_uint()
            api.glCreateSamplers(1, ctypes.byref(name))
            for parameter, value in (
                (api.GL_TEXTURE_MIN_FILTER, api.GL_LINEAR_MIPMAP_LINEAR),
                (api.GL_TEXTURE_MAG_FILTER, api.GL_LINEAR),
                (api.GL_TEXTURE_WRAP_S, getattr(api, _WRAPS[wrap[0]])),
                (api.GL_TEXTURE_WRAP_T, getattr(api, _WRAPS[wrap[1]])),
            ):
                api.glSamplerParameteri(name.value, parameter, value)
            self._samplers[wrap] = name.value
        return self._samplers[wrap]

    def _fit_target(self, layers: int) -> LayeredTarget:
        if self._target is None or self._target.layers < layers:
            if self._target is not None:
                self._target.delete()
            self._target = LayeredTarget(
                self._api, layers, self._config.height, self._config.width, self._rgb
            )
        return self._target
