"""``batchnav play``: in a window, or as a film."""

from __future__ import annotations

import time

from batchnav_renderer.errors import ViewerError
from batchnav_renderer.viewer import Window

from ...errors import ConfigError
from ..show import console
from ..waiting import waiting
from .args import PlayArgs
from .film import Film, open_film
from .game import Game
from .keys import script
from .settings import played
from .walk import Walk

HOLD_S = 1.5
"""For which a film stands on its last picture."""


def run_play(args: PlayArgs) -> int:
    """Play until the user quits, or write the film; returns the exit status."""
    agent = bool(args.policy or args.pretrained or args.expert)
    if args.record is None:
        if args.keys is not None:
            raise ConfigError("--keys is for films; give --record FILE.mp4 too, or press the keys yourself")
        with _window() as window:
            _play(args, agent, window)
        return 0
    if args.keys is None and not agent:
        raise ConfigError(
            "--record needs --keys wwwaad, --expert, --pretrained or --policy: nobody else acts"
        )
    keys = None if args.keys is None else script(args.keys)
    with open_film(args.record, args.fps) as film:
        _film(args, agent, keys, film)
    console().print(f"written: {args.record.resolve()}", soft_wrap=True)
    return 0


def _window() -> Window:
    try:
        return Window("batchnav play")
    except ViewerError as error:
        raise ViewerError(
            f"{error}. To write a film instead, add --record walk.mp4, and --keys wwwad or an agent: "
            "--expert, --pretrained or --policy CHECKPOINT"
        ) from error


def _game(args: PlayArgs, agent: bool) -> Game:
    watched = played(args)
    envs = watched.make_envs(1)
    actor = watched.make_agent(envs) if watched.make_agent is not None else None
    walk = Walk(envs, actor, args.seed, deterministic=args.greedy)
    return Game(walk, agent=agent, fps=args.fps, side=args.size)


def _play(args: PlayArgs, agent: bool, window: Window) -> None:
    out = console()
    with waiting("making the first scene"):
        game = _game(args, agent)
    for line in game.keyboard.help(agent=agent):
        out.print(line, highlight=False)
    try:
        play(game, window)
    finally:
        game.close()


def play(game: Game, window: Window) -> None:
    """Run a game in a window until one of them is closed."""
    while not (game.quit or window.closed):
        begin = time.monotonic()
        for key in window.poll():
            game.press(key)
        game.tick(window.held)
        if not window.closed:
            window.show(game.picture())
        time.sleep(max(0.0, begin + 1.0 / game.fps - time.monotonic()))


def _film(args: PlayArgs, agent: bool, keys: list[str] | None, film: Film) -> None:
    with waiting("making the first scene"):
        game = _game(args, agent)
    try:
        with waiting("filming"):
            film_keys(game, keys, film)
    finally:
        game.close()


def film_keys(game: Game, keys: list[str] | None, film: Film) -> None:
    """Film a game that is led by keys, one a tick, or by itself to the end of the episode."""
    film.add(game.picture())
    if keys is None:
        while not game.over:
            game.tick()
            film.add(game.picture())
    for key in keys or ():
        game.press(key)
        game.tick()
        film.add(game.picture())
        if game.quit:
            break
    film.add(game.picture(), HOLD_S)
