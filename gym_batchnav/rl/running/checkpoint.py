"""Checkpoints: written atomically, verified when read, with a history."""

from __future__ import annotations

import errno
import io
import os
import pickle
import re
import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from gym_batchnav.errors import CheckpointError

FORMAT = 1
BEST_NAME = "best.pt"
_NAME = re.compile(r"update-(\d+)\.pt")
_ARRAY = "__numpy__"
_UNREADABLE = (
    OSError,
    RuntimeError,
    ValueError,
    KeyError,
    EOFError,
    zipfile.BadZipFile,
    pickle.UnpicklingError,
)
"""What reading a file that is no whole checkpoint raises."""


def save_checkpoint(path: Path, content: Mapping[str, Any]) -> None:
    """Writes a checkpoint so that the file is either whole or not there.

    Args:
        path: the file; its folder is made.
        content: nested dicts, lists and tuples of numbers, strings, tensors and NumPy arrays.

    Raises:
        CheckpointError: the file cannot be written, or a value is of another type.
    """
    buffer = io.BytesIO()
    torch.save(encode_arrays({**content, "format": FORMAT}), buffer)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with temporary.open("wb") as file:
                file.write(buffer.getbuffer())
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
        _sync_folder(path.parent)
    except OSError as error:
        raise CheckpointError(
            f"cannot write the checkpoint {path}: {error}; free space or choose another folder"
        ) from error


def load_checkpoint(path: Path | str, device: str | torch.device = "cpu") -> dict[str, Any]:
    """Reads and verifies a checkpoint; no code in it can run.

    Raises:
        CheckpointError: missing, cut short, changed, or of another format; names an older one that is whole.
    """
    path = Path(path)
    try:
        content = _read(path, device)
    except FileNotFoundError as error:
        raise CheckpointError(f"there is no checkpoint {path}; give a .pt file or a run's folder") from error
    except _UNREADABLE as error:
        raise CheckpointError(f"the checkpoint {path} is broken ({error}); {_advice(path)}") from error
    return content


def checkpoints(folder: Path) -> list[Path]:
    """The numbered checkpoints of a folder, oldest first."""
    found = [
        (int(match[1]), path) for path in folder.glob("update-*.pt") if (match := _NAME.fullmatch(path.name))
    ]
    return [path for _, path in sorted(found)]


def checkpoint_path(folder: Path, updates: int) -> Path:
    """The file of the checkpoint written after a number of updates."""
    return folder / f"update-{updates:08d}.pt"


def milestone_path(folder: Path, frames: int) -> Path:
    """The file of a checkpoint that is kept for good."""
    return folder / f"frames-{frames:012d}.pt"


def link_checkpoint(path: Path, name: Path) -> None:
    """Gives a checkpoint a second name, without a second copy where the file system can do that.

    Raises:
        CheckpointError: the name cannot be written.
    """
    temporary = name.with_name(f".{name.name}.{os.getpid()}.tmp")
    try:
        try:
            _link_or_copy(path, temporary)
            os.replace(temporary, name)
        finally:
            temporary.unlink(missing_ok=True)
        _sync_folder(name.parent)
    except OSError as error:
        raise CheckpointError(
            f"cannot write the checkpoint {name}: {error}; free space or choose another folder"
        ) from error


def _link_or_copy(path: Path, name: Path) -> None:
    name.unlink(missing_ok=True)
    try:
        os.link(path, name)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS):
            raise
        shutil.copyfile(path, name)


def prune(folder: Path, keep: int) -> None:
    """Removes all but the newest numbered checkpoints; the best and those by frames stay."""
    for path in checkpoints(folder)[:-keep]:
        path.unlink(missing_ok=True)


def latest_checkpoint(run_dir: Path | str) -> Path | None:
    """The newest checkpoint of a run, or None."""
    found = checkpoints(Path(run_dir) / "checkpoints")
    return found[-1] if found else None


def best_checkpoint(run_dir: Path | str) -> Path | None:
    """The best checkpoint of a run, by its validations if it has any, or None."""
    path = Path(run_dir) / "checkpoints" / BEST_NAME
    return path if path.is_file() else None


def resolve_checkpoint(path: Path | str) -> Path:
    """A checkpoint file from a file, a run's folder (its newest) or a folder of checkpoints.

    Raises:
        CheckpointError: there is none.
    """
    path = Path(path)
    if not path.is_dir():
        return path
    found = latest_checkpoint(path) or next(iter(checkpoints(path)[-1:]), None)
    if found is None:
        raise CheckpointError(f"there is no checkpoint in {path}; give a .pt file or a run's folder")
    return found


def encode_arrays(value: Any) -> Any:
    """Replaces NumPy arrays and scalars by what ``torch.load(weights_only=True)`` reads.

    Raises:
        CheckpointError: a value is of a type that cannot be stored.
    """
    if isinstance(value, Mapping):
        return {key: encode_arrays(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(encode_arrays(item) for item in value)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        buffer = io.BytesIO()
        try:
            np.save(buffer, value, allow_pickle=False)
        except ValueError as error:
            raise CheckpointError(
                f"an array of {value.dtype} cannot be stored; use numbers or strings"
            ) from error
        return {_ARRAY: torch.frombuffer(bytearray(buffer.getvalue()), dtype=torch.uint8)}
    if value is None or isinstance(value, bool | int | float | str | torch.Tensor):
        return value
    raise CheckpointError(
        f"a value of type {type(value).__name__} cannot be stored; use arrays, numbers and strings"
    )


def decode_arrays(value: Any) -> Any:
    """The inverse of ``encode_arrays``."""
    if isinstance(value, dict):
        if set(value) == {_ARRAY}:
            return np.load(io.BytesIO(value[_ARRAY].cpu().numpy().tobytes()), allow_pickle=False)
        return {key: decode_arrays(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(decode_arrays(item) for item in value)
    return value


def _read(path: Path, device: str | torch.device) -> dict[str, Any]:
    # torch does not check the CRCs that it writes, so a changed byte would go unseen.
    with zipfile.ZipFile(path) as archive:
        damaged = archive.testzip()
    if damaged is not None:
        raise ValueError(f"checksum of {damaged} does not fit")
    content = torch.load(path, map_location=device, weights_only=True)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ValueError(f"not a checkpoint of format {FORMAT}")
    decoded: dict[str, Any] = decode_arrays(content)
    return decoded


def _advice(path: Path) -> str:
    for other in [*reversed(checkpoints(path.parent)), path.parent / BEST_NAME]:
        if other == path or not other.is_file():
            continue
        try:
            _read(other, "cpu")
        except _UNREADABLE:
            continue
        return f"use {other} instead"
    return "no other usable checkpoint lies beside it"


def _sync_folder(folder: Path) -> None:
    """Makes the rename itself durable; only POSIX can open folders."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
