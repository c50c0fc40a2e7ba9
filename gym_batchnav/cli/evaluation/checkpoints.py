"""Which checkpoint a command means."""

from __future__ import annotations

from pathlib import Path

from ...errors import CheckpointError, ConfigError
from ...rl import best_checkpoint, resolve_checkpoint
from ...rl.pretrained import PRETRAINED, pretrained_path


def chosen_checkpoint(given: Path | None, *, best: bool = False, pretrained: bool = False) -> Path:
    """The file that the arguments mean.

    Args:
        given: Checkpoint, the folder of a run, or the word "pretrained".
        best: Take the best checkpoint of the folder instead of the newest.
        pretrained: Take the one that comes with the package.

    Raises:
        ConfigError: the arguments exclude each other, or say nothing.
        CheckpointError: there is no such checkpoint.
    """
    if pretrained:
        if given is not None or best:
            raise ConfigError("--pretrained is a checkpoint of its own; leave out the other one and --best")
        return pretrained_path()
    if given is None:
        raise ConfigError("no checkpoint is given; give a file, a run's folder, or --pretrained")
    if str(given) == PRETRAINED and not given.exists() and not best:
        return pretrained_path()
    if not best:
        return resolve_checkpoint(given)
    found = best_checkpoint(given)
    if found is None:
        raise CheckpointError(
            f"--best: {given} is no run's folder with a best checkpoint, which is written at the first "
            "validation, or else when 100 training episodes have ended; leave --best out for the newest one"
        )
    return found
