"""``python -m gym_batchnav.cli.doctor.window`` says whether a window can be opened here, as JSON."""

from __future__ import annotations

import importlib
import json
import warnings
from typing import Any


def try_window() -> dict[str, Any]:
    """Open a hidden window with GLFW and close it; "error" says why that failed."""
    try:
        glfw: Any = importlib.import_module("glfw")
    except ImportError as error:
        return {"ok": False, "error": f"GLFW is missing ({error}); pip install 'gym-batchnav[viewer]'"}
    with warnings.catch_warnings():
        # GLFW's own errors come as warnings; the last one is asked for below.
        warnings.simplefilter("ignore")
        started = glfw.init()
        if started:
            glfw.window_hint(glfw.VISIBLE, glfw.FALSE)
            window = glfw.create_window(16, 16, "batchnav", None, None)
        _, text = glfw.get_error()
    said = (text or b"no reason was given").decode(errors="replace")
    if not started:
        return {"ok": False, "error": f"GLFW finds no display ({said})"}
    if not window:
        return {"ok": False, "error": f"no window with OpenGL can be opened ({said})"}
    version = glfw.get_version_string().decode(errors="replace")
    glfw.destroy_window(window)
    return {"ok": True, "glfw": version}


if __name__ == "__main__":
    print(json.dumps(try_window()))
