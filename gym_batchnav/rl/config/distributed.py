"""Settings of runs of several processes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gym_batchnav.rl.config.checks import at_least, bring_to_types, positive, within

CommunicationBackend = Literal["auto", "gloo", "nccl"]
Requeue = Literal["never", "SIGUSR1", "always"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DistributedConfig:
    """How the ranks of a run work together; a run of one process needs none of it."""

    backend: CommunicationBackend = "auto"
    """What carries gradients: "auto" is NCCL between CUDA devices, else gloo."""
    preempt_share: float = 0.6
    """A rank ends its rollout early once this share of the ranks has ended theirs (Wijmans et al. 2019,
    section 3.2); 0 waits for all."""
    preempt_min_share: float = 0.25
    """Share of the rollout that every rank takes in any case."""
    check_every: int = 50
    """Updates between checks that all ranks have the same weights; 0 never checks."""
    timeout_s: float = 600.0
    """Seconds that ranks wait for each other before the run ends with an error that names those missing."""
    heartbeat_s: float = 20.0
    """Seconds without a sign of life after which a rank that others wait for counts as dead."""
    requeue: Requeue = "SIGUSR1"
    """Which signals put a SLURM job back into the queue once the checkpoint is written: the one that
    ``#SBATCH --signal=USR1@...`` asks for, or "always" SIGTERM too, which ``scancel`` sends as well."""

    def __post_init__(self) -> None:
        bring_to_types(self)
        within(self, 0.0, 1.0, "preempt_share", "preempt_min_share")
        at_least(self, 0, "check_every")
        positive(self, "timeout_s", "heartbeat_s")
