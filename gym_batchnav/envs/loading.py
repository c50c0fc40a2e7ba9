"""Makes scenes ready for use, or takes what was derived from them before out of the cache."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from batchnav_renderer.prepare import PreparedScene, Preparer

from ..config import EnvConfig
from ..nav import AgentSettings, NavMesh, navmesh_for
from ..nav.objects import view_points
from ..scenes import Scene
from ..scenes.cache import SceneCache, open_cache
from ..scenes.cache.keys import Content, Recipe, part_key, recall, remember
from ..scenes.reads import file_digest, noting
from ..scenes.scene import SceneWarning

ObjectPlaces = dict[str, NDArray[np.float32]]
"""(V, 3) points for each class of objects."""
_OWN_CODE = file_digest(Path(__file__))
"""Says what is in an entry, besides the version of the code that derives it."""


class Loadable(Protocol):
    """A scene that is not loaded yet (``gym_batchnav.scenes.SceneRef``).

    Where it has a ``recipe`` (``gym_batchnav.scenes.cache.keys.Recipe``), what is derived from it is cached.
    """

    @property
    def scene_id(self) -> str:
        """Stable name."""

    def load(self) -> Scene:
        """Make or read the scene."""


@dataclass(frozen=True, slots=True)
class LoadedScene:
    """A scene that is ready for use."""

    scene_id: str
    """Its stable name."""
    ground: NavMesh
    """Its navigation mesh with the corner tables."""
    prepared: PreparedScene | None
    """What the renderer takes; None for blind agents."""
    warnings: tuple[tuple[str, type[Warning]], ...] = ()
    """What is to be said of it: texts and categories."""
    kept_bytes: int = 0
    """What was written into the cache on its account."""
    objects: ObjectPlaces | None = None
    """Where one stands at its objects, by class; None where nobody asked."""


@dataclass(frozen=True, slots=True)
class Loading:
    """How scenes are made ready; picklable."""

    agent: AgentSettings | None = None
    """The agent that walks in them; None for Habitat's, on whatever ground there is."""
    strict: bool = False
    """Whether a ``.navmesh`` for another agent is an error, rather than a reason to bake anew."""
    cache: SceneCache | None = None
    """Where to keep what is derived."""
    categories: tuple[str, ...] | None = None
    """Classes of objects whose places are wanted; None for none."""

    @classmethod
    def of(cls, config: EnvConfig, *, objects: bool = False) -> Loading:
        """How an environment loads its scenes; ``objects``: those of ``object_categories`` are located."""
        agent = AgentSettings(
            agent_radius=config.agent_radius,
            agent_height=config.agent_height,
            agent_max_climb=config.agent_max_climb,
            agent_max_slope=config.agent_max_slope,
        )
        cache = open_cache() if config.scene_cache else None
        categories = config.object_categories if objects else None
        return cls(agent, strict=config.navmesh is not None, cache=cache, categories=categories)

    def load(self, ref: Loadable, preparer: Preparer | None = None) -> LoadedScene:
        """Do all that is to do before a scene can be walked in and handed to the renderer.

        Raises:
            SceneError, NavMeshError: it cannot be loaded.
            RendererError: it cannot be prepared for the renderer.
        """
        with _collected() as caught:
            loaded = _Derivation(self, ref, preparer).run()
        # Others are for developers of the libraries that give them.
        said = [item for item in caught if issubclass(item.category, UserWarning | RuntimeWarning)]
        told = tuple(dict.fromkeys((str(item.message), item.category) for item in said))
        return replace(loaded, warnings=told)


@dataclass(slots=True)
class _Derivation:
    """One scene on its way."""

    how: Loading
    ref: Loadable
    preparer: Preparer | None
    ground: NavMesh | None = None
    prepared: PreparedScene | None = None
    kept_bytes: int = 0
    objects: ObjectPlaces | None = None

    def run(self) -> LoadedScene:
        recipe, cache = getattr(self.ref, "recipe", None), self.how.cache
        if cache is None or recipe is None:
            scene = self.ref.load()
            self._derive(scene)
        else:
            self._run_cached(cache, recipe)
        assert self.ground is not None
        return LoadedScene(self.ref.scene_id, self.ground, self.prepared, (), self.kept_bytes, self.objects)

    def _run_cached(self, cache: SceneCache, recipe: Recipe) -> None:
        content = recall(cache, recipe)
        if content is not None and self._find(cache, content):
            _warn_again(content.warnings)
            return
        with noting() as notes, _collected() as caught:
            scene = self.ref.load()
        found = remember(cache, recipe, notes, _warn_again(caught))
        if found != content:
            # It has changed meanwhile, or is a copy of a scene whose parts are there already.
            self.ground = self.prepared = self.objects = None
            if found is not None:
                self._find(cache, found)
        self._derive(scene, cache, found)

    def _find(self, cache: SceneCache, content: Content) -> bool:
        """Take what there is from the cache; whether that is all."""
        kept = cache.get(self._ground_key(content))
        if kept is not None:
            ground, texts = kept
            self.ground = ground.named(self.ref.scene_id)
            _warn_again(texts)
        if self.how.categories is not None:
            self.objects = cache.get(self._objects_key(content))
        if self.preparer is not None:
            self.prepared = cache.get(part_key("images", content, _OWN_CODE, self.preparer.kind))
        return self.ground is not None and not self._lacks_objects and not self._lacks_images

    def _derive(self, scene: Scene, cache: SceneCache | None = None, content: Content | None = None) -> None:
        """Make what is missing, and keep it."""
        made: list[tuple[str, Any]] = []
        if self.ground is None:
            with _collected() as caught:
                self.ground = navmesh_for(scene, self.how.agent, strict=self.how.strict).prepare()
            texts = _warn_again(caught)
            if content is not None:
                made.append((self._ground_key(content), (self.ground, texts)))
        if self.how.categories is not None and self.objects is None:
            self.objects = view_points(scene, self.ground, self.how.categories)
            if content is not None:
                made.append((self._objects_key(content), self.objects))
        if self.preparer is not None and self.prepared is None:
            self.prepared = self.preparer(scene.arrays)
            if content is not None:
                made.append((part_key("images", content, _OWN_CODE, self.preparer.kind), self.prepared))
        if cache is not None:
            self.kept_bytes += sum(cache.put(key, value) for key, value in made)

    @property
    def _lacks_objects(self) -> bool:
        return self.how.categories is not None and self.objects is None

    @property
    def _lacks_images(self) -> bool:
        return self.preparer is not None and self.prepared is None

    def _objects_key(self, content: Content) -> str:
        how = self.how
        return part_key("objects", content, _OWN_CODE, how.agent, how.strict, how.categories)

    def _ground_key(self, content: Content) -> str:
        return part_key("ground", content, _OWN_CODE, self.how.agent, self.how.strict)


def _warn_again(said: Iterable[warnings.WarningMessage | str]) -> tuple[str, ...]:
    """Say what was said before; returns the texts about scenes, which are to be kept."""
    texts = []
    for item in said:
        category = SceneWarning if isinstance(item, str) else item.category
        text = item if isinstance(item, str) else str(item.message)
        warnings.warn(text, category, stacklevel=2)
        if issubclass(category, SceneWarning):
            texts.append(text)
    return tuple(texts)


@contextmanager
def _collected() -> Iterator[list[warnings.WarningMessage]]:
    """Warnings of a block, each as often as it was given."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught
