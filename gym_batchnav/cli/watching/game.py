"""What ``batchnav play`` does with keys and time; knows neither window nor clock."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...envs.watching import draw_panel
from .keys import COMMANDS, Keyboard
from .walk import Walk

REPEAT_AFTER = 3
"""Ticks for which a key has to be down until it acts again."""
REST = 15
"""Ticks for which the end of an agent's episode stands before the next one begins."""
FASTER = 1.5
SPEEDS = (1.0, 60.0)


class Game:
    """One agent that is led by keys or acts by itself.

    Args:
        walk: of one environment.
        agent: whether it acts by itself.
        fps: ticks a second.
        side: height of the views, pixels.
    """

    def __init__(self, walk: Walk, *, agent: bool, fps: float, side: int) -> None:
        self._walk, self._acts, self._side = walk, agent, side
        self.keyboard = Keyboard(walk.envs.config)
        self.fps = fps
        self.quit = self.paused = self.helping = False
        self.episodes = 0
        """Episodes that have ended."""
        self._begin = walk.envs.get_state()
        self._queue: list[str] = []
        self._last: NDArray[np.generic] | None = None
        self._wait = self._rest = 0
        self._picture: NDArray[np.uint8] | None = None

    def press(self, key: str) -> None:
        """A key has been pressed."""
        command = COMMANDS.get(key)
        self._picture = None
        if command is None:
            if key in self.keyboard.moves and not self._acts:
                self._queue.append(key)
                self._wait = REPEAT_AFTER
        elif command in ("pause", "help", "quit"):
            name = {"pause": "paused", "help": "helping", "quit": "quit"}[command]
            setattr(self, name, not getattr(self, name))
        elif command in ("faster", "slower"):
            fps = self.fps * (FASTER if command == "faster" else 1.0 / FASTER)
            self.fps = float(np.clip(fps, *SPEEDS))
        elif command == "single":
            self.paused = True
            self._single()
        else:
            self._restart(same=command == "again")

    def tick(self, held: tuple[str, ...] = ()) -> None:
        """The time of one step has passed, with these keys down."""
        if self._walk.over[0]:
            self._queue.clear()
            self._rest -= 1
            if self._acts and not self.paused and self._rest <= 0:
                self._restart(same=False)
        elif self._acts:
            if not self.paused:
                self._step(None)
        elif self._queue:
            self._step(self.keyboard.action((*held, self._queue.pop(0))))
        elif any(key in self.keyboard.moves for key in held):
            self._wait -= 1
            if self._wait <= 0:
                self._step(self.keyboard.action(held))

    def picture(self) -> NDArray[np.uint8]:
        """(H, W, 3) what is to be seen now."""
        if self._picture is None:
            (moment,) = self._walk.moments(self._side)
            note = ("paused",) if self.paused else ()
            lines = self.keyboard.help(agent=self._acts) if self.helping else ()
            self._picture = draw_panel(replace(moment, facts=(*note, *moment.facts)), self._side, lines=lines)
        return self._picture

    @property
    def over(self) -> bool:
        """Whether the episode has ended."""
        return bool(self._walk.over[0])

    def close(self) -> None:
        """Close the environment."""
        self._walk.envs.close()

    def _single(self) -> None:
        """One step of the agent, or the last action again."""
        if not self.over and (self._acts or self._last is not None):
            self._step(None if self._acts else self._last)

    def _step(self, action: NDArray[np.generic] | None) -> None:
        self._last, self._picture = action, None
        self._walk.step(action)
        if self.over:
            self.episodes += 1
            self._rest = REST

    def _restart(self, *, same: bool) -> None:
        self._picture = None
        self._queue.clear()
        if same:
            self._walk.restore(self._begin)
        else:
            self._walk.begin(np.ones(1, dtype=bool))
            self._begin = self._walk.envs.get_state()
