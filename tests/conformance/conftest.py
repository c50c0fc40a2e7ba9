"""The stand-ins of the environments' unit tests."""

from tests.unit.envs.conftest import fake_renderer, rooms

__all__ = ["fake_renderer", "rooms"]
