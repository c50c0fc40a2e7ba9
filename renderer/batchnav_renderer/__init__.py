"""Draws batches of views of triangle scenes; knows nothing of navigation."""

from __future__ import annotations
