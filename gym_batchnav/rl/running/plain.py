"""NumPy arrays in what ``torch.load(weights_only=True)`` reads."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from gym_batchnav.errors import CheckpointError

_ARRAY = "__numpy__"


def encode_arrays(value: Any) -> Any:
    """Replaces NumPy arrays and scalars by what ``torch.load(weights_only=True)`` reads.

    Raises:
        CheckpointError: a value is of a type that cannot be stored.
    """
    if isinstance(value, Mapping):
        return {key: encode_arrays(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(encode_arrays(item) for item in value)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        buffer = io.BytesIO()
        try:
            np.save(buffer, value, allow_pickle=False)
        except ValueError as error:
            raise CheckpointError(
                f"an array of {value.dtype} cannot be stored; use numbers or strings"
            ) from error
        return {_ARRAY: torch.frombuffer(bytearray(buffer.getvalue()), dtype=torch.uint8)}
    if value is None or isinstance(value, bool | int | float | str | torch.Tensor):
        return value
    raise CheckpointError(
        f"a value of type {type(value).__name__} cannot be stored; use arrays, numbers and strings"
    )


def decode_arrays(value: Any) -> Any:
    """The inverse of ``encode_arrays``."""
    if isinstance(value, dict):
        if set(value) == {_ARRAY}:
            return np.load(io.BytesIO(value[_ARRAY].cpu().numpy().tobytes()), allow_pickle=False)
        return {key: decode_arrays(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(decode_arrays(item) for item in value)
    return value
