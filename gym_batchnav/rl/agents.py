"""Things that act: a trained policy, and the two simple agents to compare it with."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import torch

from gym_batchnav.errors import CheckpointError, ConfigError
from gym_batchnav.rl.collecting.stepping import ObsDict, to_numpy
from gym_batchnav.rl.devices import check_device
from gym_batchnav.rl.nets.policy import ActorCritic, sample_actions
from gym_batchnav.rl.pretrained import PRETRAINED, pretrained_path, stored_network
from gym_batchnav.rl.running.checkpoint import load_checkpoint, resolve_checkpoint
from gym_batchnav.rl.running.seeding import make_generator
from gym_batchnav.rl.spec import named

Actions = npt.NDArray[np.int64]
STOP, FORWARD, LEFT, RIGHT = 0, 1, 2, 3
_GOAL_KEYS = ("pointgoal", "pointgoal_with_gps_compass")


class Agent(Protocol):
    """Acts for N environments at once, or for a single one without the batch axis."""

    def act(
        self, obs: Any, state: Any, episode_start: npt.ArrayLike | torch.Tensor, *, deterministic: bool = True
    ) -> tuple[Actions, Any]:
        """Chooses actions.

        Args:
            obs: batched observations, a mapping or one array, NumPy or torch.
            state: what the last call gave; None at the first.
            episode_start: (N,) bool, True where ``obs`` is the first of an episode; one bool where ``obs`` is
                a single observation without the batch axis.
            deterministic: the most likely action instead of a random one, where the agent has a choice.

        Returns:
            Actions (N,) int64, or a single one (), and the state for the next call.
        """
        ...


class PolicyState(NamedTuple):
    """Memory of a ``PolicyAgent``."""

    memory: torch.Tensor
    """(S, N, hidden)."""
    previous: torch.Tensor
    """(N,) int64, actions of the last call."""


class PolicyAgent:
    """A trained policy.

    Args:
        policy: the network; is put into evaluation mode.
        seed: of the actions, where they are sampled.
    """

    def __init__(self, policy: ActorCritic, seed: int = 0) -> None:
        self.policy = policy.eval()
        self.generator = make_generator(policy.device, seed)

    @torch.inference_mode()
    def act(
        self,
        obs: Any,
        state: PolicyState | None,
        episode_start: npt.ArrayLike | torch.Tensor,
        *,
        deterministic: bool = True,
    ) -> tuple[Actions, PolicyState]:
        """Choose actions.

        Args:
            obs: batched observations (N, ...) as the environment gives them, or those of one agent
                without the batch axis.
            state: what the last call returned, None at the first.
            episode_start: (N,) bool, or one bool for one agent: whether it begins a new episode, which
                clears the memory.
            deterministic: most likely actions; False samples them, as the policy was trained.

        Returns:
            Actions (N,) int64, or one of them, and the state for the next call.

        Raises:
            ConfigError: observations, state or episode_start do not fit the policy or each other.
        """
        starts = torch.as_tensor(episode_start, dtype=torch.bool, device=self.policy.device)
        single = starts.ndim == 0
        tensors = self._tensors(obs, single=single)
        starts = starts.reshape(-1)
        self._check_rows(starts, tensors, state)
        if state is None:
            none = torch.full(starts.shape, -1, dtype=torch.int64, device=starts.device)
            state = PolicyState(self.policy.initial_state(starts.shape[0]), none)
        output, memory = self.policy.step(self.policy.prepare(tensors), state.memory, state.previous, starts)
        actions = sample_actions(output.logits, None if deterministic else self.generator)
        chosen = actions.cpu().numpy()
        return chosen[0] if single else chosen, PolicyState(memory, actions)

    def _check_rows(self, starts: torch.Tensor, obs: ObsDict, state: PolicyState | None) -> None:
        rows = starts.shape[0]
        for key, value in obs.items():
            if value.shape[0] != rows:
                raise ConfigError(
                    f"the observation {key!r} has {value.shape[0]} rows, but episode_start has {rows}; give "
                    "one flag a row"
                )
        if state is not None and state.previous.shape[0] != rows:
            raise ConfigError(
                f"the state is that of {state.previous.shape[0]} rows, but there are {rows}; give what the "
                "last call with the same rows gave, or None"
            )

    def _tensors(self, obs: Any, *, single: bool) -> dict[str, torch.Tensor]:
        """Batched observations on the policy's device; raises ``ConfigError`` where they do not fit."""
        given_keys = named(obs)
        tensors = {}
        for key, field in self.policy.spec.fields.items():
            if key not in given_keys:
                raise ConfigError(
                    f"the policy needs the observation {key!r}; given are {', '.join(given_keys)}"
                )
            value = torch.as_tensor(given_keys[key]).to(self.policy.device)
            value = value[None] if single else value
            if tuple(value.shape[1:]) != field.shape:
                raise ConfigError(_misfit(key, tuple(value.shape), field.shape, single=single))
            tensors[key] = value
        return tensors


def load_policy(path: Path | str, device: str = "cpu", seed: int = 0) -> PolicyAgent:
    """The policy of a checkpoint, ready to act; needs no trainer and no environment.

    Args:
        path: a checkpoint, the folder of a run (its newest checkpoint), or the plain text "pretrained" for
            the policy that comes with the package.
        device: torch device.
        seed: of sampled actions.

    Raises:
        CheckpointError: missing, broken, or of another version.
        ConfigError: there is no such device.
    """
    check_device(device)
    path = pretrained_path() if path == PRETRAINED else resolve_checkpoint(path)
    content = load_checkpoint(path, device)
    policy = stored_network(content, path).to(device)
    try:
        policy.load_state_dict(content["policy"])
    except RuntimeError as error:
        raise CheckpointError(
            f"the weights in {path} do not fit their own configuration: {' '.join(str(error).split())}"
        ) from error
    # Chosen by a measurement on the machine that trained; elsewhere it could be slow.
    policy.precision = "float32"
    return PolicyAgent(policy, seed)


class StraightWalker:
    """Turns to the goal, walks straight at it, and stops there; sees no walls.

    Args:
        stop_distance: stops below this distance to the goal, in metres.
        turn_angle_deg: of one turn; it turns while the goal is more than half of this to a side.
    """

    def __init__(self, stop_distance: float = 0.2, turn_angle_deg: float = 10.0) -> None:
        self.stop_distance = stop_distance
        self.tolerance = np.radians(turn_angle_deg) / 2

    def act(
        self,
        obs: Any,
        state: None,
        episode_start: npt.ArrayLike | torch.Tensor,
        *,
        deterministic: bool = True,
    ) -> tuple[Actions, None]:
        """See ``Agent.act``; it has no memory and no choice."""
        key = next((name for name in _GOAL_KEYS if name in obs), None)
        if key is None:
            raise ConfigError(f"the straight walker needs one of {_GOAL_KEYS}; given are {', '.join(obs)}")
        rho, phi = to_numpy(obs[key]).T
        turn = np.where(phi > 0, LEFT, RIGHT)
        actions = np.where(np.abs(phi) > self.tolerance, turn, FORWARD)
        return np.where(rho < self.stop_distance, STOP, actions).astype(np.int64), None


class RandomAgent:
    """Draws every action from fixed probabilities.

    Args:
        num_actions: number of actions.
        seed: of the draws.
        probabilities: of each action; equal ones by default.
    """

    def __init__(self, num_actions: int, seed: int = 0, probabilities: npt.ArrayLike | None = None) -> None:
        self.num_actions = num_actions
        self.probabilities = None if probabilities is None else np.asarray(probabilities, np.float64)
        self.generator = np.random.default_rng(seed)

    def act(
        self,
        obs: Any,
        state: None,
        episode_start: npt.ArrayLike | torch.Tensor,
        *,
        deterministic: bool = True,
    ) -> tuple[Actions, None]:
        """See ``Agent.act``; it looks at nothing and is random in either mode."""
        shape = to_numpy(episode_start).shape
        chosen = self.generator.choice(self.num_actions, size=shape, p=self.probabilities)
        return np.asarray(chosen, np.int64), None


def _misfit(key: str, given: tuple[int, ...], trained: tuple[int, ...], *, single: bool) -> str:
    """What is wrong with the shape of an observation, the batch axis included."""
    if single and given[2:] == trained:
        return f"the observation {key!r} has {given[1]} rows, but episode_start is one bool; give one a row"
    if not single and given == trained:
        return (
            f"the observation {key!r} is that of one agent, {given}, but episode_start has rows; give one "
            "bool, or all observations with a batch axis"
        )
    return (
        f"the observation {key!r} of an agent has the shape {given[1:]}, but the policy was trained on "
        f"{trained}; give the environment the resolution and the sensors of the training"
    )
