"""Takes out of findings what is nobody's business: names of the user and of the machine."""

from __future__ import annotations

import getpass
import platform
import re
from pathlib import Path
from typing import Any

_SHORTEST_NAME = 3
_COMMON = {"root", "user", "home", "admin", "runner", "ubuntu", "localhost"}
"""Names that say nothing, and stand in other words."""


def private(value: Any, home: Path, names: dict[str, str]) -> Any:
    """The same value with the home folder as "~", and names replaced wherever they are whole words.

    Args:
        value: mappings, lists and plain values.
        home: the user's folder.
        names: what to replace, and by what.
    """
    if isinstance(value, dict):
        return {key: private(item, home, names) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [private(item, home, names) for item in value]
    return _text(value, home, names) if isinstance(value, str) else value


def own_names() -> dict[str, str]:
    """The names of this user and machine that tell something."""
    try:
        user = getpass.getuser()
    except (OSError, KeyError, ImportError):  # no such user, as in many containers
        user = ""
    host = platform.node()
    named = {user: "USER", host: "HOST", host.partition(".")[0]: "HOST"}
    return {
        name: word
        for name, word in named.items()
        if len(name) >= _SHORTEST_NAME and name.lower() not in _COMMON
    }


def _text(text: str, home: Path, names: dict[str, str]) -> str:
    # A home of "/" would take the begin of every path.
    if home != Path(home.anchor):
        text = re.sub(rf"{re.escape(str(home))}(?![\w.-])", "~", text)
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", names[name], text)
    return text
