"""Draws what culling has left: the vertex arrays and programs of one context."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass

from .api import GLApi
from .buffers import GLBuffer
from .culling import COMMANDS, INDICES, POSITIONS, VIEWS, Culling
from .mesh import ATTRIBUTE_RECORD, DrawGroup
from .plan import COMMAND_BYTES, Batch
from .shaders import build_program
from .store import SceneStore
from .textures import make_sampler
from .views import VIEW_RECORD


@dataclass(frozen=True, slots=True)
class Targets:
    """What a pass draws beside depth."""

    rgb: bool = False
    """Colours."""
    headlight: bool = False
    """Whether colours are dimmed by the angle of the surface."""
    triangles: bool = False
    """Numbers of the triangles, for ids and normals."""

    @property
    def numbered(self) -> bool:
        """Whether the shaders need to know the triangle."""
        return self.headlight or self.triangles


class Drawing:
    """Issues one indirect draw for each group of a batch."""

    def __init__(
        self, api: GLApi, store: SceneStore, defines: Mapping[str, str], layer_in_vertex: bool
    ) -> None:
        """Set the state that never changes; programs are compiled when first used."""
        self._api, self._store = api, store
        self._defines, self._layer_in_vertex = dict(defines), layer_in_vertex
        self._programs: dict[tuple[Targets, bool, bool], int] = {}
        self._arrays: dict[bool, int] = {}
        self._bound: tuple[int, ...] = ()
        self._set_state()

    def draw(self, batch: Batch, culling: Culling, views: GLBuffer, targets: Targets) -> None:
        """Draw all groups into the framebuffer that is bound."""
        api, store = self._api, self._store
        self._bind_vertices(views)
        api.glBindBuffer(api.GL_DRAW_INDIRECT_BUFFER, culling.commands.name)
        api.glBindBuffer(api.GL_PARAMETER_BUFFER_ARB, culling.counts.name)
        if targets.numbered:
            bound = {VIEWS: views, COMMANDS: culling.commands}
            bound |= {INDICES: store.indices, POSITIONS: store.positions}
            for binding, buffer in bound.items():
                api.glBindBufferBase(api.GL_SHADER_STORAGE_BUFFER, binding, buffer.name)
        for number, group in enumerate(batch.groups):
            self._draw_group(batch, number, group, targets)

    def _draw_group(self, batch: Batch, number: int, group: DrawGroup, targets: Targets) -> None:
        api, first = self._api, batch.first_command[number]
        surface = targets.rgb or group.cutout
        textured = surface and group.texture_size > 0
        api.glBindVertexArray(self._arrays[surface])
        api.glUseProgram(self._program(targets, group.cutout, textured))
        if textured:
            self._store.textures.bind(group.kind, 0)
        if targets.numbered:
            api.glUniform1ui(0, first)
        api.glMultiDrawElementsIndirectCountARB(
            api.GL_TRIANGLES,
            api.GL_UNSIGNED_INT,
            first * COMMAND_BYTES,
            4 * (1 + number),
            batch.max_commands[number],
            0,
        )

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
        api.glBindSampler(0, make_sampler(api, api.GL_LINEAR_MIPMAP_LINEAR))

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

    def _bind_vertices(self, views: GLBuffer) -> None:
        api, store = self._api, self._store
        names = (*store.names, views.name)
        if names == self._bound:
            return
        for array in self._arrays.values():
            api.glVertexArrayVertexBuffer(array, 0, store.positions.name, 0, 12)
            api.glVertexArrayVertexBuffer(array, 1, views.name, 0, VIEW_RECORD.itemsize)
            api.glVertexArrayVertexBuffer(array, 2, store.attributes.name, 0, ATTRIBUTE_RECORD.itemsize)
            api.glVertexArrayElementBuffer(array, store.indices.name)
        self._bound = names

    def _program(self, targets: Targets, cutout: bool, textured: bool) -> int:
        key = (targets, cutout, textured)
        if key not in self._programs:
            flags = {
                "LAYER_IN_VERTEX": self._layer_in_vertex,
                "RGB": targets.rgb,
                "HEADLIGHT": targets.headlight,
                "TRIANGLES": targets.triangles,
                "NUMBERED": targets.numbered,
                "CUTOUT": cutout,
                "SURFACE": targets.rgb or cutout,
                "TEXTURED": textured,
            }
            stages = ("mesh.vert", "layer.geom", "mesh.frag")
            files = [file for file in stages if not (self._layer_in_vertex and file == "layer.geom")]
            defines = {**self._defines, **{name: "1" for name, on in flags.items() if on}}
            self._programs[key] = build_program(self._api, files, defines)
        return self._programs[key]
