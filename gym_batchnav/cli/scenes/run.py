"""Picks the command; what it needs is imported only then."""

from __future__ import annotations

from ..waiting import compiling_told
from .args import BakeArgs, CacheArgs, CheckArgs, HousesArgs, ScenesArgs


def run_scenes(args: ScenesArgs) -> int:
    """Run ``batchnav scenes COMMAND``; returns the exit status."""
    command = args.command
    if isinstance(command, CacheArgs):
        from .cache import run_cache

        return run_cache(command)
    if isinstance(command, CheckArgs | BakeArgs | HousesArgs):
        with compiling_told():
            return _run_with_kernels(command)
    from .recipe import run_recipe

    return run_recipe(command)


def _run_with_kernels(command: CheckArgs | BakeArgs | HousesArgs) -> int:
    if isinstance(command, CheckArgs):
        from .check import run_check

        return run_check(command)
    if isinstance(command, BakeArgs):
        from .bake import run_bake

        return run_bake(command)
    from .houses import run_houses

    return run_houses(command)
