"""Jobs in steps, between which other tasks run; the worker is a list of tasks that the test works off."""

from __future__ import annotations

from concurrent.futures import Future

import pytest

from batchnav_renderer.gl.uploads import UploadQueue, gathered


class Tasks:
    """Holds what a worker would do, and does it when asked."""

    def __init__(self):
        self.waiting = []
        self.lost = None

    def submit(self, function, *arguments):
        future = Future()
        self.waiting.append((future, function, arguments))
        return future

    def work(self):
        future, function, arguments = self.waiting.pop(0)
        if self.lost is not None:
            future.set_exception(self.lost)
        else:
            future.set_result(function(*arguments))


def steps(log, name, count, error=None):
    for number in range(count):
        log.append(f"{name}{number}")
        yield
    if error is not None:
        raise error


def test_tasks_queued_meanwhile_go_before_the_next_step():
    tasks, log = Tasks(), []
    queue = UploadQueue(tasks)
    added = queue.add(steps(log, "upload", 3))
    tasks.work()
    tasks.submit(log.append, "render")
    tasks.submit(log.append, "render")
    for _ in range(4):
        tasks.work()
    # The first step has queued the second one before the renders came, so one step at most goes first.
    assert log == ["upload0", "upload1", "render", "render", "upload2"]
    assert not added.done()
    tasks.work()
    assert added.done()
    assert not tasks.waiting


def test_jobs_run_one_after_another_and_a_failure_harms_no_other():
    tasks, log = Tasks(), []
    queue = UploadQueue(tasks)
    jobs = [
        queue.add(steps(log, "a", 2)),
        queue.add(steps(log, "b", 1, ValueError("no room"))),
        queue.add(steps(log, "c", 1)),
    ]
    while tasks.waiting:
        tasks.work()
    assert log == ["a0", "a1", "b0", "c0"]
    assert jobs[0].result() is jobs[2].result() is None
    with pytest.raises(ValueError, match="no room"):
        jobs[1].result()
    last = queue.add(steps(log, "d", 1))
    while tasks.waiting:
        tasks.work()
    assert last.done()


def test_a_lost_context_fails_all_jobs():
    tasks, log = Tasks(), []
    queue = UploadQueue(tasks)
    jobs = [queue.add(steps(log, name, 2)) for name in "ab"]
    tasks.work()
    tasks.lost = RuntimeError("lost")
    while tasks.waiting:
        tasks.work()
    for job in jobs:
        with pytest.raises(RuntimeError, match="lost"):
            job.result()


def test_gathered_waits_for_all_and_tells_of_failure_first():
    events = []
    for errors in ([None, None], [ValueError("first"), None]):
        parts = [Future(), Future()]
        whole = gathered(parts, lambda: events.append("undone"))
        whole.add_done_callback(lambda _: events.append("done"))
        for part, error in zip(parts, errors, strict=True):
            assert not whole.done()
            if error is None:
                part.set_result(None)
            else:
                part.set_exception(error)
        assert whole.exception() is errors[0]
    assert events == ["done", "undone", "done"]
