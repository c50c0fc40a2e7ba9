"""What "auto" takes on a GPU, over faked names and speeds."""

from __future__ import annotations

from concurrent.futures import Future
from types import MappingProxyType, SimpleNamespace

import numpy as np
import pytest

from batchnav_renderer import BatchRenderer, EGLError, RenderConfig, RendererError, auto, backends
from batchnav_renderer.gl import egl
from batchnav_renderer.gl.devices import DeviceInfo

RASTER = ("NVIDIA GeForce RTX 4090/PCIe/SSE2", "NVIDIA A100-SXM4-80GB/PCIe/SSE2", "Tesla V100", "NVIDIA L40S")
LITTLE = (
    "NVIDIA H100 80GB HBM3/PCIe/SSE2",
    "NVIDIA H200",
    "NVIDIA GH200 480GB",
    "NVIDIA B200",
    "NVIDIA GB300",
)


def never():
    raise AssertionError("nothing is to be measured here")


@pytest.mark.parametrize("name", RASTER)
def test_gpus_that_rasterise_take_gl_unmeasured(name):
    assert auto.choose_on_gpu(name, never) == ("gl", f"{name} rasterises")


@pytest.mark.parametrize("name", LITTLE)
def test_accelerators_are_measured(name):
    taken, why = auto.choose_on_gpu(name, lambda: {"gl": 40_000.4, "gl-raycast": 123_456.0})
    assert taken == "gl-raycast"
    assert "gl 40,000, gl-raycast 123,456 views/s" in why
    assert auto.choose_on_gpu(name, lambda: {"gl": 2.0, "gl-raycast": 1.0})[0] == "gl"


def test_a_backend_that_fails_is_not_taken():
    taken, why = auto.choose_on_gpu("NVIDIA H200", lambda: {"gl": 1.0, "gl-raycast": "no program"})
    assert taken == "gl"
    assert "no program" in why
    taken, why = auto.choose_on_gpu("NVIDIA H200", lambda: {"gl": "no context", "gl-raycast": 1.0})
    assert taken == "gl-raycast"
    assert "no context" in why


def test_the_measuring_scene():
    scene, poses = auto.measuring_scene()
    assert scene.num_triangles == 20_004  # (1,666 boxes and the room) x 12
    assert poses.shape == (256, 4, 4)
    again, _ = auto.measuring_scene()
    np.testing.assert_array_equal(scene.positions, again.positions)


class FakeGL:
    """Draws nothing; takes as long as its name says on a clock that the tests wind."""

    gl_worker = None
    made: list[FakeGL]
    seconds = MappingProxyType({"gl": 0.5, "gl-raycast": 0.25})
    clock = 0.0

    def __init__(self, config, name="NVIDIA H200"):
        self.name = "gl" if config.backend == "auto" else config.backend
        self.info = {"backend": self.name, "gl_renderer": name, "device": "cuda", "reason": "a fake"}
        self.preparer = lambda scene: SimpleNamespace(payload=scene)
        self.closed = False
        FakeGL.made.append(self)

    def add_scene(self, scene_id, payload):
        future: Future = Future()
        future.set_result(None)
        return future

    def set_views(self, scene_ids, poses, hfov):
        assert hfov[0] == pytest.approx(np.pi / 2)

    def submit(self, out):
        FakeGL.clock += self.seconds[self.name]
        return out

    def collect(self, pending):
        return pending

    def close(self):
        self.closed = True


@pytest.fixture
def gpu(monkeypatch):
    FakeGL.made = []
    monkeypatch.setattr(FakeGL, "clock", 0.0)
    monkeypatch.setattr(auto.time, "perf_counter", lambda: FakeGL.clock)
    monkeypatch.setattr(egl, "EGL", lambda: SimpleNamespace(devices=(DeviceInfo(index=0, cuda_ordinal=0),)))
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    backends._speeds.cache_clear()
    yield
    backends._speeds.cache_clear()


def fake_named(config, name):
    backend = FakeGL(config)
    backend.name = backend.info["backend"] = name
    return backend


def test_both_are_measured_once_for_a_device(gpu, monkeypatch):
    monkeypatch.setattr(backends, "_named", fake_named)
    with (
        BatchRenderer(RenderConfig(num_views=1)) as first,
        BatchRenderer(RenderConfig(num_views=2)) as second,
    ):
        # 256 views in 0.5 s are 512 views/s, in 0.25 s twice that.
        assert "gl 512, gl-raycast 1,024 views/s" in first.info["reason"]
        assert first.info == second.info
        assert first.info["backend"] == "gl-raycast"
    # The GL one that tells the name, two to measure, the one taken; for the second renderer only two.
    assert [backend.name for backend in FakeGL.made] == [
        "gl", "gl", "gl-raycast", "gl-raycast", "gl", "gl-raycast",
    ]  # fmt: skip
    assert all(backend.closed for backend in FakeGL.made)


def test_devices_are_measured_each_for_itself(gpu, monkeypatch):
    monkeypatch.setattr(backends, "_named", fake_named)
    for device in ("cuda:0", "cuda:1"):
        BatchRenderer(RenderConfig(num_views=1, device=device)).close()
    assert backends._speeds.cache_info().misses == 2


def test_a_failing_ray_caster_is_named(gpu, monkeypatch):
    def named(config, name):
        if name == "gl-raycast":
            raise RendererError("it does not compile\nand so on")
        return fake_named(config, name)

    monkeypatch.setattr(backends, "_named", named)
    with BatchRenderer(RenderConfig(num_views=1)) as renderer:
        assert renderer.info["backend"] == "gl"
        assert renderer.info["reason"].endswith("gl-raycast fails on it: it does not compile")


def test_a_gpu_that_cannot_draw(gpu, monkeypatch, caplog):
    def named(config, name):
        if name == "gl":
            raise EGLError("no context on the GPU\nFix: ...")
        return fake_named(config, name)

    monkeypatch.setattr(backends, "_named", named)
    with BatchRenderer(RenderConfig(num_views=1)) as renderer:
        assert renderer.info["backend"] == "embree"
        assert "the GPU cannot draw (no context on the GPU)" in renderer.info["reason"]
    assert "so the CPU does" in caplog.text
    with pytest.raises(EGLError, match="no context"):
        BatchRenderer(RenderConfig(num_views=1, device="cuda"))
