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
from gym_batchnav.rl.nets.encoders import make_encoder
from gym_batchnav.rl.nets.features import (
    image_channels,
    image_floats,
    image_keys,
    is_goal,
    prepare_image,
    prepared_field,
    vector_features,
    vector_width,
)
from gym_batchnav.rl.nets.moments import ImageMoments, moments, sample_frames
from gym_batchnav.rl.nets.recurrent import FragmentPlan, RecurrentCore
from gym_batchnav.rl.nets.values import ValueScale
from gym_batchnav.rl.spec import EnvSpec, FieldSpec

Observations = Mapping[str, Tensor]


class PolicyOutput(NamedTuple):
    """What the network says about a batch of frames."""

    logits: Tensor
    """(..., actions): log-probabilities, normalised."""
    values: Tensor
    """(...): expected return in the normalised units of ``ActorCritic.value_scale``."""


class _ByObservation(nn.ModuleDict):
    """Modules by the key of an observation, which may also be a name of torch's own, such as "items"."""

    def __setitem__(self, key: str, module: nn.Module) -> None:
        self._modules[key] = module


class ActorCritic(nn.Module):
    """Images, vectors and the previous action, through a memory, to action probabilities and a value.

    The state is one tensor (S, N, hidden), see ``RecurrentCore``. A previous action of -1 stands for none.
    """

    def __init__(self, config: PolicyConfig, spec: EnvSpec) -> None:
        super().__init__()
        self.config = config
        self.spec = spec
        self.precision: Precision = "float32"
        self.sizes = config.sizes
        self.image_keys = image_keys(spec)
        self.prepared: dict[str, FieldSpec] = {
            key: prepared_field(field, self.sizes.space_to_depth) for key, field in spec.fields.items()
        }
        self.vector_keys = [key for key in spec.fields if key not in self.image_keys]
        width = self._build_inputs()
        hidden = self.sizes.hidden
        self.core = RecurrentCore(config.recurrence, width, hidden, config.layers)
        seen = hidden + (width if config.skip else 0)
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
        self.embed = _ByObservation()
        for key in self.vector_keys:
            self.embed[key] = nn.Linear(vector_width(key, fields[key], config), config.vector_embedding)
        width = len(self.vector_keys) * config.vector_embedding
        self.encoder: ImageEncoder | None = None
        self.image_moments = _ByObservation()
        if self.image_keys:
            height, columns = self.prepared[self.image_keys[0]].shape[:2]
            channels = sum(
                image_channels(self.prepared[key], self.sizes.depth_bins) for key in self.image_keys
            )
            self.encoder = make_encoder(config, channels, (height, columns))
            width += self.sizes.hidden
            for key in self.image_keys:
                if config.normalize_rgb and fields[key].dtype == "uint8":
                    self.image_moments[key] = ImageMoments(fields[key].shape[2])
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
            Those that the network uses, ``(B, *shape)`` of ``prepared`` each; images in new memory.
        """
        kind, block = self.config.depth_transform, self.sizes.space_to_depth
        return {
            key: prepare_image(obs[key], field, kind, block) if key in self.image_keys else obs[key]
            for key, field in self.spec.fields.items()
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
        if self.encoder is not None:
            images = [self._image(key, obs[key]) for key in self.image_keys]
            image = images[0] if len(images) == 1 else torch.cat(images, dim=3)
            with self.lower_precision(everywhere=True):
                parts.append(self.encoder(image).float())
        parts += [self._vector(key, obs[key]) for key in self.vector_keys]
        if self.action_embedding is not None:
            parts.append(self.action_embedding((previous + 1) * ~starts))
        return torch.cat(parts, dim=1)

    def _image(self, key: str, value: Tensor) -> Tensor:
        image = image_floats(value, self.spec.fields[key], self.sizes.depth_bins)
        if key not in self.image_moments:
            return image
        scaled: Tensor = self.image_moments[key](image)
        return scaled

    def _vector(self, key: str, value: Tensor) -> Tensor:
        field, config = self.spec.fields[key], self.config
        embedded: Tensor = self.embed[key](vector_features(key, value, field, config))
        # As published, without a ReLU.
        plain = config.goal_format == "cos-sin" and is_goal(key, field, config)
        return embedded if plain else functional.relu(embedded)

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
        with self.lower_precision():
            x = self.features(obs, previous, starts)
            hidden, state = self.core.step(x, state, starts)
        return self._heads(hidden, x), state.float()

    def sequence(
        self,
        obs: Observations,
        state: Tensor,
        previous: Tensor,
        starts: Tensor,
        plan: FragmentPlan | None = None,
    ) -> PolicyOutput:
        """T frames of N environments; equal to ``step`` called T times.

        Args:
            obs: (T, N, ...) each, prepared.
            state: (S, N, hidden), before the first frame.
            previous: (T, N) int64.
            starts: (T, N) bool.
            plan: ``plan_fragments(starts)``, where it is known already.

        Returns:
            Log-probabilities (T, N, actions) and values (T, N).
        """
        flat = {key: value.flatten(0, 1) for key, value in obs.items()}
        with self.lower_precision():
            x = self.features(flat, previous.flatten(), starts.flatten()).reshape(*starts.shape, -1)
            hidden = self.core.sequence(x, state, starts, plan)
        return self._heads(hidden, x)

    def lower_precision(self, *, everywhere: bool = False) -> AbstractContextManager[object]:
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

    def count_images(self, obs: Observations) -> dict[str, Tensor]:
        """Moments (3, channels) of prepared images (T, N, ...), by key; those of several ranks add up."""
        return {
            key: moments(sample_frames(obs[key]), self.spec.fields[key].shape[2])
            for key in self.image_moments
        }

    def merge_images(self, counted: Mapping[str, Tensor]) -> None:
        """Takes what ``count_images`` gave into the statistics that scale the images from now on."""
        for key, scale in self.image_moments.items():
            assert isinstance(scale, ImageMoments)
            scale.merge(counted[key])


def sample_actions(
    logits: Tensor, generator: torch.Generator | None, rank: int = 0, ranks: int = 1
) -> Tensor:
    """Draws actions (N,) int64 from log-probabilities (N, actions).

    Args:
        logits: of the rows of this rank.
        generator: None takes the most likely actions.
        rank: number of this rank. Ranks whose generators are alike draw for all rows and use their own, so
            that no two share a number, and all of them together draw as one with all rows would.
        ranks: number of ranks.
    """
    if generator is None:
        return logits.argmax(dim=-1)
    rows = logits.shape[0]
    uniform = torch.rand(ranks * rows, 1, generator=generator, device=logits.device)
    uniform = uniform[rank * rows : (rank + 1) * rows]
    above = logits.exp().cumsum(dim=-1) <= uniform
    return above.sum(dim=-1).clamp_max(logits.shape[-1] - 1)
