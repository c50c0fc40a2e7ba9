"""Peers at work: their processes, and who takes part in a comparison."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from ...cores import usable_cores
from ...errors import ConfigError
from ..waiting import waiting
from .peers import PEERS
from .peers.peer import Peer
from .peers.task import Task, write_task
from .peers.window import Window

ALL = "all"
_WORKER = Path(__file__).with_name("peers") / "worker.py"
_PATIENCE_S = 10.0


@dataclass(frozen=True, slots=True)
class Choice:
    """A peer that takes part."""

    peer: Peer
    python: str
    """Interpreter that it is installed in."""
    named: bool
    """Whether the user asked for it by name, rather than for all that are installed."""


class MissingPeerError(ConfigError):
    """A peer is not installed."""


def choose(
    compare: Sequence[str], pythons: Sequence[str], benchmark: str, outputs: Sequence[str]
) -> list[Choice]:
    """The peers to compare with.

    Args:
        compare: Their names, also with commas between them; "all" for those that can take part.
        pythons: "name=path" of the interpreters that peers are installed in, where it is not this one.
        benchmark: What is measured.
        outputs: Images to draw.

    Raises:
        ConfigError: there is no such peer, or one cannot do what is asked for.
    """
    names = [name for text in compare for name in text.split(",") if name]
    interpreters = _interpreters(pythons)
    able = [peer.name for peer in PEERS.values() if not _why_not(peer, benchmark, outputs)]
    for name in (*names, *interpreters):
        if name not in PEERS and name != ALL:
            raise ConfigError(f"--compare {name}: there is no such peer; allowed: {', '.join(PEERS)}, {ALL}")
    for name in names:
        if name != ALL and (reason := _why_not(PEERS[name], benchmark, outputs)):
            raise ConfigError(f"--compare {name} {reason}; allowed here: {', '.join(able) or 'none'}")
    wanted = dict.fromkeys(name for name in names if name != ALL)
    if ALL in names:
        wanted.update(dict.fromkeys(able))
    return [Choice(PEERS[name], interpreters.get(name, sys.executable), name in names) for name in wanted]


def _interpreters(pythons: Sequence[str]) -> dict[str, str]:
    found = {}
    for text in pythons:
        name, equals, path = text.partition("=")
        if not equals or not Path(path).is_file():
            raise ConfigError(
                f"--peer-python {text} is not allowed; expected NAME=PATH with the path of an interpreter"
            )
        # Not resolved: through a link, the interpreter would not know its environment any more.
        found[name] = str(Path(path).absolute())
    return found


def _why_not(peer: Peer, benchmark: str, outputs: Sequence[str]) -> str:
    """Why a peer cannot take part; empty where it can."""
    if peer.benchmark != benchmark:
        return f"takes part in bench {peer.benchmark} alone"
    if set(outputs) - set(peer.outputs):
        return f"draws {', '.join(peer.outputs)} alone, not {', '.join(outputs)}"
    return ""


def start_all(
    choices: Sequence[Choice], tasks: Callable[[Peer], Task], stack: ExitStack, say: Callable[[str], None]
) -> list[Rival]:
    """Start the chosen peers; those that are missing and were not named are told of and left out.

    Raises:
        ConfigError: a peer that was named is not installed, or one cannot be set up.
    """
    rivals = []
    for choice in choices:
        try:
            with waiting(f"starting {choice.peer.name}"):
                rivals.append(stack.enter_context(Rival(choice, tasks(choice.peer))))
        except MissingPeerError as error:
            if choice.named:
                raise
            say(f"not compared: {error}")
    return rivals


class Rival:
    """The processes of one peer; call it to have it draw for some seconds."""

    def __init__(self, choice: Choice, task: Task) -> None:
        """Start the processes and wait until all can draw.

        Raises:
            MissingPeerError: the peer is not installed.
            ConfigError: it cannot be set up.
        """
        self.peer, self._choice = choice.peer, choice
        self.task = task
        self.threads = choice.peer.threads or usable_cores()
        self.processes = choice.peer.processes or usable_cores()
        self._stack = ExitStack()
        self._processes: list[subprocess.Popen[str]] = []
        try:
            folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory()))
            write_task(folder / "task.npz", task)
            self._errors = self._stack.enter_context((folder / "errors").open("w+", encoding="utf-8"))
            for _ in range(self.processes):
                self._processes.append(self._start(folder / "task.npz"))
                self.version = str(self._answer(self._processes[-1])["version"])
        except BaseException:
            self.close()
            raise

    def __call__(self, seconds: float) -> Window:
        """Let all processes draw side by side."""
        for process in self._processes:
            _pipe(process.stdin).write(f"{seconds}\n")
            _pipe(process.stdin).flush()
        answers = [self._answer(process) for process in self._processes]
        return Window(sum(a["frames"] for a in answers), max(a["seconds"] for a in answers), ())

    def close(self) -> None:
        """End the processes."""
        for process in self._processes:
            _pipe(process.stdin).close()
            try:
                process.wait(_PATIENCE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            _pipe(process.stdout).close()
        self._stack.close()

    def __enter__(self) -> Rival:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _start(self, task: Path) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [self._choice.python, str(_WORKER), self.peer.file, str(task)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            # Some peers write files where they are.
            cwd=task.parent,
            env=_environment(self._choice),
        )

    def _answer(self, process: subprocess.Popen[str]) -> Mapping[str, Any]:
        line = _pipe(process.stdout).readline()
        answer = json.loads(line) if line else {"failed": self._obituary(process)}
        name, python = self.peer.name, self._choice.python
        if "missing" in answer:
            raise MissingPeerError(
                f"{name} is not installed ({python} has no module {answer['missing']!r}); pip install "
                f"{self.peer.distribution}, in an environment of its own with --peer-python {name}=PATH"
            )
        if "failed" in answer:
            raise ConfigError(f"--compare {name} cannot draw: {answer['failed']}; mend that, or leave it out")
        return dict(answer)

    def _obituary(self, process: subprocess.Popen[str]) -> str:
        self._errors.seek(0)
        last = [text for text in self._errors.read().splitlines() if text.strip()][-1:]
        return f"its process ended with status {process.wait()}, its last words were {''.join(last)!r}"


def _environment(choice: Choice) -> dict[str, str]:
    """Variables of a peer's process; one in this interpreter finds the modules that this one finds."""
    variables = {**os.environ, **choice.peer.environment}
    variables.pop("PYTHONPATH", None)
    if choice.python == sys.executable:
        variables["PYTHONPATH"] = os.pathsep.join(os.path.abspath(entry) for entry in sys.path)
    return variables


def _pipe(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream
