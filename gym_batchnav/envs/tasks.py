"""The environments of the tasks beside PointGoal navigation; arguments as there."""

from __future__ import annotations

from typing import ClassVar

from ..sim import Explore, Flee, ImageNav, ObjectNav, Task
from .single import PointNavEnv
from .vector import BatchPointNavEnv


class BatchFleeEnv(BatchPointNavEnv):
    """N agents that get away from where they began (``gym.make_vec("BatchFlee-v0")``)."""

    default_task: ClassVar[type[Task]] = Flee


class FleeEnv(PointNavEnv):
    """One such agent (``gym.make("BatchFlee-v0")``)."""

    batch: ClassVar[type[BatchPointNavEnv]] = BatchFleeEnv


class BatchExploreEnv(BatchPointNavEnv):
    """N agents that enter as many cells as they can (``gym.make_vec("BatchExplore-v0")``)."""

    default_task: ClassVar[type[Task]] = Explore


class ExploreEnv(PointNavEnv):
    """One such agent (``gym.make("BatchExplore-v0")``)."""

    batch: ClassVar[type[BatchPointNavEnv]] = BatchExploreEnv


class BatchImageNavEnv(BatchPointNavEnv):
    """N agents that go where a picture was taken (``gym.make_vec("BatchImageNav-v0")``)."""

    default_task: ClassVar[type[Task]] = ImageNav


class ImageNavEnv(PointNavEnv):
    """One such agent (``gym.make("BatchImageNav-v0")``)."""

    batch: ClassVar[type[BatchPointNavEnv]] = BatchImageNavEnv


class BatchObjectNavEnv(BatchPointNavEnv):
    """N agents that look for an object of a class (``gym.make_vec("BatchObjectNav-v0")``)."""

    default_task: ClassVar[type[Task]] = ObjectNav


class ObjectNavEnv(PointNavEnv):
    """One such agent (``gym.make("BatchObjectNav-v0")``)."""

    batch: ClassVar[type[BatchPointNavEnv]] = BatchObjectNavEnv
