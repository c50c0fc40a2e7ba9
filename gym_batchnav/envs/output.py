"""NumPy arrays to what the user asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..config import EnvConfig


def to_output(value: Any, config: EnvConfig) -> Any:
    """Arrays as they are, or as tensors on the configured device; dicts and object arrays item by item.

    On the CPU a tensor shares its memory with the array. Float64 becomes float32.
    """
    return value if config.output == "numpy" else _to_torch(value, config.device or "cpu")


def on_host(value: Any) -> NDArray[Any]:
    """An array as it is, or a copy of a tensor that may be on a GPU."""
    return value if isinstance(value, np.ndarray) else np.asarray(value.cpu())


def _to_torch(value: Any, device: str) -> Any:
    import torch

    if isinstance(value, dict):
        return {key: _to_torch(item, device) for key, item in value.items()}
    if value is None:
        return None
    if isinstance(value, torch.Tensor):
        return value.to(device)
    if value.dtype == object:
        items = np.full(value.shape, None, dtype=object)
        for place, item in enumerate(value):
            items[place] = _to_torch(item, device)
        return items
    array = value.astype(np.float32) if value.dtype == np.float64 else value
    return torch.from_numpy(np.ascontiguousarray(array)).to(device)
