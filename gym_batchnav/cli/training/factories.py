"""Makes the environments that a run is trained in."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ...config import EnvConfig
from ...envs import BatchImageNavEnv, BatchObjectNavEnv, BatchPointNavEnv
from ...envs.choosing import scene_refs
from ...envs.planning import split_rows

MakeEnvs = Callable[[], BatchPointNavEnv]
MakeRows = Callable[[int, EnvConfig], BatchPointNavEnv]
"""Makes so many environments of a task."""
TASKS: dict[str, type[BatchPointNavEnv]] = {
    "pointnav": BatchPointNavEnv,
    "imagenav": BatchImageNavEnv,
    "objectnav": BatchObjectNavEnv,
}
"""Tasks that are trained and evaluated; their episodes have success and SPL."""


def env_factories(
    num_envs: int, config: EnvConfig, parts: int, make_rows: MakeRows = BatchPointNavEnv
) -> list[MakeEnvs]:
    """Functions that make the rows of one environment, in so many parts, as ``train`` takes them.

    Args:
        num_envs: rows of all parts.
        config: of the environment.
        parts: number of parts, see ``TrainConfig.env_parts``.
        make_rows: makes so many environments of the task.

    Raises:
        ConfigError: the rows cannot be split so.
    """
    if parts == 1:
        return [partial(make_rows, num_envs, config)]
    configs = split_rows(num_envs, config, parts, len(scene_refs(config)))
    return [partial(make_rows, num_envs // parts, own) for own in configs]
