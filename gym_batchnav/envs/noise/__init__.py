"""Noise of images: the same numbers on arrays and on tensors, whatever the batch."""

from __future__ import annotations

from .images import ImageNoise

__all__ = ["ImageNoise"]
