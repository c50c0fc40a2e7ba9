"""Writes the tables of arguments into the pages, from the fields of the configurations and their docstrings.

Run it after changing a field: ``python docs/reference.py``. A test holds the tables equal to the fields.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from batchnav_renderer import RenderConfig
from gym_batchnav import EnvConfig
from gym_batchnav.config import PRESETS

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import marks  # noqa: E402

GROUPS: Mapping[str, tuple[str, ...]] = {
    "Scenes": ("scenes", "scenes_dir", "navmesh", "scene_up", "scene_scale", "scene_cache"),
    "Agent and ground": ("agent_radius", "agent_height", "agent_max_climb", "agent_max_slope", "sliding"),
    "Episodes": (
        *("episodes", "episode_order", "max_episode_steps", "time_out", "min_geodesic", "max_geodesic"),
        *("min_island_radius", "max_height_difference", "allow_stairs", "straight_ratio"),
    ),
    "Sensors": ("sensors", "goal_sensor", "goal_format", "obs_keys"),
    "Cameras and images": (
        *(
            "resolution",
            "render_resolution",
            "hfov_deg",
            "camera_height",
            "camera_pitch_deg",
            "cameras",
            "shading",
        ),
        *("min_depth", "max_depth", "normalize_depth"),
    ),
    "Actions": ("actions", "forward_step", "turn_angle_deg", "tilt_angle_deg", "velocity"),
    "Noise": ("actuation_noise", "depth_noise", "rgb_noise", "pose_noise"),
    "Success and reward": (
        *("success_distance", "success_at", "object_categories", "object_distance"),
        *("slack_reward", "progress_reward", "success_reward", "final_reward"),
    ),
    "Batch, ranks and scenes in flight": (
        *("autoreset_mode", "index_offset", "total_envs", "num_resident_scenes", "swap_episodes"),
        "scene_workers",
    ),
    "Output and device": ("output", "device", "copy", "render_backend"),
}
"""Fields of ``EnvConfig`` by what they are about; one that is in none of them comes under "More"."""


def field_texts(config: type[Any]) -> dict[str, str]:
    """The docstring under each field, as Markdown on one line.

    Raises:
        ValueError: a field has none.
    """
    (made,) = ast.parse(inspect.getsource(config)).body
    assert isinstance(made, ast.ClassDef)
    texts: dict[str, str] = {}
    for field, below in zip(made.body, made.body[1:], strict=False):
        told = isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and told:
            texts[field.target.id] = markdown(str(below.value.value))  # type: ignore[attr-defined]
    missing = [field.name for field in dataclasses.fields(config) if field.name not in texts]
    if missing:
        raise ValueError(f"{config.__name__} has fields without a docstring: {', '.join(missing)}")
    return texts


def markdown(text: str) -> str:
    """A docstring's text on one line, fit for a cell of a table."""
    line = " ".join(text.split()).replace("``", "`")
    return re.sub(r"(?<!\\)\|", r"\\|", line)


def default_text(field: dataclasses.Field[Any]) -> str:
    """What a field is unless it is given."""
    if field.default is dataclasses.MISSING:
        return "required"
    if dataclasses.is_dataclass(field.default):
        return f"`{type(field.default).__name__}()`"
    if field.name == "object_categories":
        return "`HM3D_CATEGORIES`"
    return f"`{plain(field.default)}`"


def plain(value: Any) -> str:
    """A value as one writes it in Python, strings in double quotes."""
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, tuple):
        inside = ", ".join(plain(item) for item in value)
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        changed = {
            field.name: getattr(value, field.name)
            for field in dataclasses.fields(value)
            if getattr(value, field.name) != field.default
        }
        return f"{type(value).__name__}({', '.join(f'{key}={plain(item)}' for key, item in changed.items())})"
    return repr(value)


def arguments(config: type[Any], groups: Mapping[str, tuple[str, ...]] | None = None) -> str:
    """A table of the fields: name, default, meaning; with ``groups`` one under a heading for each."""
    fields, texts = {field.name: field for field in dataclasses.fields(config)}, field_texts(config)
    if groups is None:
        return table(["field", "default", "meaning"], [_row(fields[name], texts) for name in fields])
    grouped = {name for group in groups.values() for name in group}
    rest = tuple(name for name in fields if name not in grouped)
    parts = []
    for title, names in {**groups, **({"More": rest} if rest else {})}.items():
        lines = [_row(fields[name], texts) for name in names]
        parts.append(f"### {title}\n\n{table(['keyword', 'default', 'meaning'], lines)}")
    return "\n\n".join(parts)


def _row(field: dataclasses.Field[Any], texts: Mapping[str, str]) -> list[str]:
    return [f"`{field.name}`", default_text(field), texts[field.name]]


def presets() -> str:
    """What the presets set, beside each other."""
    fields = {field.name: field.default for field in dataclasses.fields(EnvConfig)}
    changed = [name for name in fields if any(name in values for values in PRESETS.values())]
    lines = [
        [f"`{name}`", *(f"`{plain(values.get(name, fields[name]))}`" for values in PRESETS.values())]
        for name in changed
    ]
    return table(["field", *(f'`"{name}"`' for name in PRESETS)], lines)


def table(head: list[str], lines: list[list[str]]) -> str:
    """A table in Markdown."""
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *lines))


def blocks() -> dict[Path, dict[str, str]]:
    """The generated parts of each page, by name."""
    return {
        HERE / "environment.md": {"arguments": arguments(EnvConfig, GROUPS), "presets": presets()},
        HERE / "renderer.md": {"fields": arguments(RenderConfig)},
    }


def filled(text: str, parts: Mapping[str, str]) -> str:
    """The text with its parts from this script made anew, see ``marks.filled``."""
    return marks.filled(text, parts, "docs/reference.py")


def main() -> None:
    """Fill the pages."""
    for path, parts in blocks().items():
        path.write_text(filled(path.read_text("utf-8"), parts), "utf-8")


if __name__ == "__main__":
    main()
