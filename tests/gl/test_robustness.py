"""What a driver or a system refuses: named errors that say the fix, and nothing is left behind."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
import threading

import numpy as np
import pytest

from batchnav_renderer import BatchRenderer, CapacityError, EGLError, RenderConfig
from batchnav_renderer.gl import workers
from batchnav_renderer.gl.drawing import Targets
from batchnav_renderer.gl.egl import EGL
from batchnav_renderer.gl.target import LayeredTarget
from batchnav_renderer.gl.worker import GLWorker

SOFTWARE = {"num_views": 2, "device": "cpu", "backend": "gl"}


@pytest.fixture
def no_thread_left():
    before = threading.active_count()
    yield
    assert threading.active_count() == before


def with_limits(monkeypatch, **fields):
    """A driver that says something else of itself."""
    real = workers._query_limits

    def query(api):
        return dataclasses.replace(real(api), **fields)

    monkeypatch.setattr(workers, "_query_limits", query)


def test_a_missing_extension_is_named(no_thread_left, monkeypatch):
    with_limits(monkeypatch, extensions=frozenset({"GL_ARB_something"}))
    with pytest.raises(EGLError, match=r"lacks GL_ARB_indirect_parameters, .*; a newer driver is needed"):
        BatchRenderer(RenderConfig(**SOFTWARE))


def test_a_context_that_cannot_be_made_is_named(no_thread_left, monkeypatch):
    monkeypatch.setattr("batchnav_renderer.gl.egl._GL_45_CORE", (0x3098, 9, 0x30FB, 9))
    with pytest.raises(EGLError, match=r"no OpenGL 4\.5 core context \(EGL error 0x\w+\); .*Mesa 20\.2"):
        BatchRenderer(RenderConfig(**SOFTWARE))


def test_no_device_at_all(no_thread_left, monkeypatch):
    """EGL is there, with no software device, no Mesa, and no display for a window."""
    monkeypatch.setattr(EGL, "_enumerate", lambda self: ())
    monkeypatch.setattr(EGL, "_query_string", lambda self, display, name: frozenset())
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with pytest.raises(
        EGLError, match=r"no software GL: (.|\n)*libgl1-mesa-dri(.|\n)*EGL enumerates no device"
    ):
        BatchRenderer(RenderConfig(**SOFTWARE))


def test_a_gpu_that_is_not_there(no_thread_left):
    if any(device.cuda_ordinal == 63 for device in EGL().devices):
        pytest.skip("this machine has 64 GPUs")
    with pytest.raises(EGLError, match=r"no EGL device is 'cuda:63'(.|\n)*NVIDIA_DRIVER_CAPABILITIES=all"):
        BatchRenderer(RenderConfig(num_views=1, device="cuda:63", backend="gl"))


def test_contexts_without_robustness_are_taken_where_it_is_not_offered(monkeypatch, no_thread_left):
    monkeypatch.setattr("batchnav_renderer.gl.egl._ROBUST", (0x7777, 1))  # an attribute that EGL refuses
    BatchRenderer(RenderConfig(**SOFTWARE)).close()


def refuse_more_layers_than(monkeypatch, most):
    allocate = LayeredTarget._allocate

    def limited(self, targets):
        allocate(self, targets)
        if self.layers > most:
            raise CapacityError("too many layers")

    monkeypatch.setattr(LayeredTarget, "_allocate", limited)


def test_fewer_layers_are_taken_where_many_are_refused(monkeypatch, clutter, random_poses, caplog):
    scene, poses = clutter(1, 30), random_poses(10)
    config = RenderConfig(**{**SOFTWARE, "num_views": 10}, num_workers=1, height=8, width=8)

    def drawn():
        with BatchRenderer(config) as renderer:
            renderer.set_views(np.full(10, renderer.add_scene(scene)), poses)
            return renderer.render()["depth"], renderer.info["views_per_batch"]

    expected, all_at_once = drawn()
    refuse_more_layers_than(monkeypatch, 3)
    found, most = drawn()
    assert (all_at_once, most) == (10, 2)  # 10, 5 and 2 layers are tried
    np.testing.assert_array_equal(found, expected)
    assert "refuses 10 layers; batches of 2 views" in caplog.text


def test_no_layer_at_all_is_an_error(monkeypatch, no_thread_left):
    refuse_more_layers_than(monkeypatch, 0)
    with pytest.raises(CapacityError, match="too many layers"):
        BatchRenderer(RenderConfig(**SOFTWARE))


def test_a_refused_target_leaves_nothing(monkeypatch):
    worker = GLWorker(EGL().software_displays()[0], None, True)
    api = worker.api
    monkeypatch.setattr(api, "glCheckNamedFramebufferStatus", lambda *_: 0x8CDD)  # unsupported
    targets = Targets(rgb=True, triangles=True)
    with pytest.raises(CapacityError, match=r"3 layers of 5 x 4 is refused \(status 0x8cdd\); lower"):
        worker.run(LayeredTarget, api, 3, 4, 5, targets)
    kinds = (api.glIsTexture, api.glIsFramebuffer)
    left = [worker.run(kind, name) for kind in kinds for name in range(1, 20)]
    worker.stop()
    assert not any(left)


FORK = """
import os
import gymnasium as gym
import gym_batchnav

envs = gym.make_vec(
    "BatchPointNav-v0", num_envs=2, scenes="houses:train[:1]", device="cpu", render_backend={backend!r},
    resolution=(8, 8), scene_workers=0,
)
child = os.fork()
observation, _ = envs.reset(seed=0)
os.write(1, f"{{observation['depth'].std() > 0}}\\n".encode())  # in one piece: both processes share the pipe
envs.close()
if child == 0:
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["gl", "embree"])
def test_a_fork_before_the_first_render_is_safe(backend):
    """The environment is made before the fork, its renderer at the first reset: in parent and child apart."""
    done = subprocess.run(
        [sys.executable, "-c", FORK.format(backend=backend)],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.stdout.split() == ["True", "True", "0"], done.stderr
