"""Picks the command; what it needs is imported only then."""

from __future__ import annotations

from .args import BakeArgs, CacheArgs, CheckArgs, HousesArgs, ScenesArgs


def run_scenes(args: ScenesArgs) -> int:
    """Run ``batchnav scenes COMMAND``; returns the exit status."""
    command = args.command
    if isinstance(command, CacheArgs):
        from .cache import run_cache

        return run_cache(command)
    if isinstance(command, CheckArgs):
        from .check import run_check

        return run_check(command)
    if isinstance(command, BakeArgs):
        from .bake import run_bake

        return run_bake(command)
    if isinstance(command, HousesArgs):
        from .houses import run_houses

        return run_houses(command)
    from .recipe import run_recipe

    return run_recipe(command)
