"""Sets of sampled episodes outside of an environment, to look at them or to write them down."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..config import EnvConfig, EpisodeSet
from ..errors import ConfigError
from ..nav import NavMesh
from ..sim import EpisodeSetSource
from ..sim.episodes import Episode
from .choosing import scene_refs
from .loading import Loading


@dataclass(frozen=True, slots=True)
class SceneEpisodes:
    """The episodes of a set that lie in one scene."""

    scene_id: str
    """Name of the scene."""
    ground: NavMesh
    """Its navigation mesh."""
    episodes: list[Episode]
    """In the order of the set."""


def episodes_by_scene(config: EnvConfig) -> Iterator[SceneEpisodes]:
    """The episodes of ``config.episodes``, an ``EpisodeSet``: those that environments with it walk.

    Raises:
        ConfigError: ``config.episodes`` is no ``EpisodeSet``, or a scene is unknown.
        SceneError, NavMeshError: a scene cannot be loaded.
        EpisodeError: a scene has no room for an episode.
    """
    if not isinstance(config.episodes, EpisodeSet):
        raise ConfigError(
            f"episodes={config.episodes!r} is not sampled; give EpisodeSet(count=..., seed=...)"
        )
    refs, loading = scene_refs(config), Loading.of(config)
    source = EpisodeSetSource(config.episodes, len(refs), 1, config)
    drafts = [source.item(number) for number in range(config.episodes.count)]
    for scene, ref in enumerate(refs):
        chosen = [draft for draft in drafts if draft.scene == scene]
        if chosen:
            ground = loading.load(ref).ground
            yield SceneEpisodes(ref.scene_id, ground, source.make(chosen, ground, ref.scene_id))
