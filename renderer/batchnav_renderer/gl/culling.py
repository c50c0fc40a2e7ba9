"""Which chunks each view draws: a compute shader turns a batch into indirect draw commands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from .api import GLApi
from .buffers import GLBuffer
from .mesh import MeshSettings
from .plan import COMMAND_BYTES, Batch
from .shaders import build_program
from .store import SceneStore

VIEWS, COMMANDS, INDICES, POSITIONS = 0, 3, 7, 8
"""Storage buffer bindings that drawing shares with culling."""
_CHUNKS, _ITEMS, _COUNTS, _PAGES, _MASKS = 1, 2, 4, 5, 6
_MOST_GROUPS_X = 32768
Pass = Literal["all", "seen", "unhidden", "new"]
_PASSES: dict[Pass, dict[str, str]] = {
    "all": {},
    "seen": {"ONLY_SEEN": "1"},
    "unhidden": {"OCCLUSION": "1"},
    "new": {"OCCLUSION": "1", "ADD": "1"},
}


class Culling:
    """Programs, work lists and commands of one context."""

    def __init__(self, api: GLApi, settings: MeshSettings, defines: Mapping[str, str]) -> None:
        """Make the buffers; programs are compiled when first used."""
        self._api = api
        sizes = {"PAGE_CHUNKS": settings.page_chunks, "CHUNK_INDICES": 3 * settings.chunk_triangles}
        self._defines = {**defines, **{name: f"{size}u" for name, size in sizes.items()}}
        self._programs: dict[Pass, int] = {}
        self.commands, self.counts = GLBuffer(api), GLBuffer(api)
        self._items, self._pages, self._masks = GLBuffer(api), GLBuffer(api), GLBuffer(api)
        self._batch: Batch | None = None

    @property
    def num_bytes(self) -> int:
        """Bytes of all buffers."""
        buffers = (self.commands, self.counts, self._items, self._pages, self._masks)
        return sum(buffer.size for buffer in buffers)

    def load(self, batch: Batch, keep_masks: bool) -> bool:
        """Upload the work list of a batch, unless it is there; says whether it was not.

        With masks nothing counts as seen before.
        """
        if batch is self._batch:
            return False
        for buffer, data in ((self._items, batch.items), (self._pages, batch.pages)):
            buffer.resize(max(data.nbytes, 4))
            buffer.write(0, data)
        self.commands.resize(max(sum(batch.max_commands), 1) * COMMAND_BYTES)
        self.counts.resize(4 * (1 + len(batch.groups)))
        if keep_masks:
            masks = np.zeros(max(batch.num_masks, 1), np.uint32)
            self._masks.resize(masks.nbytes)
            self._masks.write(0, masks)
        self._batch = batch
        return True

    def run(self, batch: Batch, views: GLBuffer, store: SceneStore, which: Pass) -> None:
        """Write the commands of all groups.

        Args:
            batch: the batch that was loaded.
            views: VIEW_RECORD of its views.
            store: the scenes.
            which: "all" chunks in the frustum, or those of them that the view has "seen" before, or that the
                depth pyramid shows "unhidden", or those of the latter that are "new". The last two replace
                what counts as seen.
        """
        api = self._api
        counts = np.zeros(1 + len(batch.groups), np.uint32)
        counts[0] = len(batch.items)
        self.counts.write(0, counts)
        bound = {VIEWS: views, _CHUNKS: store.chunks, _ITEMS: self._items, COMMANDS: self.commands}
        bound |= {_COUNTS: self.counts, _PAGES: self._pages}
        if which != "all":
            bound[_MASKS] = self._masks
        for binding, buffer in bound.items():
            api.glBindBufferBase(api.GL_SHADER_STORAGE_BUFFER, binding, buffer.name)
        api.glUseProgram(self._program(which))
        wide = min(max(len(batch.items), 1), _MOST_GROUPS_X)
        api.glDispatchCompute(wide, -(-len(batch.items) // wide), 1)
        api.glMemoryBarrier(api.GL_COMMAND_BARRIER_BIT | api.GL_SHADER_STORAGE_BARRIER_BIT)

    def _program(self, which: Pass) -> int:
        if which not in self._programs:
            defines = {**self._defines, **_PASSES[which]}
            self._programs[which] = build_program(self._api, ("cull.comp",), defines)
        return self._programs[which]
