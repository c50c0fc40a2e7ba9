"""The one script to run where an NVIDIA GPU is at hand; no data but the built-in houses.

    python tests/gpu/device_check.py --json device.json               # under 6 minutes
    python tests/gpu/device_check.py --training --json training.json  # about 7 minutes

It checks that images that CUDA maps equal images that are read back, byte for byte; that the backends agree;
that 1,000 steps leak nothing; and measures ``bench render`` and ``bench train``. With ``--training`` it
measures the preset ``bps-depth`` instead, and trains with it for five minutes. Every part is a finding of
its own: one that fails does not end the others, and the exit status is 1. ``--cpu`` runs all of it in
software with tiny sizes and in one process, so that the script is tested where there is no GPU.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "renderer")]

import gymnasium as gym  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402

from batchnav_renderer import BatchRenderer, RenderConfig, SceneArrays  # noqa: E402
from batchnav_renderer.camera import world_from_camera  # noqa: E402
from gym_batchnav.cli import main as main_of_batchnav  # noqa: E402
from gym_batchnav.cli.doctor.apart import Apart  # noqa: E402
from gym_batchnav.cli.doctor.picture import draw_known  # noqa: E402
from gym_batchnav.cli.doctor.system import system_facts  # noqa: E402
from gym_batchnav.nav import navmesh_for  # noqa: E402
from gym_batchnav.scenes.houses import make_house  # noqa: E402

ALL_OUTPUTS = ("depth", "rgb", "ids", "normals")
EYE_HEIGHT = 1.25


@dataclass(frozen=True)
class Plan:
    """What is run, and how large."""

    device: str
    backends: tuple[str, ...]
    """The GL ones; Embree is what they are compared with."""
    trained: tuple[str, ...]
    """Those that ``bench train`` runs with."""
    houses: int
    views: int
    """Of each house, for the agreement of the backends."""
    envs: int
    steps: int
    batches: tuple[int, ...]
    """Numbers of environments of the benchmarks."""
    render_seconds: float
    train_seconds: float
    large: tuple[str, ...]
    """Arguments of the preset ``bps-depth``, for its benchmark and its run."""
    run: tuple[str, ...]
    """More arguments of the run."""
    minutes: float
    """Of the run."""
    apart: bool = True
    """Whether commands and self-tests run in processes of their own, where a crash is a finding."""
    budget: float = 340.0
    """Seconds after which no further benchmark is begun."""


ON_GPU = Plan(
    device="cuda:0", backends=("gl", "gl-raycast"), trained=("gl", "gl-raycast"), batches=(256, 1024, 4096),
    houses=4, views=100, envs=64, steps=1000, render_seconds=2.5, train_seconds=5.0,
    large=("--num-envs", "1024"), run=("--eval-episodes", "200"), minutes=5.0,
)  # fmt: skip
IN_SOFTWARE = Plan(
    device="cpu", backends=("gl", "gl-raycast"), trained=("gl",), batches=(4,),
    houses=1, views=8, envs=4, steps=30, render_seconds=0.2, train_seconds=0.5,
    large=("--num-envs", "4", "--set", "ppo.rollout_length=4", "--set", "policy.base_planes=8"), minutes=5.0,
    apart=False,
    run=(
        "--frames", "64", "--eval-episodes", "2", "--val-scenes", "houses:val[:2]",
        "--env", "max_episode_steps=20",
    ),
)  # fmt: skip


def house_views(seed: int, count: int) -> tuple[SceneArrays, np.ndarray]:
    """A built-in house and cameras (count, 4, 4) at random places of its walkable ground."""
    scene = make_house(seed)
    generator = np.random.default_rng(seed)
    where = navmesh_for(scene).sample(count, generator) + np.array([0, EYE_HEIGHT, 0])
    headings = generator.uniform(-np.pi, np.pi, count)
    return scene.arrays, world_from_camera(where, headings, generator.uniform(-0.3, 0.3, count))


def make(plan: Plan, backend: str, num_views: int, **fields: Any) -> BatchRenderer:
    """A renderer of 64 x 64 images with all outputs."""
    return BatchRenderer(
        RenderConfig(num_views=num_views, device=plan.device, backend=backend, outputs=ALL_OUTPUTS, **fields)
    )


def check_pictures(plan: Plan) -> dict[str, Any]:
    """Each backend draws the known picture of ``batchnav doctor``."""
    names = (*plan.backends, "embree", "auto")
    with Apart() as apart:
        module = "gym_batchnav.cli.doctor.picture"
        found = {
            name: apart.submit(module, name, plan.device, "numpy").result()
            if plan.apart
            else draw_known(name, plan.device)
            for name in names
        }
    assert all(picture["ok"] for picture in found.values()), found
    return found


def check_interop(plan: Plan, backend: str) -> dict[str, Any]:
    """Mapped images equal read-back ones, also while the next batch is drawn, and live as long as is said."""
    scene, poses = house_views(3, 3 * plan.views)
    batches = np.split(poses, 3)
    with make(plan, backend, plan.views) as plain, make(plan, backend, plan.views, images="torch") as shared:
        scenes = [renderer.add_scene(scene) for renderer in (plain, shared)]
        expected = []
        for batch in batches:
            plain.set_views(np.full(len(batch), scenes[0]), batch)
            expected.append(plain.render())
        tensors = []
        for number, batch in enumerate(batches):
            shared.set_views(np.full(len(batch), scenes[1]), batch)
            shared.submit()
            if tensors:  # the batch before is used while this one is drawn
                assert_equal(tensors[-1], expected[number - 1])
            tensors.append(shared.collect())
            assert_equal(tensors[-1], expected[number])
        assert_equal(tensors[-2], expected[-2])  # still there: the ring has two sets
        info = shared.info
    if plan.device != "cpu":
        assert info["interop"].startswith("shared"), info["interop"]
        assert all(tensor.device == torch.device(plan.device) for tensor in tensors[-1].values())
    return {"interop": info["interop"], "views": len(poses), "outputs": list(ALL_OUTPUTS)}


def assert_equal(tensors: dict[str, torch.Tensor], arrays: dict[str, np.ndarray]) -> None:
    """The bytes are the same; queued on torch's current stream and no other."""
    for name, array in arrays.items():
        same = torch.equal(tensors[name], torch.from_numpy(array).to(tensors[name].device))
        assert same, f"{name} differs from what was read back"


def check_agreement(plan: Plan) -> dict[str, Any]:
    """On houses: GL backends against Embree in depth, colour and ids."""
    found: dict[str, Any] = {}
    for seed in range(plan.houses):
        scene, poses = house_views(seed, plan.views)
        truth = drawn(plan, "embree", scene, poses, ALL_OUTPUTS)
        for name in plan.backends:
            found[f"{name}, house {seed}"] = compared(drawn(plan, name, scene, poses, ALL_OUTPUTS), truth)
    for where, figures in found.items():
        assert figures["depth"] >= 0.995, (where, figures)
        assert figures["ids"] >= 0.99, (where, figures)
        assert figures["rgb"] <= 8.0, (where, figures)
    return found


def drawn(
    plan: Plan, backend: str, scene: SceneArrays, poses: np.ndarray, outputs: tuple[str, ...]
) -> dict[str, np.ndarray]:
    """Images of a scene."""
    config = RenderConfig(num_views=len(poses), device=plan.device, backend=backend, outputs=outputs)
    with BatchRenderer(config) as renderer:
        renderer.set_views(np.full(len(poses), renderer.add_scene(scene)), poses)
        return renderer.render()


def compared(images: dict[str, np.ndarray], truth: dict[str, np.ndarray]) -> dict[str, float]:
    """Shares of pixels within 1 cm + 0.5% in depth and of equal id, and the mean difference of colours."""
    close = np.abs(images["depth"] - truth["depth"]) <= 0.01 + 0.005 * truth["depth"]
    shades = np.abs(images["rgb"].astype(int) - truth["rgb"])[close[..., 0]]
    same = images["ids"] == truth["ids"]
    return {"depth": float(close.mean()), "rgb": float(shades.mean()), "ids": float(same.mean())}


def check_leaks(plan: Plan) -> dict[str, Any]:
    """Steps of an environment, scene swaps and episode ends among them, leave memory where it was."""
    envs = gym.make_vec(
        "BatchPointNav-v0",
        num_envs=plan.envs,
        scenes=f"houses:train[:{2 * plan.houses}]",
        device=plan.device,
        max_episode_steps=50,
    )
    generator, marks = np.random.default_rng(0), []
    try:
        envs.reset(seed=0)
        for step in range(plan.steps):
            envs.step(generator.choice(4, size=plan.envs, p=(0.02, 0.58, 0.2, 0.2)))
            if step in (plan.steps // 2, plan.steps - 1):
                marks.append(memory_mib(plan.device))
    finally:
        envs.close()
    grown = {name: marks[1][name] - marks[0][name] for name in marks[0]}
    assert all(growth < 32 for growth in grown.values()), grown
    return {"steps": plan.steps, "envs": plan.envs, "grown_mib_in_second_half": grown}


def memory_mib(device: str) -> dict[str, float]:
    """Memory of this process, and what is taken of the GPU, MiB."""
    resident = int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    if device == "cpu":
        return {"host": resident}
    free, total = torch.cuda.mem_get_info(device)
    return {"host": resident, "gpu": (total - free) / 2**20}


def batchnav(plan: Plan, *words: str, timeout_s: float) -> None:
    """The command line, in a process of its own where the plan says so."""
    if not plan.apart:
        assert main_of_batchnav(words) == 0, words
        return
    command = [sys.executable, "-m", "gym_batchnav.cli", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]


def run_bench(plan: Plan, what: str, *words: str) -> dict[str, Any]:
    """``batchnav bench``; returns the parts of its record that matter."""
    seconds = plan.render_seconds if what == "render" else plan.train_seconds
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "record.json"
        batchnav(
            plan, "bench", what, "--device", plan.device, "--seconds", str(seconds), "--json", str(record),
            *words, timeout_s=120,
        )  # fmt: skip
        found = json.loads(record.read_text())
    kept = ("frames_per_second", "windows", "stages_ms", "backend", "reason", "gl_renderer")
    return {name: found[name] for name in kept if name in found}


def run_training(plan: Plan) -> dict[str, Any]:
    """``batchnav train`` by the preset ``bps-depth``, whole: what it reached, how fast, and its curve."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        batchnav(
            plan, "train", "--preset", "bps-depth", "--device", plan.device, "--run-dir", str(run),
            "--time-limit", str(plan.minutes), "--set", "validate_every_frames=none", *plan.large, *plan.run,
            timeout_s=60 * plan.minutes + 240,
        )  # fmt: skip
        trained, result = (json.loads((run / f"{name}.json").read_text()) for name in ("trained", "eval"))
        lines = [json.loads(line) for line in (run / "train.jsonl").read_text().splitlines()]
    updates = [line for line in lines if line["kind"] == "update"]
    shown = updates[:: max(1, len(updates) // 50)]
    return {
        "frames": trained["frames"],
        "frames_per_second": trained["frames"] / trained["seconds"],
        "agents": result["agents"],
        "curve": [{"frames": line["frames"], **line["metrics"]} for line in shown],
        "seconds_of_last_update": updates[-1]["seconds"],
    }


def parts(plan: Plan) -> dict[str, Callable[[], dict[str, Any]]]:
    """What is run, in order; the benchmarks come last."""
    checks: dict[str, Callable[[], dict[str, Any]]] = {"pictures": partial(check_pictures, plan)}
    for backend in plan.backends:
        checks[f"interop of {backend}"] = partial(check_interop, plan, backend)
    checks["agreement"] = partial(check_agreement, plan)
    checks["leaks"] = partial(check_leaks, plan)
    for what, backends in (("render", plan.backends), ("train", plan.trained)):
        for num_envs in plan.batches:
            for backend in backends:
                name = f"bench {what} {backend} {num_envs}"
                words = ("--backend", backend, "--num-envs", str(num_envs))
                checks[name] = partial(run_bench, plan, what, *words)
    return checks


def training_parts(plan: Plan) -> dict[str, Callable[[], dict[str, Any]]]:
    """The large-batch learner as published, in order."""
    return {
        "bench train bps-depth": partial(run_bench, plan, "train", "--preset", "bps-depth", *plan.large),
        "training": partial(run_training, plan),
    }


def run(plan: Plan, todo: dict[str, Callable[[], dict[str, Any]]]) -> dict[str, Any]:
    """Run the parts; the record says what each found, or how it failed."""
    begun = time.monotonic()
    record: dict[str, Any] = {"system": system_facts(), "device": plan.device, "parts": {}}
    for name, part in todo.items():
        spent = time.monotonic() - begun
        if name.startswith("bench") and spent > plan.budget:
            record["parts"][name] = {"ok": True, "skipped": f"{spent:.0f} s are spent"}
            continue
        try:
            found = {"ok": True, **part()}
        except Exception:
            found = {"ok": False, "error": traceback.format_exc()}
        record["parts"][name] = {**found, "seconds": round(time.monotonic() - begun - spent, 1)}
        summary = found.get("frames_per_second") or ("ok" if found["ok"] else found["error"].splitlines()[-1])
        print(f"{time.monotonic() - begun:6.1f} s  {name}: {summary}", flush=True)
    record["seconds"] = round(time.monotonic() - begun, 1)
    record["ok"] = all(found["ok"] for found in record["parts"].values())
    return record


def main(words: list[str] | None = None) -> int:
    """Run, write the record, and return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=Path, help="write the record here")
    parser.add_argument("--training", action="store_true", help="the large-batch learner instead")
    parser.add_argument("--cpu", action="store_true", help="tiny sizes in software")
    arguments = parser.parse_args(words)
    plan = IN_SOFTWARE if arguments.cpu else ON_GPU
    if plan.apart:
        paths = [*sys.path[:2], os.environ.get("PYTHONPATH", "")]
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    record = run(plan, training_parts(plan) if arguments.training else parts(plan))
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(record, indent=2, default=str) + "\n")
    return 0 if record["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
