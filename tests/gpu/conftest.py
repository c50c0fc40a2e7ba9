"""The device of the GPU tests; they skip without one, saying why."""

from __future__ import annotations

import os

import pytest

from batchnav_renderer import BatchRenderer, EGLError, RenderConfig


@pytest.fixture
def device() -> str:
    """The first CUDA device; skips without one, fails where BATCHNAV_REQUIRE names "gpu"."""
    try:
        BatchRenderer(RenderConfig(num_views=1, device="cuda:0", backend="gl")).close()
    except EGLError as error:
        if "gpu" in os.environ.get("BATCHNAV_REQUIRE", "").split(","):
            raise
        pytest.skip(f"no CUDA device with EGL: {str(error).splitlines()[0]}")
    return "cuda:0"
