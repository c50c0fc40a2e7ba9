"""Fixtures that all tests share."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from batchnav_renderer import SceneArrays
from batchnav_renderer.camera import world_from_camera

# What commands print must not depend on the width of the terminal that the tests were started in.
os.environ.pop("COLUMNS", None)
# Shells start what they put in the background without Ctrl-C, and the processes of tests would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture
def shared_data() -> Path:
    """The folder of third-party scenes and truth values beside the checkout; skips where it is absent."""
    if not SHARED_DATA.is_dir():
        pytest.skip(f"third-party test data not found at {SHARED_DATA}")
    return SHARED_DATA


@pytest.fixture
def rng() -> np.random.Generator:
    """A seeded random generator."""
    return np.random.default_rng(0)


@pytest.fixture
def quads() -> Callable[..., SceneArrays]:
    """Builds a scene of quads, each given by four corners in order around it."""

    def build(corners: Any, uvs: Any = None, **fields: Any) -> SceneArrays:
        positions = np.asarray(corners, np.float32).reshape(-1, 3)
        count = len(positions) // 4
        pattern = np.array([[0, 1, 2], [0, 2, 3]], np.uint32)
        triangles = (pattern + 4 * np.arange(count, dtype=np.uint32)[:, None, None]).reshape(-1, 3)
        fields.setdefault("material_ids", np.zeros(len(triangles), np.int32))
        if uvs is not None:
            fields["uvs"] = np.asarray(uvs, np.float32).reshape(-1, 2)
        return SceneArrays(positions=positions, triangles=triangles, **fields)

    return build


@pytest.fixture
def facing() -> Callable[[float, float, float, float, float], Any]:
    """Corners of a quad facing a camera at the origin: x and y ranges, distance; from the top left."""

    def corners(x0: float, x1: float, y0: float, y1: float, distance: float) -> Any:
        return [[x0, y1, -distance], [x0, y0, -distance], [x1, y0, -distance], [x1, y1, -distance]]

    return corners


@pytest.fixture
def clutter() -> Callable[[int, int], SceneArrays]:
    """Builds a scene of boxes at random places in a 10 x 3 x 10 m room, from a seed."""

    def build(seed: int, count: int) -> SceneArrays:
        rng = np.random.default_rng(seed)
        unit = np.stack(np.meshgrid([0.0, 1.0], [0.0, 1.0], [0.0, 1.0], indexing="ij"), -1).reshape(-1, 3)
        sides = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
        faces = np.array([[a, *pair] for a, b, c, d in sides for pair in ((b, c), (c, d))])
        low = rng.uniform([-5, 0, -5], [5, 2.5, 5], (count, 1, 3))
        positions = low + unit * rng.uniform(0.1, 1.2, (count, 1, 3))
        triangles = faces + 8 * np.arange(count)[:, None, None]
        colors = np.concatenate([rng.integers(0, 256, (count * 8, 3)), np.full((count * 8, 1), 255)], 1)
        return SceneArrays(
            positions=positions.reshape(-1, 3).astype(np.float32),
            triangles=triangles.reshape(-1, 3).astype(np.uint32),
            material_ids=np.zeros(12 * count, np.int32),
            colors=colors.astype(np.uint8),
        )

    return build


@pytest.fixture
def random_poses(rng: np.random.Generator) -> Callable[[int], Any]:
    """Random cameras at eye height inside the room of ``clutter``."""

    def poses(count: int) -> Any:
        where = rng.uniform([-4, 0.8, -4], [4, 1.6, 4], (count, 3))
        return world_from_camera(where, rng.uniform(-np.pi, np.pi, count), rng.uniform(-0.3, 0.3, count))

    return poses


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests keep what they derive from scenes in a folder of their own, never in the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BATCHNAV_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.delenv("BATCHNAV_CACHE_GIB", raising=False)
        yield
