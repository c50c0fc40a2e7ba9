"""The configuration of a renderer."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal

from .errors import RenderConfigError
from .types import is_number

Output = Literal["depth", "rgb"]
OUTPUTS: tuple[Output, ...] = ("depth", "rgb")
_DEVICE = re.compile(r"cpu(:0)?|cuda(:\d+)?")


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
    """Any of "depth" (planar metres) and "rgb" (sRGB bytes)."""
    near: float = 0.01
    """Distance of the near plane, metres."""
    far: float = 10.0
    """Greatest depth: farther surfaces and misses read this, metres. Colours are not cut."""
    device: str | None = None
    """"cpu" (also "cpu:0"), "cuda", "cuda:<ordinal>" or an object whose ``str`` is one; None prefers an
    NVIDIA GPU. The backend "embree" draws on the CPU whatever it is."""
    backend: Literal["auto", "gl", "embree"] = "auto"
    """What draws: "gl" on a GPU or in software, "embree" on the CPU; "auto" takes "gl" on an NVIDIA GPU, else
    "embree", else "gl" in software."""
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
        if self.backend not in ("auto", "gl", "embree"):
            raise RenderConfigError(f"backend is {self.backend!r}; allowed: 'auto', 'gl', 'embree'")
        if self.layer_stage not in ("auto", "vertex", "geometry"):
            raise RenderConfigError(
                f"layer_stage is {self.layer_stage!r}; allowed: 'auto', 'vertex', 'geometry'"
            )

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
