"""Every error that gym_batchnav raises on purpose.

A message says what was wrong, the value that was given, the limit, and what to do about it.
"""

from __future__ import annotations


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


class ActionError(BatchNavError, ValueError):
    """Actions of the wrong shape, type or range were given to ``step``."""


class ClosedEnvError(BatchNavError, RuntimeError):
    """An environment was used after ``close()``."""


class ResetNeededError(BatchNavError, RuntimeError):
    """An environment was stepped or drawn before ``reset``, or a finished episode was stepped."""
