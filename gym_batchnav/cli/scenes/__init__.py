"""``batchnav scenes``: look at scenes, bake their ground, make houses, print recipes; loads nothing heavy."""

from __future__ import annotations
