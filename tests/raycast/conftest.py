"""Renderers that follow rays in compute shaders, with all of their GL calls checked."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from batchnav_renderer import BatchRenderer, EGLError, RenderConfig

MakeRenderer = Callable[..., BatchRenderer]


@pytest.fixture
def make_renderer(monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeRenderer]:
    """Makes software renderers; at the end each must have no GL error pending, and is closed.

    Skips where no headless GL can be had, except where BATCHNAV_REQUIRE names "egl".
    """
    monkeypatch.setenv("BATCHNAV_GL_DEBUG", "1")
    made: list[BatchRenderer] = []

    def make(num_views: int = 1, **fields: Any) -> BatchRenderer:
        settings = {"height": 8, "width": 8, "device": "cpu", "backend": "gl-raycast", **fields}
        try:
            made.append(BatchRenderer(RenderConfig(num_views=num_views, **settings)))
        except EGLError as error:
            if "egl" in os.environ.get("BATCHNAV_REQUIRE", "").split(","):
                raise
            pytest.skip(f"no headless GL: {error}")
        return made[-1]

    yield make
    for renderer in made:
        if renderer.info["backend"] == "gl-raycast":
            for worker in renderer._backend._workers:
                assert worker.run(worker.api.errors) == []
        renderer.close()
