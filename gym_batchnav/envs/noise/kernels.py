"""Noise on arrays, pixel by pixel.

The depth camera: Choi, Zhou and Koltun 2015, "Robust Reconstruction of Indoor Scenes" (redwood-data.org,
``simdepth.py``), after Teichman et al. 2013 (CLAMS), for a PrimeSense camera of 640 x 480 pixels; without its
table of lens distortion.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ...sim.random import GOLDEN, MIX

LOOK_ASIDE: Final = np.float32(0.25)
"""Standard deviation of the place where a pixel looks, pixels."""
FARTHEST: Final = np.float32(10.0)
"""Depth from which on there is no answer, metres."""
BASELINE: Final = np.float32(35.13)
"""Focal length times baseline: the disparity of 1 m, pixels."""
DISPARITY_ERROR: Final = np.float32(0.027778)
"""Standard deviation of the disparity, pixels."""
DISPARITY_STEPS: Final = np.float32(8.0)
"""Steps of the disparity in a pixel."""
WHITE: Final = np.float32(255.0)
"""Greatest value of a colour."""

# Without reference counting of arrays. One file holds all that the kernels are made of, for Numba compiles
# what it has kept on disk anew when their own file changes.
_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "_nrt": False}
_kernel: Any = njit(**_OPTIONS)
_GOLDEN, _MIX_1, _MIX_2 = np.uint64(GOLDEN), np.uint64(MIX[0]), np.uint64(MIX[1])
_LOW = np.uint64(0xFFFF)
_HALF, _ZERO = np.float32(0.5), np.float32(0.0)


@_kernel
def _word(key: Any, place: Any) -> Any:
    """Word number `place` of the stream `key`: SplitMix64, as `gym_batchnav.sim.random.mix`."""
    word = key + (np.uint64(place) + np.uint64(1)) * _GOLDEN
    word = (word ^ (word >> np.uint64(30))) * _MIX_1
    word = (word ^ (word >> np.uint64(27))) * _MIX_2
    return word ^ (word >> np.uint64(31))


@_kernel
def _normal(table: NDArray[np.float32], word: Any, part: Any) -> Any:
    return table[(word >> np.uint64(16 * part)) & _LOW]


@_kernel
def _aside(place: Any, error: Any, last: Any) -> Any:
    """The even place next to `place` + `error` in 0 to `last`."""
    moved = min(max(np.float32(place) + error, _ZERO), np.float32(last))
    near = np.int64(moved + _HALF)
    return near - near % 2


@_kernel
def depth_noise(
    source: NDArray[np.float32],
    keys: NDArray[np.uint64],
    table: NDArray[np.float32],
    multiplier: Any,
    result: NDArray[np.float32],
) -> None:
    """Fills `result` with what the camera reads of depths `source`, both (V, H, W) metres; 0 for no answer.

    `keys` (V,) are of the images, `table` is `normal_table`.
    """
    views, height, width = source.shape
    look, error = LOOK_ASIDE * multiplier, DISPARITY_ERROR * multiplier
    for view in range(views):
        for y in range(height):
            for x in range(width):
                word = _word(keys[view], y * width + x)
                row = _aside(y, _normal(table, word, 0) * look, height - 1)
                column = _aside(x, _normal(table, word, 1) * look, width - 1)
                depth = source[view, row, column]
                steps = _ZERO
                if depth < FARTHEST:
                    disparity = BASELINE / depth + _normal(table, word, 2) * error
                    steps = np.rint(disparity * DISPARITY_STEPS)
                result[view, y, x] = BASELINE * DISPARITY_STEPS / steps if steps > _ZERO else _ZERO


@_kernel
def rgb_noise(
    images: NDArray[np.uint8], keys: NDArray[np.uint64], table: NDArray[np.float32], intensity: Any
) -> None:
    """Adds noise to `images` (V, H, W, 3); `keys` (V,) are of the images, `table` is `normal_table`."""
    views, height, width, colors = images.shape
    deviation = intensity * WHITE
    for view in range(views):
        for y in range(height):
            for x in range(width):
                word = _word(keys[view], y * width + x)
                for color in range(colors):
                    value = np.float32(images[view, y, x, color]) + _normal(table, word, color) * deviation
                    images[view, y, x, color] = np.uint8(min(max(np.rint(value), _ZERO), WHITE))
