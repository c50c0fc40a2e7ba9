"""V-trace: returns and advantages of a policy, from what another policy has done."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor

from gym_batchnav.rl.learning.gae import backward_sums, following_values


class VTrace(NamedTuple):
    """What V-trace estimates."""

    advantages: Tensor
    """(T, N): r_s + gamma v_{s+1} - V(x_s), for the policy gradient."""
    returns: Tensor
    """(T, N): v_s, the values to learn."""


def vtrace(
    rewards: Tensor,
    values: Tensor,
    last_values: Tensor,
    terminated: Tensor,
    truncated: Tensor,
    final_values: Tensor,
    log_ratios: Tensor,
    gamma: float,
    lam: float,
    rho_bar: float,
    c_bar: float,
) -> VTrace:
    """Espeholt et al. 2018, equation 1 (as the recursion of remark 1) and section 4.2, cut at episode ends.

    With rho_s = min(rho_bar, ratio) and c_s = lambda min(c_bar, ratio) (remark 2),

        v_s = V(x_s) + rho_s (r_s + gamma V(x_{s+1}) - V(x_s)) + gamma c_s (v_{s+1} - V(x_{s+1})).

    What follows step s is 0 where the episode terminated, the value of its last observation where it was
    truncated. The paper's factor rho_s of the policy gradient is not in ``advantages``: the ratio of the PPO
    surrogate is that factor, and its clip bounds it.

    Args:
        rewards: (T, N).
        values: (T, N), V of the frames.
        last_values: (N,), V of the frame after the last.
        terminated: (T, N) bool.
        truncated: (T, N) bool; ``terminated`` wins where both are set.
        final_values: (T, N), V of the last observation of episodes truncated at (t, n); read only there.
        log_ratios: (T, N), log-probability of the actions under the policy that is evaluated, minus that
            under the policy that took them.
        gamma: discount.
        lam: lambda.
        rho_bar: bound of rho; decides towards which policy's values the estimate goes.
        c_bar: bound of c; decides how far back a surprise counts.
    """
    ratios = log_ratios.exp()
    rho, c = ratios.clamp_max(rho_bar), lam * ratios.clamp_max(c_bar)
    ended = terminated | truncated
    following = following_values(values, last_values, terminated, truncated, final_values)
    deltas = rho * (rewards + gamma * following - values)
    carry = gamma * c * (~ended).to(deltas.dtype)
    returns = values + backward_sums(deltas, carry)
    after = following_values(returns, last_values, terminated, truncated, final_values)
    return VTrace(rewards + gamma * after - values, returns)
