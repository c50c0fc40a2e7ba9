"""The tasks beside PointGoal navigation."""

from __future__ import annotations

from .explore import Explore
from .flee import Flee
from .imagenav import ImageNav
from .objectnav import ObjectNav

__all__ = ["Explore", "Flee", "ImageNav", "ObjectNav"]
