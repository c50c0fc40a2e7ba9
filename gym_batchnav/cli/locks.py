"""Locks of files between processes, on every system."""

from __future__ import annotations

import errno
import sys
from typing import IO, Any


def lock_file(file: IO[Any]) -> None:
    """Lock an open file until it is closed; raises ``BlockingIOError`` where another process has it.

    Some network file systems cannot lock; there it does nothing.
    """
    try:
        _lock(file)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLOCK):
            raise BlockingIOError(error.errno, str(error)) from error
        if error.errno not in (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP):
            raise


def _lock(file: IO[Any]) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
