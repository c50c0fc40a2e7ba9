"""``batchnav train``: train, evaluate, report; goes on where an earlier call stopped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from rich.console import Console

from ...envs.choosing import scene_refs
from ...errors import ConfigError
from ...rl import ProgressBar, TrainResult, read_log, train
from ...rl.distributed import World, find_launch, join_world, rank_device
from ..args import TrainArgs
from ..evaluation.contest import Contestant, Outcome, run_contest, write_episodes
from ..evaluation.contestants import Trained, baselines, initial_policy, policy_contestants, untrained
from ..evaluation.pages import report_data
from ..evaluation.protocol import evaluation_record
from ..machine import machine_facts
from ..report import write_report
from ..show import console, results_table
from .factories import env_factories
from .outlook import Forecast, outlook
from .plan import TrainPlan, plan_training
from .planfile import write_plan
from .ranks import describe, drawing_on, own_cores, rank_env
from .runs import RunDir, Stage, decide, read_json, set_aside, write_json
from .tracking import WandbLogger
from .validation import Validator

INTERRUPTED = 130
_TITLES = {
    "pointnav": "PointGoal navigation",
    "imagenav": "ImageGoal navigation",
    "objectnav": "ObjectGoal navigation",
}


def run_train(args: TrainArgs) -> int:
    """Do what is left to do for the run; returns the exit status."""
    if args.resume and args.fresh:
        raise ConfigError("--resume and --fresh exclude each other; give one of them")
    launch = find_launch()
    plan, out = plan_training(args), console(quiet=not launch.is_main, markup=False)
    # A wrong name must be said before anything is written.
    for config in (plan.env, plan.eval_env):
        scene_refs(config)
    run = RunDir(plan.run_dir)
    # So must a missing package.
    wanted = args.wandb if launch.is_main else None
    loggers = [WandbLogger(wanted, run.wandb, plan.record())] if wanted else []
    device = rank_device(launch, plan.learner.device)
    with ExitStack() as locked:
        with own_cores(launch, device), join_world(device, plan.learner.distributed, launch) as world:
            # Rank 0 alone looks after the folder; the others hear what is to be done.
            stage = world.broadcast(_begin(run, plan, args, out, locked) if launch.is_main else Stage.DONE)
            if stage in (Stage.TRAIN, Stage.RESUME) and not _train(run, plan, out, world, loggers):
                out.print("stopped; the same command goes on from here")
                return INTERRUPTED
        if launch.is_main:
            if stage is not Stage.DONE:
                try:
                    _evaluate(run, plan, out)
                except KeyboardInterrupt:
                    out.print("stopped in the evaluation; the same command evaluates again")
                    return INTERRUPTED
            _conclude(run, out, finished_before=stage is Stage.DONE)
    return 0


def _begin(run: RunDir, plan: TrainPlan, args: TrainArgs, out: Console, locked: ExitStack) -> Stage:
    """Lock the run's folder and find out what is left to do."""
    # Ranks that torchrun starts anew go on with the run that they have begun.
    if args.fresh and not find_launch().restart:
        with run.lock():  # a process that works there must not lose its folder
            old = set_aside(run.path)
        if old is not None:
            out.print(f"the earlier run is kept in {old}")
    locked.enter_context(run.lock())
    stage = decide(run, plan.record(), resume=args.resume)
    if stage is not Stage.DONE:
        run.begin({**plan.record(), "machine": machine_facts()})
        write_plan(run.plan, plan.sheet)
    return stage


def _train(run: RunDir, plan: TrainPlan, out: Console, world: World, loggers: Sequence[WandbLogger]) -> bool:
    """Train up to the budget; False where a signal stopped it."""
    launch, device = world.launch, rank_device(world.launch, plan.learner.device)
    if world.size > 1:
        out.print(describe(world, plan.num_envs, device))
    if launch.is_main:
        policy = initial_policy(plan.learner, plan.env, plan.make_rows)
        for line in outlook(plan, sum(p.numel() for p in policy.parameters())):
            out.print(line, soft_wrap=True)
        run.trained.unlink(missing_ok=True)
        run.report.unlink(missing_ok=True)
    config = rank_env(plan.env, plan.num_envs, launch, device)
    makers = env_factories(plan.num_envs, config, plan.learner.env_parts, plan.make_rows)
    progress = ProgressBar(out)
    validator = Validator(
        plan.val_env, plan.val_episodes, deterministic=plan.deterministic, make_rows=plan.make_rows
    )
    try:
        result = train(
            plan.learner,
            [drawing_on(device, launch, make) for make in makers],
            run.path,
            resume=run.checkpoints.is_dir(),
            callbacks=[progress, Forecast(out), *loggers],
            validate=validator,
            world=world,
            env_settings=plan.record()["env"],
        )
    finally:
        progress.close()
        validator.close()
        for logger in loggers:
            logger.close()
    if result.reason.startswith("SIG"):
        return False
    if launch.is_main:
        write_json(
            run.trained,
            {
                "frames": result.frames,
                "updates": result.updates,
                "seconds": result.elapsed_s,
                "reason": result.reason,
                "checkpoint": str(_chosen(result, plan).relative_to(run.path)),
            },
        )
    return True


def _chosen(result: TrainResult, plan: TrainPlan) -> Path:
    """The checkpoint that stands for the run: the best by validation, without validations the last."""
    validated = plan.learner.validate_every_frames is not None
    return (result.best_checkpoint if validated else None) or result.checkpoint


def _evaluate(run: RunDir, plan: TrainPlan, out: Console) -> None:
    """Evaluate all agents and write result and report."""
    trained = read_json(run.trained)
    config, seed = plan.eval_env, plan.learner.seed
    modes = ("greedy", "sampled") if plan.deterministic else ("sampled", "greedy")
    contestants = [
        *policy_contestants(
            Trained.read(run.path / trained["checkpoint"]), config, modes,
            name="trained", label="trained policy", device=plan.learner.device, seed=seed,
        ),
        *baselines(plan.eval_env, plan.learner.seed, plan.task),
        Contestant(
            name="untrained",
            label="before training",
            make_agent=untrained(plan.learner, plan.env, plan.make_rows),
            env=config,
            actions=modes[0],
        ),
    ]  # fmt: skip
    outcome = run_contest(contestants, config, plan.num_episodes, say=out.print, make_rows=plan.make_rows)
    result = _result(plan, trained, outcome)
    write_episodes(run.episodes, outcome.results)
    write_json(run.evaluation, result)
    data = report_data(
        outcome,
        config,
        title=_TITLES[plan.task],
        subtitle=f"trained on {_names(plan.env.scenes)}, evaluated on {_names(config.scenes)}",
        facts={
            "Frames seen": f"{trained['frames'] / 1e6:.2f} M",
            "Training time": f"{trained['seconds'] / 60:.1f} min",
            "Frames/s": f"{trained['frames'] / max(trained['seconds'], 1e-9):,.0f}",
        },
        tables={**_settings(plan), "Machine": result["machine"]},
        updates=read_log(run.path),
        validations=read_log(run.path, "validation"),
    )
    write_report(data, run.report)


def _result(plan: TrainPlan, trained: Mapping[str, Any], outcome: Outcome) -> dict[str, Any]:
    return {
        **evaluation_record(outcome, plan.eval_env),
        "scenes": list(plan.eval_env.scenes),
        "deterministic": plan.deterministic,
        "training": dict(trained),
    }


def _settings(plan: TrainPlan) -> dict[str, dict[str, Any]]:
    record = plan.record()
    return {"Environment": record["env"], "Learner": record["learner"], "Evaluation": record["evaluation"]}


def _conclude(run: RunDir, out: Console, *, finished_before: bool) -> None:
    """Print the result and where the report is."""
    result = read_json(run.evaluation)
    if finished_before:
        out.print("this run is finished; --fresh starts it anew, --run-dir another one")
    title = f"{result['episodes']} episodes on {_names(result['scenes'])}, 95% intervals"
    out.print(results_table(result["agents"], title))
    out.print(f"report: {run.report.resolve()}", soft_wrap=True)


def _names(scenes: object) -> str:
    return ", ".join(map(str, scenes)) if isinstance(scenes, list | tuple) else str(scenes)
