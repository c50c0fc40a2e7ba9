"""How much a scene file may unpack to, so that a small hostile file cannot fill the memory."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import SceneError

_FREE_BYTES = 2**30
_BYTES_PER_BYTE = 64
MAX_IMAGE_PIXELS = 2**27
"""Pixels that one image may have: 16,384 x 8,192."""


@dataclass(slots=True)
class Budget:
    """Counts what is unpacked from one scene file: 1 GiB, and 64 bytes for each byte that was read."""

    file: str
    read_bytes: int = 0
    spent_bytes: int = 0

    def read(self, num_bytes: int) -> None:
        """Count bytes that were read from disk."""
        self.read_bytes += num_bytes

    def spend(self, num_bytes: int, place: str) -> None:
        """Count bytes before they are made for ``place``; raises ``SceneError`` where they are too many."""
        self.spent_bytes += num_bytes
        limit = _FREE_BYTES + _BYTES_PER_BYTE * self.read_bytes
        if self.spent_bytes > limit:
            raise SceneError(
                f"{self.file}: {place} would bring what the file unpacks to from "
                f"{self.spent_bytes - num_bytes} to {self.spent_bytes} bytes; a file of {self.read_bytes} "
                f"bytes may unpack to {limit}, so it is taken for a broken or hostile one"
            )
