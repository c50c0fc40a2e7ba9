"""The stand-ins that the environments' unit tests use too."""

from __future__ import annotations

from pathlib import Path

import pytest

import batchnav_renderer
from batchnav_renderer import viewer
from gym_batchnav.envs import pictures
from gym_batchnav.envs.loading import Loading
from gym_batchnav.nav import AgentSettings, scene_ground
from gym_batchnav.scenes import SceneRef
from gym_batchnav.scenes.cache import SceneCache
from tests.unit.envs.cached_scenes import write_room
from tests.unit.envs.doubles import FakeRenderConfig, FakeRenderer, FakeWindow, two_rooms


@pytest.fixture
def fake_renderer(monkeypatch):
    """Put the renderer's double where the environments look for the renderer."""
    monkeypatch.setattr(batchnav_renderer, "BatchRenderer", FakeRenderer, raising=False)
    monkeypatch.setattr(batchnav_renderer, "RenderConfig", FakeRenderConfig, raising=False)
    # Gymnasium's checker tries all render modes.
    monkeypatch.setattr(viewer, "Window", FakeWindow)
    monkeypatch.setattr(FakeWindow, "made", [])
    monkeypatch.setattr(pictures, "LARGEST_SIDE", 120)
    return FakeRenderer


@pytest.fixture
def rooms():
    """Three scenes that differ."""
    return two_rooms(3)


@pytest.fixture
def room(tmp_path) -> Path:
    return write_room(tmp_path / "house")


@pytest.fixture
def how(tmp_path) -> Loading:
    return Loading(AgentSettings(), cache=SceneCache(tmp_path / "cache", 1 << 24))


@pytest.fixture
def work(monkeypatch):
    """What is done: names of scenes that are read, and "bake"."""
    done: list[str] = []
    load, bake = SceneRef.load, scene_ground.bake_polygons

    def counted_load(self):
        done.append(Path(self.scene_id).name)
        return load(self)

    def counted_bake(*arguments):
        done.append("bake")
        return bake(*arguments)

    monkeypatch.setattr(SceneRef, "load", counted_load)
    monkeypatch.setattr(scene_ground, "bake_polygons", counted_bake)
    return done
