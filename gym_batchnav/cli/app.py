"""Entry point: picks the command and turns expected errors into one line."""

from __future__ import annotations

import errno
import inspect
import io
import os
import select
import shutil
import signal
import sys
import textwrap
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

from batchnav_renderer.errors import RendererError

from ..errors import BatchNavError
from .commands import COMMANDS, similar

ERROR, INTERRUPTED, BROKEN_PIPE, TERMINATED = 2, 130, 141, 143
PRINT_COMPLETION = "--print-completion"
SHELLS = ("bash", "zsh", "fish")
DISK_ERRORS = (
    *(errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM),
    *(errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ENAMETOOLONG, errno.ELOOP),
)
"""A full disk, one that may not be written, a wrong name: the user's to mend, and named by the error."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: What follows the program's name; None takes it from ``sys.argv``.

    Returns:
        The exit status: 0, 2 after an error that has been explained, 130 after Ctrl-C, 141 where nobody
        reads the output any more, 143 after SIGTERM.
    """
    try:
        try:
            with _short_warnings(), _terminable():
                return _run(list(sys.argv[1:] if arguments is None else arguments))
        finally:
            # Here rather than at exit, so that a reader that is gone (``| head``) is noticed below.
            _flush()
    except BrokenPipeError:
        if not _stdout_is_broken():
            raise
        return BROKEN_PIPE
    except OSError as error:
        if error.errno not in DISK_ERRORS:
            raise
        _spare_the_exit()
        print(f"batchnav: {error}", file=sys.stderr)
        return ERROR
    except _Terminated:
        print("batchnav: terminated", file=sys.stderr)
        return TERMINATED
    except KeyboardInterrupt:
        print("batchnav: interrupted", file=sys.stderr)
        return INTERRUPTED


def _run(given: list[str]) -> int:
    _spare_the_terminal()
    if given[:1] == ["help"]:
        given = [*given[1:], "--help"]
    name = given[0] if given else "--help"
    if name in ("-h", "--help"):
        from .overview import print_overview

        print_overview()
        return 0
    if name == "--version":
        from gym_batchnav import __version__

        print(f"gym-batchnav {__version__}")
        return 0
    if name == PRINT_COMPLETION:
        return _complete(given[1:])
    if name not in COMMANDS:
        print(f"batchnav: {_unknown(name)}", file=sys.stderr)
        return ERROR
    parsed = parse(given)
    try:
        return dispatch(name, parsed)
    except (BatchNavError, RendererError) as error:
        print(f"batchnav{_rank()}: {error}", file=sys.stderr)
        return ERROR
    except (MemoryError, RuntimeError) as error:
        if not _out_of_memory(error):
            raise
        reason = " ".join(str(error).split())[:200]
        print(
            f"batchnav{_rank()}: there is not enough memory ({reason}); take fewer --num-envs, a lower "
            "--resolution or a smaller network",
            file=sys.stderr,
        )
        return ERROR


def _out_of_memory(error: Exception) -> bool:
    """Also of torch's errors: that of a GPU by its name, that of the host by its words."""
    named = isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError"
    return named or "can't allocate memory" in str(error)


def parse(given: Sequence[str]) -> Any:
    """The arguments of a command, as its class in ``args`` or ``scenes.args``.

    Ends the process where there is help to show, or something is wrong.

    Args:
        given: Name of the command and what follows it.
    """
    import tyro

    name, *rest = given
    if name == "doctor":
        rest = _with_values(rest)
    arguments = COMMANDS[name].load_arguments()
    return tyro.cli(
        arguments,
        prog=f"batchnav {name}",
        description=_wrapped(inspect.getdoc(arguments) or ""),
        args=rest or (["--help"] if name == "scenes" else []),
        config=(tyro.conf.OmitSubcommandPrefixes,),
    )


def _with_values(given: list[str]) -> list[str]:
    """``--json`` alone is ``--json -``: the record on standard output."""
    words = [*given, "--"]
    for index in reversed(range(len(given))):
        if words[index] == "--json" and words[index + 1].startswith("--"):
            words.insert(index + 1, "-")
    return words[:-1]


def dispatch(name: str, arguments: Any) -> int:
    """Run one command; torch, numba and GL are imported only here, so that ``--help`` is quick."""
    from .waiting import waiting

    with waiting(f"starting {name}"):
        work = COMMANDS[name].load_work()
    _check_outputs(arguments)
    return work(arguments)


def _check_outputs(arguments: Any) -> None:
    """Refuse a file of results that cannot be written now, rather than when all is done."""
    from .training.runs import check_writable

    for holder in (arguments, getattr(arguments, "command", None)):
        for field in ("json", "episodes_json"):
            path = getattr(holder, field, None)
            if path is not None and str(path) != "-":
                check_writable(path)


def _complete(given: list[str]) -> int:
    """Print a completion script of all commands."""
    if given not in [[shell] for shell in SHELLS]:
        print(f"batchnav: {PRINT_COMPLETION} needs a shell: {', '.join(SHELLS)}", file=sys.stderr)
        return ERROR
    import tyro
    from tyro.extras import subcommand_cli_from_dict

    try:
        subcommand_cli_from_dict(
            {name: command.load_arguments() for name, command in COMMANDS.items()},
            prog="batchnav",
            args=["--tyro-print-completion", *given],
            config=(tyro.conf.OmitSubcommandPrefixes,),
        )
    except SystemExit as end:
        # That is how tyro ends when it has printed.
        return int(end.code or 0)
    return 0


def _unknown(name: str) -> str:
    if name.startswith("-"):
        return f"{name} comes before no command; give a command first, such as 'batchnav train {name} ...'"
    maybe = " or ".join(f"'{close}'" for close in similar(name, list(COMMANDS)))
    hint = f"did you mean {maybe}?" if maybe else f"there are {', '.join(COMMANDS)}"
    return f"there is no command '{name}'; {hint}"


def _wrapped(text: str) -> str:
    """Paragraphs that fit the terminal; tyro keeps only those line breaks that a space follows."""
    wrapper = textwrap.TextWrapper(_width(), subsequent_indent="  ")
    return "\n\n".join(wrapper.fill(" ".join(part.split())) for part in text.split("\n\n"))


def _width() -> int:
    return max(20, min(shutil.get_terminal_size().columns, 110))


def _spare_the_terminal() -> None:
    """What an old terminal cannot show becomes a question mark instead of an error."""
    for stream in (sys.stdout, sys.stderr):
        if not str(getattr(stream, "encoding", None) or "utf").lower().startswith("utf"):
            cast(io.TextIOWrapper, stream).reconfigure(errors="replace")


class _Terminated(KeyboardInterrupt):
    """SIGTERM, after which files and processes are put in order as after Ctrl-C."""


@contextmanager
def _terminable() -> Iterator[None]:
    """SIGTERM, as batch systems send it, raises ``_Terminated``; other threads cannot handle it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def terminate(number: int, frame: Any) -> None:
        raise _Terminated

    before = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _short_warnings() -> Iterator[None]:
    """Warnings as one line each, without the source that raised them."""
    before = warnings.formatwarning
    warnings.formatwarning = lambda message, *_, **__: f"batchnav: warning: {message}\n"
    try:
        yield
    finally:
        warnings.formatwarning = before


def _rank() -> str:
    """Which of several processes this is."""
    several = os.environ.get("WORLD_SIZE", "1") != "1"
    return f" (rank {os.environ['RANK']})" if several and "RANK" in os.environ else ""


def _stdout_is_broken() -> bool:
    """Whether nobody reads the output any more, which then goes nowhere."""
    try:
        descriptor = sys.stdout.fileno()
    except OSError:
        # Output that is kept in memory cannot break.
        return False
    if not (hasattr(select, "poll") and hasattr(select, "POLLERR")):
        # Windows cannot ask whether a pipe is whole.
        return False
    poll = select.poll()
    poll.register(descriptor, 0)
    if not any(event & select.POLLERR for _, event in poll.poll(0)):
        return False
    _discard_stdout()
    return True


def _flush() -> None:
    if sys.stdout is not None:
        sys.stdout.flush()


def _spare_the_exit() -> None:
    """Let output that cannot be written go nowhere, lest Python tries again as it ends."""
    try:
        _flush()
    except OSError:
        _discard_stdout()


def _discard_stdout() -> None:
    """Let output go nowhere from now on, so that Python's own flush at exit is quiet too."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (AttributeError, OSError):
        # No output at all, or one that is kept in memory.
        return
