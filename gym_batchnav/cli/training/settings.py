"""Settings that are given by name: of the learner and of the environment."""

from __future__ import annotations

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
        target[key] = _fitting(name, value, target[key])
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
        try:
            settings[name.strip()] = json.loads(text)
        except ValueError:
            settings[name.strip()] = {"none": None, "true": True, "false": False}.get(text.lower(), text)
    return settings


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


def _fitting(name: str, value: object, default: object) -> object:
    """The value in the type of the default; raises ``ConfigError`` where it has another one."""
    if isinstance(value, list):
        value = tuple(value)
    value = word_none(value, default)
    if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if default is not None and type(value) is not type(default):
        raise ConfigError(
            f"the learner's setting {name}={value!r} is a {type(value).__name__}; expected a "
            f"{type(default).__name__} such as {default!r}"
        )
    return value
