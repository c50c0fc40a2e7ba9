"""Ranks that are slow end their rollout early, so that the others need not wait."""

from __future__ import annotations

import math

from gym_batchnav.rl.config.distributed import DistributedConfig
from gym_batchnav.rl.distributed.world import World


class Preemption:
    """DD-PPO's rule (Wijmans et al. 2019, section 3.2).

    A rank ends its rollout where it has taken a share of it, ``preempt_min_share``, and a share of all ranks,
    ``preempt_share``, wait for the update.

    Args:
        world: the ranks.
        config: the two shares.
        steps: T, of a whole rollout.
    """

    def __init__(self, world: World, config: DistributedConfig, steps: int) -> None:
        self.world = world
        self.fewest = max(1, math.ceil(config.preempt_min_share * steps - 1e-9))
        self.needed = math.ceil(config.preempt_share * world.size - 1e-9)
        # A rank that still collects is itself not among those who wait.
        self.active = 0 < self.needed < world.size

    def __call__(self, taken: int) -> bool:
        """Whether to end the rollout after ``taken`` steps; asks the store."""
        return self.active and taken >= self.fewest and self.world.waiting() >= self.needed
