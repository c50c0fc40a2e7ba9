"""Arguments of the subcommands; the texts under the fields are their help."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro

Sensor = Literal["depth", "rgb"]
BenchSensor = Literal["depth", "rgb", "semantic", "normals"]
Flag = tyro.conf.FlagCreatePairsOff[bool]
PathOrNone = Annotated[Path | None, tyro.conf.arg(metavar="PATH", help_behavior_hint="")]
DeviceOrNone = Annotated[str | None, tyro.conf.arg(metavar="DEVICE", help_behavior_hint="")]
IntOrNone = Annotated[int | None, tyro.conf.arg(metavar="INT", help_behavior_hint="")]


def whole_number(text: str) -> int:
    """``10000000``, ``10_000_000`` or ``1e7``.

    Raises:
        ValueError: ``text`` is no whole number.
    """
    with suppress(ValueError):
        return int(text)
    with suppress(ValueError, OverflowError):
        number = float(text)
        if number == int(number):
            return int(number)
    raise ValueError(f"expected a whole number such as 10000000 or 1e7, found {text}")


FramesOrNone = Annotated[
    int | None,
    tyro.constructors.PrimitiveConstructorSpec(
        nargs=1,
        metavar="INT",
        instance_from_str=lambda texts: whole_number(texts[0]),
        is_instance=lambda value: value is None or isinstance(value, int),
        str_from_instance=lambda value: [str(value)],
    ),
    tyro.conf.arg(help_behavior_hint=""),
]
Settings = Annotated[
    tyro.conf.UseAppendAction[tuple[str, ...]],
    tyro.conf.arg(metavar="KEY=VALUE", help_behavior_hint="(repeatable)"),
]
Rivals = Annotated[
    tyro.conf.UseAppendAction[tuple[str, ...]],
    tyro.conf.arg(metavar="NAME=CHECKPOINT", help_behavior_hint="(repeatable)"),
]
Names = Annotated[tuple[str, ...], tyro.conf.arg(metavar="NAME[,NAME]", help_behavior_hint="")]
Peers = Annotated[tuple[str, ...], tyro.conf.arg(metavar="NAME=PATH", help_behavior_hint="")]
ScenesOrNone = Annotated[tuple[str, ...] | None, tyro.conf.arg(metavar="SCENES", help_behavior_hint="")]
SensorsOrNone = Annotated[
    tuple[Sensor | Literal["none"], ...] | None,
    tyro.conf.arg(metavar="{depth,rgb} ...|none", help_behavior_hint=""),
]
PresetName = Literal["quick", "cpu", "bps-depth", "bps-rgb", "ddppo"]
PresetOrNone = Annotated[
    PresetName | None,
    tyro.conf.arg(metavar="{quick,cpu,bps-depth,bps-rgb,ddppo}", help_behavior_hint=""),
]
TaskOrNone = Annotated[
    Literal["pointnav", "imagenav", "objectnav"] | None,
    tyro.conf.arg(metavar="{pointnav,imagenav,objectnav}", help_behavior_hint=""),
]
EnvPresetOrNone = Annotated[
    Literal["habitat", "bps", "realistic"] | None,
    tyro.conf.arg(metavar="{habitat,bps,realistic}", help_behavior_hint=""),
]
ProjectOrNone = Annotated[str | None, tyro.conf.arg(metavar="PROJECT", help_behavior_hint="")]
MinutesOrNone = Annotated[float | None, tyro.conf.arg(metavar="MINUTES", help_behavior_hint="")]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainArgs:
    """Train an agent, evaluate it on episodes it has never seen, and write a report.

    The evaluation runs the trained policy, the same policy before training, an agent that walks straight at
    the goal, and a random agent on the same episodes. A run that was interrupted goes on when the same
    command is given again; one that is finished only prints its result.
    """

    config: PathOrNone = None
    """A plan of a run as YAML, such as the run.yaml of another run's folder; other flags go over it."""
    scenes: ScenesOrNone = None
    """Scenes to train on, one or several: houses:train (the default), a slice like houses:train[:32], .glb or
    .gltf files, folders."""
    navmesh: PathOrNone = None
    """Navigation mesh of a single scene file; default: the file x.navmesh beside x.glb."""
    val_scenes: ScenesOrNone = None
    """Scenes to evaluate on; default: houses:val for built-in houses, else the training scenes with other
    episodes."""
    preset: PresetOrNone = None
    """Kind of run: quick (the default) takes about 12 minutes on 2 cores; cpu makes a good agent in hours on
    a laptop; bps-depth and bps-rgb are those of Shacklett et al. 2021, ddppo that of Wijmans et al. 2019,
    for GPUs. Each says what it does and how long that takes."""
    task: TaskOrNone = None
    """What is asked of the agent; default: pointnav."""
    env_preset: EnvPresetOrNone = None
    """Rules of the task: habitat, bps or realistic; default: by preset."""
    frames: FramesOrNone = None
    """Stop training after this many frames (actions, summed over all environments); default: by preset."""
    time_limit: MinutesOrNone = None
    """Stop training after this many minutes; default: by preset."""
    num_envs: IntOrNone = None
    """Environments that run side by side, on each rank where there are several; default: by preset."""
    sensors: SensorsOrNone = None
    """Images that the agent sees; none makes it blind. Default: by preset."""
    resolution: IntOrNone = None
    """Height and width of the images in pixels; default: by preset."""
    seed: IntOrNone = None
    """Seed of weights, actions and episodes; default: 0."""
    device: DeviceOrNone = None
    """Where to render and learn: cpu, cuda:0; default: cuda:0 if there is one, else cpu."""
    run_dir: PathOrNone = None
    """Folder of the run; default: runs/<preset> for the built-in houses, runs/<preset>-<scene> for others,
    runs/<name> for --config name.yaml."""
    eval_episodes: IntOrNone = None
    """Episodes of the evaluation; default: by preset."""
    eval_seed: IntOrNone = None
    """Seed of the evaluation's episodes; default: 7."""
    validation_episodes: IntOrNone = None
    """Episodes of each validation during the training, where the preset or --set validate_every_frames=FRAMES
    asks for any; they choose the best checkpoint. Default: 200."""
    greedy: Flag = False
    """Evaluate and validate with the most likely action instead of sampling from the policy."""
    set: Settings = ()
    """Change any setting of the learner, e.g. ppo.learning_rate=5e-4 policy.hidden=512; a wrong key lists the
    known ones."""
    env: Settings = ()
    """Change any field of the environment, for training and evaluation, e.g. hfov_deg=70
    num_resident_scenes=8; a wrong name lists the known ones."""
    wandb: ProjectOrNone = None
    """Log to this project of Weights & Biases too (pip install wandb); a resumed run goes on
    there."""
    resume: Flag = False
    """Go on with the run in the folder even if --frames or --time-limit are others than before."""
    fresh: Flag = False
    """Start anew; what is in the folder is kept beside it under another name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalArgs:
    """Evaluate a checkpoint on a fixed set of episodes, beside agents to compare it with.

    Every agent walks the same episodes: the policy with sampled and with most likely actions, a straight
    walker, a random agent, an expert that knows the shortest way, and the policies given by --versus. From
    ten scenes on, the intervals come from resampling whole scenes, and so speak of scenes like these.
    """

    checkpoint: Annotated[
        tyro.conf.Positional[Path | None], tyro.conf.arg(metavar="CHECKPOINT", help_behavior_hint="")
    ] = None
    """Checkpoint file, or the folder of a run (its newest checkpoint is taken)."""
    best: Flag = False
    """Of a run's folder, take the checkpoint that was the best in its validations."""
    pretrained: Flag = False
    """Evaluate the policy that comes with the package; no checkpoint is given then."""
    versus: Rivals = ()
    """Another policy to compare with, e.g. blind=runs/blind; it may have other sensors."""
    scenes: tuple[str, ...] = ("houses:val",)
    """Scenes to evaluate on."""
    navmesh: PathOrNone = None
    """Navigation mesh of a single scene file; default: the file x.navmesh beside x.glb."""
    episodes: int = 200
    """Number of episodes, spread evenly over the scenes."""
    episode_file: PathOrNone = None
    """Habitat PointNav episodes (.json.gz) to evaluate on instead of sampled ones."""
    seed: int = 7
    """Seed of the sampled episodes and of the agents' choices."""
    num_envs: IntOrNone = None
    """Environments that run side by side; default: up to 64 where a CPU draws, else up to 256."""
    greedy: Flag = False
    """Only take the most likely actions; default: both ways, one after the other."""
    sampled: Flag = False
    """Only sample actions from the policy, as in training."""
    baselines: bool = True
    """Whether to evaluate the straight walker, the random agent and the expert too."""
    json: PathOrNone = None
    """Write the result here: metrics of every agent with 95% intervals, paired differences, results by
    distance and by ratio, and how it was made."""
    episodes_json: PathOrNone = None
    """Write every episode of every agent here, a JSON line each."""
    report: PathOrNone = None
    """Write report.html into this folder; default: eval-<checkpoint> beside the checkpoint."""
    device: DeviceOrNone = None
    """Where to render and act: cpu, cuda:0; default: cuda:0 if there is one, else cpu."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportArgs:
    """Write the policy of a checkpoint as a small file that can act and be evaluated, but not be trained on.

    A card beside it, of the same name but .json, says how it was made.
    """

    checkpoint: tyro.conf.Positional[Path]
    """Checkpoint file, or the folder of a run (its newest checkpoint is taken)."""
    output: Annotated[Path, tyro.conf.arg(aliases=["-o"])]
    """The file to write, .pt."""
    best: Flag = False
    """Of a run's folder, take the checkpoint that was the best in its validations."""
    dtype: Literal["float16", "float32"] = "float16"
    """Numbers in the file; policies act in float32 with them."""
    result: PathOrNone = None
    """What 'batchnav eval FILE --json' wrote about the exported file: its figures go into the card."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodesArgs:
    """Sample PointNav episodes, say how long and how winding they are, and write them in Habitat's format.

    These are the episodes that environments with episodes=EpisodeSet(count, seed) walk. An agent that knows
    the shortest way walks them too: no other can be expected to do better.
    """

    scenes: tuple[str, ...] = ("houses:val",)
    """Scenes to sample in."""
    navmesh: PathOrNone = None
    """Navigation mesh of a single scene file; default: the file x.navmesh beside x.glb."""
    count: int = 1000
    """Number of episodes, spread evenly over the scenes."""
    seed: int = 7
    """Seed of the set."""
    allow_stairs: Flag = False
    """Whether start and goal may lie on different storeys."""
    output: Annotated[PathOrNone, tyro.conf.arg(aliases=["-o"])] = None
    """Write the episodes here, as Habitat's PointNav .json.gz."""
    json: PathOrNone = None
    """Write the figures here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchArgs:
    """Measure the speed of rendering, stepping, training or starting; prints frames/s and each stage's time.

    The figure is the median of five windows after a warm-up. render draws random views from the walkable
    ground of the resident scenes; step acts with forward 0.6, left 0.2, right 0.2, resets included;
    train runs the bundled learner as a preset does, rollouts and updates together. start measures
    the seconds from make_vec to the first observations in fresh processes, five times with an empty cache of
    scenes and five times with a full one.
    """

    what: tyro.conf.Positional[Literal["render", "step", "train", "start"]]
    """What to measure."""
    scenes: tuple[str, ...] = ("houses:train",)
    """Scenes to measure on."""
    navmesh: PathOrNone = None
    """Navigation mesh of a single scene file; default: the file x.navmesh beside x.glb."""
    num_envs: int = 256
    """Environments (views) per batch."""
    num_resident_scenes: IntOrNone = None
    """Scenes held at once; default: 16, or as many as there are."""
    resolution: int = 64
    """Height and width of the images in pixels."""
    sensors: tuple[BenchSensor, ...] = ("depth",)
    """Images to draw."""
    subdivide: int = 1
    """For bench render: cut every edge of the scenes into this many pieces, and so every triangle into its
    square; 4 makes 2.3 million triangles of 146,000."""
    swap_every: int = 0
    """For bench render: then also time single batches while a scene is added and another removed every so
    many of them; 0 leaves that out."""
    compare: Names = ()
    """What else to measure in the same run, between our windows. In bench render: embreex, mujoco, pyrender
    (same scenes and views), miniworld, vizdoom (scenes of their own); in bench step: sync, async (Gymnasium's
    vectors of single environments); in bench train: sb3, sb3-recurrent (PPO of Stable-Baselines3 and of
    sb3-contrib, each against ours with its network), overlap (ours in two halves), act-threads (ours acting
    on all cores); all for those that are installed."""
    peer_python: Peers = ()
    """Interpreter of an environment that a peer is installed in, e.g. miniworld=/path/to/bin/python."""
    seconds: float = 20.0
    """Seconds to measure, all five windows together, and as many for each peer; warm-up and loading come on
    top."""
    seed: int = 0
    """Seed of scenes, episodes and actions."""
    preset: PresetName = "quick"
    """For bench train: the kind of run, as in batchnav train."""
    set: Settings = ()
    """Change a setting of the learner for bench train, e.g. ppo.rollout_length=32."""
    device: DeviceOrNone = None
    """Where to render and learn: cpu, cuda:0; default: cuda:0 if there is one, else cpu."""
    backend: Literal["auto", "gl", "gl-raycast", "embree", "constant"] = "auto"
    """What renders: gl on a GPU or in software, gl-raycast on a GPU without raster hardware, embree on the
    CPU; auto takes the fastest for the device. For bench step and train also constant: all images are one
    that is made beforehand, which leaves the simulator."""
    json: PathOrNone = None
    """Write the whole record here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorArgs:
    """Say what this machine draws with and how fast, what is wrong with it, and how to fix that.

    Draws a known picture with every backend, each in a process of its own, and measures a second of each.
    The exit status is 0 where one of them draws it right, else 1. A bug report should hold what --json
    writes; names of the user, of the machine and of the home folder are not in it.
    """

    device: DeviceOrNone = None
    """Where to draw: cpu, cuda:0; default: cuda:0 if there is one, else cpu."""
    no_speed: Flag = False
    """Measure no speed."""
    json: PathOrNone = None
    """Write all findings here; - prints them instead of the page."""
