"""Loads scenes, ahead of their need in worker processes or at once in this one."""

from __future__ import annotations

import os
import pickle
import queue
import subprocess
import sys
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from typing import Any

from ..errors import BatchNavError, SceneError
from .worker import Loadable, LoadedScene, load, receive, remove_parcels, send, unpack

_BOOT = (
    "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); "
    "from gym_batchnav.envs.worker import serve; serve()"
)
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}


class SceneLoader:
    """Gives loaded scenes by their index; with workers, ``request`` has them prepared ahead."""

    def __init__(self, refs: Sequence[Loadable], workers: int) -> None:
        self._refs = refs
        self._num_workers = workers
        self._workers: list[_Worker] = []
        self._queue: queue.SimpleQueue[tuple[Future[LoadedScene], Loadable] | None] = queue.SimpleQueue()
        self._pending: dict[int, Future[LoadedScene]] = {}

    @property
    def ahead(self) -> bool:
        """Whether ``request`` does anything."""
        return self._num_workers > 0

    def request(self, scenes: Iterable[int]) -> None:
        """Have scenes prepared by the workers, in this order."""
        if not self.ahead:
            return
        for scene in scenes:
            if scene not in self._pending:
                future: Future[LoadedScene] = Future()
                self._pending[scene] = future
                self._queue.put((future, self._refs[scene]))
        while self._pending and len(self._workers) < self._num_workers:
            self._workers.append(_Worker(self._queue))

    def take(self, scene: int) -> LoadedScene:
        """The loaded scene; waits for a worker that is at it, else loads it here.

        Raises:
            SceneError, NavMeshError: it cannot be loaded, or the worker died.
        """
        future = self._pending.pop(scene, None)
        if future is None or future.cancel():
            return load(self._refs[scene])
        return future.result()

    def is_pending(self, scene: int) -> bool:
        """Whether the scene was requested and not taken yet."""
        return scene in self._pending

    @property
    def num_pending(self) -> int:
        """Number of scenes requested and not taken yet."""
        return len(self._pending)

    def forget(self) -> None:
        """Drop what was requested and not taken."""
        for future in self._pending.values():
            future.cancel()
        self._pending.clear()

    def close(self) -> None:
        """End the workers; safe to call twice, and a later ``request`` starts them again."""
        self.forget()
        for _ in self._workers:
            self._queue.put(None)
        for worker in self._workers:
            worker.close()
        self._workers.clear()


class _Worker:
    """One process and the thread that talks to it; the thread mostly waits, without the GIL."""

    def __init__(self, tasks: queue.SimpleQueue[tuple[Future[LoadedScene], Loadable] | None]) -> None:
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
        """Close the pipe to the process and wait for it; it is killed where it does not end."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            # What it still works on is of no use any more.
            self._process.kill()
            self._process.wait(timeout=10.0)
        finally:
            self._thread.join(timeout=10.0)
            for stream in (self._process.stdin, self._process.stdout):
                try:
                    stream.close()
                except BrokenPipeError:
                    continue
            remove_parcels(self._process.pid)

    def _run(self) -> None:
        assert self._process.stdin is not None
        try:
            pickle.dump(sys.path, self._process.stdin)
            self._process.stdin.flush()
        except OSError:
            # The first task reports that the process is gone.
            pass
        while (task := self._tasks.get()) is not None:
            future, ref = task
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(self._load(ref))
            except Exception as error:
                future.set_exception(error)

    def _load(self, ref: Loadable) -> LoadedScene:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            send(self._process.stdin, pickle.dumps(ref))
            answer: tuple[Any, ...] = receive(self._process.stdout)
        except (OSError, EOFError) as error:
            raise SceneError(
                f"scene {ref.scene_id}: the process that prepares scenes has ended (exit status "
                f"{self._process.poll()}); see its messages above, or pass scene_workers=0 to load in this "
                "process"
            ) from error
        if answer[0] == "scene":
            loaded = unpack(answer[1])
            assert isinstance(loaded, LoadedScene)
            return loaded
        if isinstance(answer[1], BatchNavError):
            raise answer[1]
        raise SceneError(f"scene {ref.scene_id}: loading failed in a worker process:\n{answer[2]}")
