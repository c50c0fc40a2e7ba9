"""Animated GIFs of episodes: what the robot sees beside where it is."""

from __future__ import annotations

import io
import math
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib import colormaps
from numpy.typing import NDArray
from PIL import Image, ImageColor, ImageDraw, ImageFont

from ...envs.maps import BACKGROUND, BLOCKED, FAILED, FLOOR, GOAL, SHORTEST, START, WAY, Board, SceneMap
from .records import EpisodeTrace, Frame

PANEL, GAP, BAR = 256, 8, 34
ACTIONS = ("stop", "forward", "turn left", "turn right")
INK = "#1f2933"


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
    board = _board(episode, scene_map, success_distance)
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


def _board(episode: EpisodeTrace, scene_map: SceneMap, success_distance: float) -> Board:
    """The map panel without the agent."""
    board = Board.of(scene_map, np.concatenate([episode.way, [episode.goal]]), PANEL)
    board.line(episode.shortest, SHORTEST)
    board.disc(episode.goal, GOAL, radius_m=success_distance)
    board.disc(episode.start, START)
    return board


def _picture(episode: EpisodeTrace, board: Board, step: int, ended: bool = False) -> Image.Image:
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


def _map_panel(episode: EpisodeTrace, board: Board, step: int) -> Image.Image:
    panel = board.copied()
    panel.line(episode.way[: step + 1], WAY)
    panel.agent(episode.way[step], float(episode.headings[min(step, len(episode.headings) - 1)]))
    return panel.picture()


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
