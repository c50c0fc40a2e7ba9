"""Putting a SLURM job back into the queue."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping

from gym_batchnav.errors import DistributedError
from gym_batchnav.rl.config.distributed import Requeue

_TIMEOUT_S = 60.0


def requeue(reason: str, when: Requeue, environ: Mapping[str, str] | None = None) -> str:
    """Asks SLURM to run the job again, where a signal has stopped it and ``when`` says so.

    Args:
        reason: why the run ended, like ``TrainResult.reason``.
        when: which signals count.
        environ: environment variables; None takes those of the process.

    Returns:
        The job's number, or "" where nothing was to be done.

    Raises:
        DistributedError: SLURM refuses, or ``scontrol`` cannot be run.
    """
    env = os.environ if environ is None else environ
    signals = {"never": (), "SIGUSR1": ("SIGUSR1",), "always": ("SIGUSR1", "SIGTERM")}[when]
    if reason not in signals or "SLURM_JOB_ID" not in env:
        return ""
    job = env["SLURM_JOB_ID"]
    if "SLURM_ARRAY_JOB_ID" in env and "SLURM_ARRAY_TASK_ID" in env:
        job = f"{env['SLURM_ARRAY_JOB_ID']}_{env['SLURM_ARRAY_TASK_ID']}"
    try:
        subprocess.run(
            ["scontrol", "requeue", job], check=True, capture_output=True, text=True, timeout=_TIMEOUT_S
        )
    except (OSError, subprocess.SubprocessError) as error:
        said = (getattr(error, "stderr", "") or "").strip()
        raise DistributedError(
            f"cannot requeue the SLURM job {job}: {error}{': ' + said if said else ''}; the checkpoint is "
            "written, so submit the job again, and see that it allows it (#SBATCH --requeue)"
        ) from error
    return job
