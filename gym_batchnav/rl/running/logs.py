"""JSON lines and TensorBoard.

``train.jsonl`` gets one object of kind "run" (config, spaces, versions) at each start or resumption; every
update adds one of kind "update":
``{"kind", "update", "frames", "progress", "elapsed_s", "frames_per_second", "learning_rate",
"entropy_coefficient", "episodes", "losses": {...}, "metrics": {...}, "seconds": {...}}``.
``metrics`` holds running means over ended episodes, ``seconds`` the wall time of each stage of this update.
A validation adds one of kind "validation": ``{"kind", "update", "frames", "elapsed_s", "metrics": {...},
"seconds": {"validate"}, "best"}``, whose ``metrics`` are means over the validation's episodes.
"""

from __future__ import annotations

import errno
import json
import math
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gym_batchnav.errors import BatchNavError

if TYPE_CHECKING:
    from torch.utils.tensorboard.writer import SummaryWriter

LOG_NAME = "train.jsonl"
_GROUPS = {
    "update": {"losses": "losses", "metrics": "metrics", "seconds": "seconds"},
    "validation": {"metrics": "validation", "seconds": "seconds"},
}
"""Where in TensorBoard the numbers of a record go, by its kind."""
_SCALARS = ("frames_per_second", "learning_rate", "entropy_coefficient")


def full(error: OSError) -> bool:
    """Whether an error says that there is no space left."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)


class RunLog:
    """Writes the records of a run.

    Args:
        run_dir: the run's folder.
        frames: frames that were already seen; records beyond them, of a part that was lost, are removed.
        tensorboard: whether TensorBoard files are written too.

    Raises:
        BatchNavError: the files cannot be written; so does ``write``.
    """

    def __init__(self, run_dir: Path, frames: int, *, tensorboard: bool) -> None:
        self.path = run_dir / LOG_NAME
        with self._explained():
            run_dir.mkdir(parents=True, exist_ok=True)
            _cut(self.path, frames)
            # Without a buffer, nothing is left to be written when the file is closed on a full disk.
            self._file = self.path.open("ab", buffering=0)
            self._board = _summary_writer(run_dir / "tensorboard", frames) if tensorboard else None

    def write(self, record: Mapping[str, Any]) -> None:
        """Appends one record; updates and validations also go to TensorBoard."""
        with self._explained():
            left = memoryview((json.dumps(_finite(record), allow_nan=False) + "\n").encode())
            while left:
                left = left[self._file.write(left) :]
            if self._board is not None and record["kind"] in _GROUPS:
                self._write_scalars(self._board, record)

    def _write_scalars(self, board: SummaryWriter, record: Mapping[str, Any]) -> None:
        step = int(record["frames"])
        for name in _SCALARS:
            if name in record:
                board.add_scalar(f"run/{name}", record[name], step)
        for group, title in _GROUPS[record["kind"]].items():
            for name, value in record[group].items():
                board.add_scalar(f"{title}/{name}", value, step)

    def close(self) -> None:
        """Closes the files."""
        self._file.close()
        if self._board is not None:
            with self._explained():
                self._board.close()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise BatchNavError(
                f"cannot write the logs in {self.path.parent}: {error}; "
                + ("free space, then resume the run" if full(error) else "choose another folder")
            ) from error


class SilentLog:
    """Stands for ``RunLog`` on the ranks that write none."""

    def __init__(self, run_dir: Path) -> None:
        self.path = run_dir / LOG_NAME

    def write(self, record: Mapping[str, Any]) -> None:
        """Writes nothing."""

    def close(self) -> None:
        """Closes nothing."""


def read_log(run_dir: Path | str, kind: str = "update") -> list[dict[str, Any]]:
    """The records of one kind of a run, oldest first; a last line cut short by a crash is left out."""
    return [record for record in _records(Path(run_dir) / LOG_NAME) if record.get("kind") == kind]


def _records(path: Path) -> Iterator[dict[str, Any]]:
    if not path.is_file():
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            yield json.loads(line)
        except json.JSONDecodeError:
            # Only a write that a crash cut short leaves such a line; it is the last of its part of the run.
            continue


def _cut(path: Path, frames: int) -> None:
    """Removes the updates after ``frames``, as a whole new file; with 0 frames nothing is left."""
    if not path.is_file():
        return
    kept = [r for r in _records(path) if frames > 0 and int(r.get("frames", 0)) <= frames]
    temporary = path.with_suffix(".tmp")
    temporary.write_text("".join(json.dumps(record) + "\n" for record in kept), encoding="utf-8")
    os.replace(temporary, path)


def _finite(value: Any) -> Any:
    """JSON has no NaN and no infinity: they become null."""
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _summary_writer(folder: Path, frames: int) -> SummaryWriter:
    # Imported here: it takes a second, and no other use of the learner needs it.
    from torch.utils.tensorboard.writer import SummaryWriter

    return SummaryWriter(str(folder), purge_step=frames + 1 if frames else None)
