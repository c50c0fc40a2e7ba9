"""What a device that was asked for means."""

from __future__ import annotations

from typing import Literal


def output_on(device: str | None) -> Literal["numpy", "torch"]:
    """What an environment should return: tensors on a GPU that was asked for, else arrays."""
    return "torch" if (device or "").startswith("cuda") else "numpy"
