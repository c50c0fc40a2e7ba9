"""Small environments for Stable-Baselines3."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

import batchnav_renderer
from tests.unit.envs.doubles import FakeRenderConfig, FakeRenderer, two_rooms

ROWS, STEPS = 3, 5
SMALL = {
    "resolution": (36, 36), "straight_ratio": 1.0, "scene_workers": 0, "max_episode_steps": STEPS,
    "render_backend": "constant",
}  # fmt: skip


@pytest.fixture
def make() -> Iterator[Callable[..., Any]]:
    """Makes environments in two rooms, episodes of at most five steps; closes them."""
    from gym_batchnav.integrations.sb3 import make_sb3_vec_env

    with ExitStack() as stack:

        def make(rows: int = ROWS, **options: Any) -> Any:
            envs = make_sb3_vec_env(rows, **{"scenes": two_rooms(2), **SMALL, **options})
            stack.callback(envs.close)
            return envs

        yield make


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Networks this small are slowed by threads."""
    torch = pytest.importorskip("torch")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def fake_renderer(monkeypatch) -> None:
    """Images that differ with place, direction and pixel, without a renderer."""
    monkeypatch.setattr(batchnav_renderer, "BatchRenderer", FakeRenderer, raising=False)
    monkeypatch.setattr(batchnav_renderer, "RenderConfig", FakeRenderConfig, raising=False)
