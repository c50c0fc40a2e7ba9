"""Which scenes an environment has, and its episodes where they come from a file."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np

from ..config import DEFAULT_SCENES, DEFAULT_SCENES_DIR, EnvConfig, EpisodeSet
from ..errors import ConfigError, EpisodeError
from ..scenes import SceneFinder, SceneRef, resolve_scenes
from ..scenes.sizes import fit_to_agent
from ..sim.dataset import EpisodeTable, read_all_episodes, read_episodes
from ..sim.scene_names import NamedScene
from .loading import Loadable


def chosen_scenes(config: EnvConfig) -> tuple[tuple[Loadable, ...], EpisodeTable | None]:
    """References of the scenes, and the episodes of a file; None where episodes are sampled.

    Where ``scenes`` is left at its default beside an episode file, the scenes are those of the file.

    Raises:
        ConfigError: scenes cannot be used, or the folder of scenes is missing.
        EpisodeError: the file cannot be used, or scenes that it names are missing.
    """
    if config.episodes is None or isinstance(config.episodes, EpisodeSet):
        return scene_refs(config), None
    path = os.fspath(config.episodes)
    if isinstance(config.scenes, str) and config.scenes == DEFAULT_SCENES and config.navmesh is None:
        return _scenes_of_episodes(path, config)
    refs = scene_refs(config)
    return refs, read_episodes(path, [ref.scene_id for ref in refs])


def scene_refs(config: EnvConfig) -> tuple[Loadable, ...]:
    """References of the configured scenes; ready references in a list are taken as they are."""
    scenes = config.scenes
    if config.navmesh is not None and not os.path.isfile(config.navmesh):
        raise ConfigError(
            f"navmesh={os.fspath(config.navmesh)!r}: there is no such file; give the path of a mesh"
        )
    if isinstance(scenes, tuple) and all(hasattr(item, "load") for item in scenes):
        return cast("tuple[Loadable, ...]", scenes)
    refs = resolve_scenes(
        scenes,
        config.navmesh,  # type: ignore[arg-type]
        up=config.scene_up,
        scale=config.scene_scale,
        scenes_dir=config.scenes_dir,  # type: ignore[arg-type]
    )
    return _fitted(refs, config)


def _scenes_of_episodes(path: str, config: EnvConfig) -> tuple[tuple[Loadable, ...], EpisodeTable]:
    table, named = read_all_episodes(path)
    folder = Path(config.scenes_dir if config.scenes_dir is not None else DEFAULT_SCENES_DIR)
    finder = SceneFinder(folder, config.scene_up, config.scene_scale)
    found = [finder.find(scene.scene_id, scene.data_set) for scene in named]
    missing = [scene for scene, ref in zip(named, found, strict=True) if ref is None]
    if missing:
        raise _missing(table.path, missing, len(named), folder, given=config.scenes_dir is not None)
    refs = cast("list[SceneRef]", found)
    # Two names may mean one scene.
    numbers = {ref: number for number, ref in enumerate(dict.fromkeys(refs))}
    scenes = np.array([numbers[ref] for ref in refs], dtype=np.int32)[table.scenes]
    return _fitted(tuple(numbers), config), replace(table, scenes=scenes)


def _fitted(refs: tuple[SceneRef, ...], config: EnvConfig) -> tuple[Loadable, ...]:
    """The same scenes, for the configured agent."""
    return fit_to_agent(
        refs, radius=config.agent_radius, height=config.agent_height, max_climb=config.agent_max_climb
    )


def _missing(
    path: Path, missing: list[NamedScene], total: int, folder: Path, *, given: bool
) -> ConfigError | EpisodeError:
    some = ", ".join(repr(scene.scene_id) for scene in missing[:5]) + (", ..." if len(missing) > 5 else "")
    if not folder.is_dir():
        place = f"scenes_dir={str(folder)!r}" if given else f"{folder} (Habitat's, the default of scenes_dir)"
        return ConfigError(
            f"{path} names {total} scenes, such as {some}, but there is no folder {place}; pass scenes_dir= "
            "with the folder that holds gibson/, mp3d/ or hm3d/, or the scenes themselves as scenes="
        )
    return EpisodeError(
        f"{path}: {len(missing)} of its {total} scenes are not below {folder.resolve()}: {some}; download "
        "them to there, pass another scenes_dir=, or name the scenes that you have as scenes="
    )
