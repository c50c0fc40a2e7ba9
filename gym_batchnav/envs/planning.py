"""What the configuration means for the rows of an environment: their ranks, scenes and episodes."""

from __future__ import annotations

from dataclasses import replace

from ..config import DEFAULT_RESIDENT_SCENES, EnvConfig, EpisodeSet
from ..cores import usable_cores
from ..errors import ConfigError
from ..sim import DatasetSource, EpisodeSetSource, EpisodeSource, SampledSource, SceneSlots
from ..sim.dataset import EpisodeTable


def first_row(config: EnvConfig) -> int:
    """Number of row 0 among the rows of all ranks, where these go together."""
    return 0 if config.total_envs is None else config.index_offset


def check_ranks(num_envs: int, config: EnvConfig) -> None:
    """Raise ``ConfigError`` where the rows are no rank's of ``total_envs``."""
    total, first = config.total_envs, first_row(config)
    if total is not None and (total % num_envs or first % num_envs or first + num_envs > total):
        raise ConfigError(
            f"num_envs={num_envs} rows from index_offset={config.index_offset} on are no rank's of "
            f"total_envs={total}; expected ranks of equal size, with the offsets 0, {num_envs}, ..."
        )


def split_rows(num_envs: int, config: EnvConfig, parts: int, num_scenes: int) -> list[EnvConfig]:
    """Configurations of environments of ``num_envs`` / ``parts`` rows each that have the rows of one.

    They are bitwise those of one environment, and hold as many scenes as it does, where ``parts`` divides the
    number of resident scenes; else each part holds one more. Where all scenes are held, each part holds all.

    Args:
        num_envs: rows of all parts.
        config: of the one environment.
        parts: number of parts.
        num_scenes: number of scenes that ``config`` names.

    Raises:
        ConfigError: the rows cannot be split evenly, or ``index_offset`` is given without ``total_envs``.
    """
    if num_envs % parts:
        raise ConfigError(f"num_envs={num_envs} rows cannot be split into {parts} equal parts")
    if config.index_offset and config.total_envs is None:
        raise ConfigError(
            f"rows with index_offset={config.index_offset} cannot be split unless total_envs, the number of "
            "rows of all ranks, is given too"
        )
    resident, rows = num_resident(config, num_envs, num_scenes), num_envs // parts
    held = resident if resident >= num_scenes else -(-resident // parts)
    total = config.total_envs or num_envs
    return [
        replace(config, index_offset=offset, total_envs=total, num_resident_scenes=held)
        for offset in range(config.index_offset, config.index_offset + num_envs, rows)
    ]


def num_resident(config: EnvConfig, num_envs: int, num_scenes: int) -> int:
    """Scenes that are held at once."""
    if config.num_resident_scenes is not None:
        return min(config.num_resident_scenes, num_scenes)
    if num_envs == 1 and num_scenes > DEFAULT_RESIDENT_SCENES:
        return 1
    return min(num_scenes, DEFAULT_RESIDENT_SCENES)


def num_workers(config: EnvConfig, num_envs: int) -> int:
    """Processes that prepare scenes."""
    if config.scene_workers is not None:
        return config.scene_workers
    return 0 if num_envs == 1 else max(1, min(4, usable_cores() // 2))


def episode_source(
    config: EnvConfig, table: EpisodeTable | None, num_scenes: int, num_envs: int, resident: int
) -> tuple[EpisodeSource, SceneSlots | None]:
    """Where episodes come from, and the schedule of scenes where not all of them are held."""
    if isinstance(config.episodes, EpisodeSet):
        return EpisodeSetSource(config.episodes, num_scenes, num_envs, config), None
    if table is not None:
        return DatasetSource(table, num_envs, config), None
    if resident >= num_scenes:
        return SampledSource(num_scenes, config), None
    slots = min(resident, num_envs)
    swap = config.swap_episodes or max(16, 4 * -(-num_envs // slots))
    total = config.total_envs or num_envs
    schedule = SceneSlots(num_scenes, slots * (total // num_envs), swap, total, first_row(config))
    return SampledSource(num_scenes, config, schedule), schedule
