"""``batchnav scenes recipe``: how to get a data set, printed."""

from __future__ import annotations

import difflib

from rich.markdown import Markdown
from rich.table import Table

from ...errors import ConfigError
from ..show import console
from .args import RecipeArgs
from .recipes import RECIPES, Recipe, markdown


def run_recipe(args: RecipeArgs) -> int:
    """Print one recipe, or the list of all; returns the exit status."""
    if args.markdown:
        print("\n".join(markdown(recipe) for recipe in _chosen(args.name)), end="")
        return 0
    out = console()
    if not args.name:
        out.print(_listed())
        return 0
    for recipe in _chosen(args.name):
        out.print(Markdown(markdown(recipe)))
    return 0


def _chosen(name: str) -> list[Recipe]:
    if not name:
        return list(RECIPES.values())
    if name.lower() not in RECIPES:
        close = difflib.get_close_matches(name.lower(), RECIPES, 1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise ConfigError(f"there is no recipe {name!r}; known: {', '.join(RECIPES)}{hint}")
    return [RECIPES[name.lower()]]


def _listed() -> Table:
    table = Table(title="batchnav scenes recipe NAME", title_justify="left", title_style="bold")
    for heading in ("name", "data set", "licence"):
        table.add_column(heading)
    for recipe in RECIPES.values():
        table.add_row(recipe.name, recipe.title, recipe.licence.name)
    return table
