"""Tensors in, tensors out: queries are worked out on the CPU and handed back to the device that asked."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

Function = TypeVar("Function", bound=Callable[..., Any])


def takes_tensors(method: Function) -> Function:
    """A method that also takes torch tensors; where it gets one, its arrays come back as tensors.

    They are on the device of the first tensor among the arguments. torch itself is never imported here.
    """

    @functools.wraps(method)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        torch = sys.modules.get("torch")
        given = [] if torch is None else [x for x in (*args, *kwargs.values()) if isinstance(x, torch.Tensor)]
        if not given:
            return method(*args, **kwargs)
        host = [_on_host(value) for value in args]
        result = method(*host, **{name: _on_host(value) for name, value in kwargs.items()})
        return _on_device(result, torch, given[0].device)

    return wrapped  # type: ignore[return-value]


def _on_host(value: Any) -> Any:
    return value.detach().cpu().numpy() if hasattr(value, "detach") else value


def _on_device(value: Any, torch: Any, device: Any) -> Any:
    if isinstance(value, np.ndarray):
        return torch.from_numpy(value).to(device)
    if isinstance(value, tuple):
        return tuple(_on_device(item, torch, device) for item in value)
    return value
