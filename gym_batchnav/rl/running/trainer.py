"""The training loop."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from gymnasium.vector import VectorEnv

from gym_batchnav.errors import BatchNavError, CheckpointError
from gym_batchnav.rl.collecting.collect import Collector
from gym_batchnav.rl.collecting.timing import StageTimer
from gym_batchnav.rl.config import TrainConfig
from gym_batchnav.rl.learning import schedule
from gym_batchnav.rl.learning.parallel import choose_threads
from gym_batchnav.rl.learning.ppo import PPO
from gym_batchnav.rl.learning.precision import choose_bf16
from gym_batchnav.rl.nets.policy import ActorCritic
from gym_batchnav.rl.running import checkpoint as ckpt
from gym_batchnav.rl.running.callbacks import RunInfo, TrainCallback, TrainResult
from gym_batchnav.rl.running.logs import RunLog
from gym_batchnav.rl.running.seeding import (
    derive_seed,
    global_state,
    make_generator,
    restore_global_state,
    seed_global,
)
from gym_batchnav.rl.running.signals import StopSignals
from gym_batchnav.rl.spec import env_spec

MakeEnvs = Callable[[], VectorEnv[Any, Any, Any]]
_BEST_EPISODES = 100


def train(
    config: TrainConfig,
    make_envs: MakeEnvs,
    run_dir: Path | str,
    *,
    resume: bool = False,
    callbacks: Sequence[TrainCallback] = (),
) -> TrainResult:
    """Trains a policy by PPO and leaves logs and checkpoints in a folder.

    Args:
        config: of the run. A resumed run may change limits and rates, not the network.
        make_envs: makes the vector environment; called once, and what it gives is closed at the end.
        run_dir: gets ``train.jsonl``, ``tensorboard/`` and ``checkpoints/``.
        resume: goes on from the newest checkpoint in ``run_dir`` if there is one. Where the environment has
            ``get_state()`` and ``set_state(state)`` the run continues exactly; else it begins new episodes,
            seeded by the run's seed and its frames, and says so.
        callbacks: listeners.

    Returns:
        How the run ended; SIGTERM and SIGINT end it cleanly after the update in progress.

    Raises:
        ConfigError: the environment or the settings do not fit.
        CheckpointError: the checkpoint is broken, does not fit, or cannot be written.
        BatchNavError: the folder holds a run and ``resume`` is False, or the gradients are not finite.
    """
    run_dir = Path(run_dir)
    newest = ckpt.latest_checkpoint(run_dir)
    if newest is not None and not resume:
        raise BatchNavError(
            f"{run_dir} already holds a run ({newest.name}); resume it, or choose another folder"
        )
    started = time.monotonic()
    with StopSignals() as signals, _one_torch_thread(config.device):
        envs = make_envs()
        try:
            trainer = Trainer(config, envs, run_dir, callbacks, signals, started)
            trainer.begin(ckpt.load_checkpoint(newest, "cpu") if newest is not None else None)
            try:
                return trainer.run()
            finally:
                trainer.log.close()
                trainer.ppo.threads.close()
        finally:
            envs.close()


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
    """The state of a run and its loop; use ``train``."""

    def __init__(
        self,
        config: TrainConfig,
        envs: VectorEnv[Any, Any, Any],
        run_dir: Path,
        callbacks: Sequence[TrainCallback],
        signals: StopSignals,
        started: float,
    ) -> None:
        self.config, self.envs, self.run_dir = config, envs, run_dir
        self.callbacks, self.signals, self.started = callbacks, signals, started
        seed_global(derive_seed(config.seed, 0))
        spec = env_spec(envs.single_observation_space, envs.single_action_space)
        self.policy = ActorCritic(config.policy, spec).to(config.device)
        self.timer = StageTimer()
        self.act_generator = make_generator(config.device, config.seed, 1)
        self.learn_generator = make_generator("cpu", config.seed, 2)
        self.collector = Collector(self.policy, envs, config, self.act_generator, self.timer)
        threads = choose_threads(config.threads, config.device)
        self.ppo = PPO(self.policy, config.ppo, self.learn_generator, threads)
        self.frames, self.updates, self.elapsed_before, self.best = 0, 0, 0.0, float("-inf")
        self.last_saved, self._stop_reason = started, ""
        self.env_seconds: dict[str, float] = {}
        self.log: RunLog

    @property
    def elapsed_s(self) -> float:
        """Seconds of training, earlier parts included."""
        return self.elapsed_before + time.monotonic() - self.started

    def begin(self, content: Mapping[str, Any] | None) -> None:
        """Starts afresh, or from a checkpoint's content."""
        messages = []
        if content is None:
            self.policy.bf16 = choose_bf16(self.policy, self.config.bf16)
            self.collector.reset(self.config.seed)
        else:
            messages.append(self._restore(content))
        self.log = RunLog(self.run_dir, self.frames, tensorboard=self.config.tensorboard)
        parameters = sum(p.numel() for p in self.policy.parameters())
        self.log.write(
            {
                "kind": "run",
                "frames": self.frames,
                "elapsed_s": self.elapsed_before,
                "num_envs": self.envs.num_envs,
                "parameters": parameters,
                "bf16": self.policy.bf16,
                "torch": torch.__version__,
                "threads": self.ppo.threads.count,
                "config": self.config.to_dict(),
                "env_spec": self.policy.spec.to_dict(),
            }
        )
        info = RunInfo(
            config=self.config,
            run_dir=self.run_dir,
            num_envs=self.envs.num_envs,
            frames=self.frames,
            elapsed_s=self.elapsed_before,
            parameters=parameters,
            bf16=self.policy.bf16,
            stop=self._request_stop,
        )
        for callback in self.callbacks:
            callback.on_start(info)
            for message in messages:
                callback.on_message(message)

    def run(self) -> TrainResult:
        """Updates until a limit, a signal or a callback ends it."""
        while not (reason := self._end_reason()):
            self._update()
            if time.monotonic() - self.last_saved >= self.config.checkpoint_every_s:
                self._save()
        path = self._save()
        result = TrainResult(
            frames=self.frames,
            updates=self.updates,
            elapsed_s=self.elapsed_s,
            reason=reason,
            checkpoint=path,
            best_checkpoint=ckpt.best_checkpoint(self.run_dir),
            metrics=self.collector.metrics.means(),
            log=self.log.path,
        )
        for callback in self.callbacks:
            callback.on_end(result)
        return result

    def _request_stop(self, reason: str) -> None:
        self._stop_reason = reason

    def _end_reason(self) -> str:
        if self.signals.reason or self._stop_reason:
            return self.signals.reason or self._stop_reason
        if self.frames >= self.config.total_frames:
            return "frames"
        limit = self.config.time_limit_s
        return "time" if limit is not None and self.elapsed_s >= limit else ""

    def _update(self) -> None:
        begin = time.perf_counter()
        share = schedule.progress(self.config, self.frames, self.elapsed_s)
        rate = schedule.learning_rate(self.config.ppo, share)
        entropy = schedule.entropy_coefficient(self.config.ppo, share)
        rollout = self.collector.collect()
        with self.timer.stage("learn"):
            losses = self.ppo.update(rollout, self.collector.last_values, rate, entropy)
        fresh = rollout.steps * rollout.num_envs
        self.frames += fresh
        self.updates += 1
        record = {
            "kind": "update",
            "update": self.updates,
            "frames": self.frames,
            "progress": schedule.progress(self.config, self.frames, self.elapsed_s),
            "elapsed_s": self.elapsed_s,
            "frames_per_second": fresh / (time.perf_counter() - begin),
            "learning_rate": rate,
            "entropy_coefficient": entropy,
            "episodes": self.collector.metrics.episodes,
            "losses": losses,
            "metrics": self.collector.metrics.means(),
            "seconds": {**self.timer.take(), **self._environment_seconds()},
        }
        self.log.write(record)
        for callback in self.callbacks:
            callback.on_update(record)

    def _environment_seconds(self) -> dict[str, float]:
        """Parts of the stage "env" as "env/<part>", where the environment keeps sums in ``timings``."""
        timings = getattr(self.envs, "timings", None)
        if not isinstance(timings, Mapping):
            return {}
        now = {f"env/{key}": float(value) for key, value in timings.items()}
        spent = {key: value - self.env_seconds.get(key, 0.0) for key, value in now.items()}
        self.env_seconds = now
        return spent

    def _save(self) -> Path:
        content = self._content()
        folder = self.run_dir / "checkpoints"
        path = ckpt.checkpoint_path(folder, self.updates)
        metrics = self.collector.metrics
        score = metrics.means().get(self.config.best_metric, metrics.means().get("return", float("-inf")))
        if metrics.episodes >= _BEST_EPISODES and score > self.best:
            self.best = content["progress"]["best"] = score
            ckpt.save_checkpoint(folder / ckpt.BEST_NAME, content)
        ckpt.save_checkpoint(path, content)
        ckpt.prune(folder, self.config.keep_checkpoints)
        self.last_saved = time.monotonic()
        return path

    def _content(self) -> dict[str, Any]:
        get_state = getattr(self.envs, "get_state", None)
        return {
            "config": self.config.to_dict(),
            "env_spec": self.policy.spec.to_dict(),
            "num_envs": self.envs.num_envs,
            "bf16": self.policy.bf16,
            "policy": self.policy.state_dict(),
            "optimizer": self.ppo.optimizer.state_dict(),
            "progress": {
                "frames": self.frames,
                "updates": self.updates,
                "elapsed_s": self.elapsed_s,
                "best": self.best,
            },
            "rng": {
                "global": global_state(),
                "act": self.act_generator.get_state(),
                "learn": self.learn_generator.get_state(),
            },
            "metrics": self.collector.metrics.state(),
            "collector": self.collector.snapshot() if get_state is not None else None,
            "env_state": get_state() if get_state is not None else None,
        }

    def _restore(self, content: Mapping[str, Any]) -> str:
        """Takes over a checkpoint; gives a line that says how exactly the run continues."""
        if content["env_spec"] != self.policy.spec.to_dict():
            raise CheckpointError(
                f"the checkpoint was trained on {content['env_spec']}, the environment has "
                f"{self.policy.spec.to_dict()}; use the same sensors and resolution"
            )
        try:
            self.policy.load_state_dict(content["policy"])
            self.ppo.optimizer.load_state_dict(content["optimizer"])
        except (RuntimeError, ValueError) as error:
            raise CheckpointError(
                f"the checkpoint does not fit the network that is configured: {error}"
            ) from error
        self.policy.bf16 = bool(content["bf16"])
        progress = content["progress"]
        self.frames, self.updates = int(progress["frames"]), int(progress["updates"])
        self.elapsed_before, self.best = float(progress["elapsed_s"]), float(progress["best"])
        self.act_generator.set_state(content["rng"]["act"])
        self.learn_generator.set_state(content["rng"]["learn"])
        exact = self._restore_envs(content)
        self.collector.metrics.load(content["metrics"], same_rows=exact)
        restore_global_state(content["rng"]["global"])
        done = f"resumed at {self.frames:,} frames"
        return (
            f"{done}, exactly"
            if exact
            else f"{done} with new episodes (the environment cannot restore its state)"
        )

    def _restore_envs(self, content: Mapping[str, Any]) -> bool:
        set_state = getattr(self.envs, "set_state", None)
        same = content["env_state"] is not None and content["num_envs"] == self.envs.num_envs
        self.collector.reset(derive_seed(self.config.seed, self.frames))
        if set_state is None or not same:
            return False
        set_state(content["env_state"])
        self.collector.restore(content["collector"])
        return True
