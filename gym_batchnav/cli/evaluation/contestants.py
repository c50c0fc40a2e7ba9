"""Who takes part in an evaluation: policies of checkpoints, and the agents to compare them with."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ...config import SENSORS, EnvConfig
from ...envs import BatchPointNavEnv
from ...errors import ConfigError
from ...rl import Agent, PolicyAgent, RandomAgent, StraightWalker, TrainConfig, load_checkpoint, load_policy
from ...rl.nets.policy import ActorCritic
from ...rl.pretrained import FOLDER
from ...rl.running.checkpoint import check_parts
from ...rl.running.seeding import derive_seed, seed_global
from ...rl.spec import EnvSpec, env_spec
from ..training.factories import TASKS, MakeRows
from ..training.runs import read_json
from .contest import Contestant

VIEW_FIELDS = (
    "hfov_deg",
    "camera_height",
    "camera_pitch_deg",
    "cameras",
    "shading",
    "min_depth",
    "max_depth",
    "normalize_depth",
    "goal_sensor",
    "depth_noise",
    "rgb_noise",
    "pose_noise",
    "goal_format",
    "obs_keys",
)
"""Fields of the environment that say what a policy sees."""
TASK_FIELDS = (
    "max_episode_steps",
    "time_out",
    "success_at",
    "success_distance",
    "object_categories",
    "object_distance",
    "agent_radius",
    "agent_height",
    "agent_max_climb",
    "agent_max_slope",
    "actions",
    "tilt_angle_deg",
    "velocity",
    "actuation_noise",
    "forward_step",
    "turn_angle_deg",
    "sliding",
    "min_geodesic",
    "max_geodesic",
    "min_island_radius",
    "max_height_difference",
    "allow_stairs",
    "straight_ratio",
)
"""Fields of the environment that make the task, and must be equal for all who are compared."""


@dataclass(frozen=True, slots=True)
class Trained:
    """A checkpoint and what an evaluation needs of it."""

    path: Path
    content: Mapping[str, Any]
    """Of the checkpoint."""

    @classmethod
    def read(cls, path: Path) -> Trained:
        """Reads a checkpoint file; raises ``CheckpointError`` where it is missing or broken."""
        content = load_checkpoint(path)
        check_parts(content, path, "progress")
        return cls(path, content)

    def environment(self, device: str | None) -> EnvConfig:
        """The environment that the policy was trained in, as far as file, run's folder or spec tell."""
        spec = EnvSpec.from_dict(self.content["env_spec"])
        # Images are named after their sensor, those of several cameras with the camera's name before it.
        images = {key: key.rpartition("_")[2] for key, field in spec.fields.items() if field.is_image}
        sensors = tuple(sensor for sensor in SENSORS if sensor in images.values() or sensor in spec.fields)
        known: dict[str, Any] = {"sensors": sensors, "device": device}
        if images:
            known["resolution"] = spec.fields[next(iter(images))].shape[:2]
        return EnvConfig.from_kwargs({**known, **self.task()})

    def task(self) -> dict[str, Any]:
        """Settings of the environment that an evaluation must keep, by name."""
        kept = (*VIEW_FIELDS, *TASK_FIELDS)
        return {name: value for name, value in self._settings().items() if name in kept}

    @property
    def task_name(self) -> str:
        """What is asked of the agent, a key of ``TASKS``."""
        return str(self._settings().get("task", "pointnav"))

    def make_rows(self, num_envs: int, config: EnvConfig) -> BatchPointNavEnv:
        """Environments of the task."""
        return TASKS[self.task_name](num_envs, config)

    @property
    def knows_environment(self) -> bool:
        """Whether the file or its run's folder says what it was trained in."""
        return bool(self._settings())

    def _settings(self) -> Mapping[str, Any]:
        """Those of the environment, as the file or its run's folder has them."""
        stored = self.path.parent.parent / "config.json"
        settings: Mapping[str, Any] = self.content.get("env") or {}
        if not settings and stored.is_file():
            settings = read_json(stored).get("env", {})
        return settings

    def record(self) -> dict[str, Any]:
        """How far it was trained, by which settings, and how it was chosen, for a result."""
        progress, config = self.content["progress"], self.content["config"]
        text = json.dumps(config, sort_keys=True, default=str)
        found = {
            "path": "pretrained" if self.path.parent == FOLDER else str(self.path),
            "sha256": hashlib.sha256(self.path.read_bytes()).hexdigest(),
            "frames": progress["frames"],
            "updates": progress["updates"],
            "config_sha256": hashlib.sha256(text.encode()).hexdigest(),
        }
        if self.path.name == "best.pt" or self.content.get("chosen_by"):
            by = self.content.get("chosen_by") or progress.get("best_by", "training")
            found["chosen"] = {"by": by, "metric": config["best_metric"], "value": progress["best"]}
        return found


def policy_contestants(
    trained: Trained, env: EnvConfig, modes: Sequence[str], *, name: str, label: str, device: str, seed: int
) -> list[Contestant]:
    """A policy, once for each way of taking its actions.

    Args:
        trained: Its checkpoint.
        env: Environment of the evaluation with the sensors that it was trained with.
        modes: "sampled", "greedy" or both; the first one gets the plain name.
        name: Key in the result.
        label: Name for people.
        device: Torch device.
        seed: Of its choices.
    """
    policy = load_policy(trained.path, device).policy
    return [
        Contestant(
            name=name if number == 0 else f"{name}-{mode}",
            label=f"{label}, {mode}",
            make_agent=lambda _: PolicyAgent(policy, seed),
            env=env,
            actions=mode,
        )
        for number, mode in enumerate(modes)
    ]


def baselines(config: EnvConfig, seed: int, task: str = "pointnav") -> list[Contestant]:
    """The straight walker, the random agent, and the expert, which no agent can be expected to beat.

    The straight walker walks at a goal that it is told, so it has no part in other tasks than PointNav. Their
    goal may be a picture, which has to be drawn for the others too.
    """
    walker = StraightWalker(config.success_distance, config.turn_angle_deg)
    env = None if task == "pointnav" else config
    straight = Contestant(name="straight", label="straight walker", make_agent=lambda _: walker)
    return [
        *([straight] if task == "pointnav" else ()),
        Contestant(name="random", label="random agent", make_agent=lambda _: RandomAgent(4, seed), env=env),
        Contestant(name="expert", label="expert", make_agent=Expert, env=env),
    ]


def rival(text: str) -> tuple[str, Path]:
    """``NAME=CHECKPOINT`` in two parts; raises ``ConfigError`` where it is none."""
    name, equals, path = text.partition("=")
    if not (name and equals and path):
        raise ConfigError(
            f"--versus {text!r} is not allowed; expected NAME=CHECKPOINT, e.g. blind=runs/blind"
        )
    return name, Path(path)


def same_task(name: str, theirs: EnvConfig, ours: EnvConfig) -> None:
    """Refuses to compare policies of two tasks, with a ``ConfigError``."""
    for key in TASK_FIELDS:
        if getattr(theirs, key) != getattr(ours, key):
            raise ConfigError(
                f"--versus {name} was trained for another task: its {key} is {getattr(theirs, key)!r}, "
                f"not {getattr(ours, key)!r}; compare it with a policy of its own task"
            )


class Expert:
    """Follows the shortest way, which it knows from the environment.

    Args:
        envs: The environment that it will act in.
    """

    def __init__(self, envs: BatchPointNavEnv) -> None:
        self._envs = envs

    def act(self, obs: Any, state: Any, episode_start: Any, *, deterministic: bool = True) -> Any:
        """See ``gym_batchnav.rl.Agent.act``; it looks at nothing but the environment."""
        return np.asarray(self._envs.expert_actions()), None


def untrained(
    config: TrainConfig, env: EnvConfig, make_rows: MakeRows = BatchPointNavEnv
) -> Callable[[BatchPointNavEnv], Agent]:
    """Makes the policy as it was before the first update of a run with this configuration."""
    policy = initial_policy(config, env, make_rows)
    return lambda _: PolicyAgent(policy, config.seed)


def initial_policy(
    config: TrainConfig, env: EnvConfig, make_rows: MakeRows = BatchPointNavEnv
) -> ActorCritic:
    """The network of a run before its first update."""
    probe = make_rows(1, env)
    try:
        spec = env_spec(probe.single_observation_space, probe.single_action_space)
    finally:
        probe.close()
    with torch.random.fork_rng():
        seed_global(derive_seed(config.seed, 0))
        return ActorCritic(config.policy, spec).to(config.device)
