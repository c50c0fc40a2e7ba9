"""Gymnasium's vector wrappers around our environment: how each is put on, and in which modes it works.

``python -m tests.conformance.vector_wrappers`` prints the table of docs/wrappers.md.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import TransformAction, TransformObservation, TransformReward
from gymnasium.wrappers import vector as wrappers

NEXT, SAME, DISABLED = AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED
MODES = {"NextStep": NEXT, "SameStep": SAME, "Disabled": DISABLED}
SIZE = 32
VELOCITY = {"actions": "velocity"}


@dataclass(frozen=True)
class Case:
    """One wrapper."""

    name: str
    wrap: Callable[[Any, str], Any]
    """Puts it on an environment; the second argument is a folder for files."""
    on: str = "all observations"
    """What it was put on, as the table says it."""
    options: dict[str, Any] = field(default_factory=dict)
    """Of the environment."""
    refused: dict[AutoresetMode, tuple[type[Exception], str, str]] = field(default_factory=dict)
    """Modes in which it cannot be used: the error, a part of its message, and the reason for the table."""
    limits: dict[AutoresetMode, str] = field(default_factory=dict)
    """What it leaves out in a mode, as the table says it."""
    needs: str | None = None
    """The module that it imports."""


def picture(env: Any, key: str = "rgb") -> Any:
    """The environment with one image as its whole observation, ``final_obs`` too."""
    return wrappers.VectorizeTransformObservation(
        env, TransformObservation, func=lambda seen: seen[key],
        observation_space=env.single_observation_space[key],
    )  # fmt: skip


def _flat(env: Any) -> Any:
    return wrappers.FlattenObservation(wrappers.FilterObservation(env, ["pointgoal"]))


def _nearer(seen: dict[str, Any]) -> dict[str, Any]:
    return {**seen, "pointgoal": seen["pointgoal"] / 2}


def _arrays(env: Any, _: str) -> Any:
    import array_api_compat.torch as xp_torch

    return wrappers.ArrayConversion(env, env_xp=np, target_xp=xp_torch)


JAX = dict.fromkeys(MODES.values(), (ImportError, "jax", "for environments that run in JAX"))
TORCH_ARRAYS = {SAME: (BufferError, "DLPack", 'it cannot convert `final_obs`; use `output="torch"`')}
NOT_SAME = {SAME: (ValueError, "to be NEXT_STEP or DISABLED", "it refuses this mode")}
NEXT_ONLY = {**NOT_SAME, DISABLED: (ValueError, "to be AutoresetMode.NEXT_STEP", "it refuses this mode")}
BOX_ACTIONS = '`actions="velocity"`'


def of_image(name: str, key: str, *given: Any, needs: str | None = None) -> Case:
    """A wrapper of observations that are one image."""

    def wrap(env: Any, _: str) -> Any:
        return getattr(wrappers, name)(picture(env, key), *given)

    return Case(name, wrap, "one image", refused=NOT_SAME, needs=needs)


CASES = (
    Case("ArrayConversion", _arrays, needs="array_api_compat", refused=TORCH_ARRAYS),
    Case("ClipAction", lambda env, _: wrappers.ClipAction(env), BOX_ACTIONS, VELOCITY),
    Case("ClipReward", lambda env, _: wrappers.ClipReward(env, -1.0, 1.0)),
    Case("DictInfoToList", lambda env, _: wrappers.DictInfoToList(env)),
    of_image("DtypeObservation", "rgb", np.float64),
    Case(
        "FilterObservation",
        lambda env, _: wrappers.FilterObservation(env, ["depth", "pointgoal"]),
        refused=NOT_SAME,
    ),
    Case("FlattenObservation", lambda env, _: wrappers.FlattenObservation(env), refused=NOT_SAME),
    of_image("GrayscaleObservation", "rgb"),
    Case("HumanRendering", lambda env, _: wrappers.HumanRendering(env), needs="pygame"),
    Case("JaxToNumpy", lambda env, _: wrappers.JaxToNumpy(env), refused=JAX),
    Case("JaxToTorch", lambda env, _: wrappers.JaxToTorch(env), refused=JAX),
    Case(
        "NormalizeObservation",
        lambda env, _: wrappers.NormalizeObservation(_flat(env)),
        "the flattened goal",
        refused=NEXT_ONLY,
    ),
    Case("NormalizeReward", lambda env, _: wrappers.NormalizeReward(env)),
    Case(
        "NumpyToTorch",
        lambda env, _: wrappers.NumpyToTorch(env),
        needs="array_api_compat",
        refused=TORCH_ARRAYS,
    ),
    Case("RecordEpisodeStatistics", lambda env, _: wrappers.RecordEpisodeStatistics(env)),
    Case(
        "RecordVideo",
        lambda env, folder: wrappers.RecordVideo(env, folder, episode_trigger=lambda number: number == 0),
        needs="moviepy",
        limits={SAME: "yes, without the last frame of each episode"},
    ),
    Case("RescaleAction", lambda env, _: wrappers.RescaleAction(env, -2.0, 2.0), BOX_ACTIONS, VELOCITY),
    of_image("RescaleObservation", "depth", -1.0, 1.0),
    of_image("ReshapeObservation", "rgb", (SIZE * SIZE, 3)),
    of_image("ResizeObservation", "rgb", (8, 8), needs="cv2"),
    Case("TransformAction", lambda env, _: wrappers.TransformAction(env, lambda actions: actions)),
    Case(
        "TransformObservation",
        lambda env, _: wrappers.TransformObservation(
            env, lambda seen: seen["rgb"], single_observation_space=env.single_observation_space["rgb"]
        ),
        refused=NOT_SAME,
    ),
    Case("TransformReward", lambda env, _: wrappers.TransformReward(env, lambda rewards: 2 * rewards)),
    Case(
        "VectorizeTransformAction",
        lambda env, _: wrappers.VectorizeTransformAction(
            env, TransformAction, func=lambda action: action, action_space=env.single_action_space
        ),
    ),
    Case(
        "VectorizeTransformObservation",
        lambda env, _: wrappers.VectorizeTransformObservation(
            env, TransformObservation, func=_nearer, observation_space=env.single_observation_space
        ),
        refused=NOT_SAME,
    ),
    Case(
        "VectorizeTransformReward",
        lambda env, _: wrappers.VectorizeTransformReward(
            env, TransformReward, func=lambda reward: 2 * reward
        ),
    ),
)


def table() -> str:
    """Wrappers and modes in Markdown."""
    lines = [f"| wrapper | put on | {' | '.join(MODES)} |", "| --- | --- | --- | --- | --- |"]
    for case in CASES:
        cells = []
        for mode in MODES.values():
            if mode in case.refused:
                cells.append(f"no: {case.refused[mode][2]}")
            else:
                cells.append(case.limits.get(mode, "yes"))
        needs = f" (with {NAMES.get(case.needs, case.needs)})" if case.needs else ""
        lines.append(f"| {case.name}{needs} | {case.on} | {' | '.join(cells)} |")
    return "\n".join(lines)


NAMES = {"array_api_compat": "array-api-compat", "cv2": "opencv-python"}


def drive(env: Any, mode: AutoresetMode, steps: int = 9) -> list[Any]:
    """Act at random, reset what is over where autoreset is disabled; what each call returned."""
    env.action_space.seed(0)
    returned = [env.reset(seed=3)]
    for _ in range(steps):
        returned.append(env.step(env.action_space.sample()))
        done = np.asarray(returned[-1][2]) | np.asarray(returned[-1][3])
        if mode == DISABLED and done.any():
            returned.append(env.reset(options={"reset_mask": done}))
    return returned


if __name__ == "__main__":
    sys.stdout.write(table() + "\n")
