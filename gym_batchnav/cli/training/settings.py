"""Settings that are given by name: of the learner and of the environment."""

from __future__ import annotations

import ast
import dataclasses
import difflib
import functools
import json
from collections.abc import Mapping, Sequence
from typing import Any

from ...config import EnvConfig
from ...errors import ConfigError
from ...rl import TrainConfig
from .runs import flatten

ENV_NAMES = tuple(field.name for field in dataclasses.fields(EnvConfig))


def learner_config(settings: Mapping[str, Any]) -> TrainConfig:
    """A learner's configuration from settings by dotted name.

    Raises:
        ConfigError: a name is unknown (the message lists the known ones), or a value is not allowed.
    """
    nested = TrainConfig().to_dict()
    for name, value in settings.items():
        *groups, key = name.split(".")
        target: Any = nested
        for group in groups:
            target = target.get(group) if isinstance(target, dict) else None
        if not isinstance(target, dict) or key not in target or isinstance(target[key], dict):
            raise ConfigError(f"the learner has no setting {name!r}; {hint(name, learner_names())}")
        target[key] = word_none(value, target[key])
    return TrainConfig.from_dict(nested)


@functools.cache
def learner_names() -> tuple[str, ...]:
    """Dotted names of all settings of the learner."""
    return tuple(flatten(TrainConfig().to_dict()))


def parse_settings(pairs: Sequence[str], flag: str = "--set") -> dict[str, Any]:
    """``("ppo.epochs=3", ...)`` to names and values; raises ``ConfigError`` where a pair is no KEY=VALUE."""
    settings = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name:
            example = "ppo.learning_rate=5e-4" if flag == "--set" else "num_resident_scenes=8"
            raise ConfigError(f"{flag} {pair!r} is not allowed; expected KEY=VALUE, e.g. {example}")
        settings[name.strip()] = _value(text.strip())
    return settings


def _value(text: str) -> Any:
    """What a text says as JSON or as Python, such as (8, 16) and 3_000_000; else the text itself."""
    words = {"none": None, "true": True, "false": False}
    if text.lower() in words:
        return words[text.lower()]
    for read in (json.loads, ast.literal_eval):
        try:
            return read(text)
        except (ValueError, SyntaxError):
            continue
    return text


def word_none(value: object, default: object) -> object:
    """The word "none" for None where words are expected: some settings know it as one of their choices."""
    return "none" if value is None and isinstance(default, str) else value


def env_settings(pairs: Sequence[str]) -> dict[str, Any]:
    """Fields of the environment from ``("hfov_deg=70", ...)``."""
    defaults = {field.name: field.default for field in dataclasses.fields(EnvConfig)}
    return {
        name: word_none(value, defaults.get(name)) for name, value in parse_settings(pairs, "--env").items()
    }


def hint(name: str, known: Sequence[str]) -> str:
    """What the user may have meant, and all that there is."""
    near = difflib.get_close_matches(name, known, n=1)
    return f"{f'did you mean {near[0]!r}? ' if near else ''}known are {', '.join(known)}"
