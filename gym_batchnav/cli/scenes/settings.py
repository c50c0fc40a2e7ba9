"""The settings of a bake out of the command's options."""

from __future__ import annotations

import json
from dataclasses import fields

from ...errors import ConfigError
from ...nav import AgentSettings
from .args import Agent


def bake_settings(agent: Agent) -> AgentSettings:
    """The settings that the options ask for.

    Raises:
        ConfigError: a setting is unknown, no value, or out of range.
    """
    given: dict[str, object] = {
        field.name: getattr(agent, field.name) for field in fields(agent) if field.name != "set"
    }
    defaults = {field.name: field.default for field in fields(AgentSettings)}
    for pair in agent.set:
        name, equals, text = pair.partition("=")
        if not equals or name not in defaults:
            raise ConfigError(
                f"--set {pair!r} is not allowed; write KEY=VALUE, KEY one of {', '.join(defaults)}"
            )
        given[name] = _value(pair, text, isinstance(defaults[name], bool))
    return AgentSettings(**given)  # type: ignore[arg-type]


def _value(pair: str, text: str, is_flag: bool) -> bool | float:
    try:
        value = json.loads(text.lower())
    except ValueError:
        value = None
    if isinstance(value, bool) is not is_flag or not isinstance(value, bool | int | float):
        raise ConfigError(
            f"--set {pair!r} is not allowed; expected {'true or false' if is_flag else 'a number'}"
        )
    return value
