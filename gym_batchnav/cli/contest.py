"""Several agents on the same episodes."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from ..config import EnvConfig
from ..envs import BatchPointNavEnv
from ..rl import Agent, PolicyAgent, RandomAgent, StraightWalker, TrainConfig, evaluate
from ..rl.nets.policy import ActorCritic
from ..rl.running.seeding import derive_seed, seed_global
from ..rl.spec import env_spec
from .presets import MAX_EVAL_ENVS
from .recorder import Recorder
from .report import AgentResult, SceneMap

METRIC_KEYS = ("success", "spl", "soft_spl", "distance_to_goal", "path_length", "collisions")
FILMS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Contestant:
    """An agent and how it takes part."""

    name: str
    """Key in the result."""
    label: str
    """Name for people."""
    agent: Agent
    """Who acts."""
    sees: bool = False
    """Whether it looks at images; those that do not run without drawing any."""
    deterministic: bool = True
    """Whether it takes its most likely actions."""


@dataclass(slots=True)
class Outcome:
    """What all agents reached."""

    results: list[AgentResult] = field(default_factory=list)
    maps: dict[str, SceneMap] = field(default_factory=dict)
    renderer: dict[str, Any] = field(default_factory=dict)


def run_contest(
    contestants: Sequence[Contestant],
    config: EnvConfig,
    num_episodes: int,
    *,
    seed: int = 0,
    num_envs: int | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> Outcome:
    """Evaluate all agents on the episodes that ``config`` fixes.

    Args:
        contestants: The agents; what the first one saw is kept for films.
        config: Environment with a fixed set of episodes in sequence.
        num_episodes: Size of the set.
        seed: Of the environment's reset.
        num_envs: Environments side by side; None for all episodes at once, up to 256.
        say: Told what is going on.
    """
    rows = min(num_episodes, MAX_EVAL_ENVS) if num_envs is None else min(num_envs, num_episodes)
    outcome = Outcome()
    results: dict[str, AgentResult] = {}
    for sees in (True, False):
        group = [c for c in contestants if c.sees == sees]
        if not group:
            continue
        envs = BatchPointNavEnv(rows, EnvConfig.from_kwargs({} if sees else {"sensors": ()}, config))
        try:
            for contestant in group:
                say(f"evaluating {contestant.label} on {num_episodes} episodes")
                films = FILMS if sees and contestant is contestants[0] else 0
                recorder = Recorder(envs, films)
                results[contestant.name] = _evaluate(contestant, envs, num_episodes, recorder, seed)
                outcome.maps.update(recorder.maps)
            if sees:
                outcome.renderer = envs.render_info
        finally:
            envs.close()
    outcome.results = [results[c.name] for c in contestants]
    return outcome


def _evaluate(
    contestant: Contestant, envs: BatchPointNavEnv, num_episodes: int, recorder: Recorder, seed: int
) -> AgentResult:
    evaluation = evaluate(
        contestant.agent,
        envs,
        num_episodes,
        contestant.deterministic,
        recorder.on_step,
        on_episode=recorder.on_episode,
        metric_keys=METRIC_KEYS,
        seed=seed,
    )
    traces = sorted(recorder.traces, key=lambda trace: trace.number)
    return AgentResult(
        name=contestant.name, label=contestant.label, summary=evaluation.metrics, episodes=traces
    )


def baselines(config: EnvConfig, seed: int) -> list[Contestant]:
    """The straight walker and the random agent."""
    walker = StraightWalker(config.success_distance, config.turn_angle_deg)
    return [
        Contestant(name="straight", label="straight walker", agent=walker),
        Contestant(name="random", label="random agent", agent=RandomAgent(4, seed)),
    ]


def untrained(config: TrainConfig, env: EnvConfig) -> PolicyAgent:
    """The policy as it was before the first update of a run with this configuration."""
    probe = BatchPointNavEnv(1, env)
    try:
        spec = env_spec(probe.single_observation_space, probe.single_action_space)
    finally:
        probe.close()
    with torch.random.fork_rng():
        seed_global(derive_seed(config.seed, 0))
        policy = ActorCritic(config.policy, spec).to(config.device)
    return PolicyAgent(policy, config.seed)


def write_episodes(path: Path, results: Sequence[AgentResult]) -> None:
    """One JSON line per agent and episode."""
    with path.open("w", encoding="utf-8") as file:
        for result in results:
            for trace in result.episodes:
                row = {
                    "agent": result.name,
                    "episode": trace.number,
                    "scene_id": trace.scene_id,
                    "start_distance": trace.start_distance,
                    **trace.metrics,
                }
                file.write(json.dumps(row) + "\n")


def summary(result: AgentResult) -> dict[str, Any]:
    """Metrics of one agent as ``{"mean":, "low":, "high":}``, and the number of episodes."""
    return {
        **{key: value._asdict() for key, value in result.summary.items()},
        "episodes": len(result.episodes),
    }
