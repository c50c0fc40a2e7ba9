"""A training run that goes on by one update whenever it is told to."""

from __future__ import annotations

import queue
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from ...config import EnvConfig
from ...envs import BatchPointNavEnv
from ...rl import RunInfo, TrainCallback, TrainConfig, train
from ..training.factories import MakeEnvs, env_factories

WARM_UP_UPDATES = 3


class Updates(TrainCallback):
    """Runs ``train`` on a thread of its own, which rests between calls.

    Args:
        learner: of the run; should have no end.
        num_envs: rows.
        env: of the rows.
    """

    def __init__(self, learner: TrainConfig, num_envs: int, env: EnvConfig) -> None:
        """Make the first updates, which take longer than those that follow."""
        self.learner, self.frames = learner, num_envs * learner.ppo.rollout_length
        self.records: list[Mapping[str, Any]] = []
        """Of the updates since the last ``clear``."""
        self.renderer: dict[str, Any] = {}
        self._made: list[BatchPointNavEnv] = []
        self._go: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[Mapping[str, Any] | BaseException] = queue.SimpleQueue()
        self._run: RunInfo | None = None
        factories = [self._noted(make) for make in env_factories(num_envs, env, learner.env_parts)]
        # A process may end while the run rests.
        self._thread = threading.Thread(
            target=self._train, args=(factories,), name="batchnav-bench-train", daemon=True
        )
        self._thread.start()
        try:
            for _ in range(WARM_UP_UPDATES):
                self()
        except BaseException:
            self.close()
            raise
        self.renderer = dict(self._made[0].render_info)
        self.clear()

    def __call__(self) -> int:
        """Makes an update; returns its frames. Raises what the run raises."""
        self._go.put(True)
        answer = self._answers.get()
        if isinstance(answer, BaseException):
            raise answer
        self.records.append(answer)
        return self.frames

    def clear(self) -> None:
        """Forgets the records of the updates so far."""
        self.records.clear()

    def stages_ms(self) -> dict[str, float]:
        """Milliseconds per vector step by stage; parts of the environment are named ``env/...``."""
        totals: dict[str, float] = {}
        for record in self.records:
            for name, seconds in record["seconds"].items():
                totals[name] = totals.get(name, 0.0) + seconds
        steps = self.learner.ppo.rollout_length * len(self.records)
        return {name: 1000 * seconds / steps for name, seconds in totals.items()}

    def close(self) -> None:
        """Ends the run; safe to call twice."""
        self._go.put(False)
        self._thread.join()

    def __enter__(self) -> Updates:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def on_start(self, run: RunInfo) -> None:
        """Wait for the first call."""
        self._run = run
        self._rest()

    def on_update(self, record: Mapping[str, Any]) -> None:
        """Answer the call and wait for the next one."""
        self._answers.put(record)
        self._rest()

    def _rest(self) -> None:
        if not self._go.get() and self._run is not None:
            self._run.stop("benchmark")

    def _train(self, factories: Sequence[MakeEnvs]) -> None:
        try:
            with tempfile.TemporaryDirectory() as folder:
                train(self.learner, factories, Path(folder), callbacks=[self])
        except BaseException as error:
            self._answers.put(error)

    def _noted(self, make: MakeEnvs) -> MakeEnvs:
        def made() -> BatchPointNavEnv:
            self._made.append(make())
            return self._made[-1]

        return made
