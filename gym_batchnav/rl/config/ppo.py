"""Settings of the PPO update."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gym_batchnav.errors import ConfigError
from gym_batchnav.rl.config.checks import at_least, bring_to_types, positive, within

ScheduleKind = Literal["constant", "linear", "cosine"]
AdvantageKind = Literal["gae", "vtrace"]
OptimizerKind = Literal["adam", "lamb"]
RateReference = Literal["peak", "base"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PPOConfig:
    """Proximal policy optimisation (Schulman et al. 2017)."""

    rollout_length: int = 64
    """Steps T of each environment per update."""
    minibatches: int = 4
    """Parts into which the environments are split; each holds whole sequences."""
    epochs: int = 2
    """Passes over each rollout."""
    gamma: float = 0.99
    """Discount."""
    gae_lambda: float = 0.95
    """Lambda of the advantage estimate."""
    advantage: AdvantageKind = "gae"
    """"gae" estimates advantages once a rollout (Schulman et al. 2016); "vtrace" anew before each epoch after
    the first, for the policy as it is by then (Espeholt et al. 2018), at the cost of a forward pass."""
    rho_bar: float = 1.0
    """V-trace's bound of the ratios that weigh surprises."""
    c_bar: float = 1.0
    """V-trace's bound of the ratios by which surprises count further back."""
    clip: float = 0.2
    """Clip range of the probability ratio."""
    value_clip: float | None = None
    """Clip range of the value change, in normalised units; None leaves it out."""
    value_coefficient: float = 0.5
    """Weight of the value loss."""
    entropy_coefficient: float = 0.01
    """Weight of the entropy bonus."""
    entropy_final_factor: float = 0.1
    """The entropy weight falls linearly to this share of itself."""
    normalize_advantages: bool = True
    """Whether advantages get zero mean and unit deviation over each rollout."""
    normalize_values: bool = True
    """Whether the value head learns returns in running units (PopArt, van Hasselt et al. 2016)."""
    optimizer: OptimizerKind = "adam"
    """"adam" is AdamW; "lamb" scales each tensor's step to its weights, for large batches."""
    learning_rate: float = 1e-3
    """Base learning rate: the peak, unless ``scale_learning_rate`` makes that larger."""
    scale_learning_rate: bool = False
    """Whether the peak is the base times max(1, sqrt(frames per minibatch of all ranks / 256))."""
    schedule: ScheduleKind = "cosine"
    """How the rate falls with the progress of the run."""
    warmup: float = 0.01
    """Share of the run in which the rate rises from half of its peak."""
    final_factor: float = 0.02
    """Share of the rate that is left at the end of the schedule ..."""
    final_of: RateReference = "peak"
    """... of the peak, or of the base rate."""
    weight_decay: float = 0.0
    """Decoupled weight decay (AdamW, Lamb) of weights; biases and other vectors have none."""
    adam_eps: float = 1e-5
    """Epsilon of Adam."""
    adam_betas: tuple[float, float] = (0.9, 0.999)
    """Decay rates of Adam's moments."""
    max_grad_norm: float = 1.0
    """Gradients are scaled down to this norm."""
    microbatch_frames: int = 2048
    """Frames whose gradients are computed at once; smaller parts fit the cache, the sum is the same."""

    def __post_init__(self) -> None:
        bring_to_types(self)
        at_least(self, 1, "rollout_length", "minibatches", "epochs", "microbatch_frames")
        within(self, 0.0, 1.0, "gamma", "gae_lambda", "warmup", "final_factor", "entropy_final_factor")
        positive(self, "rho_bar", "c_bar", "clip", "value_clip", "learning_rate", "adam_eps", "max_grad_norm")
        at_least(self, 0, "value_coefficient", "entropy_coefficient", "weight_decay")
        if not all(0 <= beta < 1 for beta in self.adam_betas):
            raise ConfigError(f"adam_betas are {self.adam_betas}; both must be in [0, 1)")
