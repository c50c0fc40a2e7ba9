from __future__ import annotations

import pytest
import torch

from gym_batchnav.errors import ConfigError
from gym_batchnav.rl import PPOConfig
from gym_batchnav.rl.learning.gae import advantages
from gym_batchnav.rl.learning.vtrace import vtrace

GAMMA = 0.5


def run(ratios, *, lam=1.0, rho_bar=1.0, c_bar=1.0, terminated=(), truncated=(), final=99.0):
    """Rewards 1, 2, 3, values 1, 2, 4, then 8; gives returns and advantages."""
    flags = torch.zeros(2, 3, 1, dtype=torch.bool)
    flags[0, list(terminated)] = True
    flags[1, list(truncated)] = True
    column = lambda x: torch.tensor(x, dtype=torch.float64)[:, None]  # noqa: E731
    last = torch.tensor([8.0], dtype=torch.float64)
    found = vtrace(
        column([1.0, 2.0, 3.0]), column([1.0, 2.0, 4.0]), last, *flags, column([final] * 3),
        column(ratios).log(), GAMMA, lam, rho_bar, c_bar,
    )  # fmt: skip
    return found.returns[:, 0].tolist(), found.advantages[:, 0].tolist()


@pytest.mark.parametrize(
    ("options", "returns", "advantages"),
    [
        # rho = c = (1, .5, 1). d2 = 3 + .5*8 - 4 = 3, d1 = .5 (2 + .5*4 - 2) = 1, d0 = 1 + .5*2 - 1 = 1.
        # Corrections 3; 1 + .5*.5*3 = 1.75; 1 + .5*1*1.75 = 1.875; returns are values plus these.
        # Advantages 3 + .5*8 - 4; 2 + .5*7 - 2; 1 + .5*3.75 - 1.
        ({}, [2.875, 3.75, 7.0], [1.875, 3.5, 3.0]),
        # rho_0 = 2 doubles d0 alone: 2 + .875.
        ({"rho_bar": 3.0}, [3.875, 3.75, 7.0], [1.875, 3.5, 3.0]),
        # c_0 = 2 carries twice the surprises after step 0: 1 + .5*2*1.75 = 2.75.
        ({"c_bar": 2.0}, [3.75, 3.75, 7.0], [1.875, 3.5, 3.0]),
        # c is halved: 1 + .5*.25*3 = 1.375; 1 + .5*.5*1.375 = 1.34375.
        ({"lam": 0.5}, [2.34375, 3.375, 7.0], [1.6875, 3.5, 3.0]),
        # No future at 1: d1 = .5 (2 - 2) = 0, correction 0; at 0 nothing but d0 = 1, with v_1 = 2.
        ({"terminated": [1]}, [2.0, 2.0, 7.0], [1.0, 0.0, 3.0]),
        # V(final) = 6: d1 = .5 (2 + 3 - 2) = 1.5; nothing of step 2 gets in; 1 + .5*1.5 = 1.75.
        # Advantages 2 + .5*6 - 2 = 3; 1 + .5*3.5 - 1 = 1.75.
        ({"truncated": [1], "final": 6.0}, [2.75, 3.5, 7.0], [1.75, 3.0, 3.0]),
        ({"terminated": [1], "truncated": [1], "final": 6.0}, [2.0, 2.0, 7.0], [1.0, 0.0, 3.0]),
        # d2 = 3 + .5*10 - 4 = 4 and not the value after the rollout: 1 + .25*4 = 2; 1 + .5*2 = 2.
        ({"truncated": [2], "final": 10.0}, [3.0, 4.0, 8.0], [2.0, 4.0, 4.0]),
    ],
)  # fmt: skip
def test_by_hand(options, returns, advantages):
    assert run([2.0, 0.5, 1.0], **options) == (returns, advantages)


def random_rollout(seed, steps=12, num_envs=5):
    generator = torch.Generator().manual_seed(seed)
    draw = lambda *shape: torch.randn(*shape, generator=generator, dtype=torch.float64)  # noqa: E731
    chance = lambda: torch.rand(steps, num_envs, generator=generator) < 0.15  # noqa: E731
    frames = (steps, num_envs)
    return draw(*frames), draw(*frames), draw(num_envs), chance(), chance(), draw(*frames)


@pytest.mark.parametrize("lam", [0.0, 0.7, 1.0])
def test_on_policy_returns_are_those_of_gae(lam):
    rollout = random_rollout(1)
    values = rollout[1]
    traced = vtrace(*rollout, torch.zeros_like(values), 0.9, lam, 1.0, 1.0)
    torch.testing.assert_close(traced.returns, advantages(*rollout, 0.9, lam) + values)


def test_on_policy_returns_are_those_of_n_steps():
    # Espeholt et al. 2018, equation 2: discounted rewards up to the end, and the value of what comes then.
    rewards, values, last, terminated, truncated, final = rollout = random_rollout(2)
    traced = vtrace(*rollout, torch.zeros_like(values), 0.9, 1.0, 1.0, 1.0)
    for n in range(values.shape[1]):
        for t in range(values.shape[0]):
            total, weight = 0.0, 1.0
            for s in range(t, values.shape[0]):
                total, weight = total + weight * rewards[s, n], weight * 0.9
                if terminated[s, n]:
                    break
                if truncated[s, n]:
                    total += weight * final[s, n]
                    break
            else:
                total += weight * last[n]
            assert traced.returns[t, n] == pytest.approx(float(total))


def test_actions_that_the_policy_would_not_take_teach_nothing():
    rollout = random_rollout(3)
    traced = vtrace(*rollout, torch.full_like(rollout[1], -100.0), 0.9, 1.0, 1.0, 1.0)
    torch.testing.assert_close(traced.returns, rollout[1])


@pytest.mark.parametrize("name", ["rho_bar", "c_bar"])
def test_bounds_are_checked(name):
    with pytest.raises(ConfigError, match=f"{name} is 0.0"):
        PPOConfig(**{name: 0.0})
