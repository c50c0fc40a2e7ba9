"""The training loop."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, cast

import torch

from gym_batchnav.errors import BatchNavError
from gym_batchnav.rl.collecting.parts import EnvParts, MakeEnvs
from gym_batchnav.rl.config import TrainConfig
from gym_batchnav.rl.devices import check_device
from gym_batchnav.rl.distributed.agreement import (
    check_own_devices,
    check_own_rows,
    check_same,
    check_same_weights,
)
from gym_batchnav.rl.distributed.dealing import deal_out
from gym_batchnav.rl.distributed.launch import find_launch, rank_device
from gym_batchnav.rl.distributed.preemption import Preemption
from gym_batchnav.rl.distributed.slurm import requeue
from gym_batchnav.rl.distributed.world import World, join_world
from gym_batchnav.rl.learning import schedule
from gym_batchnav.rl.learning.compiling import compile_policy
from gym_batchnav.rl.learning.precision import choose_precision
from gym_batchnav.rl.running import checkpoint as ckpt
from gym_batchnav.rl.running.callbacks import RunInfo, TrainCallback, TrainResult
from gym_batchnav.rl.running.logs import RunLog, SilentLog
from gym_batchnav.rl.running.memory import keep_freed_memory
from gym_batchnav.rl.running.saving import Saver
from gym_batchnav.rl.running.signals import StopSignals
from gym_batchnav.rl.running.state import RunState
from gym_batchnav.rl.running.validation import Validate, Validation


def train(
    config: TrainConfig,
    make_envs: MakeEnvs | Sequence[MakeEnvs],
    run_dir: Path | str,
    *,
    resume: bool = False,
    callbacks: Sequence[TrainCallback] = (),
    validate: Validate | None = None,
    world: World | None = None,
    env_settings: Mapping[str, Any] | None = None,
) -> TrainResult:
    """Trains a policy by PPO and leaves logs and checkpoints in a folder.

    Memory that the process frees stays with it from then on, see ``keep_freed_memory``. Under torchrun or
    srun, each process is a rank: it makes environments of its own, on its own device, and all ranks learn
    together. Rank 0 alone reads and writes files and calls ``callbacks`` and ``validate``. Environments with
    an ``index_offset`` take that of the rank (``find_launch``); rows of others are seeded apart.

    Args:
        config: of the run. A resumed run may change limits and rates, not the network.
        make_envs: makes the vector environment; called once, and what it gives is closed at the end. Or a
            sequence of such functions, each of which makes some of the rows, best two halves: one is then
            stepped while the policy acts on the other (Stooke & Abbeel 2018), as ``config.overlap`` says.
        run_dir: gets ``train.jsonl``, ``tensorboard/`` and ``checkpoints/``.
        resume: goes on from the newest whole checkpoint in ``run_dir``, if any; broken ones are set aside,
            which is told. It continues exactly where the environment has ``get_state`` and ``set_state``;
            else it begins new episodes, seeded by the run's seed and its frames, and says so.
        callbacks: listeners; of several ranks those of rank 0.
        validate: evaluates the policy every ``config.validate_every_frames`` and at the end, and so decides
            which checkpoint is the best.
        world: the ranks, if the caller has met them by ``join_world``; None meets them here.
        env_settings: what the environments are made with, as plain values; checkpoints keep it as "env".

    Returns:
        How the run ended; SIGTERM, SIGINT or SIGUSR1 to any rank end it cleanly after the update in progress.

    Raises:
        ConfigError: the environment or the settings do not fit.
        CheckpointError: the checkpoint is broken, does not fit, or cannot be written.
        BatchNavError: the folder holds a run and ``resume`` is False, or the gradients are not finite.
        DistributedError: ranks are missing, have died or differ.
    """
    launch = find_launch() if world is None else world.launch
    config = dataclasses.replace(config, device=rank_device(launch, config.device))
    check_device(config.device)
    callbacks = callbacks if launch.is_main else ()
    keep_freed_memory()
    with (
        StopSignals(partial(_tell_signal, callbacks)) as signals,
        _one_torch_thread(config.device),
        join_world(config.device, config.distributed, launch) if world is None else nullcontext(world) as met,
    ):
        result = _train(
            config, make_envs, Path(run_dir), resume, callbacks, validate, signals, met, env_settings
        )
        # The others wait meanwhile: SLURM may end a job one of whose ranks has ended.
        job = requeue(result.reason, config.distributed.requeue) if launch.is_main else ""
    for callback in callbacks if job else ():
        callback.on_message(f"SLURM job {job} is back in the queue")
    return result


def _tell_signal(callbacks: Sequence[TrainCallback], name: str) -> None:
    for callback in callbacks:
        callback.on_signal(name)


def _train(
    config: TrainConfig,
    make_envs: MakeEnvs | Sequence[MakeEnvs],
    run_dir: Path,
    resume: bool,
    callbacks: Sequence[TrainCallback],
    validate: Validate | None,
    signals: StopSignals,
    world: World,
    env_settings: Mapping[str, Any] | None,
) -> TrainResult:
    content, messages = _find(run_dir, resume) if world.is_main else (None, [])
    started = time.monotonic()
    factories = list(make_envs) if isinstance(make_envs, list | tuple) else [cast(MakeEnvs, make_envs)]
    envs = EnvParts(factories, config.overlap, config.device)
    try:
        trainer = Trainer(config, envs, run_dir, callbacks, validate, signals, started, world)
        trainer.state.env_settings = env_settings
        trainer.begin(content, messages)
        try:
            return trainer.run()
        finally:
            trainer.log.close()
            trainer.state.ppo.threads.close()
    finally:
        envs.close()


def _find(run_dir: Path, resume: bool) -> tuple[dict[str, Any] | None, list[str]]:
    """What to go on from, with messages."""
    if not resume and ckpt.holds_checkpoints(run_dir):
        raise BatchNavError(
            f"{run_dir} already holds a run ({ckpt.resolve_checkpoint(run_dir).name}); resume it, or choose "
            "another folder"
        )
    return (ckpt.load_newest(run_dir) if resume else None) or (None, [])


@contextmanager
def _one_torch_thread(device: str) -> Iterator[None]:
    """The learner's own threads take the cores instead, see ``GradientThreads``."""
    before = torch.get_num_threads()
    if torch.device(device).type == "cpu":
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class Trainer:
    """A run and its loop; use ``train``."""

    def __init__(
        self,
        config: TrainConfig,
        envs: EnvParts,
        run_dir: Path,
        callbacks: Sequence[TrainCallback],
        validate: Validate | None,
        signals: StopSignals,
        started: float,
        world: World,
    ) -> None:
        self.world = world
        self.config, self.envs, self.run_dir = config, envs, run_dir
        self.callbacks, self.signals = callbacks, signals
        self.state = RunState(config, envs, started, world)
        self.preemption = Preemption(world, config.distributed, config.ppo.rollout_length)
        self.validation = Validation(config, validate, lambda: bool(signals.reason))
        self.saver = Saver(config, run_dir, started, by_validation=self.validation.active)
        self._stop_reason = ""
        self.env_seconds: dict[str, float] = {}
        self.log: RunLog | SilentLog
        self._elapsed_s, self._reason = 0.0, ""

    def begin(self, content: Mapping[str, Any] | None, messages: list[str]) -> None:
        """Starts afresh, or from a checkpoint's content; ``messages`` are for the listeners."""
        state = self.state
        self._compare()
        content = deal_out(self.world, content)
        if content is None:
            chosen = choose_precision(state.policy, self.config.precision)
            state.policy.precision = self.world.broadcast(chosen)
            state.collector.reset(self.config.seed)
        else:
            messages = [*messages, state.restore(content)]
            self.saver.restore(content)
            self.validation.restore(content)
        if self.config.compile:
            compile_policy(state.policy)
        if self.world.is_main:
            self.log = RunLog(self.run_dir, state.counters.frames, tensorboard=self.config.tensorboard)
        else:
            self.log = SilentLog(self.run_dir)
        parameters = sum(p.numel() for p in state.policy.parameters())
        self.log.write(
            {
                "kind": "run",
                "frames": state.counters.frames,
                "elapsed_s": state.counters.elapsed_before,
                "num_envs": self.envs.num_envs * self.world.size,
                "ranks": self.world.size,
                "parameters": parameters,
                "precision": state.policy.precision,
                "torch": torch.__version__,
                "threads": state.ppo.threads.count,
                "config": self.config.to_dict(),
                "env_spec": state.policy.spec.to_dict(),
            }
        )
        info = RunInfo(
            config=self.config,
            run_dir=self.run_dir,
            num_envs=self.envs.num_envs * self.world.size,
            frames=state.counters.frames,
            elapsed_s=state.counters.elapsed_before,
            parameters=parameters,
            precision=state.policy.precision,
            stop=self._request_stop,
        )
        for callback in self.callbacks:
            callback.on_start(info)
        for message in messages:
            self._say(message)

    def run(self) -> TrainResult:
        """Updates until a limit, a signal or a callback ends it."""
        counters = self.state.counters
        self._validate(due=self.validation.due(counters.frames))
        self._agree()
        while not self._reason:
            self._update()
            self._validate(due=self.validation.due(counters.frames))
            if self._agree() and not self._reason:
                self.saver.save(self.state, self.validation.frames)
        self._validate(due=self.validation.active and counters.frames > self.validation.frames)
        path = self.saver.save(self.state, self.validation.frames)
        result = TrainResult(
            frames=counters.frames,
            updates=counters.updates,
            elapsed_s=counters.elapsed_s,
            reason=self._reason,
            checkpoint=path,
            best_checkpoint=ckpt.best_checkpoint(self.run_dir),
            metrics=self.state.episodes()[1],
            log=self.log.path,
        )
        for callback in self.callbacks:
            callback.on_end(result)
        return result

    def _say(self, message: str) -> None:
        self.log.write({"kind": "message", "frames": self.state.counters.frames, "text": message})
        for callback in self.callbacks:
            callback.on_message(message)

    def _request_stop(self, reason: str) -> None:
        self._stop_reason = reason

    def _compare(self) -> None:
        """All ranks must have been started alike, but with rows of their own."""
        settings = {**self.config.to_dict(), "device": torch.device(self.config.device).type}
        check_same(
            self.world,
            {
                "the number of environments": self.envs.num_envs,
                "the observations": self.state.policy.spec.to_dict(),
                **{f"the setting {name}": value for name, value in settings.items()},
            },
        )
        check_own_rows(self.world, self.envs.row_ranges)
        check_own_devices(self.world, self.config.device)

    def _agree(self) -> bool:
        """Settles whether and why to stop, and what time it is; gives whether a checkpoint is due.

        All ranks stop after the same update, whichever of them a signal has reached; seconds are rank 0's.
        """
        counters, limit = self.state.counters, self.config.time_limit_s
        own = self.signals.reason or self._stop_reason
        told = self.world.gather((own, counters.elapsed_s, self.saver.due(counters.frames)))
        self._reason = next((reason for reason, *_ in told if reason), "")
        _, self._elapsed_s, due = told[0]
        if not self._reason and counters.frames >= self.config.total_frames:
            self._reason = "frames"
        if not self._reason and limit is not None and self._elapsed_s >= limit:
            self._reason = "time"
        return due

    def _update(self) -> None:
        begin, state = time.perf_counter(), self.state
        counters, collector = state.counters, state.collector
        share = schedule.progress(self.config, counters.frames, self._elapsed_s)
        scale = schedule.rate_scale(self.config.ppo, self.envs.num_envs, self.world.size)
        rate = schedule.learning_rate(self.config.ppo, share, scale)
        entropy = schedule.entropy_coefficient(self.config.ppo, share)
        rollout = collector.collect(self.preemption)
        if self.world.size > 1:
            with state.timer.stage("ranks"):
                self.world.arrive(f"update {counters.updates + 1}")
        with state.timer.stage("learn"):
            losses = state.ppo.update(rollout, collector.last_values, rate, entropy)
        steps, episodes, means = state.told(rollout.filled)
        fresh = sum(steps) * rollout.num_envs
        counters.frames += fresh
        counters.updates += 1
        every = self.config.distributed.check_every
        if every and counters.updates % every == 0:
            check_same_weights(self.world, state.policy)
        record = {
            "kind": "update",
            "update": counters.updates,
            "frames": counters.frames,
            "progress": schedule.progress(self.config, counters.frames, counters.elapsed_s),
            "elapsed_s": counters.elapsed_s,
            "frames_per_second": fresh / (time.perf_counter() - begin),
            "learning_rate": rate,
            "entropy_coefficient": entropy,
            "episodes": episodes,
            "losses": losses,
            "metrics": means,
            "seconds": {**state.timer.take(), **self._environment_seconds()},
        }
        if self.world.size > 1:
            record["steps"] = steps
        self.log.write(record)
        for callback in self.callbacks:
            callback.on_update(record)

    def _validate(self, *, due: bool) -> None:
        # Rank 0 validates, however long that takes; the others wait to hear the result.
        stopping = bool(self.signals.reason) or self._reason.startswith("SIG")
        if not due or self.world.broadcast(stopping):
            return
        record = self.validation.run(self.state) if self.world.is_main else None
        self.world.arrive("the end of the validation", patient=True)
        record = self.world.broadcast(record)
        if record is None:
            return
        self.validation.frames = record["frames"]
        score = record["metrics"][self.config.best_metric]
        record["best"] = self.saver.save_if_best(self.state, score, self.validation.frames)
        self.log.write(record)
        for callback in self.callbacks:
            callback.on_validation(record)

    def _environment_seconds(self) -> dict[str, float]:
        """Parts of the stage "env" as "env/<part>", where the environment keeps sums in ``timings``."""
        timings = getattr(self.envs, "timings", None)
        if not isinstance(timings, Mapping):
            return {}
        now = {f"env/{key}": float(value) for key, value in timings.items()}
        spent = {key: value - self.env_seconds.get(key, 0.0) for key, value in now.items()}
        self.env_seconds = now
        return spent
