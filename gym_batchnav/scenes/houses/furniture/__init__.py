"""Parametric furniture with real sizes."""

from __future__ import annotations

from .decor import Decor, make_decor
from .piece import Piece

__all__ = ["Decor", "Piece", "make_decor"]
