"""Several agents on the same episodes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...config import EnvConfig
from ...envs import BatchPointNavEnv
from ...rl import Agent, EpisodeRecord, evaluate
from ..report import AgentResult, Difference, SceneMap, Stratum
from ..training.factories import MakeRows
from ..training.plan import MAX_EVAL_ENVS, choose_device
from ..waiting import counting, waiting
from .differences import differences
from .recorder import Recorder
from .strata import strata

METRIC_KEYS = ("success", "spl", "soft_spl", "distance_to_goal", "path_length", "collisions")
FILMS = 24
DRAWN_ON_CPU = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Contestant:
    """An agent and how it takes part."""

    name: str
    """Key in the result."""
    label: str
    """Name for people."""
    make_agent: Callable[[BatchPointNavEnv], Agent]
    """Makes who acts, for the environment in which it will."""
    env: EnvConfig | None = None
    """Environment with the sensors that it needs; None for those of the contest without any images."""
    actions: str = ""
    """How it takes its actions: "greedy" or "sampled", "" where it has no choice."""


@dataclass(slots=True)
class Outcome:
    """What all agents reached."""

    results: list[AgentResult] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    """Of the first agent, in each of its ways to act, to all others."""
    strata: list[Stratum] = field(default_factory=list)
    """By distance and by ratio."""
    maps: dict[str, SceneMap] = field(default_factory=dict)
    renderer: dict[str, Any] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    """That each agent's episodes took, by name; making the scenes counts for the first one."""


def run_contest(
    contestants: Sequence[Contestant],
    config: EnvConfig,
    num_episodes: int,
    *,
    seed: int = 0,
    num_envs: int | None = None,
    say: Callable[[str], None] = lambda text: None,
    make_rows: MakeRows = BatchPointNavEnv,
) -> Outcome:
    """Evaluate all agents on the episodes that ``config`` fixes.

    Args:
        contestants: The agents; what the first one saw is kept for films.
        config: Environment with a fixed set of episodes in sequence.
        num_episodes: Size of the set.
        seed: Of the environment's reset.
        num_envs: Environments side by side; None for all episodes at once, up to ``most_rows``.
        say: Told what is going on.
        make_rows: Makes so many environments of the task.
    """
    outcome = Outcome()
    results: dict[str, AgentResult] = {}
    for env, group in _by_environment(contestants, config):
        with waiting("loading scenes"):
            envs = make_rows(min(num_episodes, num_envs or most_rows(env)), env)
        try:
            for contestant in group:
                say(f"evaluating {contestant.label} on {num_episodes} episodes")
                first = contestant is contestants[0]
                recorder, begin = (
                    Recorder(envs, FILMS if first and env.image_sensors else 0),
                    time.monotonic(),
                )
                with counting(contestant.label, num_episodes) as advance:
                    results[contestant.name] = _evaluate(
                        contestant, envs, num_episodes, recorder, seed, advance
                    )
                outcome.seconds[contestant.name] = round(time.monotonic() - begin, 1)
                outcome.maps.update(recorder.maps)
            if env.image_sensors and not outcome.renderer:
                outcome.renderer = envs.render_info
        finally:
            envs.close()
    outcome.results = [results[c.name] for c in contestants]
    outcome.differences = differences(outcome.results)
    outcome.strata = strata(outcome.results)
    return outcome


def most_rows(env: EnvConfig) -> int:
    """Environments side by side that evaluate fastest.

    Rows that have walked their share are drawn on until the last one has: of the steps of 1,000 episodes that
    are 110 long with a deviation of 90, about 41% count with 256 rows and 65% with 64. Only a GPU makes up
    for that.
    """
    drawn_on_cpu = bool(env.image_sensors) and not choose_device(env.device).startswith("cuda")
    return DRAWN_ON_CPU if drawn_on_cpu else MAX_EVAL_ENVS


def _by_environment(
    contestants: Sequence[Contestant], config: EnvConfig
) -> list[tuple[EnvConfig, list[Contestant]]]:
    """Environments and who acts in them: nothing is drawn for those who do not look."""
    blind = EnvConfig.from_kwargs({"sensors": ()}, config)
    groups: list[tuple[EnvConfig, list[Contestant]]] = []
    for contestant in contestants:
        wanted = contestant.env or blind
        found = next((group for env, group in groups if env == wanted), None)
        if found is None:
            groups.append((wanted, [contestant]))
        else:
            found.append(contestant)
    return groups


def _evaluate(
    contestant: Contestant, envs: BatchPointNavEnv, num_episodes: int, recorder: Recorder, seed: int,
    advance: Callable[[], None],
) -> AgentResult:  # fmt: skip
    def on_episode(record: EpisodeRecord) -> None:
        recorder.on_episode(record)
        advance()

    evaluation = evaluate(
        contestant.make_agent(envs),
        envs,
        num_episodes,
        contestant.actions != "sampled",
        recorder.on_step,
        on_episode=on_episode,
        metric_keys=METRIC_KEYS,
        seed=seed,
    )
    return AgentResult(
        name=contestant.name,
        label=contestant.label,
        actions=contestant.actions,
        summary=evaluation.metrics,
        episodes=sorted(recorder.traces, key=lambda trace: trace.number),
    )


def write_episodes(path: Path, results: Sequence[AgentResult]) -> None:
    """One JSON line per agent and episode."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        for result in results:
            for trace in result.episodes:
                row = {
                    "agent": result.name,
                    "episode": trace.number,
                    "scene_id": trace.scene_id,
                    "start_distance": trace.start_distance,
                    "ratio": trace.ratio,
                    **trace.metrics,
                }
                file.write(json.dumps(row) + "\n")


def summary(result: AgentResult) -> dict[str, Any]:
    """Metrics of one agent as ``{"mean":, "low":, "high":}``, the number of episodes, and how it acts."""
    return {
        **{key: value._asdict() for key, value in result.summary.items()},
        "episodes": len(result.episodes),
        "actions": result.actions,
    }
