"""The scenes that are loaded, each held once however many environments use it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from batchnav_renderer.errors import CapacityError
from batchnav_renderer.prepare import PreparedScene, Preparer

from ..nav import NavMesh
from ..sim.objects import ObjectGoals
from .loader import BROKEN, SceneLoader, is_broken
from .timing import StageTimer

ENOUGH_FOR_WORKERS = 5
"""Scenes to load at once from which on it pays to start worker processes."""


class SceneStore(Protocol):
    """Where scenes go to be drawn (the images, or nothing for a blind agent)."""

    @property
    def preparer(self) -> Preparer | None:
        """Makes what ``add_scene`` takes, in any process; None for a blind agent."""

    def add_scene(self, prepared: PreparedScene | None, *, wait: bool) -> int:
        """Take a scene; returns the id to draw it by, which is good at once whether it waits or not."""

    def wait(self, view_id: int) -> None:
        """Wait until a scene can be drawn; raises what went wrong and forgets the scene then."""

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
    objects: ObjectGoals | None = None
    """Its objects as goals; None where no task needs them."""
    ahead: bool = False
    """Whether it is held for episodes that have not begun yet."""


class ScenePool:
    """Reference-counted scenes; one that nobody uses leaves as soon as more than ``capacity`` are held.

    As many again are handed to the renderer ahead of their need, so that a swap need not wait; those that are
    still held when they are known to be needed again stay.
    """

    def __init__(self, loader: SceneLoader, store: SceneStore, capacity: int, timer: StageTimer) -> None:
        self._loader = loader
        self._store = store
        self._capacity = capacity
        self._timer = timer
        self._residents: dict[int, Resident] = {}
        self._soon: set[int] = set()
        self._has_room = True

    def __contains__(self, scene: int) -> bool:
        return scene in self._residents

    def __len__(self) -> int:
        return len(self._residents)

    def __getitem__(self, scene: int) -> Resident:
        return self._residents[scene]

    def prefetch(self, scenes: Iterable[int], *, soon: bool = False) -> None:
        """Have scenes prepared ahead, as far as there is room; no image and no episode depends on it.

        Args:
            scenes: indices.
            soon: whether a change of scene will need them next; ``add_ahead`` looks at these alone.
        """
        for scene in scenes:
            if soon:
                self._soon.add(scene)
            if scene in self._residents:
                self._residents[scene].ahead = True
            elif self._loader.num_pending < 2 * self._capacity:
                self._loader.request([scene], self._store.preparer)

    def add_ahead(self) -> None:
        """Start handing the scenes that the workers have prepared to the renderer; waits for nothing."""
        for scene in self._loader.loaded():
            if scene not in self._soon:
                continue
            if not self._has_room or len(self._soon & self._residents.keys()) >= self._capacity:
                return
            self._add(scene, wait=False)
            self._residents[scene].ahead = True

    @property
    def prefetches(self) -> bool:
        """Whether ``prefetch`` does anything."""
        return self._loader.ahead

    def broken_ahead(self) -> dict[int, BaseException]:
        """Scenes that were prefetched and turned out to be broken, each once, and why."""
        return self._loader.broken()

    def leave(self, scene: int) -> None:
        """Do not hold a scene for episodes to come."""
        self._soon.discard(scene)
        if scene in self._residents:
            self._residents[scene].ahead = False
            self.trim()

    def hold(self, scenes: Iterable[int]) -> dict[int, BaseException]:
        """Load all of these scenes now, for good; the workers help where there are enough.

        Returns:
            Those that are broken and not held, and why.
        """
        wanted = [scene for scene in scenes if scene not in self._residents]
        with self._timer.stage("scene"):
            if len(wanted) >= ENOUGH_FOR_WORKERS:
                # They begin at the end, so that this process and they meet.
                self._loader.request(reversed(wanted), self._store.preparer)
            broken: dict[int, BaseException] = {}
            for scene in wanted:
                try:
                    self._add(scene, wait=False)
                except BROKEN as error:
                    if not is_broken(error):
                        raise
                    broken[scene] = error
            for scene in wanted:
                if scene not in broken:
                    self._wait(scene)
            # The processes would only sit in memory now; a later request starts them again.
            self._loader.close()
        return broken

    def acquire(self, scene: int) -> Resident:
        """The scene, loaded now where it is not yet; call ``release`` when the episode in it ends."""
        resident = self._residents.get(scene)
        if resident is None or resident.ahead:
            resident = self._ready(scene)
        resident.users += 1
        return resident

    def release(self, scene: int) -> None:
        """An episode in the scene has ended."""
        self._residents[scene].users -= 1
        self.trim()

    def trim(self) -> None:
        """Let unused scenes go, the longest held first, until the capacity is kept."""
        excess = len(self._residents) - self._capacity
        if excess > 0:
            excess -= self._num_ahead
        if excess > 0:
            unused = [scene for scene, found in self._residents.items() if not (found.users or found.ahead)]
            for scene in unused[:excess]:
                self._store.remove_scene(self._residents.pop(scene).view_id)

    def forget_requests(self) -> None:
        """Drop scenes that were prefetched for a schedule that no longer holds."""
        self._loader.forget()
        self._soon.clear()
        for resident in self._residents.values():
            resident.ahead = False
        self.trim()

    def close(self) -> None:
        """End the worker processes and forget all scenes; the store is the caller's."""
        self._loader.close()
        self._residents.clear()

    @property
    def _num_ahead(self) -> int:
        return sum(resident.ahead for resident in self._residents.values())

    def _add(self, scene: int, *, wait: bool) -> None:
        loaded = self._loader.take(scene, self._store.preparer)
        view_id = self._store.add_scene(loaded.prepared, wait=wait)
        objects = None if loaded.objects is None else ObjectGoals(loaded.ground, loaded.objects)
        self._residents[scene] = Resident(loaded.scene_id, loaded.ground, view_id, objects=objects)

    def _ready(self, scene: int) -> Resident:
        """A scene that was added ahead or is not held yet, ready to be drawn."""
        with self._timer.stage("scene"):
            if scene in self._residents:
                self._settle(scene)
            if scene not in self._residents:
                self._add(scene, wait=True)
        resident = self._residents[scene]
        resident.ahead = False
        self._soon.discard(scene)
        return resident

    def _wait(self, scene: int) -> None:
        try:
            self._store.wait(self._residents[scene].view_id)
        except BaseException:
            del self._residents[scene]
            raise

    def _settle(self, scene: int) -> None:
        """Wait for a scene that was added ahead; where the device had no room, it and all others go."""
        try:
            self._wait(scene)
        except CapacityError:
            self._has_room = False
            for resident in self._residents.values():
                resident.ahead = False
            self.trim()
