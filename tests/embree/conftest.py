"""Renderers that draw with Embree, and cameras that look at every kind of place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from batchnav_renderer import BatchRenderer, RenderConfig


@pytest.fixture
def make_renderer() -> Iterator[Callable[..., BatchRenderer]]:
    """Makes renderers, and closes them at the end."""
    made: list[BatchRenderer] = []

    def make(num_views: int = 1, **fields: Any) -> BatchRenderer:
        settings = {"height": 8, "width": 8, "backend": "embree", **fields}
        made.append(BatchRenderer(RenderConfig(num_views=num_views, **settings)))
        return made[-1]

    yield make
    for renderer in made:
        renderer.close()
