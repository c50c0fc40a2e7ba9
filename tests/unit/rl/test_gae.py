from __future__ import annotations

import torch

from gym_batchnav.rl.learning.gae import advantages

GAMMA, LAM = 0.5, 0.5


def run(rewards, values, last, terminated=(), truncated=(), final=None):
    steps = len(rewards)
    flags = torch.zeros(2, steps, 1, dtype=torch.bool)
    for t in terminated:
        flags[0, t] = True
    for t in truncated:
        flags[1, t] = True
    column = lambda x: torch.tensor(x, dtype=torch.float64)[:, None]  # noqa: E731
    final = column(final if final is not None else [99.0] * steps)
    out = advantages(
        column(rewards),
        column(values),
        torch.tensor([last], dtype=torch.float64),
        flags[0],
        flags[1],
        final,
        GAMMA,
        LAM,
    )
    return out[:, 0].tolist()


def test_without_ends():
    # d2 = 3 + .5*8 - 4 = 3; d1 = 2 + .5*4 - 2 = 2; d0 = 1 + .5*2 - 1 = 1
    # A2 = 3; A1 = 2 + .25*3 = 2.75; A0 = 1 + .25*2.75 = 1.6875
    assert run([1, 2, 3], [1, 2, 4], 8) == [1.6875, 2.75, 3.0]


def test_termination_has_no_future():
    # d1 = 2 + 0 - 2 = 0, nothing carried in; A0 = d0 = 1 + .5*2 - 1 = 1 plus .25*0
    assert run([1, 2, 3], [1, 2, 4], 8, terminated=[1]) == [1.0, 0.0, 3.0]


def test_truncation_bootstraps_from_the_final_observation_and_not_from_the_next_episode():
    # d1 = 2 + .5*6 - 2 = 3 with V(final) = 6; the next episode's value 4 and advantage 3 stay out
    # A0 = 1 + .25*3 = 1.75
    assert run([1, 2, 3], [1, 2, 4], 8, truncated=[1], final=[0, 6, 0]) == [1.75, 3.0, 3.0]


def test_truncation_in_the_last_step_ignores_the_value_after_it():
    # d2 = 3 + .5*10 - 4 = 4; A1 = 2 + .25*4 = 3; A0 = 1 + .25*3 = 1.75
    assert run([1, 2, 3], [1, 2, 4], 8, truncated=[2], final=[0, 0, 10]) == [1.75, 3.0, 4.0]


def test_termination_wins_over_truncation():
    assert run([1.0], [0.5], 8, terminated=[0], truncated=[0], final=[100]) == [0.5]


def test_columns_do_not_mix():
    rewards = torch.tensor([[1.0, 100.0], [2.0, 200.0]])
    values = torch.tensor([[1.0, -1.0], [2.0, -2.0]])
    last = torch.tensor([4.0, -4.0])
    none = torch.zeros(2, 2, dtype=torch.bool)
    both = advantages(rewards, values, last, none, none, torch.zeros(2, 2), GAMMA, LAM)
    for n in range(2):
        column = slice(n, n + 1)
        one = advantages(
            rewards[:, column],
            values[:, column],
            last[column],
            none[:, column],
            none[:, column],
            torch.zeros(2, 1),
            GAMMA,
            LAM,
        )
        assert torch.equal(both[:, column], one)
