"""A run's plan as a YAML file.

::

    preset: cpu              # where everything that is not said comes from
    task: pointnav
    num_envs: 128
    env: {...}               # fields of EnvConfig, and perhaps preset: of training and evaluation
    training_env: {...}      # fields of EnvConfig, over those, of the training alone
    evaluation: {scenes: [...], navmesh: null, episodes: 1000, seed: 7, deterministic: false}
    validation: {episodes: 200}
    learner: {...}           # fields of TrainConfig, nested or by dotted name

All of it may be left out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from ...errors import ConfigError
from .settings import ENV_NAMES, hint, learner_names

Sheet = dict[str, Any]
"""The plan as nested plain values."""
TOP = ("preset", "task", "num_envs", "env", "training_env", "evaluation", "validation", "learner")
_SECTIONS: dict[str, tuple[str, ...]] = {
    "env": (*ENV_NAMES, "preset"),
    "training_env": ENV_NAMES,
    "evaluation": ("scenes", "navmesh", "episodes", "seed", "deterministic"),
    "validation": ("episodes",),
}
_FLOAT = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+")


class _Loader(yaml.SafeLoader):
    """Also reads 5e-4 as a number, which YAML 1.1 takes for text."""


class _Dumper(yaml.SafeDumper):
    """Writes lists in one line, and quotes text that ``_Loader`` would read as a number."""


for _one in (_Loader, _Dumper):
    _one.add_implicit_resolver("tag:yaml.org,2002:float", _FLOAT, list("-+.0123456789"))
_Dumper.add_representer(
    list, lambda dumper, value: dumper.represent_sequence("tag:yaml.org,2002:seq", value, flow_style=True)
)


def write_plan(path: Path, sheet: Sheet) -> None:
    """Writes a plan as a whole or not at all."""
    text = "# The plan of this run: batchnav train --config run.yaml\n"
    text += yaml.dump({name: sheet[name] for name in TOP}, Dumper=_Dumper, sort_keys=False, width=110)
    partial = path.with_name(path.name + ".partial")
    partial.write_text(text, encoding="utf-8")
    os.replace(partial, path)


def read_plan(path: Path) -> Sheet:
    """Reads a plan.

    Raises:
        ConfigError: it cannot be read, is no YAML, or holds an unknown or repeated name (told with its line).
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read the plan {path}: {error}") from error
    try:
        node = yaml.compose(text, Loader=_Loader)
        sheet = yaml.load(text, Loader=_Loader)
    except yaml.YAMLError as error:
        raise ConfigError(f"the plan {path} is no YAML: {' '.join(str(error).split())}") from error
    if node is None:
        return {}
    for name, line in _names(node, path):
        _check_name(name, f"{path}, line {line}")
    _check_sections(sheet, path)
    return sheet if isinstance(sheet, dict) else {}


def _names(
    node: yaml.Node, path: Path, prefix: str = "", seen: set[str] | None = None
) -> Iterator[tuple[str, int]]:
    """Dotted names of all keys and their lines; a section's own name comes before those in it."""
    if not isinstance(node, yaml.MappingNode):
        if not prefix:
            raise ConfigError(f"the plan {path} holds no names and values; expected e.g. preset: cpu")
        return
    seen = set() if seen is None else seen
    for key, value in node.value:
        name, line = f"{prefix}{key.value}", key.start_mark.line + 1
        if name in seen:
            raise ConfigError(f"{path}, line {line}: {name} stands here a second time; keep one of them")
        seen.add(name)
        yield name, line
        if name in _SECTIONS or name.split(".")[0] == "learner":
            yield from _names(value, path, f"{name}.", seen)


def _check_name(name: str, place: str) -> None:
    section, _, rest = name.partition(".")
    known: tuple[str, ...] = TOP
    if rest and section in _SECTIONS:
        known, name = _SECTIONS[section], rest
    elif rest:
        settings = learner_names()
        groups = {n.partition(".")[0] for n in settings if "." in n}
        known, name = (*settings, *groups), rest
    if name not in known:
        where = f" in {section}" if rest else ""
        raise ConfigError(f"{place}: there is no {name!r}{where}; {hint(name, known)}")


def _check_sections(sheet: Mapping[str, Any], path: Path) -> None:
    for section in (*_SECTIONS, "learner"):
        if section in sheet and not isinstance(sheet[section], dict):
            value = sheet[section]
            raise ConfigError(f"{path}: {section} is {value!r}; expected names and values below it")
