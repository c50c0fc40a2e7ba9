"""Whether the configured device is there."""

from __future__ import annotations

from ..config import EnvConfig
from ..errors import ConfigError


def cuda_device_count() -> int:
    """Number of CUDA devices that torch sees; torch is imported here."""
    import torch

    return torch.cuda.device_count()


def check_device(config: EnvConfig, *, draws: bool) -> None:
    """Whether a CUDA device that is asked for exists; looks only where something would use it.

    Raises:
        ConfigError: there is no such device.
    """
    device = config.device
    if device is None or not device.startswith("cuda") or not (draws or config.output == "torch"):
        return
    count, index = cuda_device_count(), int(device.partition(":")[2] or 0)
    if index >= count:
        found = "no CUDA device was found" if count == 0 else f"there are {count} CUDA devices"
        raise ConfigError(f"device={device!r} cannot be used: {found}; give another one, 'cpu' or None")
