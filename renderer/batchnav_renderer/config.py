"""The configuration of a renderer."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .errors import RenderConfigError
from .types import is_number

Output = Literal["depth", "rgb", "ids", "normals"]
OUTPUTS: tuple[Output, ...] = ("depth", "rgb", "ids", "normals")
BackendName = Literal["auto", "gl", "gl-raycast", "embree"]
BACKENDS: tuple[BackendName, ...] = ("auto", "gl", "gl-raycast", "embree")
_DTYPES: dict[str, str] = {"rgb": "uint8", "ids": "int32", "normals": "float32"}
_CHANNELS: dict[str, int] = {"depth": 1, "rgb": 3, "ids": 1, "normals": 3}
_DEVICE = re.compile(r"cpu(:0)?|cuda(:\d+)?")
_CHOICES: dict[str, tuple[str, ...]] = {
    "backend": BACKENDS,
    "layer_stage": ("auto", "vertex", "geometry"),
    "depth_dtype": ("float32", "float16"),
    "shading": ("unlit", "headlight"),
    "images": ("numpy", "torch"),
    "occlusion_culling": ("auto", "on", "off"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderConfig:
    """What to draw, how large, and where; a wrong field raises a ``RenderConfigError`` that names it."""

    num_views: int
    """Views (N) drawn by each ``render``."""
    height: int = 64
    """Rows of an image, pixels."""
    width: int = 64
    """Columns of an image, pixels."""
    hfov_deg: float = 90.0
    """Horizontal field of view, degrees; pixels are square."""
    outputs: tuple[Output, ...] = ("depth",)
    """Any of "depth" (planar metres), "rgb" (sRGB bytes), "ids" (the ``object_ids`` of what is seen) and
    "normals" (of the surfaces, in camera space)."""
    depth_dtype: Literal["float32", "float16"] = "float32"
    """Type of the depth images; float16 keeps 4 mm at 8 m and halves the bytes that a GPU writes."""
    shading: Literal["unlit", "headlight"] = "unlit"
    """"unlit" shows surface colours as they are, as scanned scenes carry their light; "headlight" dims linear
    light to ``0.3 + 0.7 |n . r|``, n the normal and r the direction to the camera, so that untextured scenes
    show their shape."""
    near: float = 0.01
    """Distance of the near plane, metres."""
    far: float = 10.0
    """Greatest depth: farther surfaces and misses read this, metres. Colours are not cut."""
    device: str | None = None
    """"cpu" (also "cpu:0"), "cuda", "cuda:<ordinal>" or an object whose ``str`` is one; None prefers an
    NVIDIA GPU. The backend "embree" draws on the CPU whatever it is."""
    backend: BackendName = "auto"
    """What draws: "gl" rasterises on a GPU or in software, "gl-raycast" follows rays in compute shaders, for
    GPUs without raster hardware, "embree" follows rays on the CPU. "auto" takes one of the first two on an
    NVIDIA GPU, else "embree", else "gl" in software, and says why in ``BatchRenderer.info``."""
    images: Literal["numpy", "torch"] = "numpy"
    """What ``render`` returns: NumPy arrays, or torch tensors on the device that draws (on an NVIDIA GPU
    without a copy; see ``BatchRenderer.render`` for how long they live)."""
    image_ring: int = 2
    """Sets of buffers that take turns with ``images="torch"`` on an NVIDIA GPU: a returned tensor lives until
    this many renders have been submitted after its own. 2 lets one batch be drawn while the last is used."""
    watertight: bool = False
    """Whether no ray slips between two triangles along their common edge. "embree" is a tenth slower with it
    and lets up to 12 of 16 million pixels through without; "gl" and "gl-raycast" always are watertight."""
    occlusion_culling: Literal["auto", "on", "off"] = "auto"
    """Whether "gl" leaves out chunks that a depth pyramid shows to be hidden; it never changes an image.
    "auto" has it on where a measurement has shown that it pays."""
    max_texture_size: int = 1024
    """Larger texture images are shrunk to this many texels a side (a power of two)."""
    num_workers: int | None = None
    """Threads that share the views; None takes one per CPU core, and one with GL on hardware."""
    chunk_triangles: int = 64
    """Triangles of a chunk, the unit of frustum culling; it never changes an image."""
    max_layers: int | None = None
    """Views of one texture array; None takes the driver's limit (2,048 at most)."""
    layer_stage: Literal["auto", "vertex", "geometry"] = "auto"
    """Shader stage that chooses the layer; "auto" takes the vertex shader where the driver can."""
    debug: bool = False
    """Check for GL errors after every GL call (also switched on by BATCHNAV_GL_DEBUG=1)."""

    def __post_init__(self) -> None:
        """Check every field."""
        _check_integer("num_views", self.num_views, 1, 1 << 20)
        _check_integer("height", self.height, 1, 8192)
        _check_integer("width", self.width, 1, 8192)
        _check_integer("chunk_triangles", self.chunk_triangles, 1, 65536)
        if self.num_workers is not None:
            _check_integer("num_workers", self.num_workers, 1, 1024)
        if self.max_layers is not None:
            _check_integer("max_layers", self.max_layers, 1, 2048)
        _check_integer("image_ring", self.image_ring, 2, 64)
        _check_integer("max_texture_size", self.max_texture_size, 1, 8192)
        if self.max_texture_size & (self.max_texture_size - 1):
            raise RenderConfigError(f"max_texture_size is {self.max_texture_size}; it must be a power of two")
        _check_open("hfov_deg", self.hfov_deg, 1.0, 179.0)
        _check_open("near", self.near, 1e-6, 1e6)
        _check_open("far", self.far, self.near, 1e6)
        self._check_choices()

    def _check_choices(self) -> None:
        object.__setattr__(self, "outputs", _outputs(self.outputs))
        if self.device is not None:
            device = str(self.device)
            if not _DEVICE.fullmatch(device):
                raise RenderConfigError(
                    f"device is {self.device!r}; allowed: None, 'cpu', 'cuda', 'cuda:<number>'"
                )
            object.__setattr__(self, "device", "cpu" if device == "cpu:0" else device)
        if not isinstance(self.watertight, bool):
            raise RenderConfigError(f"watertight is {self.watertight!r}; allowed: True, False")
        for name, allowed in _CHOICES.items():
            if (value := getattr(self, name)) not in allowed:
                raise RenderConfigError(f"{name} is {value!r}; allowed: {', '.join(map(repr, allowed))}")

    @property
    def dtypes(self) -> dict[str, np.dtype[Any]]:
        """Type of each output's images."""
        return {
            name: np.dtype(self.depth_dtype if name == "depth" else _DTYPES[name]) for name in self.outputs
        }

    @property
    def shapes(self) -> dict[str, tuple[int, int, int]]:
        """(H, W, channels) of each output's images."""
        return {name: (self.height, self.width, _CHANNELS[name]) for name in self.outputs}

    @property
    def hfov(self) -> float:
        """Horizontal field of view, radians."""
        return math.radians(self.hfov_deg)

    @property
    def aspect(self) -> float:
        """Width divided by height."""
        return self.width / self.height


def _outputs(outputs: object) -> tuple[Output, ...]:
    names = (outputs,) if isinstance(outputs, str) else outputs
    if not isinstance(names, (tuple, list)) or not names:
        raise RenderConfigError(f"outputs is {outputs!r}; give a tuple of different names from {OUTPUTS}")
    for name in names:
        if name not in OUTPUTS:
            raise RenderConfigError(f"outputs holds {name!r}; allowed: {OUTPUTS}")
    if len(set(names)) != len(names):
        raise RenderConfigError(f"outputs is {outputs!r}; give a tuple of different names from {OUTPUTS}")
    return tuple(names)


def _check_integer(name: str, value: object, low: int, high: int) -> None:
    if isinstance(value, bool) or not hasattr(value, "__index__") or not low <= value.__index__() <= high:
        raise RenderConfigError(f"{name} is {value!r}; allowed: an integer from {low} to {high}")


def _check_open(name: str, value: object, low: float, high: float) -> None:
    if not is_number(value) or not low < value < high:
        raise RenderConfigError(f"{name} is {value!r}; allowed: more than {low} and less than {high}")
