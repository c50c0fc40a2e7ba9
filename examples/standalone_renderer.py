"""The renderer without navigation: two triangles as a floor, seen by four cameras at once.

python examples/standalone_renderer.py [--out views.png]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from PIL import Image

from batchnav_renderer import BatchRenderer, RenderConfig
from batchnav_renderer.types import Material, SceneArrays, Texture


def checkered_floor() -> SceneArrays:
    """A floor of 10 x 10 m at y = 0 with a checkerboard of 1 m squares."""
    corners = np.array([[-5, 0, -5], [5, 0, -5], [5, 0, 5], [-5, 0, 5]], dtype=np.float32)
    squares = np.indices((2, 2)).sum(axis=0) % 2
    pixels = np.where(squares[..., None] == 0, [235, 230, 220, 255], [90, 120, 160, 255]).astype(np.uint8)
    return SceneArrays(
        positions=corners,
        triangles=np.array([[0, 1, 2], [0, 2, 3]], dtype=np.uint32),
        material_ids=np.zeros(2, dtype=np.int32),
        uvs=(corners[:, [0, 2]] / 2).astype(np.float32),
        materials=(Material(texture=0),),
        textures=(Texture(pixels=np.repeat(np.repeat(pixels, 32, axis=0), 32, axis=1)),),
    )


def camera(height: float, pitch_deg: float) -> np.ndarray:
    """world_from_camera (4, 4): at (0, height, 4), tilted down; the camera looks along -Z."""
    angle = np.radians(-pitch_deg)
    pose = np.eye(4, dtype=np.float32)
    pose[1:3, 1:3] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    pose[:3, 3] = [0, height, 4]
    return pose


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("views.png"))
    args = parser.parse_args()
    poses = np.stack([camera(0.5, 10), camera(1.0, 20), camera(2.0, 40), camera(3.0, 60)])
    with BatchRenderer(
        RenderConfig(num_views=4, height=128, width=128, outputs=("depth", "rgb"))
    ) as renderer:
        scene = renderer.add_scene(checkered_floor())
        renderer.set_views(np.full(4, scene), poses)
        images = renderer.render()
        print(renderer.info)
    for pose, depth in zip(poses, images["depth"], strict=True):
        print(f"height {pose[1, 3]:.1f} m: {depth[64, 64, 0]:.2f} m to the floor in the middle of the image")
    Image.fromarray(np.concatenate(list(images["rgb"]), axis=1)).save(args.out)
    print(f"wrote {args.out}")


if __name__ == "__main__":
    main()
