"""One way to step a vector environment, whatever its autoreset mode and array type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from gymnasium.vector import AutoresetMode, VectorEnv

from gym_batchnav.errors import ConfigError
from gym_batchnav.rl.spec import named

BoolArray = npt.NDArray[np.bool_]
ObsDict = dict[str, torch.Tensor]


@dataclass(slots=True, kw_only=True)
class Transition:
    """What one step of N environments gave."""

    obs: ObsDict
    """Observations (N, ...) to act on next; may be views into the environment's memory."""
    rewards: npt.NDArray[np.float64]
    """(N,)."""
    terminated: BoolArray
    """(N,) bool."""
    truncated: BoolArray
    """(N,) bool, never where ``terminated``."""
    skipped: BoolArray
    """(N,) bool: the action was ignored, since the step was a reset (autoreset mode NEXT_STEP)."""
    starts: BoolArray
    """(N,) bool: ``obs`` is the first of an episode."""
    final_rows: npt.NDArray[np.int64]
    """(B,): rows that were truncated."""
    final_obs: ObsDict | None
    """Copies of the last observations of ``final_rows``, (B, ...) each; None where B is 0."""
    final_infos: Mapping[str, Any]
    """Vector infos of the episodes that ended in this step; read rows where ``ended``."""
    infos: Mapping[str, Any]
    """Vector infos that belong to ``obs``."""

    @property
    def ended(self) -> BoolArray:
        """(N,) bool: the episode ended in this step."""
        return self.terminated | self.truncated


class VectorStepper:
    """Steps a ``VectorEnv`` in any autoreset mode and tells episode ends and starts apart.

    Args:
        envs: the environment; its metadata must declare ``autoreset_mode``.

    Raises:
        ConfigError: the autoreset mode is not declared.
    """

    def __init__(self, envs: VectorEnv[Any, Any, Any]) -> None:
        mode = envs.metadata.get("autoreset_mode")
        if mode is None:
            raise ConfigError(
                f"{envs} does not declare metadata['autoreset_mode']; "
                "set it to NEXT_STEP, SAME_STEP or DISABLED"
            )
        self.envs = envs
        self.mode = AutoresetMode(mode)
        self.num_envs = envs.num_envs
        self.needs_reset = np.zeros(self.num_envs, np.bool_)
        self.takes_tensors = False
        """Whether observations came as tensors, and actions go as such."""

    def reset(self, seed: int | None) -> tuple[ObsDict, Mapping[str, Any]]:
        """Resets all rows and gives their observations and infos."""
        obs, infos = self.envs.reset(seed=seed)
        self.needs_reset[:] = False
        return self._obs(obs), infos

    def step(self, actions: torch.Tensor) -> Transition:
        """Takes actions (N,) int64 on the CPU or on the environment's device."""
        handed = actions if self.takes_tensors else actions.cpu().numpy()
        raw_obs, raw_rewards, raw_terminated, raw_truncated, infos = self.envs.step(handed)
        terminated = to_numpy(raw_terminated).astype(np.bool_)
        truncated = to_numpy(raw_truncated).astype(np.bool_) & ~terminated
        obs = self._obs(raw_obs)
        ended = terminated | truncated
        final_rows = np.flatnonzero(truncated)
        final_infos = infos
        if self.mode is AutoresetMode.SAME_STEP:
            final_infos = infos.get("final_info", {}) if ended.any() else {}
            final_obs = _same_step_final(infos, final_rows) if final_rows.size else None
        else:
            final_obs = _take(obs, final_rows) if final_rows.size else None
        skipped, starts = np.zeros_like(ended), ended
        if self.mode is AutoresetMode.NEXT_STEP:
            skipped = starts = self.needs_reset
            self.needs_reset = ended
        elif self.mode is AutoresetMode.DISABLED and ended.any():
            raw_obs, infos = self.envs.reset(options={"reset_mask": ended.copy()})
            obs = self._obs(raw_obs)
        return Transition(
            obs=obs,
            rewards=to_numpy(raw_rewards).astype(np.float64),
            terminated=terminated,
            truncated=truncated,
            skipped=skipped,
            starts=starts,
            final_rows=final_rows,
            final_obs=final_obs,
            final_infos=final_infos,
            infos=infos,
        )

    def _obs(self, obs: Any) -> ObsDict:
        by_key = named(obs)
        self.takes_tensors = any(isinstance(value, torch.Tensor) for value in by_key.values())
        return {key: torch.as_tensor(value) for key, value in by_key.items()}


def info_column(
    infos: Mapping[str, Any], key: str, num_envs: int
) -> tuple[npt.NDArray[Any], BoolArray] | None:
    """Values (N,) of a key of vector infos and the mask of rows that have it; None where no row has it."""
    if key not in infos:
        return None
    value = infos[key]
    values = (
        to_numpy(value) if isinstance(value, np.ndarray | torch.Tensor) else np.asarray(value, dtype=object)
    )
    mask = infos.get(f"_{key}")
    present = np.ones(num_envs, np.bool_) if mask is None else to_numpy(mask).astype(np.bool_)
    return values, present


def to_numpy(value: Any) -> npt.NDArray[Any]:
    """A NumPy array of an array or a tensor on any device."""
    return value.detach().cpu().numpy() if isinstance(value, torch.Tensor) else np.asarray(value)


def _take(obs: ObsDict, rows: npt.NDArray[np.int64]) -> ObsDict:
    return {key: value[torch.as_tensor(rows, device=value.device)] for key, value in obs.items()}


def _same_step_final(infos: Mapping[str, Any], rows: npt.NDArray[np.int64]) -> ObsDict:
    """Last observations of ``rows``: an object array with one entry a row (Gymnasium), or batched arrays."""
    if "final_obs" not in infos:
        raise ConfigError(
            "an episode was truncated and the infos hold no 'final_obs'; SAME_STEP environments must give it"
        )
    final = infos["final_obs"]
    if isinstance(final, np.ndarray) and final.dtype == np.dtype(object):
        entries = [named(final[row]) for row in rows]
        return {key: torch.stack([torch.as_tensor(entry[key]) for entry in entries]) for key in entries[0]}
    batched = {key: value for key, value in named(final).items() if not key.split("/")[-1].startswith("_")}
    return _take({key: torch.as_tensor(value) for key, value in batched.items()}, rows)
