"""Beside windows of others, and hidden windows where there is no EGL; each in a process under Xvfb."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytest.importorskip("glfw", reason="glfw is not installed")

RENDER = """
import sys
import numpy as np
from batchnav_renderer import BatchRenderer, EGLError, RenderConfig, SceneArrays
from batchnav_renderer.gl import workers

def shot(**fields):
    scene = SceneArrays(
        positions=np.array([[-9, -9, -2], [9, -9, -2], [0, 20, -2]], np.float32),
        triangles=np.array([[0, 1, 2]], np.uint32), material_ids=np.zeros(1, np.int32))
    with BatchRenderer(RenderConfig(num_views=3, backend="gl", **fields)) as renderer:
        renderer.set_views([renderer.add_scene(scene)] * 3, np.tile(np.eye(4), (3, 1, 1)))
        print(renderer.render()["depth"][:, 32, 32, 0].tolist(), renderer.info["display"])

class NoEGL:
    def __init__(self):
        raise EGLError("libEGL.so.1 cannot be loaded")
"""
WITHOUT_EGL = RENDER + "workers.EGL = NoEGL\n"
DRAWN = "[2.0, 2.0, 2.0]"

WINDOW = """
import glfw, ctypes
assert glfw.init()
glfw.window_hint(glfw.VISIBLE, glfw.FALSE)
glfw.window_hint(glfw.CONTEXT_CREATION_API, glfw.NATIVE_CONTEXT_API)
window = glfw.create_window(32, 32, "another", None, None)
glfw.make_context_current(window)
def found(name, *kinds):
    address = ctypes.cast(glfw.get_proc_address(name), ctypes.c_void_p).value
    return ctypes.CFUNCTYPE(None, *kinds)(address)
clear = found("glClearColor", *[ctypes.c_float] * 4)
read = found("glGetFloatv", ctypes.c_uint, ctypes.c_void_p)
clear(0.25, 0.5, 0.75, 1.0)
"""
STILL_THERE = """
values = (ctypes.c_float * 4)()
read(0x0C22, values)  # GL_COLOR_CLEAR_VALUE of the window's context
print(list(values) == [0.25, 0.5, 0.75, 1.0], glfw.get_current_context() is not None)
"""


def test_beside_a_window_whose_context_is_current(run):
    """libglvnd refuses EGL contexts on the window's thread; the renderer has threads of its own."""
    found = run(RENDER + WINDOW + "shot(device='cpu')\n" + STILL_THERE + "shot(device='cpu')")
    lines = found.stdout.splitlines()
    assert [line[: len(DRAWN)] for line in lines] == [DRAWN, "True True", DRAWN], found.stderr


def test_a_window_made_while_a_renderer_lives(run):
    code = (
        RENDER
        + "renderer = BatchRenderer(RenderConfig(num_views=1, backend='gl', device='cpu'))\n"
        + WINDOW
        + "renderer.close()\n"
        + STILL_THERE
        + "shot(device='cpu')"
    )
    found = run(code)
    assert found.stdout.startswith(f"True True\n{DRAWN}"), found.stderr


def test_without_egl_a_hidden_window_draws(run):
    found = run(WITHOUT_EGL + "shot()\nshot(device='cpu', num_workers=2)")
    assert found.stdout.splitlines() == [f"{DRAWN} GLFW hidden window"] * 2, found.stderr


def test_hidden_windows_beside_a_window(run):
    found = run(WITHOUT_EGL + WINDOW + "shot()\n" + STILL_THERE)
    assert found.stdout.splitlines() == [f"{DRAWN} GLFW hidden window", "True True"], found.stderr


def test_a_window_that_is_no_gpu_is_not_taken_for_one(run):
    found = run(WITHOUT_EGL + "shot(device='cuda')")
    assert "device is 'cuda', but what draws is" in found.stderr


def test_without_egl_and_display_both_are_named():
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    found = subprocess.run(
        [sys.executable, "-c", WITHOUT_EGL + "shot()"], capture_output=True, text=True, timeout=120,
        check=False, env=environment,
    )  # fmt: skip
    assert "libEGL.so.1 cannot be loaded" in found.stderr
    assert "set DISPLAY, or run under 'xvfb-run'" in found.stderr
