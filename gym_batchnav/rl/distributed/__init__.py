"""Runs of several processes: who takes part, what they sum up, and what happens when one is missing."""

from __future__ import annotations

from gym_batchnav.rl.distributed.launch import Launch, find_launch, rank_device
from gym_batchnav.rl.distributed.world import World, join_world

__all__ = ["Launch", "World", "find_launch", "join_world", "rank_device"]
