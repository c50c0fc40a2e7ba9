"""The OpenGL backend; importing it loads no GL library."""

from __future__ import annotations
