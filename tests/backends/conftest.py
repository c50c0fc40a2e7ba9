"""One renderer fixture for all backends: the tests of this folder hold for each of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from batchnav_renderer import BatchRenderer, EGLError, RenderConfig


@pytest.fixture(params=["gl", "gl-raycast", "embree"])
def backend(request: pytest.FixtureRequest) -> str:
    """The backend under test; GL skips where it cannot be had, except where BATCHNAV_REQUIRE names "egl"."""
    if request.param != "embree":
        try:
            BatchRenderer(RenderConfig(num_views=1, device="cpu", backend=request.param)).close()
        except EGLError as error:
            if "egl" in os.environ.get("BATCHNAV_REQUIRE", "").split(","):
                raise
            pytest.skip(f"no headless GL: {error}")
    return str(request.param)


@pytest.fixture
def make_renderer(backend: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., BatchRenderer]]:
    """Makes renderers that draw on the CPU and closes them; GL ones must have no error pending then."""
    monkeypatch.setenv("BATCHNAV_GL_DEBUG", "1")
    made: list[BatchRenderer] = []

    def make(num_views: int = 1, **fields: Any) -> BatchRenderer:
        settings = {"height": 8, "width": 8, "device": "cpu", "backend": backend, **fields}
        made.append(BatchRenderer(RenderConfig(num_views=num_views, **settings)))
        return made[-1]

    yield make
    for renderer in made:
        if backend != "embree":
            for worker in renderer._backend._workers:
                assert worker.run(worker.api.errors) == []
        renderer.close()
