"""The scenes that are loaded, each held once however many environments use it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from ..nav import NavMesh
from ..scenes import Scene
from .loader import SceneLoader
from .timing import StageTimer

ENOUGH_FOR_WORKERS = 5
"""Scenes to load at once from which on it pays to start worker processes."""


class SceneStore(Protocol):
    """Where scenes go to be drawn (the images, or nothing for a blind agent)."""

    def add_scene(self, scene: Scene) -> int:
        """Take a scene; returns the id to draw it by."""

    def remove_scene(self, view_id: int) -> None:
        """Give the scene's memory back."""


@dataclass(slots=True)
class Resident:
    """A loaded scene."""

    scene_id: str
    """Its stable name."""
    ground: NavMesh
    """Its navigation mesh."""
    view_id: int
    """Its id in the renderer."""
    users: int = 0
    """Environments whose episode is in it."""


class ScenePool:
    """Reference-counted scenes; one that nobody uses leaves as soon as more than ``capacity`` are held."""

    def __init__(self, loader: SceneLoader, store: SceneStore, capacity: int, timer: StageTimer) -> None:
        self._loader = loader
        self._store = store
        self._capacity = capacity
        self._timer = timer
        self._residents: dict[int, Resident] = {}

    def __contains__(self, scene: int) -> bool:
        return scene in self._residents

    def __len__(self) -> int:
        return len(self._residents)

    def __getitem__(self, scene: int) -> Resident:
        return self._residents[scene]

    def prefetch(self, scenes: Iterable[int]) -> None:
        """Have scenes prepared ahead, as far as there is room; no image and no episode depends on it."""
        for scene in scenes:
            if self._loader.num_pending >= 2 * self._capacity:
                return
            if scene not in self._residents:
                self._loader.request([scene])

    @property
    def prefetches(self) -> bool:
        """Whether ``prefetch`` does anything."""
        return self._loader.ahead

    def hold(self, scenes: Iterable[int]) -> None:
        """Load all of these scenes now, for good; the workers help where there are enough."""
        wanted = [scene for scene in scenes if scene not in self._residents]
        with self._timer.stage("scene"):
            if len(wanted) >= ENOUGH_FOR_WORKERS:
                self._loader.request(wanted)
            for scene in wanted:
                self._load(scene)
            # The processes would only sit in memory now; a later request starts them again.
            self._loader.close()

    def acquire(self, scene: int) -> Resident:
        """The scene, loaded now where it is not yet; call ``release`` when the episode in it ends."""
        if scene not in self._residents:
            with self._timer.stage("scene"):
                self._load(scene)
        resident = self._residents[scene]
        resident.users += 1
        return resident

    def release(self, scene: int) -> None:
        """An episode in the scene has ended."""
        self._residents[scene].users -= 1
        self.trim()

    def trim(self) -> None:
        """Let unused scenes go, the longest held first, until the capacity is kept."""
        if len(self._residents) <= self._capacity:
            return
        for scene in [scene for scene, resident in self._residents.items() if resident.users == 0]:
            if len(self._residents) <= self._capacity:
                return
            self._store.remove_scene(self._residents.pop(scene).view_id)

    def forget_requests(self) -> None:
        """Drop scenes that were prefetched for a schedule that no longer holds."""
        self._loader.forget()

    def close(self) -> None:
        """End the worker processes and forget all scenes; the store is the caller's."""
        self._loader.close()
        self._residents.clear()

    def _load(self, scene: int) -> None:
        loaded = self._loader.take(scene)
        view_id = self._store.add_scene(loaded.scene)
        self._residents[scene] = Resident(loaded.scene.scene_id, loaded.ground, view_id)
