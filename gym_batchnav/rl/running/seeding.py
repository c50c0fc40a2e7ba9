"""Random state of a run: taken apart into streams, saved and restored."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch


def derive_seed(*entropy: int) -> int:
    """A seed in [0, 2^31) that depends on all of the numbers given."""
    return int(np.random.SeedSequence(list(entropy)).generate_state(1)[0] >> 1)


def make_generator(device: str | torch.device, *entropy: int) -> torch.Generator:
    """A torch generator of its own, seeded by all of the numbers given."""
    return torch.Generator(device).manual_seed(derive_seed(*entropy))


def seed_global(seed: int) -> None:
    """Seeds torch's, NumPy's and Python's global generators, which weights and user code may draw from."""
    torch.manual_seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - user code may still use the legacy generator
    random.seed(seed)


def global_state() -> dict[str, Any]:
    """States of the three global generators, as plain data."""
    kind, keys, position, has_gauss, gauss = np.random.get_state()  # noqa: NPY002
    return {
        "torch": torch.get_rng_state(),
        "numpy": [kind, np.asarray(keys), position, has_gauss, gauss],
        "python": json.dumps(random.getstate()),
    }


def restore_global_state(state: Mapping[str, Any]) -> None:
    """The inverse of ``global_state``."""
    torch.set_rng_state(state["torch"].cpu())
    np.random.set_state(tuple(state["numpy"]))  # noqa: NPY002
    version, internal, gauss = json.loads(state["python"])
    random.setstate((version, tuple(internal), gauss))
