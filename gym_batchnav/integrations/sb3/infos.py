"""Infos of vector environments as a dict for each row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

Info = dict[str, Any]


def info_rows(infos: Mapping[str, Any], num_envs: int) -> list[Info]:
    """The infos of each row: numbers as Python's, and no key that the row's mask (``_key``) leaves out."""
    whole, partial = {}, {}
    for key, value in infos.items():
        if key.startswith("_") and key[1:] in infos:
            continue
        values, mask = _values(value, num_envs), infos.get(f"_{key}")
        if mask is None or np.all(mask):
            whole[key] = values
        else:
            partial[key] = (values, np.flatnonzero(mask).tolist())
    rows: list[Info] = [dict(zip(whole, row, strict=True)) for row in zip(*whole.values(), strict=True)]
    rows = rows or [{} for _ in range(num_envs)]
    for key, (values, chosen) in partial.items():
        for row in chosen:
            rows[row][key] = values[row]
    return rows


def with_success(info: Info) -> Info:
    """The info with ``is_success``, which Stable-Baselines3 logs, where the task knows success."""
    if "success" in info:
        info["is_success"] = bool(info["success"])
    return info


def _values(value: Any, num_envs: int) -> list[Any]:
    if isinstance(value, Mapping):
        return list(info_rows(value, num_envs))
    if isinstance(value, np.ndarray) and value.shape[:1] == (num_envs,):
        return list(value.tolist()) if value.ndim == 1 else list(value)
    return [value] * num_envs
