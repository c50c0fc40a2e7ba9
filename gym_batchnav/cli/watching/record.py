"""``batchnav record``: films of an agent."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from ...envs.frames import mosaic
from ...envs.pictures import tiling
from ...envs.watching import draw_panel
from ...errors import ConfigError
from ..show import console
from ..waiting import waiting
from .args import RecordArgs
from .film import ENDINGS, Film, open_film
from .settings import filmed
from .walk import Walk

SIDE = 320
MOST_TOGETHER = 36
"""Episodes in one mosaic: more would be too small to be seen."""
Tell = Callable[[str], None]
"""Is told of an episode's end."""


def run_record(args: RecordArgs) -> int:
    """Film the episodes; returns the exit status."""
    single = args.output.suffix.lower() in ENDINGS
    _check(args, single)
    size, columns = SIDE, None
    if args.mosaic:
        fitting, columns = tiling(args.episodes, 3)
        size = min(SIDE, fitting)
    size = args.size or size
    watched = filmed(args, size)
    envs = watched.make_envs(args.episodes if args.mosaic else 1)
    assert watched.make_agent is not None
    out = console()
    try:
        with waiting("making the first scene"):
            walk = Walk(envs, watched.make_agent(envs), args.seed, deterministic=args.greedy)
        with _bar(out) as bar:
            task = bar.add_task("filming", total=args.episodes)

            def tell(text: str) -> None:
                bar.console.print(text, highlight=False, markup=False, soft_wrap=True)
                bar.advance(task)

            if args.mosaic:
                with _film(args, _only_file(args, single)) as film:
                    film_together(walk, film, size, columns, every=args.every, hold=args.hold, tell=tell)
            else:
                _in_turn(args, walk, size, tell, single)
    finally:
        envs.close()
    out.print(
        f"written: {(_only_file(args, single) if args.mosaic else args.output).resolve()}", soft_wrap=True
    )
    return 0


def film_episode(walk: Walk, film: Film, size: int, *, every: int = 1, hold: float = 1.5) -> str:
    """Film the episode that the one row of ``walk`` is at the start of.

    Args:
        walk: of one environment.
        film: takes the pictures.
        size: height of the views, pixels.
        every: steps for each picture; the first and the last are always shown.
        hold: seconds that the last picture stands.

    Returns:
        How it ended, in words.
    """
    steps = 0
    while not walk.over[0]:
        if steps % every == 0:
            film.add(draw_panel(walk.moments(size)[0], size))
        walk.step()
        steps += 1
    film.add(draw_panel(walk.moments(size)[0], size), hold)
    return _ending(walk, 0)


def film_together(
    walk: Walk, film: Film, size: int, columns: int | None, *, every: int, hold: float, tell: Tell
) -> None:
    """Film one episode of every row of ``walk`` at the same time; those that have ended stand still."""
    panels = [draw_panel(moment, size) for moment in walk.moments(size)]
    active = np.ones(len(panels), dtype=bool)
    steps = 0
    film.add(mosaic(panels, columns))
    while active.any():
        walk.step()
        steps += 1
        ended = active & walk.over
        shown = np.flatnonzero(ended if steps % every and active.sum() > ended.sum() else active).tolist()
        for row, moment in zip(shown, walk.moments(size, shown) if shown else (), strict=True):
            panels[row] = draw_panel(moment, size)
        for row in np.flatnonzero(ended).tolist():
            tell(f"episode {row}: {_ending(walk, row)}")
        active &= ~ended
        if steps % every == 0 and active.any():
            film.add(mosaic(panels, columns))
        if walk.over.any():
            # Rows that have ended walk on, unseen: an environment steps all of its rows.
            walk.begin(walk.over)
    film.add(mosaic(panels, columns), hold)


def _in_turn(args: RecordArgs, walk: Walk, size: int, tell: Tell, single: bool) -> None:
    """A film of each episode in the folder, or one of all."""
    whole: AbstractContextManager[Film | None] = _film(args, args.output) if single else nullcontext()
    with whole as film:
        for number in range(args.episodes):
            if number:
                walk.begin(np.ones(1, dtype=bool))
            if film is not None:
                text = film_episode(walk, film, size, every=args.every, hold=args.hold)
                tell(f"episode {number}: {text}")
                continue
            path = args.output / f"episode-{number:03d}.{args.format}"
            with _film(args, path, keep_cut=False) as own:
                text = film_episode(walk, own, size, every=args.every, hold=args.hold)
            tell(f"{path}: {text}")


def _film(args: RecordArgs, path: Path, *, keep_cut: bool = True) -> Film:
    return open_film(path, args.fps, colors=args.colors, keep_cut=keep_cut)


def _only_file(args: RecordArgs, single: bool) -> Path:
    return args.output if single else args.output / f"mosaic.{args.format}"


def _ending(walk: Walk, row: int) -> str:
    """How a row's episode has ended, in words."""
    infos = {key: value[row] for key, value in walk.infos.items() if not key.startswith("_")}
    words = f"{infos['steps']} steps"
    if "success" not in infos:
        return words
    if infos["success"] > 0.5:
        return f"goal reached in {words}, SPL {infos['spl']:.2f}"
    return f"failed after {words}, {infos['distance_to_goal']:.1f} m away"


def _check(args: RecordArgs, single: bool) -> None:
    """Raise ``ConfigError`` where a value is not allowed."""
    for name, least in (("episodes", 1), ("every", 1)):
        if getattr(args, name) < least:
            raise ConfigError(f"--{name} {getattr(args, name)} is not allowed; expected at least {least}")
    if not 0.0 <= args.hold <= 60.0:
        raise ConfigError(f"--hold {args.hold:g} is not allowed; expected 0 to 60 seconds")
    if args.output.suffix and not single and not args.output.is_dir():
        raise ConfigError(f"-o {args.output} is no film; expected a folder, or a file ending in .mp4 or .gif")
    if args.mosaic and args.episodes > MOST_TOGETHER:
        raise ConfigError(f"--mosaic shows at most {MOST_TOGETHER} episodes; got -n {args.episodes}")
    _film(args, _only_file(args, single) if single or args.mosaic else args.output / f"x.{args.format}")


def _bar(out: Console) -> Progress:
    """A bar on a terminal; elsewhere the lines alone."""
    columns = (BarColumn(), TextColumn("{task.completed:.0f}/{task.total:.0f} {task.description}"))
    return Progress(*columns, console=out, disable=not out.is_terminal, transient=True)
