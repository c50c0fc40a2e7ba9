"""Devices that a user asks for."""

from __future__ import annotations

import torch

from gym_batchnav.errors import ConfigError


def check_device(device: str | torch.device) -> None:
    """Refuses a device that is unknown to torch or not there, with a ``ConfigError`` that lists what is."""
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        count = torch.cuda.device_count()
        there = ", ".join(["cpu", *(f"cuda:{number}" for number in range(count))])
        build = "" if torch.version.cuda else "; this build of torch has no CUDA"
        raise ConfigError(f"device={str(device)!r} cannot be used here; there are {there}{build}") from error
