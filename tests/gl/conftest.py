"""A renderer whose GL calls are all checked."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from batchnav_renderer import BatchRenderer, EGLError, RenderConfig
from tests.displays import display, run

__all__ = ["display", "run"]

MakeRenderer = Callable[..., BatchRenderer]


@pytest.fixture(scope="session", autouse=True)
def _headless_gl() -> None:
    """Skips all where no headless GL can be had, except where BATCHNAV_REQUIRE names "egl"."""
    try:
        BatchRenderer(RenderConfig(num_views=1, device="cpu", backend="gl")).close()
    except EGLError as error:
        if "egl" in os.environ.get("BATCHNAV_REQUIRE", "").split(","):
            raise
        pytest.skip(f"no headless GL: {error}")


@pytest.fixture(autouse=True)
def _checked_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BATCHNAV_GL_DEBUG", "1")


@pytest.fixture
def make_renderer() -> Iterator[MakeRenderer]:
    """Makes software renderers; at the end each must have no GL error pending, and is closed."""
    made: list[BatchRenderer] = []

    def make(num_views: int = 1, **fields: Any) -> BatchRenderer:
        settings = {"height": 8, "width": 8, "device": "cpu", "backend": "gl", **fields}
        made.append(BatchRenderer(RenderConfig(num_views=num_views, **settings)))
        return made[-1]

    yield make
    for renderer in made:
        for worker in renderer._backend._workers:
            assert worker.run(worker.api.errors) == []
        renderer.close()
