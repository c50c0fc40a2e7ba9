"""Locks of files between processes, on every system."""

from __future__ import annotations

import sys
from typing import IO, Any


def lock_file(file: IO[Any]) -> None:
    """Lock an open file until it is closed; raises ``OSError`` where another process has it."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
