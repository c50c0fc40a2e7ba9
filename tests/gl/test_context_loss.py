"""A context that the driver has lost: a named error, and nothing else suffers."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from batchnav_renderer import ContextLostError

ORIGIN = np.eye(4)[None]
GUILTY, UNKNOWN = 0x8253, 0x8255


def placed(renderer, scene):
    renderer.set_views([renderer.add_scene(scene)], ORIGIN)
    return renderer


@pytest.fixture
def wall(quads, facing):
    return quads(facing(-9, 9, -9, 9, 2.0))


def lose(monkeypatch, renderer, *statuses):
    """The driver's answers from now on, as the polls come; at the end of them all is well again."""
    answers = iter(statuses)
    worker = renderer._backend._workers[0]
    monkeypatch.setattr(worker.api, "glGetGraphicsResetStatus", lambda: next(answers, 0))


def test_a_loss_during_a_render_is_named(make_renderer, wall, monkeypatch):
    renderer, other = placed(make_renderer(1), wall), placed(make_renderer(1), wall)
    lose(monkeypatch, renderer, GUILTY)
    with pytest.raises(ContextLostError, match=r"lost the GL context .*GUILTY.*make a new one") as first:
        renderer.render()
    # The driver tells of it once; the renderer remembers.
    with pytest.raises(ContextLostError) as second:
        renderer.render()
    assert str(first.value) == str(second.value)
    with pytest.raises(ContextLostError):
        renderer.add_scene(wall)
    renderer.close()
    assert all(not worker._thread.is_alive() for worker in renderer._backend._workers)
    assert other.render()["depth"][0, 4, 4, 0] == pytest.approx(2.0)
    assert placed(make_renderer(1), wall).render()["depth"][0, 4, 4, 0] == pytest.approx(2.0)


def test_an_error_that_a_loss_causes_is_told_as_the_loss(make_renderer, wall, monkeypatch):
    renderer = placed(make_renderer(1), wall)
    pipeline = renderer._backend._pipelines[0]

    def fail(*_):
        lose(monkeypatch, renderer, UNKNOWN)
        raise MemoryError

    monkeypatch.setattr(pipeline, "render", fail)
    with pytest.raises(ContextLostError, match="UNKNOWN"):
        renderer.render()
    renderer.close()


def test_contexts_tell_of_losses_where_the_driver_can(make_renderer):
    worker, strategy = make_renderer(1)._backend._workers[0], ctypes.c_int()
    if b"KHR_robustness" not in b" ".join(extensions(worker)):
        pytest.skip("the driver lacks GL_KHR_robustness")
    worker.run(worker.api.glGetIntegerv, 0x8256, ctypes.byref(strategy))  # GL_RESET_NOTIFICATION_STRATEGY
    assert strategy.value == 0x8252  # GL_LOSE_CONTEXT_ON_RESET


def extensions(worker):
    api, count = worker.api, ctypes.c_int()
    worker.run(api.glGetIntegerv, api.GL_NUM_EXTENSIONS, ctypes.byref(count))
    pointers = [worker.run(api.glGetStringi, api.GL_EXTENSIONS, number) for number in range(count.value)]
    return [ctypes.string_at(pointer) for pointer in pointers]
