"""Stable-Baselines3's PPO on our environment, with our encoder and heads and no memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .peer import THE_SAME, Peer
from .task import Task

EQUAL = {"policy.action_embedding": 0, "policy.skip": False, "precision": "float32", "overlap": "off"}
"""Neither has what Stable-Baselines3 does not: previous actions, a way round the memory, low precision."""


def setup(task: Task) -> Callable[[], int]:
    """Rollouts and updates in turn."""
    from stable_baselines3 import PPO

    return updates(task, PPO, "MultiInputPolicy", {"net_arch": []})


def updates(task: Task, algorithm: Any, policy: str, net: dict[str, Any]) -> Callable[[], int]:
    """What collects a rollout and learns from it.

    Args:
        task: with the learner's settings.
        algorithm: the class.
        policy: name of its policy.
        net: arguments of the policy beside the features.
    """
    from gym_batchnav.integrations.sb3 import make_sb3_vec_env
    from gym_batchnav.rl import TrainConfig

    learner = TrainConfig.from_dict(task.learner)
    # Depth without loss and of any size, as our learner sees it.
    envs = make_sb3_vec_env(task.num_envs, depth="float32", min_image_size=3, **task.env)
    ppo = learner.ppo
    model = algorithm(
        policy,
        envs,
        learning_rate=ppo.learning_rate,
        n_steps=ppo.rollout_length,
        batch_size=task.num_envs * ppo.rollout_length // ppo.minibatches,
        n_epochs=ppo.epochs,
        gamma=ppo.gamma,
        gae_lambda=ppo.gae_lambda,
        clip_range=ppo.clip,
        normalize_advantage=ppo.normalize_advantages,
        ent_coef=ppo.entropy_coefficient,
        vf_coef=ppo.value_coefficient,
        max_grad_norm=ppo.max_grad_norm,
        policy_kwargs={"features_extractor_class": features(learner), "ortho_init": False, **net},
        seed=task.seed,
        device=learner.device,
    )
    _, callback = model._setup_learn(10**12)

    def update() -> int:
        model.collect_rollouts(model.env, callback, model.rollout_buffer, ppo.rollout_length)
        model.train()
        return task.num_envs * ppo.rollout_length

    return update


def features(learner: Any) -> Any:
    """Our network up to the memory, and without one up to the heads, as a features extractor."""
    import torch
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

    from gym_batchnav.rl.nets.policy import ActorCritic
    from gym_batchnav.rl.spec import env_spec

    class Features(BaseFeaturesExtractor):
        def __init__(self, observation_space: Any) -> None:
            from gymnasium.spaces import Discrete

            net = ActorCritic(learner.policy, env_spec(channels_last(observation_space), Discrete(4)))
            # The heads, and the memory where there is one, are those of the other library.
            del net.actor, net.critic
            remembers = learner.policy.recurrence != "none"
            memory: Any = net.core.net
            width = memory.input_size if remembers else learner.policy.hidden
            super().__init__(observation_space, width)
            self.after = torch.nn.Identity() if remembers else memory
            del net.core
            self.net = net

        def forward(self, observations: Any) -> Any:
            one = next(iter(observations.values()))
            unused = torch.zeros(len(one), dtype=torch.long, device=one.device)
            images = {key: value.movedim(1, -1) for key, value in observations.items() if value.ndim == 4}
            seen = self.net.features(self.net.prepare({**observations, **images}), unused, unused.bool())
            return self.after(seen)

    return Features


def channels_last(space: Any) -> Any:
    """A space whose images are (C, H, W), as one whose images are (H, W, C)."""
    import numpy as np
    from gymnasium.spaces import Box, Dict

    def last(inner: Any) -> Any:
        low, high = (np.moveaxis(bounds, 0, -1) for bounds in (inner.low, inner.high))
        return Box(low, high, dtype=inner.dtype)

    return Dict({key: last(inner) if len(inner.shape) == 3 else inner for key, inner in space.items()})


PEER = Peer(
    name="sb3",
    file=__file__,
    distribution="stable-baselines3",
    benchmark="train",
    outputs=("depth", "rgb"),
    scene=THE_SAME,
    setup=setup,
    threads=None,
    equal={"policy.recurrence": "none", **EQUAL},
)
