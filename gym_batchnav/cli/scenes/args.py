"""Arguments of ``batchnav scenes COMMAND``; the texts under the fields are their help."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import tyro

from ...scenes.houses import HouseConfig
from ..args import Flag, IntOrNone, PathOrNone, Settings

Paths = tyro.conf.Positional[Annotated[tuple[str, ...], tyro.conf.arg(metavar="PATH [PATH ...]")]]
DaysOrNone = Annotated[float | None, tyro.conf.arg(metavar="DAYS", help_behavior_hint="")]
GibOrNone = Annotated[float | None, tyro.conf.arg(metavar="GIB", help_behavior_hint="")]
UpOrNone = Annotated[
    Literal["x", "y", "z"] | None, tyro.conf.arg(metavar="{x,y,z}", help_behavior_hint="(default: y)")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """The agent that ground is baked for; the defaults are Habitat's."""

    agent_radius: float = 0.1
    """Distance that the agent's middle keeps from walls, metres."""
    agent_height: float = 1.5
    """Least clearance over the ground, metres."""
    agent_max_climb: float = 0.2
    """Highest step, metres."""
    agent_max_slope: float = 45.0
    """Steepest ground, degrees."""
    cell_size: float = 0.05
    """Edge of a cell of the grid that the ground is baked on, metres."""
    cell_height: float = 0.2
    """Height of a cell, metres."""
    set: Settings = ()
    """Any other setting of the bake, e.g. region_min_size=10; a wrong key lists the known ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """How scene files are read."""

    up: UpOrNone = None
    """Axis of the files that points up; default: what the file says, else y."""
    scale: float = 1.0
    """Metres for each unit of the files: 0.001 for millimetres."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckArgs:
    """Say what scenes hold, how they lie, where one can walk, and what is wrong with them; draw a preview.

    A scene that cannot be used is named with the reason, and the others go on; the exit status is then 1.
    """

    paths: Paths
    """Anything that scenes= takes: scene files, folders, houses:val[:3], configurations of data sets."""
    navmesh: PathOrNone = None
    """Navigation mesh of a single scene file; default: x.navmesh beside x.glb, else the ground is baked."""
    bake: Flag = False
    """Bake the ground even where there is a navigation mesh."""
    preview: Path = Path("scene-previews")
    """Folder for a picture of each scene: views at eye level, and the walkable ground from above."""
    no_preview: Flag = False
    """Draw no pictures."""
    workers: IntOrNone = None
    """Processes that look at scenes side by side; default: one a core, 4 at most, for more than 3 scenes."""
    json: PathOrNone = None
    """Write all findings here."""
    file: tyro.conf.OmitArgPrefixes[File] = field(default_factory=File)
    agent: tyro.conf.OmitArgPrefixes[Agent] = field(default_factory=Agent)


@dataclass(frozen=True, slots=True, kw_only=True)
class BakeArgs:
    """Bake the walkable ground of scenes into x.navmesh beside x.glb, in Habitat's format."""

    paths: Paths
    """Scene files, folders, configurations of data sets."""
    output: Annotated[PathOrNone, tyro.conf.arg(aliases=["-o"])] = None
    """Folder to write into; default: beside each scene. For a single scene also a file x.navmesh."""
    force: Flag = False
    """Overwrite navigation meshes that are there."""
    file: tyro.conf.OmitArgPrefixes[File] = field(default_factory=File)
    agent: tyro.conf.OmitArgPrefixes[Agent] = field(default_factory=Agent)


@dataclass(frozen=True, slots=True, kw_only=True)
class HousesArgs:
    """Make built-in houses, by split or by seed: figures, a picture sheet, files for other programs."""

    houses: tyro.conf.Positional[Annotated[tuple[str, ...], tyro.conf.arg(metavar="HOUSES")]] = ()
    """Houses of the published sets, such as houses:val[:12]; default: those of --seeds."""
    seeds: tuple[int, ...] = ()
    """Seeds of houses to make with the options below; default without HOUSES: 0 to 11."""
    sheet: PathOrNone = None
    """Write a picture sheet (.png) here: of each house views at eye level, and its storeys from above."""
    export: PathOrNone = None
    """Write each house as x.glb and x.navmesh into this folder."""
    json: PathOrNone = None
    """Write the figures here."""
    config: tyro.conf.OmitArgPrefixes[HouseConfig] = field(default_factory=HouseConfig)


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheArgs:
    """Say what is kept on disk of scenes that were loaded before, so that they load fast; clear it.

    It lies in the user's cache folder, or where BATCHNAV_CACHE says (a folder, or off), and takes 4 GiB at
    most, or BATCHNAV_CACHE_GIB. Clearing is safe while environments run.
    """

    clear: Flag = False
    """Delete all of it."""
    older_than: DaysOrNone = None
    """Delete what was not used for so many days."""
    down_to: GibOrNone = None
    """Delete what was not used for longest until the rest takes no more than this."""
    json: PathOrNone = None
    """Write what is there, and what was deleted, here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeArgs:
    """Print how to get a data set of scenes into this library, with its licence."""

    name: tyro.conf.Positional[Annotated[str, tyro.conf.arg(metavar="NAME", help_behavior_hint="")]] = ""
    """Name of the data set; without it all are listed."""
    markdown: Flag = False
    """Print it as it stands in the documentation; all of them where no name is given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenesArgs:
    """Check scenes, bake their walkable ground, make houses, print recipes for data sets, tend the cache."""

    command: (
        Annotated[CheckArgs, tyro.conf.subcommand("check")]
        | Annotated[BakeArgs, tyro.conf.subcommand("bake")]
        | Annotated[HousesArgs, tyro.conf.subcommand("houses")]
        | Annotated[CacheArgs, tyro.conf.subcommand("cache")]
        | Annotated[RecipeArgs, tyro.conf.subcommand("recipe")]
    )
