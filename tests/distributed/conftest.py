"""Several ranks on this machine: processes that talk by gloo over the loopback."""

from __future__ import annotations

import multiprocessing
import queue
import time
import traceback
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
import torch
from torch.distributed import TCPStore

from gym_batchnav.rl.distributed import Launch

PATIENCE_S = 120.0


class RankError(Exception):
    """What a rank raised, as text: the exception's type and message."""


def _serve(results: Any, launch: Launch, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    torch.set_num_threads(1)
    try:
        value = function(launch, *args)
    except BaseException as error:
        results.put((launch.rank, False, f"{type(error).__name__}: {error}\n{traceback.format_exc()}"))
        raise SystemExit(2) from None
    results.put((launch.rank, True, value))


@pytest.fixture(scope="session")
def _context(request: pytest.FixtureRequest) -> Iterator[Any]:
    # A server that has imported torch but never used it forks ranks in milliseconds.
    preloaded = ["torch", "torch._dynamo", "gym_batchnav.rl"]
    # That of the command line and its environments pays where it is run, six times.
    if any("test_the_command_trains" in item.name for item in request.session.items):
        preloaded.append("gym_batchnav.cli.training.train")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
            patch.setenv(name, "1")
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(preloaded)
        yield context


@pytest.fixture
def ranks(_context: Any) -> Callable[..., list[Any]]:
    """Runs ``function(launch, *args)`` in each of ``size`` processes; gives what they return.

    With ``errors=True`` a rank's exception is its result, as a ``RankError``, and a rank that was killed
    gives None; else either fails the test.
    """

    def run(size: int, function: Callable[..., Any], *args: Any, errors: bool = False) -> list[Any]:
        # As torchrun's agent does it: the store is in a process that is no rank.
        store = TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False, timeout=timedelta(seconds=9))
        results = _context.Queue()
        launches = [
            Launch(rank=r, size=size, local_rank=r, local_size=size, host="127.0.0.1", port=store.port)
            for r in range(size)
        ]
        processes = [
            _context.Process(target=_serve, args=(results, launch, function, args)) for launch in launches
        ]
        for process in processes:
            process.start()
        values = _collect(results, processes)
        for process in processes:
            process.join(PATIENCE_S)
            process.kill()
        failed = [value for value in values if isinstance(value, RankError)]
        if failed and not errors:
            raise failed[0]
        return values

    return run


def _collect(results: Any, processes: list[Any]) -> list[Any]:
    values: dict[int, Any] = {}
    end = time.monotonic() + PATIENCE_S
    while len(values) < len(processes) and time.monotonic() < end:
        try:
            rank, good, value = results.get(timeout=0.2)
            values[rank] = value if good else RankError(value)
        except queue.Empty:
            for rank, process in enumerate(processes):
                # A negative exit code is the signal that killed it: it will say nothing more.
                if (process.exitcode or 0) < 0:
                    values.setdefault(rank, None)
    late = [rank for rank in range(len(processes)) if rank not in values]
    for rank in late:
        processes[rank].kill()
    assert not late, f"ranks {late} did not end within {PATIENCE_S} s"
    return [values[rank] for rank in range(len(processes))]
