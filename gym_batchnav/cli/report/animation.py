"""Animated GIFs of episodes: what the robot sees beside where it is."""

from __future__ import annotations

import io
import math
from dataclasses import dataclass
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib import colormaps
from numpy.typing import NDArray
from PIL import Image, ImageColor, ImageDraw, ImageFont

from .maps import BLOCKED, FAILED, FLOOR, GOAL, SHORTEST, START, WAY, cropped, mask_image
from .records import EpisodeTrace, Frame, SceneMap

PANEL, GAP, BAR = 256, 8, 34
ACTIONS = ("stop", "forward", "turn left", "turn right")
BACKGROUND, INK = "#ffffff", "#1f2933"
OVERSAMPLING = 2


def episode_gif(
    episode: EpisodeTrace, scene_map: SceneMap, *, max_frames: int = 80, success_distance: float = 0.2
) -> bytes:
    """Draw one recorded episode as an animated GIF.

    Args:
        episode: An episode with frames.
        scene_map: The map of its scene.
        max_frames: Longer episodes are thinned evenly to this many pictures.
        success_distance: Radius of the goal, metres.

    Returns:
        The bytes of the GIF; it loops, and rests on its last picture.
    """
    steps = len(episode.frames)
    chosen = np.unique(np.linspace(0, steps - 1, min(max_frames, steps)).round().astype(int))
    board = _Board.of(episode, scene_map, success_distance)
    pictures = [_picture(episode, board, int(step)) for step in chosen]
    pictures.append(_picture(episode, board, steps - 1, ended=True))
    palette = _palette([pictures[0], pictures[len(pictures) // 2], pictures[-1]])
    flat = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    pause = max(50, min(110, 9000 // len(flat)))
    buffer = io.BytesIO()
    flat[0].save(
        buffer,
        format="GIF",
        save_all=True,
        append_images=flat[1:],
        duration=[pause] * (len(flat) - 1) + [1800],
        loop=0,
        optimize=True,
    )
    return buffer.getvalue()


def picture_of(images: dict[str, NDArray[np.generic]] | Frame, size: int = PANEL) -> list[Image.Image]:
    """The sensor images as square pictures, colour first, depth in false colours.

    Args:
        images: A frame, or its images.
        size: Side of each picture in pixels.
    """
    found = images.images if isinstance(images, Frame) else images
    pictures = []
    if "rgb" in found:
        pictures.append(Image.fromarray(np.asarray(found["rgb"], dtype=np.uint8)))
    if "depth" in found:
        depth = np.asarray(found["depth"], dtype=np.uint8)[..., 0]
        # Near is bright; the square root spreads the near range, where most of a room lies.
        near = 1.0 - np.sqrt(depth / 255.0)
        pictures.append(Image.fromarray((colormaps["magma"](near)[..., :3] * 255).astype(np.uint8)))
    return [picture.resize((size, size), Image.Resampling.NEAREST) for picture in pictures]


@dataclass(frozen=True, slots=True)
class _Board:
    """The map panel without the agent, and how metres become its pixels."""

    base: Image.Image
    origin: NDArray[np.float64]
    scale: float
    offset: NDArray[np.float64]

    @classmethod
    def of(cls, episode: EpisodeTrace, scene_map: SceneMap, success_distance: float) -> _Board:
        small, (x0, z0, x1, z1) = cropped(scene_map, np.concatenate([episode.way, [episode.goal]]))
        side = PANEL * OVERSAMPLING
        scale = side / max(x1 - x0, z1 - z0)
        size = (max(1, round((x1 - x0) * scale)), max(1, round((z1 - z0) * scale)))
        offset = np.array([(side - size[0]) // 2, (side - size[1]) // 2], dtype=np.float64)
        base = Image.new("RGB", (side, side), BACKGROUND)
        picture = mask_image(small.mask).resize(size, Image.Resampling.BILINEAR)
        base.paste(picture, (int(offset[0]), int(offset[1])))
        board = cls(base, np.array([x0, z0]), scale, offset)
        draw = ImageDraw.Draw(base)
        board.line(draw, episode.shortest, SHORTEST, 3 * OVERSAMPLING)
        board.disc(draw, episode.goal, max(4.0 * OVERSAMPLING, success_distance * scale), GOAL)
        board.disc(draw, episode.start, 4 * OVERSAMPLING, START)
        return board

    def pixels(self, points: NDArray[np.floating]) -> list[tuple[float, float]]:
        """(P, 3) metres to pixel pairs."""
        flat = (np.asarray(points, dtype=np.float64)[:, [0, 2]] - self.origin) * self.scale + self.offset
        return [(float(x), float(y)) for x, y in flat]

    def line(self, draw: ImageDraw.ImageDraw, points: NDArray[np.floating], color: str, width: int) -> None:
        if len(points) > 1:
            draw.line(self.pixels(points), fill=color, width=width, joint="curve")

    def disc(self, draw: ImageDraw.ImageDraw, point: NDArray[np.floating], radius: float, color: str) -> None:
        ((x, y),) = self.pixels(np.asarray(point)[None])
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=color)


def _picture(episode: EpisodeTrace, board: _Board, step: int, ended: bool = False) -> Image.Image:
    """All panels at one step; ``ended`` shows the outcome after the last action."""
    frame = episode.frames[step]
    reached = min(step + (1 if ended else 0), len(episode.way) - 1)
    panels = [*picture_of(frame), _map_panel(episode, board, reached)]
    width = len(panels) * (PANEL + GAP) + GAP
    canvas = Image.new("RGB", (width, PANEL + GAP + BAR), BACKGROUND)
    for number, panel in enumerate(panels):
        canvas.paste(panel, (GAP + number * (PANEL + GAP), GAP))
    draw = ImageDraw.Draw(canvas)
    text, color = _status(episode, frame, step, ended)
    draw.text((GAP + 2, PANEL + GAP + 9), text, fill=color, font=_font(14))
    return canvas


def _map_panel(episode: EpisodeTrace, board: _Board, step: int) -> Image.Image:
    panel = board.base.copy()
    draw = ImageDraw.Draw(panel)
    board.line(draw, episode.way[: step + 1], WAY, 3 * OVERSAMPLING)
    ((x, y),) = board.pixels(episode.way[step : step + 1])
    heading = float(episode.headings[min(step, len(episode.headings) - 1)])
    # Heading 0 looks down -Z, which is up on the map; positive turns left.
    ahead = np.array([-math.sin(heading), -math.cos(heading)])
    side = np.array([-ahead[1], ahead[0]])
    tip, back = 9.0 * OVERSAMPLING, 6.0 * OVERSAMPLING
    corners = [ahead * tip, -ahead * back + side * back, -ahead * back * 0.4, -ahead * back - side * back]
    draw.polygon([(x + float(c[0]), y + float(c[1])) for c in corners], fill=WAY, outline="#ffffff", width=2)
    return panel.resize((PANEL, PANEL), Image.Resampling.LANCZOS)


def _status(episode: EpisodeTrace, frame: Frame, step: int, ended: bool) -> tuple[str, str]:
    if ended:
        metrics = episode.metrics
        if episode.success:
            return f"goal reached in {metrics['steps']:.0f} steps, SPL {metrics['spl']:.2f}", GOAL
        left = metrics.get("distance_to_goal", math.nan)
        return f"failed after {metrics['steps']:.0f} steps, {left:.1f} m away", FAILED
    action = ACTIONS[frame.action] if 0 <= frame.action < len(ACTIONS) else str(frame.action)
    return f"step {step + 1:3d}   {frame.distance_to_goal:4.1f} m to go   {action}", INK


def _palette(samples: list[Image.Image]) -> Image.Image:
    """One palette for all pictures keeps the file small and calm; the map's few colours have fixed places."""
    drawn = np.array([ImageColor.getrgb(color)[:3] for color in (WAY, SHORTEST, START, FAILED)])
    grounds = np.array([FLOOR, BLOCKED])
    # Half-way shades are for the smoothed rims of lines.
    fixed = np.concatenate([drawn, grounds, *((drawn + ground) // 2 for ground in grounds)])
    free = 256 - len(fixed)
    seen = _beside(samples).quantize(free, dither=Image.Dither.NONE).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette([*seen[: 3 * free], *fixed.ravel().tolist()])
    return palette


def _beside(pictures: list[Image.Image]) -> Image.Image:
    strip = Image.new("RGB", (sum(p.width for p in pictures), pictures[0].height))
    left = 0
    for picture in pictures:
        strip.paste(picture, (left, 0))
        left += picture.width
    return strip


def _font(size: int) -> ImageFont.FreeTypeFont:
    """DejaVu Sans, which matplotlib ships."""
    return ImageFont.truetype(str(Path(matplotlib.get_data_path()) / "fonts/ttf/DejaVuSans.ttf"), size)
