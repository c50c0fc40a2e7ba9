"""What the keys of ``batchnav play`` do."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...config import EnvConfig
from ...errors import ConfigError
from ...sim.control import FORWARD, LEFT, LOOK_DOWN, LOOK_UP, RIGHT, STOP

MOVES = {
    "w": "forward", "up": "forward", "a": "left", "left": "left", "d": "right", "right": "right",
    "space": "stop", "s": "back", "down": "back", "e": "look up", "page_up": "look up",
    "c": "look down", "page_down": "look down",
}  # fmt: skip
"""Keys that move the agent."""
COMMANDS = {
    "n": "next", "r": "again", "p": "pause", ".": "single", "h": "help", "q": "quit", "escape": "quit",
    "+": "faster", "-": "slower",
}  # fmt: skip
_STEPS = {
    "forward": FORWARD, "left": LEFT, "right": RIGHT, "stop": STOP, "look up": LOOK_UP,
    "look down": LOOK_DOWN,
}  # fmt: skip


class Keyboard:
    """Actions of one environment by the names of keys.

    Args:
        config: says what actions there are.
    """

    def __init__(self, config: EnvConfig) -> None:
        self._config = config
        known = set(_STEPS)
        if config.actions == "discrete":
            known -= {"look up", "look down"}
        if config.actions == "velocity":
            known = {"forward", "left", "right", "stop"}
            known |= {"back"} if config.velocity.linear_range[0] < 0.0 else set()
        self.moves = {key: move for key, move in MOVES.items() if move in known}
        """Keys that do something here, and what."""

    def action(self, keys: tuple[str, ...]) -> NDArray[Any] | None:
        """(1,) or (1, D) for keys that are down together; None where none of them moves.

        Speeds take all keys together, numbered actions the last one.
        """
        moves = [self.moves[key] for key in keys if key in self.moves]
        if not moves:
            return None
        if self._config.actions == "velocity":
            return self._speeds(set(moves))[None]
        return np.array([_STEPS[moves[-1]]], dtype=np.int64)

    def help(self, *, agent: bool) -> list[str]:
        """Lines that explain the keys; ``agent``: one is watched."""
        lines = ["W  forward      A D  turn      space  stop"]
        if "back" in self.moves.values():
            lines.append("S  backward")
        if "look up" in self.moves.values():
            lines.append("E  look up      C  look down")
        move = [] if agent else lines
        return [
            *move,
            "N  next episode      R  the same again",
            "P  pause      .  a single step      + -  speed",
            "H  this help      Q  quit",
        ]

    def _speeds(self, moves: set[str]) -> NDArray[np.float32]:
        velocity = self._config.velocity
        linear = 1.0 if "forward" in moves else -1.0 if "back" in moves else _zero(velocity.linear_range)
        angular = 1.0 if "left" in moves else -1.0 if "right" in moves else _zero(velocity.angular_range)
        flag = [1.0 if "stop" in moves else -1.0] if velocity.stop == "flag" else []
        if "stop" in moves:
            linear, angular = _zero(velocity.linear_range), _zero(velocity.angular_range)
        return np.array([linear, angular, *flag], dtype=np.float32)


def _zero(ends: tuple[float, float]) -> float:
    """The number from -1 to 1 that stands for no speed."""
    low, high = ends
    return -2.0 * low / (high - low) - 1.0


def script(text: str) -> list[str]:
    """Names of the keys of ``--keys``; raises ``ConfigError`` where one does nothing."""
    known = {key for key in (*MOVES, *COMMANDS) if len(key) == 1}
    names = ["space" if key in " _" else key for key in text.lower()]
    wrong = [key for key in names if key != "space" and key not in known]
    if wrong or not names:
        allowed = " ".join(sorted(known))
        raise ConfigError(
            f"--keys {text!r} has {wrong[:1] or 'no key'}; allowed are {allowed} and _ for stop"
        )
    return names
