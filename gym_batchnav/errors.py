"""Every error that gym_batchnav raises on purpose.

A message says what was wrong, the value that was given, the limit, and what to do about it.
"""

from __future__ import annotations

from collections.abc import Sequence


class BatchNavError(Exception):
    """Base class of all errors raised on purpose by ``gym_batchnav``."""


class ConfigError(BatchNavError, ValueError):
    """An argument or a configuration field has a value that is not allowed."""


class SceneError(BatchNavError):
    """A scene file is missing, broken, or uses something that is not supported."""


class NavMeshError(BatchNavError):
    """A navigation mesh is missing, broken, or has no walkable ground."""


class EpisodeError(BatchNavError):
    """An episode or an episode file cannot be used (unreachable goal, wrong scene, broken file)."""


class CheckpointError(BatchNavError):
    """A checkpoint cannot be written, read, or does not fit the policy."""


class DistributedError(BatchNavError, RuntimeError):
    """Ranks of a run do not come together, differ, or have died; ``ranks`` are those to blame, if known."""

    def __init__(self, message: str, ranks: Sequence[int] = ()) -> None:
        """Say what happened and which ranks are to blame."""
        super().__init__(message)
        self.ranks = tuple(ranks)


class BrokenCheckpointError(CheckpointError):
    """A checkpoint file is cut short or was changed after it was written."""


class ActionError(BatchNavError, ValueError):
    """Actions of the wrong shape, type or range were given to ``step``."""


class ClosedEnvError(BatchNavError, RuntimeError):
    """An environment was used after ``close()``."""


class ResetNeededError(BatchNavError, RuntimeError):
    """An environment was stepped or drawn before ``reset``, or a finished episode was stepped."""


class ConformanceError(BatchNavError, AssertionError):
    """A vector environment breaks one of the laws that ``check_vector_env`` asks for."""

    def __init__(self, law: str, detail: str, row: int | None = None) -> None:
        """Name the law, what was expected and found, and the row where one is to blame."""
        super().__init__(law, detail, row)
        self.law, self.detail, self.row = law, detail, row

    def __str__(self) -> str:
        """One line: law, row, expected and found."""
        where = "" if self.row is None else f" in row {self.row}"
        return f"the law of {self.law!r} is broken{where}: {self.detail}"
