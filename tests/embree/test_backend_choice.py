"""Which backend is taken, what is loaded when, and what happens without the library."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest

from batchnav_renderer import BatchRenderer, CapacityError, EGLError, EmbreeError, RenderConfig, backends
from batchnav_renderer.embree import check, library
from batchnav_renderer.gl import backend as gl_backend
from batchnav_renderer.gl import egl, workers
from batchnav_renderer.gl.devices import DeviceInfo


class NoGL:
    """An EGL that cannot be loaded."""

    def __init__(self):
        raise EGLError("libEGL.so.1 cannot be loaded")


@pytest.fixture
def no_gl(monkeypatch):
    monkeypatch.setattr(egl, "EGL", NoGL)
    monkeypatch.setattr(workers, "EGL", NoGL)


@pytest.fixture
def no_library(monkeypatch):
    monkeypatch.setattr(library, "candidates", lambda: ["libembree4-that-is-not-there.so"])


@pytest.fixture
def no_embree(monkeypatch, no_library):
    monkeypatch.setitem(sys.modules, "embreex.rtcore_scene", None)


def info_of(**fields):
    with BatchRenderer(RenderConfig(num_views=1, **fields)) as renderer:
        return renderer.info


def test_auto_on_the_cpu_takes_embree_and_says_so_once(caplog):
    backends._say.cache_clear()
    with caplog.at_level("INFO", logger="batchnav_renderer"):
        info = info_of(device="cpu")
        assert info_of(device="cpu") == info
    assert info["backend"] == "embree"
    assert "device='cpu'" in info["reason"]
    messages = [record.getMessage() for record in caplog.records if record.name == "batchnav_renderer"]
    assert messages == [f"drawing with embree: {info['reason']}"]


def test_neither_egl_nor_a_gpu_is_needed(no_gl):
    info = info_of()
    assert info["backend"] == "embree"
    assert "no EGL library" in info["reason"]


def test_auto_takes_gl_on_a_gpu(monkeypatch):
    class OneGpu:
        devices = (DeviceInfo(index=0, cuda_ordinal=0),)

    class FakeGL:
        def __init__(self, config):
            self.info = {"backend": "gl", "reason": "EGL device 0 is CUDA device 0"}

        def close(self):
            pass

    monkeypatch.setattr(egl, "EGL", OneGpu)
    monkeypatch.setattr(gl_backend, "GLBackend", FakeGL)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert info_of()["backend"] == "gl"
    assert info_of(device="cuda:0")["backend"] == "gl"
    assert info_of(device="cpu")["backend"] == "embree"
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert info_of()["backend"] == "embree"


def test_a_missing_library_is_named_with_the_fix(no_embree):
    with pytest.raises(EmbreeError, match=r"pip install embreex(.|\n)*libembree4-that-is-not-there"):
        info_of(backend="embree")


def test_without_the_library_auto_draws_with_gl_and_says_why(no_embree):
    try:
        info = info_of(device="cpu")
    except EGLError as error:
        pytest.skip(f"no headless GL: {error}")
    assert info["backend"] == "gl"
    assert "pip install embreex" in info["reason"]


def test_without_both_the_error_names_both(no_gl, no_embree):
    with pytest.raises(EGLError, match=r"libEGL(.|\n)*pip install embreex"):
        info_of(device="cpu")


def not_embree(monkeypatch):
    monkeypatch.setattr(library, "candidates", lambda: ["libm.so.6"])


def another_version(monkeypatch):
    monkeypatch.setattr(library, "_LOWEST", 49990)


def another_layout(monkeypatch):
    monkeypatch.setattr(check, "_EXPECTED", (2.0, 0.5, 0.25, 0.0, 0.0, 16.0, 1, 0))


FAULTS = {
    not_embree: r"libm.so.6 lacks rtcNewDevice; Embree 4 is needed",
    another_version: r"is Embree 4\.\d+\.\d+; version 4 is needed",
    another_layout: r"does not understand packets of \d+ rays: a known ray",
}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_library_that_cannot_be_used_is_named(monkeypatch, fault):
    fault(monkeypatch)
    monkeypatch.setitem(sys.modules, "embreex.rtcore_scene", None)
    with pytest.raises(EmbreeError, match=FAULTS[fault] + r"(.|\n)*Nor can embreex be imported"):
        info_of(backend="embree")


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_embreex_stands_in_with_one_warning(monkeypatch, caplog, fault):
    fault(monkeypatch)
    with caplog.at_level("WARNING", logger="batchnav_renderer"):
        info = info_of(backend="embree")
    assert info["packet_rays"] == 1
    assert re.search(FAULTS[fault], info["slow"])
    (message,) = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert message.startswith("drawing ray by ray through embreex")
    assert info["slow"] in message


@pytest.mark.parametrize("lanes", [4, 8, 16])
def test_every_width_passes_the_check(lanes):
    check.check_layout(library.Embree(), lanes)


def test_want_of_memory_is_a_capacity_error(monkeypatch):
    embree = library.Embree()
    monkeypatch.setattr(embree, "rtcGetDeviceError", lambda device: 4, raising=False)
    with pytest.raises(CapacityError, match=r"a test: out of memory; remove scenes"):
        embree.check("a test")


def test_failures_of_embree_are_errors():
    embree = library.Embree()
    embree.rtcNewGeometry(embree.device, 999)
    with pytest.raises(EmbreeError, match=r"Embree 4\.\d\.\d failed at a test"):
        embree.check("a test")
    embree.check("the next call")  # the error is told once


def test_importing_loads_neither_numba_nor_embree():
    code = (
        "import sys, batchnav_renderer; "
        "print([m for m in sys.modules if m.partition('.')[0] in ('numba', 'llvmlite', 'embreex', 'OpenGL')])"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert found.stdout.strip() == "[]"


def test_pixel_rays_by_hand():
    from batchnav_renderer.embree.cameras import pixel_rays

    # 4 x 2 pixels over 90 degrees: side 2 tan(45) / 4 = 0.5; the top left centre is at x = -0.75, y = 0.25.
    pose = np.eye(4)
    pose[:3, 3] = 7, 8, 9
    rays = pixel_rays(pose[None], np.array([np.pi / 2]), 2, 4)[0]
    np.testing.assert_allclose(
        rays.T, [[0.5, 0, 0], [0, -0.5, 0], [-0.75, 0.25, -1], [7, 8, 9], [0, 0, 0.5]], atol=1e-7
    )
