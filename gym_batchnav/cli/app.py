"""Entry point: picks the subcommand and turns expected errors into one line."""

from __future__ import annotations

import errno
import os
import select
import sys
from collections.abc import Sequence
from typing import Annotated

import tyro

from batchnav_renderer.errors import RendererError

from ..errors import BatchNavError
from .args import BenchArgs, DoctorArgs, EpisodesArgs, EvalArgs, ExportArgs, TrainArgs
from .scenes.args import ScenesArgs

Arguments = (
    Annotated[TrainArgs, tyro.conf.subcommand("train")]
    | Annotated[EvalArgs, tyro.conf.subcommand("eval")]
    | Annotated[ExportArgs, tyro.conf.subcommand("export")]
    | Annotated[BenchArgs, tyro.conf.subcommand("bench")]
    | Annotated[EpisodesArgs, tyro.conf.subcommand("episodes")]
    | Annotated[ScenesArgs, tyro.conf.subcommand("scenes")]
    | Annotated[DoctorArgs, tyro.conf.subcommand("doctor")]
)
DESCRIPTION = (
    "Batched visual navigation: train agents that find their way through 3D houses, evaluate them, measure "
    "speed, look at scenes and into problems. 'batchnav COMMAND --help' explains each command."
)
ERROR, INTERRUPTED, BROKEN_PIPE = 2, 130, 141
DISK_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES)
"""A full disk, or one that may not be written: the user's to mend, and named by the error itself."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: What follows the program's name; None takes it from ``sys.argv``.

    Returns:
        The exit status: 0, 2 after an error that has been explained, 130 after Ctrl-C, 141 where nobody
        reads the output any more.
    """
    try:
        try:
            return _run(list(sys.argv[1:] if arguments is None else arguments))
        finally:
            # Here rather than at exit, so that a reader that is gone (``| head``) is noticed below.
            sys.stdout.flush()
    except BrokenPipeError:
        if not _stdout_is_broken():
            raise
        return BROKEN_PIPE


def _run(given: list[str]) -> int:
    if not given:
        given = ["--help"]
    parsed = tyro.cli(
        Arguments,
        prog="batchnav",
        description=DESCRIPTION,
        args=given,
        config=(tyro.conf.OmitSubcommandPrefixes,),
    )
    try:
        return dispatch(parsed)
    except (BatchNavError, RendererError) as error:
        print(f"batchnav{_rank()}: {error}", file=sys.stderr)
        return ERROR
    except OSError as error:
        if error.errno not in DISK_ERRORS:
            raise
        print(f"batchnav: {error}", file=sys.stderr)
        return ERROR
    except KeyboardInterrupt:
        print("batchnav: interrupted", file=sys.stderr)
        return INTERRUPTED


def _rank() -> str:
    """Which of several processes this is."""
    several = os.environ.get("WORLD_SIZE", "1") != "1"
    return f" (rank {os.environ['RANK']})" if several and "RANK" in os.environ else ""


def _stdout_is_broken() -> bool:
    """Whether nobody reads the output any more; it then goes nowhere, so that Python's exit is quiet too."""
    try:
        descriptor = sys.stdout.fileno()
    except OSError:
        # Output that is kept in memory cannot break.
        return False
    poll = select.poll()
    poll.register(descriptor, 0)
    if not any(event & select.POLLERR for _, event in poll.poll(0)):
        return False
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
    return True


def dispatch(arguments: object) -> int:
    """Run one subcommand; torch and GL are imported only here, so that ``--help`` is quick."""
    if isinstance(arguments, TrainArgs):
        from .training.train import run_train

        return run_train(arguments)
    if isinstance(arguments, EvalArgs):
        from .evaluation.evaluate import run_eval

        return run_eval(arguments)
    if isinstance(arguments, ExportArgs):
        from .evaluation.export import run_export

        return run_export(arguments)
    if isinstance(arguments, DoctorArgs):
        from .doctor import run_doctor

        return run_doctor(arguments)
    if isinstance(arguments, EpisodesArgs):
        from .episodes import run_episodes

        return run_episodes(arguments)
    if isinstance(arguments, ScenesArgs):
        from .scenes.run import run_scenes

        return run_scenes(arguments)
    assert isinstance(arguments, BenchArgs)
    from .bench import run_bench

    return run_bench(arguments)
