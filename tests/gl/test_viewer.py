"""The viewer's window on a real display: what stands on the screen, keys, threads, and others' contexts."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("glfw", reason="glfw is not installed")

WINDOW = """
import json, sys, threading
import glfw, numpy as np
from PIL import ImageGrab
from batchnav_renderer import ClosedError, RenderConfigError, ViewerError
from batchnav_renderer.viewer import Window

told = {}
def error_of(kind, call):
    try:
        call()
    except kind as error:
        return str(error)
def screen():
    return np.asarray(ImageGrab.grab().convert("RGB")).astype(int)

colors = np.array([[[250, 10, 20], [30, 240, 50]], [[60, 70, 230], [200, 210, 90]]], np.uint8)
picture = colors.repeat(60, axis=0).repeat(80, axis=1)
window = Window("test")
told["before"] = int(screen().sum())
window.show(picture)
window.poll(); window.show(picture); window.poll()
seen = screen()
rows, columns = np.nonzero(seen.sum(axis=2))
told["box"] = [int(np.ptp(rows)) + 1, int(np.ptp(columns)) + 1]
top, left = rows.min(), columns.min()
told["corners"] = seen[top + 30 :: 60, left + 40 :: 80][:2, :2].tolist()

# Wider than before: as wide as the window, dark above and below.
window.show(np.full((30, 80, 3), 255, np.uint8))
window.poll()
seen = screen()[top : top + 120, left : left + 160]
told["letterbox"] = [int((seen.min(axis=2) > 200).any(axis=1).sum()), seen[2, 2].tolist()]

for key in (glfw.KEY_W, glfw.KEY_F12, glfw.KEY_LEFT, glfw.KEY_PERIOD):
    window._on_key(None, key, 0, glfw.PRESS, 0)
window._on_key(None, glfw.KEY_W, 0, glfw.REPEAT, 0)
window._on_key(None, glfw.KEY_LEFT, 0, glfw.RELEASE, 0)
told["held"] = list(window.held)
told["keys"] = [window.poll(), window.poll()]

told["shape"] = error_of(RenderConfigError, lambda: window.show(np.zeros((4, 4), np.uint8)))
def elsewhere():
    told["thread"] = error_of(ViewerError, lambda: window.show(picture))
thread = threading.Thread(target=elsewhere)
thread.start(); thread.join()
glfw.set_window_should_close(window._window, True)
window.poll()
told["closed"] = [window.closed, window.poll(), error_of(ClosedError, lambda: window.show(picture))]
window.close()
with Window() as another:
    another.show(picture)
told["again"] = another.closed
print(json.dumps(told))
"""

CONTEXTS = """
import ctypes, json
import glfw, numpy as np
from batchnav_renderer import BatchRenderer, RenderConfig, SceneArrays
from batchnav_renderer.viewer import Window
from OpenGL import EGL

told = {}
picture = np.full((40, 40, 3), 90, np.uint8)

# A batch renderer with its own EGL context goes on between pictures.
scene = SceneArrays(
    positions=np.array([[-9, -9, -2], [9, -9, -2], [0, 20, -2]], np.float32),
    triangles=np.array([[0, 1, 2]], np.uint32), material_ids=np.zeros(1, np.int32))
renderer = BatchRenderer(RenderConfig(num_views=1, backend="gl", device="cpu"))
renderer.set_views([renderer.add_scene(scene)], np.eye(4)[None])
window = Window()
told["depth"] = []
for _ in range(2):
    told["depth"].append(float(renderer.render()["depth"][0, 32, 32, 0]))
    window.show(picture)
    window.poll()
renderer.close()

# Another window of GLFW, whose context is current on this thread.
glfw.window_hint(glfw.VISIBLE, glfw.FALSE)
other = glfw.create_window(16, 16, "other", None, None)
glfw.make_context_current(other)
window.show(picture); window.poll()
told["glfw"] = ctypes.addressof(glfw.get_current_context().contents) == ctypes.addressof(other.contents)
glfw.make_context_current(None)

# A context of EGL, of which GLFW knows nothing.
display = EGL.eglGetDisplay(EGL.EGL_DEFAULT_DISPLAY)
EGL.eglInitialize(display, None, None)
EGL.eglBindAPI(EGL.EGL_OPENGL_API)
configs, count = (EGL.EGLConfig * 1)(), EGL.EGLint()
wanted = (EGL.EGLint * 3)(EGL.EGL_RENDERABLE_TYPE, EGL.EGL_OPENGL_BIT, EGL.EGL_NONE)
EGL.eglChooseConfig(display, wanted, configs, 1, count)
context = EGL.eglCreateContext(display, configs[0], EGL.EGL_NO_CONTEXT, None)
EGL.eglMakeCurrent(display, EGL.EGL_NO_SURFACE, EGL.EGL_NO_SURFACE, context)
now = ctypes.CDLL("libEGL.so.1").eglGetCurrentContext
now.restype = ctypes.c_void_p
before = now()
window.show(picture); window.poll(); window.close()
told["egl"] = [before is not None, now() == before]
print(json.dumps(told))
"""


def test_window_shows_pictures_and_reports_keys(run):
    found = run(WINDOW)
    assert found.returncode == 0, found.stderr
    told = json.loads(found.stdout)
    assert told["before"] == 0
    assert told["box"] == [120, 160]
    assert told["corners"] == [[[250, 10, 20], [30, 240, 50]], [[60, 70, 230], [200, 210, 90]]]
    # 30 of 80 wide on 160: 60 of 120 high. The rest is 0.06, 0.07, 0.09 of 255.
    assert told["letterbox"] == [60, [15, 18, 23]]
    assert told["held"] == ["w", "."]
    assert told["keys"] == [["w", "left", "."], []]
    assert "shape (4, 4)" in told["shape"]
    assert "another thread" in told["thread"]
    assert told["closed"] == [True, [], "the window is closed; make a new one"]
    assert told["again"]


def test_window_leaves_contexts_of_others_alone(run):
    found = run(CONTEXTS)
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout) == {"depth": [2.0, 2.0], "glfw": True, "egl": [True, True]}
