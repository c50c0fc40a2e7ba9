"""A short benchmark: images of each backend, and steps of a whole environment.

``python -m gym_batchnav.cli.doctor.speed DEVICE BACKEND ...`` prints a line of JSON for each finding. The
figures are of one short window; ``batchnav bench`` measures properly.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from batchnav_renderer import RendererError

from ...config import EnvConfig
from ...envs import BatchPointNavEnv
from ..bench.drawing import Drawing
from ..bench.peers.window import run_window
from ..bench.render import Subject, random_subject
from ..devices import output_on

SCENES = "houses:train[:2]"
VIEWS = 256
SECONDS = 1.0


def measure_images(backend: str, device: str | None, subject: Subject) -> dict[str, Any]:
    """Images/s of a backend, depth at 64 x 64, read back; "error" where it fails."""
    try:
        with Drawing(_config(backend, device), subject.arrays, subject.slots, subject.poses) as drawing:
            drawing.draw()
            window = run_window(drawing.draw, SECONDS)
            info = drawing.info
    except RendererError as error:
        return {"error": str(error).splitlines()[0]}
    name = f"{backend} in software" if backend != "embree" and info.get("software") else backend
    return {"per_second": round(window.frames / window.seconds), "compared_with": name}


def measure_steps(device: str | None) -> dict[str, Any]:
    """Steps/s of 256 environments with random actions, images included."""
    config = _config("auto", device)
    generator = np.random.default_rng(0)
    envs = BatchPointNavEnv(VIEWS, config)
    try:
        envs.reset(seed=0)

        def step() -> int:
            envs.step(generator.choice(4, size=VIEWS, p=(0.0, 0.6, 0.2, 0.2)))
            return VIEWS

        step()
        window = run_window(step, SECONDS)
        return {
            "per_second": round(window.frames / window.seconds),
            "compared_with": "step",
            "backend": str(envs.render_info["backend"]),
        }
    except RendererError as error:
        return {"error": str(error).splitlines()[0]}
    finally:
        envs.close()


def measured(device: str | None, backends: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The figure of each backend and of "step", one by one."""
    subject = random_subject(_config("auto", device), VIEWS, num_scenes=2, seed=0)
    for backend in backends:
        yield {backend: measure_images(backend, device, subject)}
    yield {"step": measure_steps(device)}


def _config(backend: str, device: str | None) -> EnvConfig:
    return EnvConfig(
        scenes=(SCENES,),
        sensors=("depth",),
        resolution=(64, 64),
        num_resident_scenes=2,
        device=device,
        output=output_on(device),
        render_backend=backend,
    )


if __name__ == "__main__":
    for finding in measured(sys.argv[1] or None, sys.argv[2:]):
        print(json.dumps(finding), flush=True)
