"""Renderers side by side, closing, forking, and what is loaded when."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

from batchnav_renderer import BatchRenderer, ClosedError, RenderConfig, RendererError

ORIGIN = np.eye(4)[None]


def shows(renderer, scene, distance):
    renderer.set_views([renderer.add_scene(scene)], ORIGIN)
    return renderer.render()["depth"][0, 4, 4, 0] == pytest.approx(distance)


def run_python(code, **environment):
    merged = {**os.environ, **environment}
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=merged, timeout=120, check=False
    )


def test_several_renderers_side_by_side(make_renderer, quads, facing):
    first, second, third = (make_renderer(1, num_workers=workers) for workers in (1, 2, 1))
    for distance, renderer in enumerate((first, second, third), start=1):
        assert shows(renderer, quads(facing(-9, 9, -9, 9, distance)), distance)
    first.close()
    first.close()
    for distance, renderer in ((2, second), (3, third)):
        assert renderer.render()["depth"][0, 4, 4, 0] == pytest.approx(distance)
    with pytest.raises(ClosedError, match="make a new BatchRenderer"):
        first.render()
    assert shows(make_renderer(1), quads(facing(-9, 9, -9, 9, 4.0)), 4.0)


def test_context_manager_closes_and_threads_end(quads, facing):
    before = threading.active_count()
    with BatchRenderer(RenderConfig(num_views=4, device="cpu", num_workers=3, backend="gl")) as renderer:
        assert threading.active_count() == before + 3
    assert threading.active_count() == before
    with pytest.raises(ClosedError):
        renderer.add_scene(quads(facing(-9, 9, -9, 9, 1.0)))


def test_a_forgotten_renderer_ends_its_threads():
    renderer = BatchRenderer(RenderConfig(num_views=1, device="cpu", num_workers=1, backend="gl"))
    thread = renderer._backend._workers[0]._thread
    del renderer
    gc.collect()
    thread.join(timeout=10)
    assert not thread.is_alive()


def test_info_and_timings(make_renderer, quads, facing):
    renderer = make_renderer(4, num_workers=2)
    number = renderer.add_scene(quads(facing(-9, 9, -9, 9, 1.0)))
    renderer.set_views([number] * 4, np.tile(np.eye(4), (4, 1, 1)))
    renderer.render()
    assert renderer.info["backend"] == "gl"
    assert renderer.info["gl_renderer"]
    assert renderer.info["workers"] == 2
    assert set(renderer.timings) == {"upload", "draw", "readback"}
    assert all(seconds > 0 for seconds in renderer.timings.values())


def test_use_from_another_thread(make_renderer, quads, facing):
    renderer = make_renderer(1)
    results = []
    scene = quads(facing(-9, 9, -9, 9, 2.0))
    thread = threading.Thread(target=lambda: results.append(shows(renderer, scene, 2.0)))
    thread.start()
    thread.join()
    assert results == [True]


IMPORT = "import sys, batchnav_renderer; print([m for m in sys.modules if m.partition('.')[0] == 'OpenGL'])"

RENDER = """
import os, sys
import numpy as np
from batchnav_renderer import BatchRenderer, RenderConfig, SceneArrays
def shot():
    scene = SceneArrays(
        positions=np.array([[-9, -9, -2], [9, -9, -2], [0, 20, -2]], np.float32),
        triangles=np.array([[0, 1, 2]], np.uint32), material_ids=np.zeros(1, np.int32))
    with BatchRenderer(RenderConfig(num_views=1, device="cpu", backend="gl")) as renderer:
        renderer.set_views([renderer.add_scene(scene)], np.eye(4)[None])
        return float(renderer.render()["depth"][0, 32, 32, 0])
"""


def test_import_loads_no_gl():
    assert run_python(IMPORT).stdout.strip() == "[]"


def test_environment_is_left_as_it_was():
    code = RENDER + "before = dict(os.environ); print(shot(), dict(os.environ) == before)"
    clean = {
        key: value for key, value in os.environ.items() if key not in ("PYOPENGL_PLATFORM", "LP_NUM_THREADS")
    }
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=clean, timeout=120, check=False
    )
    assert result.stdout.strip() == "2.0 True", result.stderr


@pytest.mark.parametrize(
    "first", ["import OpenGL.GL", "import OpenGL.EGL", "import OpenGL; OpenGL.ERROR_CHECKING = False"]
)
def test_pyopengl_loaded_before_in_any_way(first):
    result = run_python(first + RENDER + "print(shot())", PYOPENGL_PLATFORM="egl")
    assert result.stdout.strip() == "2.0", result.stderr


def test_pyopengl_loaded_for_another_platform():
    result = run_python("import OpenGL.GL\n" + RENDER + "print(shot())", PYOPENGL_PLATFORM="glx")
    assert result.stdout.strip() == "2.0", result.stderr


def test_pyopengl_works_for_others_afterwards():
    code = RENDER + "print(shot()); import OpenGL.EGL, OpenGL.GL; print(OpenGL.ERROR_CHECKING)"
    result = run_python(code)
    assert result.stdout.split() == ["2.0", "True"], result.stderr


def test_fork_before_and_after_the_first_renderer():
    code = RENDER + (
        "renderer = None\n"
        "for turn in range(2):\n"
        "    child = os.fork()\n"
        "    if child == 0:\n"
        "        try:\n"
        "            if renderer is None: assert shot() == 2.0\n"
        "            else: renderer.render()\n"
        "        except Exception as error: print(type(error).__name__, 'fork' in str(error), flush=True)\n"
        "        os._exit(0)\n"
        "    os.waitpid(child, 0)\n"
        "    renderer = BatchRenderer(RenderConfig(num_views=1, device='cpu', backend='gl'))\n"
        "print(shot())"
    )
    result = run_python(code)
    assert result.stdout.split() == ["RendererError", "True", "2.0"], result.stderr


def test_software_without_being_asked_is_said_once(caplog):
    with caplog.at_level("WARNING"), BatchRenderer(RenderConfig(num_views=1, backend="gl")) as renderer:
        said = [record for record in caplog.records if record.name == "batchnav_renderer"]
        assert len(said) == renderer.info["software"]
        assert all(str(renderer.info["gl_renderer"]) in record.getMessage() for record in said)


def test_a_closed_renderer_refuses_collect(make_renderer):
    renderer = make_renderer(1)
    renderer.close()
    with pytest.raises(RendererError):
        renderer.collect()
