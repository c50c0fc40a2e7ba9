"""Checkpoints: written atomically, verified when read, with a history."""

from __future__ import annotations

import errno
import io
import os
import pickle
import re
import shutil
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from gym_batchnav.errors import BrokenCheckpointError, CheckpointError
from gym_batchnav.rl.running.plain import decode_arrays, encode_arrays

FORMAT = 1
BEST_NAME = "best.pt"
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS, errno.EINVAL)
"""Of file systems without hard links; the last is what Windows says of FAT."""
_NAME = re.compile(r"update-(\d+)\.pt")
_BROKEN = (
    RuntimeError,
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    IndexError,
    EOFError,
    struct.error,
    zlib.error,
    zipfile.BadZipFile,
    pickle.UnpicklingError,
)
"""What parsing the bytes of a file that is no whole checkpoint raises; the reading itself is done by then."""
_PARTS = ("config", "env_spec", "policy")
_LONGEST_REASON = 160


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
    with _replacing(path) as temporary, temporary.open("wb") as file:
        file.write(buffer.getbuffer())
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """Gives a name beside ``path`` to write to; the file takes its place at the end, or is gone."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            yield temporary
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
        BrokenCheckpointError: cut short or changed; names another one that is whole.
        CheckpointError: missing, not readable, or of another format.
    """
    path = Path(path)
    try:
        content = _read(path)
    except BrokenCheckpointError as error:
        raise BrokenCheckpointError(f"{error}; {_advice(path)}") from error
    moved: dict[str, Any] = _to_device(content, torch.device(device))
    return moved


def load_newest(run_dir: Path | str) -> tuple[dict[str, Any], list[str]] | None:
    """The newest checkpoint of a run that is whole, on the CPU, and a line about each broken one before it.

    Broken files are renamed to ``<name>.broken``, out of the way of those to come.

    Returns:
        Content and lines; None where the run has no checkpoint yet.

    Raises:
        CheckpointError: one cannot be read, or all are broken.
    """
    folder = Path(run_dir) / "checkpoints"
    candidates = _newest_first(folder)
    if not candidates:
        return None
    broken: list[tuple[Path, BrokenCheckpointError]] = []
    for path in candidates:
        try:
            content = _read(path)
        except BrokenCheckpointError as error:
            broken.append((path, error))
            continue
        return content, [_set_aside(bad, error, path, content) for bad, error in broken]
    raise BrokenCheckpointError(
        f"none of the {len(broken)} checkpoints in {folder} is whole, the newest: {broken[0][1]}; "
        "start anew in another folder"
    )


def _set_aside(path: Path, error: BrokenCheckpointError, used: Path, content: Mapping[str, Any]) -> str:
    name = path.with_name(path.name + ".broken")
    os.replace(path, name)
    frames = int(content.get("progress", {}).get("frames", 0))
    on = f"the run goes on from {used.name} at {frames:,} frames"
    return f"WARNING: {error}; it is kept as {name.name}, and {on}"


def _newest_first(folder: Path) -> list[Path]:
    """All checkpoints: numbered ones, then those kept for good, then the best."""
    kept = sorted(folder.glob("frames-*.pt"), reverse=True)
    best = folder / BEST_NAME
    return [*reversed(checkpoints(folder)), *kept, *([best] if best.is_file() else [])]


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
    with _replacing(name) as temporary:
        _link_or_copy(path, temporary)


def _link_or_copy(path: Path, name: Path) -> None:
    name.unlink(missing_ok=True)
    try:
        os.link(path, name)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        shutil.copyfile(path, name)


def prune(folder: Path, keep: int) -> None:
    """Removes all but the newest numbered checkpoints; the best and those by frames stay."""
    for path in checkpoints(folder)[:-keep]:
        path.unlink(missing_ok=True)


def holds_checkpoints(run_dir: Path | str) -> bool:
    """Whether a run's folder has a checkpoint of any kind."""
    return bool(_newest_first(Path(run_dir) / "checkpoints"))


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
    found = next(iter(_newest_first(path / "checkpoints") or _newest_first(path)), None)
    if found is None:
        raise CheckpointError(f"there is no checkpoint in {path}; give a .pt file or a run's folder")
    return found


def _read(path: Path) -> dict[str, Any]:
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise CheckpointError(f"there is no checkpoint {path}; give a .pt file or a run's folder") from error
    except OSError as error:
        raise CheckpointError(f"cannot read the checkpoint {path}: {error}") from error
    try:
        content = _parse(data)
    except _BROKEN as error:
        raise BrokenCheckpointError(f"the checkpoint {path} is broken ({_reason(error)})") from error
    number = content.get("format")
    if isinstance(number, int) and number != FORMAT:
        raise CheckpointError(
            f"{path} is a checkpoint of format {number}, this version reads {FORMAT}; use the version of "
            "gym-batchnav that wrote it"
        )
    if number is None:
        raise CheckpointError(f"{path} is no checkpoint of this library; give one that it has written")
    return content


def check_parts(content: Mapping[str, Any], path: Path, *more: str) -> None:
    """Refuses a checkpoint without a policy and its settings, or ``more``, with a ``CheckpointError``."""
    missing = [name for name in (*_PARTS, *more) if not isinstance(content.get(name), dict)]
    if missing:
        raise CheckpointError(f"{path} holds no policy (it has no {missing[0]!r}); give a run's checkpoint")


def _reason(error: BaseException) -> str:
    """Why a file cannot be read, in few words: torch's own reach over pages and tell to run unknown code."""
    text = " ".join(str(error).split())
    if "weights_only" in text or "Weights only" in text:
        return "it holds something else than numbers and text, which is never loaded"
    if isinstance(error, zipfile.BadZipFile) or "not a zip" in text:
        return "it is cut short, or no checkpoint at all"
    return text if len(text) <= _LONGEST_REASON else text[:_LONGEST_REASON] + " ..."


def _parse(data: bytes) -> dict[str, Any]:
    # torch does not check the CRCs that it writes, so a changed byte would go unseen.
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        damaged, names = archive.testzip(), archive.namelist()
    if damaged is not None:
        raise ValueError(f"checksum of {damaged} does not fit")
    if any(name.endswith("constants.pkl") for name in names):
        raise ValueError("it is a program that TorchScript wrote")
    content = decode_arrays(torch.load(io.BytesIO(data), map_location="cpu", weights_only=True))
    if not isinstance(content, dict):
        raise ValueError(f"it holds a {type(content).__name__}")
    return content


def _to_device(value: Any, device: torch.device) -> Any:
    if isinstance(value, torch.Tensor):
        return value.to(device)
    if isinstance(value, dict):
        return {key: _to_device(item, device) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_to_device(item, device) for item in value)
    return value


def _advice(path: Path) -> str:
    for other in _newest_first(path.parent):
        if other == path:
            continue
        try:
            _read(other)
        except CheckpointError:
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
