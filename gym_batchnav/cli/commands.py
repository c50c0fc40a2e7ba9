"""The commands: what each is for, and where its arguments and its work are found."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command; nothing of it is imported before it is needed, so that help is quick."""

    group: str
    """Heading under which the overview shows it."""
    about: str
    """What it does, in half a line."""
    arguments: str
    """``module:class`` of its arguments, within this package."""
    work: str
    """``module:function`` that takes them and returns the exit status."""

    def load_arguments(self) -> type:
        """The class of its arguments."""
        found: type = _load(self.arguments)
        return found

    def load_work(self) -> Callable[[Any], int]:
        """The function that does it."""
        found: Callable[[Any], int] = _load(self.work)
        return found


_LEARN, _LOOK, _MEASURE = "train and evaluate", "look", "measure and mend"
COMMANDS = {
    "train": Command(
        group=_LEARN,
        about="train an agent, evaluate it on unseen episodes, write a report",
        arguments="args:TrainArgs",
        work="training.train:run_train",
    ),
    "eval": Command(
        group=_LEARN,
        about="evaluate a checkpoint, beside agents to compare it with",
        arguments="args:EvalArgs",
        work="evaluation.evaluate:run_eval",
    ),
    "export": Command(
        group=_LEARN,
        about="write the policy of a run as a small file",
        arguments="args:ExportArgs",
        work="evaluation.export:run_export",
    ),
    "play": Command(
        group=_LOOK,
        about="walk through scenes with the keyboard, or watch an agent",
        arguments="watching.args:PlayArgs",
        work="watching.play:run_play",
    ),
    "record": Command(
        group=_LOOK,
        about="film an agent: what it sees, the map, how it fares",
        arguments="watching.args:RecordArgs",
        work="watching.record:run_record",
    ),
    "scenes": Command(
        group=_LOOK,
        about="check scenes, bake their ground, make houses, get data sets",
        arguments="scenes.args:ScenesArgs",
        work="scenes.run:run_scenes",
    ),
    "episodes": Command(
        group=_LOOK,
        about="say how hard sampled episodes are, and write them to a file",
        arguments="args:EpisodesArgs",
        work="episodes:run_episodes",
    ),
    "bench": Command(
        group=_MEASURE,
        about="measure rendering, stepping, training or starting",
        arguments="args:BenchArgs",
        work="bench:run_bench",
    ),
    "doctor": Command(
        group=_MEASURE,
        about="what draws here, what is wrong, and the fixes",
        arguments="args:DoctorArgs",
        work="doctor:run_doctor",
    ),
}


def similar(name: str, names: Sequence[str]) -> list[str]:
    """The names that a mistyped one may stand for, the likeliest first."""
    return difflib.get_close_matches(name, names, n=2, cutoff=0.6)


def _load(where: str) -> Any:
    module, _, name = where.partition(":")
    return getattr(importlib.import_module(f".{module}", __package__), name)
