"""Loads scenes, ahead of their need in worker processes or at once in this one."""

from __future__ import annotations

import os
import pickle
import queue
import subprocess
import sys
import threading
import warnings
import weakref
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

from batchnav_renderer.errors import RendererError
from batchnav_renderer.prepare import Preparer

from ..errors import BatchNavError, NavMeshError, SceneError
from .loading import Loadable, LoadedScene, Loading
from .worker import receive, remove_parcels, send, unpack_scene

_BOOT = (
    "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); "
    "from gym_batchnav.envs.worker import serve; serve()"
)
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}


BROKEN = (SceneError, NavMeshError)
"""What is raised on account of a scene; but not the ``SceneWorkerError`` among them."""


class SceneWorkerError(SceneError):
    """A process that loads scenes has died or met an error of this library; the scene may be sound."""


def is_broken(error: BaseException | None) -> bool:
    """Whether an error is the scene's own, which it will have again."""
    return isinstance(error, BROKEN) and not isinstance(error, SceneWorkerError)


class SceneLoader:
    """Gives loaded scenes by their index; with workers, ``request`` has them prepared ahead.

    The workers end with ``close``, or when the loader is collected or Python exits.
    """

    def __init__(self, refs: Sequence[Loadable], workers: int, how: Loading | None = None) -> None:
        self._refs = refs
        self._how = Loading() if how is None else how
        self._kept_bytes = 0
        self._told: set[str] = set()
        self._num_workers = workers
        self._workers: list[_Worker] = []
        self._queue: _Tasks = queue.SimpleQueue()
        self._pending: dict[int, Future[LoadedScene]] = {}
        weakref.finalize(self, _abandon, self._workers, self._queue, os.getpid())

    @property
    def ahead(self) -> bool:
        """Whether ``request`` does anything."""
        return self._num_workers > 0

    def request(self, scenes: Iterable[int], preparer: Preparer | None = None) -> None:
        """Have scenes prepared by the workers, in this order; ``preparer`` does it for the renderer."""
        if not self.ahead:
            return
        for scene in scenes:
            if scene not in self._pending:
                future: Future[LoadedScene] = Future()
                self._pending[scene] = future
                self._queue.put((future, self._how, self._refs[scene], preparer))
        while self._pending and len(self._workers) < self._num_workers:
            self._workers.append(_Worker(self._queue))

    def take(self, scene: int, preparer: Preparer | None = None) -> LoadedScene:
        """The loaded scene; waits for a worker that is at it, else loads it here.

        Raises:
            SceneError, NavMeshError: it cannot be loaded.
            SceneWorkerError: the worker died.
            RendererError: it cannot be prepared for the renderer.
        """
        future = self._pending.pop(scene, None)
        if future is None or future.cancel():
            loaded = self._how.load(self._refs[scene], preparer)
        else:
            loaded = future.result()
        self._tell(loaded)
        return loaded

    def loaded(self) -> list[int]:
        """Scenes that were requested, are loaded, and were not taken yet."""
        return [scene for scene, future in self._pending.items() if _has_result(future)]

    def broken(self) -> dict[int, BaseException]:
        """Scenes that were requested and turned out to be broken, and why; they are not pending any more."""
        done = {scene: future for scene, future in self._pending.items() if _is_over(future)}
        found = {scene: error for scene, future in done.items() if (error := future.exception())}
        found = {scene: error for scene, error in found.items() if is_broken(error)}
        for scene in found:
            del self._pending[scene]
        return found

    @property
    def num_pending(self) -> int:
        """Number of scenes requested and not taken yet."""
        return len(self._pending)

    def forget(self) -> None:
        """Drop what was requested and not taken."""
        for future in self._pending.values():
            future.cancel()
        self._pending.clear()

    def _tell(self, loaded: LoadedScene) -> None:
        """Pass the warnings of a scene on, each once; stop writing to a cache that this set outgrows."""
        for text, category in loaded.warnings:
            if text not in self._told:
                self._told.add(text)
                warnings.warn(text, category, stacklevel=5)
        self._kept_bytes += loaded.kept_bytes
        cache = self._how.cache
        if cache is not None and cache.writes and self._kept_bytes > cache.limit_bytes:
            # From here on every scene would take the place of one that this run has kept.
            self._how = replace(self._how, cache=replace(cache, writes=False))

    def close(self) -> None:
        """End the workers; safe to call twice, and a later ``request`` starts them again."""
        self.forget()
        for _ in self._workers:
            self._queue.put(None)
        for worker in self._workers:
            worker.close()
        self._workers.clear()


def _is_over(future: Future[LoadedScene]) -> bool:
    return future.done() and not future.cancelled()


def _has_result(future: Future[LoadedScene]) -> bool:
    return _is_over(future) and future.exception() is None


_Tasks = queue.SimpleQueue[tuple[Future[LoadedScene], Loading, Loadable, Preparer | None] | None]


def _abandon(workers: list[_Worker], tasks: _Tasks, process: int) -> None:
    """End workers that nobody can use any more; waits for nothing, as garbage is collected in any thread."""
    if os.getpid() != process:
        # In a fork, the workers still are the parent's.
        return
    for _ in workers:
        tasks.put(None)
    for worker in workers:
        worker.kill()
    workers.clear()


class _Worker:
    """One process and the thread that talks to it; the thread mostly waits, without the GIL."""

    def __init__(self, tasks: _Tasks) -> None:
        self._tasks = tasks
        self._process = subprocess.Popen(
            [sys.executable, "-c", _BOOT],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **_ONE_THREAD},
        )
        self._thread = threading.Thread(target=self._run, name="batchnav-scene-loader", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Kill the process, as what it still works on is of no use any more, and wait for its thread."""
        self.kill()
        self._thread.join(timeout=20.0)

    def kill(self) -> None:
        """Kill the process without waiting; the thread cleans up once it has taken a None from the queue."""
        self._process.kill()
        remove_parcels(self._process.pid)

    def _run(self) -> None:
        try:
            self._serve()
        finally:
            self._clean_up()

    def _clean_up(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            try:
                stream.close()
            except BrokenPipeError:
                continue
        remove_parcels(self._process.pid)

    def _serve(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            pickle.dump(sys.path, self._process.stdin)
            self._process.stdin.flush()
            # Until it answers, whoever needs a scene had better load it than wait.
            receive(self._process.stdout)
        except (OSError, EOFError):
            # The first task reports that the process is gone.
            pass
        while (task := self._tasks.get()) is not None:
            future, how, ref, preparer = task
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(self._load(how, ref, preparer))
            except Exception as error:
                future.set_exception(error)

    def _load(self, how: Loading, ref: Loadable, preparer: Preparer | None) -> LoadedScene:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            send(self._process.stdin, pickle.dumps((how, ref, preparer)))
            answer: tuple[Any, ...] = receive(self._process.stdout)
        except (OSError, EOFError) as error:
            raise SceneWorkerError(
                f"scene {ref.scene_id}: the process that prepares scenes has ended (exit status "
                f"{self._process.poll()}); see its messages above, or pass scene_workers=0 to load in this "
                "process"
            ) from error
        if answer[0] == "scene":
            return unpack_scene(answer[1])
        if isinstance(answer[1], BatchNavError | RendererError):
            raise answer[1]
        raise SceneWorkerError(f"scene {ref.scene_id}: loading failed in a worker process:\n{answer[2]}")
