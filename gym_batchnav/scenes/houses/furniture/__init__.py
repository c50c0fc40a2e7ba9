"""Parametric furniture with real sizes, made of boxes and prisms."""

from __future__ import annotations

from .piece import Piece

__all__ = ["Piece"]
