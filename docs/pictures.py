"""Draws the pictures of concepts.md and watching.md into docs/images, from environments of this library.

Run it after a change of the houses or of the trained policy: ``python docs/pictures.py``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from matplotlib import colormaps, rc_context
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from numpy.typing import NDArray
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from gym_batchnav import BatchPointNavEnv
from gym_batchnav.cli.scenes.drawing.above import draw_above, frame_of
from gym_batchnav.nav import navmesh_for
from gym_batchnav.nav.survey import survey
from gym_batchnav.rl import Agent, StraightWalker, load_policy
from gym_batchnav.scenes import resolve_scenes

IMAGES = Path(__file__).resolve().parent / "images"
KEY = "scenes"
"""Entry of a picture's metadata that names what it shows."""
INK, MUTED = "#1f2933", "#66727f"
BLUE, ORANGE, GREEN, RED = "#1f6fb5", "#d9791a", "#1d8a5f", "#c02942"
HOUSE, EPISODE, VIEW, WATCHED = "houses:val/0", 258, 12, 258
MOSAIC, SWAPPED = "houses:val[:12]", "houses:train[:12]"
Way = NDArray[np.float32]


def distance() -> tuple[Figure, str]:
    """One episode from above: the straight line, the shortest way, and the ways of two agents."""
    with BatchPointNavEnv(2, scenes=HOUSE) as envs:
        ways, goal, told = walk(envs, [load_policy("pretrained"), StraightWalker()])
        shortest = envs.navmesh(0).shortest_path(ways[0][0], goal)
        names = " ".join(envs.scene_ids)
    line = np.stack([shortest[0], shortest[-1]])
    figure = Figure(figsize=(11, 8.4), dpi=110, layout="constrained")
    axis = figure.subplots()
    plan(axis)
    drawn = (
        (line, ORANGE, "--", f"straight line: {length(line):.1f} m"),
        (shortest, GREEN, "-", f"shortest way, the geodesic distance: {length(shortest):.1f} m"),
        (ways[0], BLUE, "-", f"trained agent: {length(ways[0]):.1f} m, {told[0]}"),
        (ways[1], RED, "-", f"straight walker: {length(ways[1]):.1f} m, {told[1]}"),
    )
    for points, color, style, label in drawn:
        axis.plot(points[:, 0], points[:, 2], "-", color="white", linewidth=5)
        axis.plot(points[:, 0], points[:, 2], style, color=color, linewidth=3, label=label)
    axis.plot(*line[0, [0, 2]], "o", color=INK, markersize=12, markeredgecolor="white")
    axis.plot(*line[1, [0, 2]], "*", color=GREEN, markersize=26, markeredgecolor="white")
    for name, end in (("start", line[0]), ("goal", line[1])):
        axis.annotate(
            name, end[[0, 2]], (14, 10), textcoords="offset points", color=INK, weight="bold", fontsize=13
        )
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=12.5)
    return figure, names


def walk(envs: BatchPointNavEnv, agents: list[Agent]) -> tuple[list[Way], Way, list[str]]:
    """Let agent i walk row i, all the same episode; returns their ways, the goal and how they ended."""
    count = len(agents)
    observations, _ = envs.reset(seed=[EPISODE] * count)
    goal: Way = envs.agent_state()["goal"][0]
    ways = [[position] for position in envs.agent_state()["position"]]
    states: list[object] = [None] * count
    told, starts = [""] * count, np.ones(count, bool)
    for _ in range(500):
        actions = np.zeros(count, np.int64)
        for row, agent in enumerate(agents):
            seen = {key: value[row : row + 1] for key, value in observations.items()}
            chosen, states[row] = agent.act(seen, states[row], starts[row : row + 1])
            actions[row] = chosen[0]
        observations, _, terminations, truncations, infos = envs.step(actions)
        starts = terminations | truncations
        for row, position in enumerate(envs.agent_state()["position"]):
            if starts[row] and not told[row]:
                final = infos["final_info"]
                verdict = "success" if final["success"][row] else "no success"
                told[row] = f"{verdict}, SPL {final['spl'][row]:.2f}"
            if not told[row]:
                ways[row].append(position)
        if all(told):
            break
    return [np.array(way) for way in ways], goal, told


def plan(axis: Axes) -> None:
    """The house from above, cut open over the floor, in metres."""
    (reference,) = resolve_scenes(HOUSE)
    scene = reference.load()
    ground = survey(navmesh_for(scene))
    frame = frame_of(ground, [0], 1000, 1000)
    image = draw_above(scene.arrays, ground.storeys[0].height, frame)
    left, top = frame.low
    right, bottom = left + frame.width / frame.pixels_per_meter, top + frame.height / frame.pixels_per_meter
    axis.imshow(image, extent=(left, right, bottom, top), alpha=0.75)
    axis.set(xlabel="x, metres", ylabel="z, metres")
    axis.spines[:].set_visible(False)


def length(points: NDArray[np.floating]) -> float:
    """Length of a way, metres."""
    return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())


def sensors() -> tuple[Figure, str]:
    """The four images of one view."""
    names = ("depth", "rgb", "semantic", "normals")
    with BatchPointNavEnv(1, scenes=HOUSE, sensors=names, resolution=(320, 320)) as envs:
        observations, _ = envs.reset(seed=VIEW)
        scenes = " ".join(envs.scene_ids)
        seen = {name: observations[name][0] for name in names}
    shown = {
        "depth": (colormaps["viridis"](1.0 - seen["depth"][..., 0])[..., :3], "metres along the view"),
        "rgb": (seen["rgb"], "sRGB bytes"),
        "semantic": (by_number(seen["semantic"][..., 0]), "an id for each object"),
        "normals": ((seen["normals"] + 1) / 2, "right, up, to the camera"),
    }
    figure = Figure(figsize=(12, 3.5), dpi=110, layout="constrained")
    for axis, (name, (picture, text)) in zip(figure.subplots(1, 4), shown.items(), strict=True):
        axis.imshow(picture)
        axis.set_title(f"{name}: {text}", fontsize=11, color=INK)
        axis.set_axis_off()
    return figure, scenes


def by_number(numbers: NDArray[np.int32]) -> NDArray[np.float64]:
    """A colour (..., 3) for each number, so that neighbouring numbers differ."""
    palette = np.array([to_rgb(color) for color in (*colormaps["tab20"].colors, *colormaps["Set3"].colors)])
    return palette[(numbers * 7) % len(palette)]


def batch() -> tuple[Image.Image, str]:
    """Twelve environments after a few seconds, each beside its map."""
    with BatchPointNavEnv(12, scenes=MOSAIC, render_mode="rgb_array", resolution=(176, 176)) as envs:
        envs.reset(seed=3)
        for _ in range(25):
            actions = envs.expert_actions()
            # Those that arrive stay, so that every map shows a way.
            envs.step(np.where(actions == 0, 2, actions))
        return Image.fromarray(envs.mosaic(4, maps=True)), " ".join(envs.scene_ids)


def pool() -> tuple[Figure, str]:
    """Which scene each row is in, step by step, where four of twelve scenes are held at once."""
    with BatchPointNavEnv(
        16, scenes=SWAPPED, sensors=(), num_resident_scenes=4, swap_episodes=8, max_episode_steps=60
    ) as envs:
        _, infos = envs.reset(seed=0)
        seen, generator = [infos["scene_id"]], np.random.default_rng(0)
        for _ in range(239):
            # A stop now and then, so that rows end at different times.
            actions = generator.choice(4, size=16, p=[0.02, 0.58, 0.2, 0.2])
            seen.append(envs.step(actions)[4]["scene_id"])
        names = " ".join(envs.scene_ids)
    figure = Figure(figsize=(11, 4.2), dpi=110, layout="constrained")
    axis = figure.subplots()
    axis.imshow(np.array(seen).T, aspect="auto", cmap="tab20", vmin=0, vmax=19, interpolation="nearest")
    for slot in range(1, 4):
        axis.axhline(4 * slot - 0.5, color="white", linewidth=4)
    labels = [f"slot {slot}\nrows {4 * slot} to {4 * slot + 3}" for slot in range(4)]
    axis.set_yticks([1.5 + 4 * slot for slot in range(4)], labels)
    axis.set_xlabel("step", color=INK)
    axis.set_title("a colour is a scene", fontsize=11, color=MUTED)
    axis.spines[:].set_visible(False)
    axis.tick_params(length=0)
    return figure, names


def watching() -> tuple[Image.Image, str]:
    """What people see of an agent on its way."""
    options = {"render_mode": "rgb_array", "render_resolution": (640, 640)}
    with BatchPointNavEnv(1, scenes=HOUSE, **options) as envs:
        envs.reset(seed=WATCHED)
        for _ in range(36):
            envs.step(envs.expert_actions())
        return Image.fromarray(envs.panels(320)[0]), " ".join(envs.scene_ids)


PICTURES: dict[str, Callable[[], tuple[Figure | Image.Image, str]]] = {
    "concepts-distance.png": distance,
    "concepts-sensors.png": sensors,
    "concepts-batch.png": batch,
    "concepts-scenes.png": pool,
    "watching.png": watching,
}


def main() -> None:
    """Draw all of them, or those that are named."""
    with rc_context({"font.family": "DejaVu Sans", "axes.edgecolor": MUTED, "text.color": INK}):
        for name in sys.argv[1:] or PICTURES:
            picture, scenes = PICTURES[name]()
            path = IMAGES / name
            if isinstance(picture, Figure):
                picture.savefig(path, metadata={KEY: scenes, "Software": None})
            else:
                text = PngInfo()
                text.add_text(KEY, scenes)
                picture.save(path, pnginfo=text, optimize=True)


if __name__ == "__main__":
    main()
