"""The stand-ins that the environments' unit tests use too."""

from __future__ import annotations

import pytest

import batchnav_renderer
from tests.unit.envs.doubles import FakeRenderConfig, FakeRenderer, two_rooms


@pytest.fixture
def fake_renderer(monkeypatch):
    """Put the renderer's double where the environments look for the renderer."""
    monkeypatch.setattr(batchnav_renderer, "BatchRenderer", FakeRenderer, raising=False)
    monkeypatch.setattr(batchnav_renderer, "RenderConfig", FakeRenderConfig, raising=False)
    return FakeRenderer


@pytest.fixture
def rooms():
    """Three scenes that differ."""
    return two_rooms(3)
