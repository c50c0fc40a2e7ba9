"""Everything of a run that a checkpoint holds, and how a run takes it over again."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gym_batchnav.errors import CheckpointError
from gym_batchnav.rl.collecting.collect import Collector
from gym_batchnav.rl.collecting.metrics import means_of
from gym_batchnav.rl.collecting.parts import EnvParts
from gym_batchnav.rl.collecting.timing import StageTimer
from gym_batchnav.rl.config import Precision, TrainConfig
from gym_batchnav.rl.distributed.agreement import share_weights
from gym_batchnav.rl.distributed.dealing import RANKS, gather_content
from gym_batchnav.rl.distributed.world import World
from gym_batchnav.rl.learning.parallel import choose_threads
from gym_batchnav.rl.learning.ppo import PPO, check_minibatches
from gym_batchnav.rl.nets.policy import ActorCritic
from gym_batchnav.rl.running.seeding import (
    derive_seed,
    global_state,
    make_generator,
    restore_global_state,
    seed_global,
)
from gym_batchnav.rl.spec import EnvSpec, env_spec


@dataclass(slots=True)
class Counters:
    """How far a run has got."""

    frames: int = 0
    """Frames seen, earlier parts included."""
    updates: int = 0
    """Updates made, earlier parts included."""
    elapsed_before: float = 0.0
    """Seconds that earlier parts took."""
    started: float = 0.0
    """``time.monotonic()`` at the start of this part."""

    @property
    def elapsed_s(self) -> float:
        """Seconds of training, earlier parts included."""
        return self.elapsed_before + time.monotonic() - self.started


def multiple_passed(step: int | None, before: int, frames: int) -> bool:
    """Whether a multiple of ``step`` lies above ``before`` and up to ``frames``; never where it is None."""
    return step is not None and frames // step > before // step


class RunState:
    """Policy, optimiser, collector and random generators of a run.

    Args:
        config: of the run.
        envs: the environments; are neither reset nor closed here.
        started: ``time.monotonic()`` at the start of this part of the run.
        world: ranks of which each has environments of its own; None for one.
    """

    def __init__(
        self, config: TrainConfig, envs: EnvParts, started: float, world: World | None = None
    ) -> None:
        self.config, self.envs, self.world = config, envs, world or World()
        seed_global(derive_seed(config.seed, 0))
        spec = env_spec(envs.single_observation_space, envs.single_action_space)
        check_minibatches(config.ppo, envs.num_envs)
        self.policy = ActorCritic(config.policy, spec).to(config.device)
        share_weights(self.world, self.policy)
        if not self.world.is_main:
            # The weights were drawn alike; what the user's code draws should differ.
            seed_global(derive_seed(config.seed, 0, self.world.rank))
        self.timer = StageTimer()
        # Alike on all ranks, see ``sample_actions``.
        self.act_generator = make_generator(config.device, config.seed, 1)
        self.learn_generator = make_generator("cpu", config.seed, 2)
        threads = choose_threads(config.threads, config.device)
        if config.threads is None:
            # The ranks of a machine share its cores, unless each has been bound to some.
            threads = max(1, min(threads, (os.cpu_count() or 1) // self.world.local_size))
        self.ppo = PPO(self.policy, config.ppo, self.learn_generator, threads, self.world)
        self.collector = Collector(
            self.policy, envs, config, self.act_generator, self.timer, self.ppo.threads, self.world
        )
        self.counters = Counters(started=started)
        self.env_settings: Mapping[str, Any] | None = None
        """What the environments were made with, for checkpoints; None where nobody said."""

    def episodes(self) -> tuple[int, dict[str, float]]:
        """How many episodes have ended on all ranks, and the running means of their metrics."""
        return self.told(0)[1:]

    def told(self, value: int) -> tuple[list[int], int, dict[str, float]]:
        """A number of each rank's own on all ranks, and ``episodes``."""
        metrics = self.collector.metrics
        told = self.world.gather((value, metrics.episodes, metrics.sums()))
        values, episodes, sums = zip(*told, strict=True)
        return list(values), sum(episodes), means_of(sums)

    def content(self) -> dict[str, Any]:
        """What a checkpoint holds; ``restore`` takes it over. Of several ranks only rank 0 has all of it."""
        restorable, counters = self.envs.can_restore, self.counters
        own = {
            "config": self.config.to_dict(),
            "env_spec": self.policy.spec.to_dict(),
            "env": None if self.env_settings is None else dict(self.env_settings),
            "num_envs": self.envs.num_envs,
            "precision": self.policy.precision,
            "policy": self.policy.state_dict(),
            **self.ppo.state_dict(),
            "progress": {
                "frames": counters.frames,
                "updates": counters.updates,
                "elapsed_s": counters.elapsed_s,
            },
            "rng": {
                "global": global_state(),
                "act": self.act_generator.get_state(),
                "learn": self.learn_generator.get_state(),
            },
            "metrics": self.collector.metrics.state(),
            "collector": self.collector.snapshot() if restorable else None,
            "env_state": self.envs.get_state() if restorable else None,
        }
        return gather_content(self.world, own)

    def restore(self, content: Mapping[str, Any]) -> str:
        """Takes over a checkpoint; gives a line that says how exactly the run continues.

        Raises:
            CheckpointError: it is of another environment or network, or of a policy alone.
        """
        needed = ("env_spec", "policy", "progress", "optimizer", "rng", "metrics")
        missing = [name for name in needed if not isinstance(content.get(name), dict)]
        if missing:
            raise CheckpointError(
                f"the checkpoint has no {missing[0]!r}: an exported policy can act and be evaluated, but not "
                "be trained on; go on from a checkpoint of its run"
            )
        self._restore_learner(content)
        counters, progress = self.counters, content["progress"]
        counters.frames, counters.updates = int(progress["frames"]), int(progress["updates"])
        counters.elapsed_before = float(progress["elapsed_s"])
        self.act_generator.set_state(content["rng"]["act"])
        self.learn_generator.set_state(content["rng"]["learn"])
        inexact = self._restore_envs(content)
        self.collector.metrics.load(content["metrics"], same_rows=not inexact)
        if content["rng"]["global"] is not None:
            restore_global_state(content["rng"]["global"])
        done = f"resumed at {counters.frames:,} frames"
        return f"{done} with new episodes ({inexact})" if inexact else f"{done}, exactly"

    def _restore_learner(self, content: Mapping[str, Any]) -> None:
        if content["env_spec"] != self.policy.spec.to_dict():
            changed = EnvSpec.from_dict(content["env_spec"]).differences(self.policy.spec)
            raise CheckpointError(
                f"the checkpoint was trained in another environment: {'; '.join(changed)}; use the same "
                "observations and actions"
            )
        try:
            self.policy.load_state_dict(content["policy"])
            self.ppo.load_state_dict(content)
        except (RuntimeError, ValueError) as error:
            raise CheckpointError(
                f"the checkpoint does not fit the network that is configured: {' '.join(str(error).split())}"
            ) from error
        wanted = self.config.precision
        self.policy.precision = _stored_precision(content) if wanted == "auto" else wanted

    def _restore_envs(self, content: Mapping[str, Any]) -> str:
        """Brings the environment back; gives "" where that was exact, else why it was not."""
        self.collector.reset(derive_seed(self.config.seed, self.counters.frames))
        if content.get(RANKS, 1) != self.world.size:
            return f"there were {content.get(RANKS, 1)} ranks, now there are {self.world.size}"
        if not self.envs.can_restore or content["env_state"] is None:
            return "the environment cannot restore its state"
        if content["num_envs"] != self.envs.num_envs:
            return f"there were {content['num_envs']} environments, now there are {self.envs.num_envs}"
        if not self.envs.fits(content["env_state"]):
            return "they were in another number of parts"
        self.envs.set_state(content["env_state"])
        self.collector.restore(content["collector"])
        return ""


def _stored_precision(content: Mapping[str, Any]) -> Precision:
    """What a run has computed in; checkpoints of earlier versions say only whether that was bfloat16."""
    earlier: Precision = "bfloat16" if content.get("bf16") else "float32"
    stored: Precision = content.get("precision", earlier)
    return stored
