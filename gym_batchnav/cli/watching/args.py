"""Arguments of ``batchnav play`` and ``batchnav record``; the texts under the fields are their help."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro

from ..args import (
    DeviceOrNone,
    Flag,
    IntOrNone,
    PathOrNone,
    ScenesOrNone,
    SensorsOrNone,
    Settings,
)

Task = Literal["pointnav", "imagenav", "objectnav", "flee", "explore"]
TaskOrNone = Annotated[
    Task | None,
    tyro.conf.arg(metavar="{pointnav,imagenav,objectnav,flee,explore}", help_behavior_hint=""),
]
Backend = Literal["auto", "gl", "gl-raycast", "embree"]
KeysOrNone = Annotated[str | None, tyro.conf.arg(metavar="KEYS", help_behavior_hint="")]
Scenes = Annotated[
    tyro.conf.Positional[tuple[str, ...]], tyro.conf.arg(metavar="[SCENE ...]", help_behavior_hint="")
]
Checkpoint = Annotated[tyro.conf.Positional[Path | None], tyro.conf.arg(help_behavior_hint="")]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayArgs:
    """Walk through a scene with the keyboard, or watch an agent, in a window.

    Keys: W or up forward, A and D or left and right turn, space stop, N next episode, R the same one again,
    P pause, . a single step, + and - speed, H help, Q quit. Without a display, --record writes a film of what
    --keys or an agent do.
    """

    scene: Scenes = ()
    """What to walk through: a scene file, houses:val (the default) and the like; another one each episode."""
    scenes: ScenesOrNone = None
    """The same as a flag, as in the other commands."""
    navmesh: PathOrNone = None
    """Navigation mesh of a single scene file; default: the file x.navmesh beside x.glb."""
    policy: PathOrNone = None
    """Watch the policy of this checkpoint, or of a run's folder, instead of walking."""
    pretrained: Flag = False
    """Watch the policy that comes with the package."""
    expert: Flag = False
    """Watch an agent that knows the shortest way."""
    greedy: Flag = False
    """Of a policy, take the most likely actions instead of sampling."""
    task: TaskOrNone = None
    """What is asked of the agent; default: that of the policy, else pointnav."""
    sensors: SensorsOrNone = None
    """Images that the agent sees; default: those of the policy, else depth. The view is in colour anyway."""
    resolution: IntOrNone = None
    """Height and width of what the agent sees, pixels; default: as the policy needs it, else 256."""
    env: Settings = ()
    """Change any field of the environment, e.g. hfov_deg=70 actions=velocity; a wrong name lists the known
    ones."""
    seed: int = 0
    """Seed of the episodes and of the policy's choices."""
    size: int = 360
    """Height of the view on the screen or in the film, pixels."""
    fps: float = 10.0
    """Actions a second."""
    record: PathOrNone = None
    """Write what is seen to this file, .mp4 or .gif, instead of opening a window."""
    keys: KeysOrNone = None
    """For --record: the keys to press, one a step, e.g. wwwaad; _ is stop. Without them an agent walks one
    episode."""
    device: DeviceOrNone = None
    """Where to render and act: cpu, cuda:0; default: cuda:0 if there is one, else cpu."""
    backend: Backend = "auto"
    """What renders: gl, gl-raycast, or embree on the CPU; auto takes the fastest for the device."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordArgs:
    """Film an agent: what it sees, the map beside it, and how it fares.

    The episodes are those of 'batchnav eval' with as many episodes and the same seed. The policy gets the
    observations that it was trained with; the view in colour is for people.
    """

    checkpoint: Checkpoint = None
    """Checkpoint file, or the folder of a run (its newest checkpoint is taken)."""
    best: Flag = False
    """Of a run's folder, take the checkpoint that was the best in its validations."""
    pretrained: Flag = False
    """Film the policy that comes with the package; no checkpoint is given then."""
    expert: Flag = False
    """Film an agent that knows the shortest way; no checkpoint is given then."""
    greedy: Flag = False
    """Take the most likely actions instead of sampling from the policy."""
    episodes: Annotated[int, tyro.conf.arg(aliases=["-n"])] = 8
    """Number of episodes."""
    output: Annotated[Path, tyro.conf.arg(aliases=["-o"], metavar="PATH")] = Path("films")
    """A folder for a file of each episode, or a single file, .mp4 or .gif, for all, one after the other."""
    mosaic: Flag = False
    """All episodes side by side at the same time, in one file."""
    format: Literal["mp4", "gif"] = "mp4"
    """Of the files in a folder."""
    scenes: tuple[str, ...] = ("houses:val",)
    """Scenes to film in."""
    navmesh: PathOrNone = None
    """Navigation mesh of a single scene file; default: the file x.navmesh beside x.glb."""
    env: Settings = ()
    """Change any field of the environment, e.g. max_episode_steps=200."""
    seed: int = 7
    """Seed of the episodes and of the policy's choices."""
    size: IntOrNone = None
    """Height of the views, pixels; default: 320, in a mosaic what fits into 1600 x 900, at most 320."""
    fps: float = 10.0
    """Pictures a second."""
    every: int = 1
    """Show every so many steps only, which makes films shorter and files smaller."""
    hold: float = 1.5
    """Seconds for which the end of each episode stands."""
    colors: int = 128
    """Of a .gif: fewer make the file smaller."""
    device: DeviceOrNone = None
    """Where to render and act: cpu, cuda:0; default: cuda:0 if there is one, else cpu."""
    backend: Backend = "auto"
    """What renders: gl, gl-raycast, or embree on the CPU; auto takes the fastest for the device."""
