"""The recurrent actor-critic."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from gym_batchnav.errors import ConfigError
from gym_batchnav.rl.config import PolicyConfig, Precision
from gym_batchnav.rl.nets.encoder import ImageEncoder
from gym_batchnav.rl.nets.features import (
    image_floats,
    image_keys,
    prepare_image,
    prepared_field,
    vector_features,
    vector_width,
)
from gym_batchnav.rl.nets.recurrent import RecurrentCore
from gym_batchnav.rl.nets.values import ValueScale
from gym_batchnav.rl.spec import EnvSpec, FieldSpec

Observations = Mapping[str, Tensor]


class PolicyOutput(NamedTuple):
    """What the network says about a batch of frames."""

    logits: Tensor
    """(..., actions): log-probabilities, normalised."""
    values: Tensor
    """(...): expected return in the normalised units of ``ActorCritic.value_scale``."""


class ActorCritic(nn.Module):
    """Images, vectors and the previous action, through a memory, to action probabilities and a value.

    The state is one tensor (S, N, hidden), see ``RecurrentCore``. A previous action of -1 stands for none.
    """

    def __init__(self, config: PolicyConfig, spec: EnvSpec) -> None:
        super().__init__()
        self.config = config
        self.spec = spec
        self.precision: Precision = "float32"
        self.image_keys = image_keys(spec)
        self.prepared: dict[str, FieldSpec] = {
            key: prepared_field(field, config) for key, field in spec.fields.items()
        }
        self.vector_keys = [key for key in spec.fields if key not in self.image_keys]
        width = self._build_inputs()
        self.core = RecurrentCore(config.recurrence, width, config.hidden, config.layers)
        seen = config.hidden + (width if config.skip else 0)
        self.actor = nn.Linear(seen, spec.num_actions)
        self.critic = nn.Linear(seen, 1)
        self.value_scale = ValueScale()
        nn.init.orthogonal_(self.actor.weight, 0.01)
        nn.init.orthogonal_(self.critic.weight, 1.0)
        self._start_actor_bias()
        nn.init.zeros_(self.critic.bias)

    def _start_actor_bias(self) -> None:
        prior, actions = self.config.initial_action_probabilities, self.spec.num_actions
        if prior and len(prior) != actions:
            raise ConfigError(
                f"initial_action_probabilities has {len(prior)} entries, but there are {actions} actions"
            )
        with torch.no_grad():
            self.actor.bias.copy_(torch.tensor(prior).log() if prior else torch.zeros(actions))

    def _build_inputs(self) -> int:
        config, fields = self.config, self.spec.fields
        self.embed = nn.ModuleDict()
        for key in self.vector_keys:
            self.embed[key] = nn.Linear(vector_width(key, fields[key], config), config.vector_embedding)
        width = len(self.vector_keys) * config.vector_embedding
        self.encoder: ImageEncoder | None = None
        if self.image_keys:
            height, columns = self.prepared[self.image_keys[0]].shape[:2]
            channels = sum(self.prepared[key].shape[2] for key in self.image_keys)
            self.encoder = ImageEncoder(config, height, columns, channels)
            width += config.hidden
        self.action_embedding: nn.Embedding | None = None
        if config.action_embedding:
            self.action_embedding = nn.Embedding(self.spec.num_actions + 1, config.action_embedding)
            width += config.action_embedding
        return width

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.actor.weight.device

    def initial_state(self, num_envs: int) -> Tensor:
        """The state before any step: zeros (S, num_envs, hidden)."""
        return self.core.initial_state(num_envs, self.device)

    def prepare(self, obs: Observations) -> dict[str, Tensor]:
        """Observations (B, ...) of the environment in the form that the network reads.

        Returns:
            Those that the network uses, (B, *shape) of ``prepared`` each; images in new memory.
        """
        fields, images = self.spec.fields, self.image_keys
        return {
            key: prepare_image(obs[key], fields[key], self.config) if key in images else obs[key]
            for key in fields
        }

    def features(self, obs: Observations, previous: Tensor, starts: Tensor) -> Tensor:
        """Inputs of the memory.

        Args:
            obs: (B, ...) each, prepared.
            previous: (B,) int64 actions.
            starts: (B,) bool; no previous action counts there.

        Returns:
            (B, width) float32.
        """
        parts: list[Tensor] = []
        fields = self.spec.fields
        if self.encoder is not None:
            images = [image_floats(obs[key], fields[key]) for key in self.image_keys]
            image = images[0] if len(images) == 1 else torch.cat(images, dim=3)
            with self._lower_precision(everywhere=True):
                parts.append(self.encoder(image).float())
        for key in self.vector_keys:
            parts.append(
                functional.relu(self.embed[key](vector_features(key, obs[key], fields[key], self.config)))
            )
        if self.action_embedding is not None:
            parts.append(self.action_embedding((previous + 1) * ~starts))
        return torch.cat(parts, dim=1)

    def step(
        self, obs: Observations, state: Tensor, previous: Tensor, starts: Tensor
    ) -> tuple[PolicyOutput, Tensor]:
        """One frame of N environments.

        Args:
            obs: (N, ...) each, prepared.
            state: (S, N, hidden).
            previous: (N,) int64.
            starts: (N,) bool.

        Returns:
            Log-probabilities (N, actions) and values (N,), and the state after the frame.
        """
        with self._lower_precision():
            x = self.features(obs, previous, starts)
            hidden, state = self.core.step(x, state, starts)
        return self._heads(hidden, x), state.float()

    def sequence(self, obs: Observations, state: Tensor, previous: Tensor, starts: Tensor) -> PolicyOutput:
        """T frames of N environments; equal to ``step`` called T times.

        Args:
            obs: (T, N, ...) each, prepared.
            state: (S, N, hidden), before the first frame.
            previous: (T, N) int64.
            starts: (T, N) bool.

        Returns:
            Log-probabilities (T, N, actions) and values (T, N).
        """
        flat = {key: value.flatten(0, 1) for key, value in obs.items()}
        with self._lower_precision():
            x = self.features(flat, previous.flatten(), starts.flatten()).reshape(*starts.shape, -1)
            hidden = self.core.sequence(x, state, starts)
        return self._heads(hidden, x)

    def _lower_precision(self, *, everywhere: bool = False) -> AbstractContextManager[object]:
        """Autocast as ``precision`` says; on CPUs only where it is asked for ``everywhere``."""
        if self.precision == "float32" or not (everywhere or self.device.type != "cpu"):
            return nullcontext()
        return torch.autocast(self.device.type, getattr(torch, self.precision))

    def _heads(self, hidden: Tensor, x: Tensor) -> PolicyOutput:
        hidden, x = hidden.float(), x.float()
        if self.config.skip:
            hidden = torch.cat((hidden, x), dim=-1)
        logits = functional.log_softmax(self.actor(hidden), dim=-1)
        return PolicyOutput(logits, self.critic(hidden).squeeze(-1))

    def real_values(self, values: Tensor) -> Tensor:
        """Values in units of reward."""
        return self.value_scale.restore(values)

    def update_value_scale(self, mean: Tensor, square: Tensor) -> None:
        """Moves the value units towards returns of a mean and a mean square.

        In units of reward, the head says the same as before.
        """
        self.value_scale.update_moments(mean, square, self.critic)


def sample_actions(logits: Tensor, generator: torch.Generator | None) -> Tensor:
    """Draws actions (N,) int64 from log-probabilities (N, actions); None takes the most likely ones."""
    if generator is None:
        return logits.argmax(dim=-1)
    uniform = torch.rand(logits.shape[0], 1, generator=generator, device=logits.device)
    above = logits.exp().cumsum(dim=-1) <= uniform
    return above.sum(dim=-1).clamp_max(logits.shape[-1] - 1)
