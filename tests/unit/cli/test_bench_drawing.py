"""The renderer as the benchmark drives it; a stand-in draws."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from gym_batchnav.cli.bench import drawing
from gym_batchnav.config import EnvConfig


class Renderer:
    """Numbers scenes from 10, and notes what is asked of it."""

    def __init__(self, images: dict[str, object]) -> None:
        self.images, self.seen, self.added, self.closed = images, [], [], False
        self.timings = {"draw": 0.25}
        self.config = SimpleNamespace(near=0.5)

    def add_scene(self, scene: object) -> int:
        if scene == "too large":
            raise MemoryError
        self.added.append(scene)
        return 9 + len(self.added)

    def set_views(self, ids: np.ndarray, poses: np.ndarray) -> None:
        self.seen.append((ids.tolist(), float(poses[0])))

    def render(self) -> dict[str, object]:
        return self.images

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def renderer(monkeypatch):
    made = Renderer({"depth": np.zeros(1)})
    monkeypatch.setattr(drawing, "make_renderer", lambda num_views, config, sensors: made)
    return made


def test_batches_take_turns_and_stages_are_means_over_the_calls_since_the_start(renderer):
    with drawing.Drawing(EnvConfig(), ["a", "b"], np.array([0, 1, 0]), np.array([[0.0], [1.0]])) as work:
        assert [work.draw(), work.draw(), work.draw()] == [3, 3, 3]
        assert renderer.seen == [([10, 11, 10], 0.0), ([10, 11, 10], 1.0), ([10, 11, 10], 0.0)]
        work.start()
        work.draw()
        work.draw()
        # The renderer says that each call drew for 0.25 s.
        assert work.stages_ms["render/draw"] == pytest.approx(250.0)
        assert set(work.stages_ms) == {"set_views", "render", "render/draw"}
        assert work.near == 0.5
    assert renderer.closed


def test_tensors_on_a_gpu_are_waited_for(renderer, monkeypatch):
    waited = []
    monkeypatch.setattr("torch.cuda.synchronize", waited.append)
    work = drawing.Drawing(EnvConfig(), ["a"], np.array([0]), np.array([[0.0]]))
    work.draw()
    renderer.images = {"depth": SimpleNamespace(device="cpu", is_cuda=False)}
    work.draw()
    assert waited == []
    renderer.images = {name: SimpleNamespace(device="cuda:1", is_cuda=True) for name in ("depth", "rgb")}
    work.draw()
    assert waited == ["cuda:1"]


def test_a_scene_that_does_not_fit_closes_the_renderer(renderer):
    with pytest.raises(MemoryError):
        drawing.Drawing(EnvConfig(), ["a", "too large"], np.array([0]), np.array([[0.0]]))
    assert renderer.closed
