"""Runs modules in processes of their own, so that a crash or a hang is a finding."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any

TIMEOUT_S = 300.0
"""Time that a module may take; the first use of a machine compiles kernels."""


class Apart:
    """A few processes at a time; all are ended with it."""

    def __init__(self, at_once: int = 2) -> None:
        """Start nothing yet.

        Args:
            at_once: most processes side by side.
        """
        self._pool = ThreadPoolExecutor(at_once, "batchnav-doctor")
        self._running: set[subprocess.Popen[str]] = set()
        self._ended = False

    def submit(self, module: str, *arguments: str) -> Future[dict[str, Any]]:
        """Run ``python -m module arguments``.

        Returns:
            Of what it prints, the JSON objects line by line, merged. Where it ends badly, "ok" is False and
            "error" says how.
        """
        return self._pool.submit(self._run, [sys.executable, "-m", module, *arguments])

    def _run(self, command: list[str]) -> dict[str, Any]:
        if self._ended:
            return {"ok": False, "error": "interrupted"}
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self._running.add(process)
        try:
            out, errors = process.communicate(timeout=TIMEOUT_S)
            bad = process.returncode and _obituary(process.returncode, errors)
        except subprocess.TimeoutExpired:
            process.kill()
            out, _ = process.communicate()
            bad = f"it did not end within {TIMEOUT_S:g} s: the driver hangs"
        finally:
            self._running.discard(process)
        found = _merged(out)
        if bad or not found:
            found |= {"ok": False, "error": bad or "it said nothing"}
        return found

    def __enter__(self) -> Apart:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended = True
        for process in tuple(self._running):
            process.kill()
        self._pool.shutdown(cancel_futures=True)


def _obituary(status: int, errors: str) -> str:
    last = (errors.strip().splitlines() or ["no message"])[-1]
    return f"it ended with status {status}: {last}"


def _merged(out: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for line in out.splitlines():
        try:
            found |= json.loads(line)
        except (ValueError, TypeError):
            # Drivers and libraries write to standard output too.
            continue
    return found
