"""``batchnav play`` and ``batchnav record``: walk through scenes, watch agents, and film them."""

from __future__ import annotations
