"""CUDA as torch sees it, and the driver behind it."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any


def cuda_facts(root: Path) -> dict[str, Any]:
    """The driver, the CUDA that torch was built for, and its devices.

    Args:
        root: where the system's files are.

    Returns:
        "driver", None where it is not loaded; "torch_built_for", None for a build for the CPU; "available";
        "devices" by name, and their "uuids"; "bindings", whether cuda-bindings are there; "torch_error" where
        torch cannot be imported.
    """
    return {"driver": driver_version(root), "bindings": _has_bindings(), **torch_facts()}


def driver_version(root: Path) -> str | None:
    """Version of NVIDIA's kernel driver; None where it is not loaded."""
    file = root / "proc/driver/nvidia/version"
    match = re.search(r"\b(\d+\.\d+(?:\.\d+)?)\b", file.read_text()) if file.is_file() else None
    return match.group(1) if match else None


def torch_facts() -> dict[str, Any]:
    """What torch says of CUDA."""
    try:
        import torch
    except (ImportError, OSError) as error:  # OSError: a library that it needs is missing
        nothing: dict[str, Any] = {"torch_built_for": None, "available": False, "devices": [], "uuids": []}
        return {**nothing, "torch_error": str(error)}
    available = torch.cuda.is_available()
    count = torch.cuda.device_count() if available else 0
    return {
        "torch_built_for": torch.version.cuda,
        "available": available,
        "devices": [torch.cuda.get_device_name(number) for number in range(count)],
        "uuids": [_uuid(torch.cuda.get_device_properties(number)) for number in range(count)],
        "torch_error": None,
    }


def _uuid(properties: Any) -> str | None:
    uuid = getattr(properties, "uuid", None)
    return None if uuid is None else f"GPU-{uuid}"


def _has_bindings() -> bool:
    try:
        return importlib.util.find_spec("cuda.bindings") is not None
    except ModuleNotFoundError:
        return False
