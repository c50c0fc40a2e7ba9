"""Pictures of a made scene against stored ones; each PNG carries its own tolerance.

``BATCHNAV_UPDATE_GOLDEN=1`` writes them anew: look at them before committing.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, PngImagePlugin

from batchnav_renderer import BatchRenderer, EGLError, Material, RenderConfig, SceneArrays, Texture
from batchnav_renderer.camera import world_from_camera

FOLDER = Path(__file__).parent
BACKENDS = ("embree", "gl", "gl-raycast")
TOLERANCES = {"rgb": 1.5, "depth": 1.0, "ids": 1.0, "normals": 1.0}  # mean absolute difference, in levels


def tiles(size, first, second):
    """A checkerboard image of 8 x 8 fields with a bright top left corner."""
    board = (np.indices((size, size)) // (size // 8)).sum(0) % 2
    pixels = np.where(board[..., None] == 0, np.array([*first, 255]), np.array([*second, 255])).astype(
        np.uint8
    )
    pixels[: size // 4, : size // 4] = (250, 240, 120, 255)
    return pixels


def grate():
    """Orange with round holes."""
    y, x = np.indices((64, 64)) % 16 - 7.5
    pixels = np.full((64, 64, 4), (230, 120, 30, 255), np.uint8)
    pixels[..., 3] = np.where(x * x + y * y < 30, 0, 255)
    return pixels


def box(low, high, material):
    """Positions, uvs and triangles of six faces; each face spans its texture once a metre."""
    low, high = np.asarray(low, float), np.asarray(high, float)
    corners, uvs = [], []
    for axis in range(3):
        across, up = [(2, 1), (0, 2), (0, 1)][axis]
        for side in (low, high):
            for a, b in ((0, 1), (0, 0), (1, 0), (1, 1)):
                point = side.copy()
                point[across] = (low, high)[a][across]
                point[up] = (low, high)[b][up]
                corners.append(point)
                uvs.append((a * (high - low)[across], (1 - b) * (high - low)[up]))
    faces = np.array([[0, 1, 2], [0, 2, 3]]) + 4 * np.arange(6)[:, None, None]
    return np.array(corners), np.array(uvs), faces.reshape(-1, 3), material


@pytest.fixture(scope="module", params=BACKENDS)
def pictures(request):
    """Name of a backend, and its outputs of four views of a room."""
    parts = [
        box((-3, 0, -4), (3, 2.6, 4), 0),
        box((-1, 0, -2), (0, 1, -1), 1),
        box((0.6, 0.4, -2.5), (1.2, 1.6, -1.9), 2),
        box((-2, 0, 0.5), (-0.5, 1.4, 0.6), 3),
        box((1, 0, 1), (1.6, 0.8, 2), 4),
    ]
    starts = np.cumsum([0] + [len(part[0]) for part in parts])
    scene = SceneArrays(
        positions=np.concatenate([part[0] for part in parts]).astype(np.float32),
        uvs=np.concatenate([part[1] for part in parts]).astype(np.float32),
        triangles=np.concatenate([part[2] + s for part, s in zip(parts, starts, strict=False)]).astype(
            np.uint32
        ),
        material_ids=np.repeat([part[3] for part in parts], 12).astype(np.int32),
        object_ids=np.repeat([3, 4, 7, 1, 5], 12).astype(np.int32),
        materials=(
            Material(texture=0, base_color=(0.8, 0.9, 1.0, 1.0)),
            Material(texture=1),
            Material(base_color=(0.1, 0.5, 0.15, 1.0)),
            Material(texture=2, alpha_cutoff=0.5),
            Material(texture=3, base_color=(1.0, 0.4, 0.4, 1.0)),
        ),
        textures=(
            Texture(pixels=tiles(128, (200, 200, 200), (120, 130, 140))),
            Texture(pixels=tiles(64, (180, 40, 40), (40, 40, 160)), wrap=("clamp", "clamp")),
            Texture(pixels=grate()),
            Texture(pixels=tiles(48, (240, 240, 240), (20, 20, 20)), wrap=("mirror", "repeat")),
        ),
    )
    where = [(0, 1.5, 3.2), (-2.6, 1.2, 2.5), (2.5, 0.6, -3.5), (0.4, 2.3, 0)]
    poses = world_from_camera(where, np.radians([0, -35, 150, 75]), np.radians([-5, -10, 5, -40]))
    config = RenderConfig(
        num_views=4,
        height=96,
        width=128,
        outputs=("rgb", "depth", "ids", "normals"),
        device="cpu",
        backend=request.param,
    )
    try:
        renderer = BatchRenderer(config)
    except EGLError as error:
        if request.param == "embree" or "egl" in os.environ.get("BATCHNAV_REQUIRE", "").split(","):
            raise
        pytest.skip(f"no headless GL: {error}")
    with renderer:
        renderer.set_views(np.full(4, renderer.add_scene(scene)), poses)
        return request.param, renderer.render()


def shown(kind, images):
    """Pictures (4, H, W) or (4, H, W, 3) uint8: 10 m, or 10 ids, over 250 levels; normals from -1 to 1."""
    if kind == "rgb":
        return images["rgb"]
    if kind == "normals":
        return (images["normals"] * 127 + 128).round().astype(np.uint8)
    return ((images[kind][..., 0] + (kind == "ids")) * 25).round().astype(np.uint8)


def mosaic(images):
    return np.concatenate([np.concatenate(list(images[row : row + 2]), axis=1) for row in (0, 2)], axis=0)


@pytest.mark.parametrize("kind", list(TOLERANCES))
def test_picture(pictures, kind):
    backend, images = pictures
    drawn = mosaic(shown(kind, images))
    path = FOLDER / f"room_{kind}_{backend}.png"
    if os.environ.get("BATCHNAV_UPDATE_GOLDEN"):
        notes = PngImagePlugin.PngInfo()
        notes.add_text("tolerance", str(TOLERANCES[kind]))
        Image.fromarray(drawn).save(path, pnginfo=notes, optimize=True)
    with Image.open(path) as stored:
        tolerance = float(stored.text["tolerance"])
        difference = np.abs(np.asarray(stored).astype(int) - drawn).mean()
    assert difference <= tolerance
