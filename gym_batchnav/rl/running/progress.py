"""Progress of a run for people."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from gym_batchnav.rl.running.callbacks import RunInfo, TrainCallback, TrainResult


class ProgressBar(TrainCallback):
    """A live bar on a terminal, else a plain line now and then.

    Args:
        console: where to write.
        every_s: seconds between plain lines where the console is no terminal.
    """

    def __init__(self, console: Console, every_s: float = 10.0) -> None:
        self.console = console
        self.every_s = every_s
        self._bar: Progress | None = None
        self._task = TaskID(0)
        self._run: RunInfo | None = None
        self._last_line = 0.0

    def on_start(self, run: RunInfo) -> None:
        """Shows the bar."""
        self._run = run
        self._last_line = time.monotonic()
        if self.console.is_terminal:
            self._bar = Progress(BarColumn(), TextColumn("{task.description}"), console=self.console)
            self._bar.start()
            self._task = self._bar.add_task("collecting the first frames ...", total=1.0)

    def on_update(self, record: Mapping[str, Any]) -> None:
        """Moves the bar, or writes a line."""
        text = describe(record, self._run)
        if self._bar is not None:
            self._bar.update(self._task, completed=record["progress"], description=text)
        elif time.monotonic() - self._last_line >= self.every_s:
            self._last_line = time.monotonic()
            self._line(f"{record['progress']:4.0%}  {text}")

    def on_validation(self, record: Mapping[str, Any]) -> None:
        """Writes a line about it."""
        best = ", the best so far" if record["best"] else ""
        shown = ", ".join(results(record["metrics"]))
        spent = clock(record["seconds"]["validate"])
        self._line(f"validation at {record['frames']:,} frames: {shown}{best} ({spent})")

    def on_signal(self, name: str) -> None:
        """Says that it was heard, past all buffers, which may be in use at this very moment."""
        again = "; Ctrl-C once more ends at once, without a checkpoint" if name == "SIGINT" else ""
        text = f"\nbatchnav: stopping after this update ({name}){again}\n"
        with suppress(OSError):
            os.write(2, text.encode())

    def on_message(self, text: str) -> None:
        """Writes the line."""
        self._line(text)

    def on_end(self, result: TrainResult) -> None:
        """Takes the bar away and says how the run ended."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
        rate = result.frames / max(result.elapsed_s, 1e-9)
        self._line(
            f"trained {result.frames:,} frames in {clock(result.elapsed_s)} ({rate:,.0f} frames/s), "
            f"ended by {result.reason}; checkpoint {result.checkpoint}"
        )

    def close(self) -> None:
        """Takes the bar away; for runs that ended by an error."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _line(self, text: str) -> None:
        self.console.print(text, highlight=False, markup=False, soft_wrap=True)


def describe(record: Mapping[str, Any], run: RunInfo | None) -> str:
    """One line about an update: frames, frames/s, success, SPL (else the return), time left."""
    parts = [f"{record['frames']:,} frames", f"{record['frames_per_second']:,.0f}/s"]
    parts += results(record["metrics"])
    parts.append(f"{clock(time_left(record, run))} left")
    return ", ".join(parts)


def results(metrics: Mapping[str, float]) -> list[str]:
    """Success and SPL in words, the return where there is no success."""
    if "success" not in metrics:
        return [f"return {metrics['return']:.2f}"] if "return" in metrics else []
    spl = [f"SPL {metrics['spl']:.3f}"] if "spl" in metrics else []
    return [f"success {metrics['success']:.1%}", *spl]


def time_left(record: Mapping[str, Any], run: RunInfo | None) -> float:
    """Seconds left, from the share of progress that this part of the run has made."""
    done = float(record["progress"])
    begin, spent = 0.0, float(record["elapsed_s"])
    if run is not None:
        begin = run.frames / run.config.total_frames
        if run.config.time_limit_s is not None:
            begin = max(begin, run.elapsed_s / run.config.time_limit_s)
        spent -= run.elapsed_s
    return spent * (1.0 - done) / max(done - begin, 1e-6)


def clock(seconds: float) -> str:
    """Seconds as m:ss or h:mm:ss."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
