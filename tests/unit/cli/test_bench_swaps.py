"""Timing renders while scenes come and go."""

from __future__ import annotations

import itertools
import json

import pytest

from gym_batchnav.cli import main
from gym_batchnav.cli.bench import swaps


class FakeRenderer:
    """Holds scenes; says in ``log`` what comes and goes."""

    def __init__(self):
        self.ids, self.log, self.held = itertools.count(), [], {}
        self.memory = {"scenes": 7}
        self.preparer = str.upper

    def add_scene(self, scene, wait=True):
        number = next(self.ids)
        self.held[number] = scene
        self.log.append((scene, wait))
        return number

    def remove_scene(self, number):
        del self.held[number]


def test_scenes_take_turns_and_calls_are_timed(monkeypatch):
    # A clock that only batches move: a millisecond each, and five where a scene was added for it.
    renderer, now = FakeRenderer(), [0.0]
    monkeypatch.setattr(swaps.time, "perf_counter", lambda: now[0])
    seen = []

    def draw():
        stalled = len(renderer.log) > len(seen) + swaps.HELD
        if stalled:
            seen.append(renderer.log[-1])
        now[0] += 0.005 if stalled else 0.001
        return 1

    found = swaps.measure_swaps(renderer, draw, ["a", "b"], every=10, seconds=0.8)
    assert renderer.log[:3] == [("A", True), ("B", True), ("A", True)]
    assert seen[:3] == [("A", False), ("B", False), ("A", False)]
    assert len(renderer.held) == swaps.HELD
    assert found["swaps"] == len(seen) > 20
    assert found["alone_ms"] == pytest.approx({"median": 1.0, "p99": 1.0, "max": 1.0})
    # One call in ten takes 5 ms, so the 99th percentile is 5 and the stall 4.
    assert found["swapping_ms"] == pytest.approx({"median": 1.0, "p99": 5.0, "max": 5.0})
    assert found["stall_p99_ms"] == pytest.approx(4.0)


@pytest.mark.slow
def test_bench_render_with_swaps(tmp_path, capsys):
    path = tmp_path / "record.json"
    size = ["--scenes", "houses:train[:2]", "--num-envs", "4", "--resolution", "16", "--seconds", "0.4"]
    assert (
        main(["bench", "render", *size, "--backend", "embree", "--swap-every", "5", "--json", str(path)]) == 0
    )
    found = json.loads(path.read_text())["swaps"]
    assert found["every"] == 5
    assert found["swaps"] > 3
    assert "a swap every 5" in capsys.readouterr().out
