"""How to get data sets of others into this library; the documentation's recipes are made of this."""

from __future__ import annotations

from .recipe import Licence, Recipe, Step, markdown
from .scans import GIBSON, HM3D, MP3D
from .synthetic import AI2THOR, HSSD, REPLICA_CAD

RECIPES = {recipe.name: recipe for recipe in (GIBSON, MP3D, HM3D, HSSD, REPLICA_CAD, AI2THOR)}
"""All recipes by name."""

__all__ = ["RECIPES", "Licence", "Recipe", "Step", "markdown"]
