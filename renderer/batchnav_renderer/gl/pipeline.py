"""Draws batches of views in one context: cull, draw, pack, read back."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..config import RenderConfig
from ..errors import CapacityError
from .api import GLApi
from .buffers import GLBuffer
from .culling import Culling, Pass
from .drawing import Drawing, Targets
from .mesh import MeshSettings
from .occlusion import DepthPyramid
from .pack import DeviceImages, PackedImages
from .plan import Batch
from .store import SceneStore
from .target import LayeredTarget

Images = Mapping[str, NDArray[Any] | DeviceImages]
STAGES = ("upload", "draw", "readback")


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineSettings:
    """What the pipelines of a backend have in common."""

    config: RenderConfig
    mesh: MeshSettings
    layer_in_vertex: bool
    """Whether the vertex shader can choose the layer."""
    occlusion: bool
    """Whether hidden chunks are left out."""
    packed: bool
    """Whether images are packed in a buffer before they are read; else the render target is read."""


class ViewPipeline:
    """Programs, buffers and target of one context; all methods run on its thread."""

    def __init__(self, api: GLApi, store: SceneStore, settings: PipelineSettings) -> None:
        """Compile what is always needed."""
        self._api, self._store, self._settings = api, store, settings
        config = settings.config
        self._targets = Targets(
            rgb="rgb" in config.outputs,
            headlight="rgb" in config.outputs and config.shading == "headlight",
            triangles="ids" in config.outputs or "normals" in config.outputs,
        )
        size = {"WIDTH": f"{config.width}", "HEIGHT": f"{config.height}"}
        near = {"NEAR": repr(float(np.float32(config.near)))}
        shading = {"TRIANGLE_TARGET": str(int(self._targets.rgb))}
        self._drawing = Drawing(api, store, {**near, **size, **shading}, settings.layer_in_vertex)
        # Beyond `far` depth is clamped anyway, so where nothing else is drawn culling may skip what is there.
        beyond = {"FAR": repr(config.far * 1.0001)} if config.outputs == ("depth",) else {}
        self._culling = Culling(api, settings.mesh, {**near, **size, **beyond})
        self._views = GLBuffer(api)
        self._target: LayeredTarget | None = None
        self._pyramid: DepthPyramid | None = None
        self.packed: PackedImages | None = None
        if settings.packed:
            far = {"FAR": repr(float(np.float32(config.far)))}
            unsigned = {name: f"{value}u" for name, value in size.items()}
            self.packed = PackedImages(api, config.shapes, config.dtypes, {**near, **far, **unsigned})

    @property
    def num_image_bytes(self) -> int:
        """Bytes of targets and images."""
        owners = (self._target, self._pyramid, self.packed)
        return sum(owner.num_bytes for owner in owners if owner is not None)

    @property
    def num_work_bytes(self) -> int:
        """Bytes of views and work lists."""
        return self._views.size + self._culling.num_bytes

    def render(self, batch: Batch, views: NDArray[np.void], out: Images) -> dict[str, float]:
        """Draw a batch; returns the seconds of each stage.

        Args:
            batch: what to draw.
            views: (n,) VIEW_RECORD.
            out: the batch's slices of the outputs: contiguous arrays, or images on the device, for which
                nothing is waited for.
        """
        marks = [time.perf_counter()]
        self._load(batch, views)
        marks.append(time.perf_counter())
        target = self._fit_target(batch.num_views)
        self._draw(batch, target)
        if self.packed is not None:
            self.packed.fill(batch.num_views, target, self._views, self._store)
        if any(isinstance(images, np.ndarray) for images in out.values()):
            self._api.glFinish()
        marks.append(time.perf_counter())
        for output, images in out.items():
            self._deliver(target, output, images)
        marks.append(time.perf_counter())
        return dict(zip(STAGES, np.diff(marks).tolist(), strict=True))

    def reserve(self, layers: int) -> None:
        """Make a target of so many layers; raises ``CapacityError`` where the driver refuses it."""
        self._fit_target(layers)

    def _load(self, batch: Batch, views: NDArray[np.void]) -> None:
        self._views.resize(views.nbytes)
        self._views.write(0, views)
        if self._culling.load(batch, self._settings.occlusion) and (pending := self._api.errors()):
            raise CapacityError(
                f"the work lists of {batch.num_views} views left GL errors {', '.join(pending)} (0x505 is "
                "out of memory); lower num_views or hold smaller scenes"
            )

    def _draw(self, batch: Batch, target: LayeredTarget) -> None:
        which: Pass = "all"
        targets = self._targets
        only_depth = targets == Targets()
        if self._pyramid is not None and len(batch.items):
            # What each view saw last hides most of the rest. Depth is the same in whatever order it is drawn;
            # other outputs are drawn anew in their usual order, as equal depths go to the first.
            self._culling.run(batch, self._views, self._store, "seen")
            target.begin(depth_only=True)
            self._drawing.draw(batch, self._culling, self._views, Targets())
            target.bind_textures()
            self._pyramid.build()
            which = "new" if only_depth else "unhidden"
        if len(batch.items):
            self._culling.run(batch, self._views, self._store, which)
        if which != "new":
            target.begin()
        if len(batch.items):
            self._drawing.draw(batch, self._culling, self._views, targets)

    def _deliver(self, target: LayeredTarget, output: str, images: Any) -> None:
        config = self._settings.config
        if self.packed is not None:
            self.packed.deliver(output, images)
        elif output == "depth":
            target.read_depth(images, config.near, config.far)
        else:
            target.read_rgb(images)

    def _fit_target(self, layers: int) -> LayeredTarget:
        config = self._settings.config
        if self._target is None or self._target.layers < layers:
            if self._target is not None:
                self._target.delete()
                self._target = None
            self._target = LayeredTarget(self._api, layers, config.height, config.width, self._targets)
            if self._settings.occlusion:
                if self._pyramid is not None:
                    self._pyramid.delete()
                self._pyramid = DepthPyramid(self._api, layers, config.height, config.width)
        return self._target
