"""The recurrent PPO of sb3-contrib on our environment, with our encoder and heads and an LSTM of one size."""

from __future__ import annotations

from collections.abc import Callable

from .peer import THE_SAME, Peer
from .sb3 import EQUAL, updates
from .task import Task


def setup(task: Task) -> Callable[[], int]:
    """Rollouts and updates in turn."""
    from sb3_contrib import RecurrentPPO

    policy = task.learner["policy"]
    net = {
        "net_arch": [],
        "lstm_hidden_size": policy["hidden"],
        "n_lstm_layers": policy["layers"],
        "shared_lstm": True,
        "enable_critic_lstm": False,
    }
    return updates(task, RecurrentPPO, "MultiInputLstmPolicy", net)


PEER = Peer(
    name="sb3-recurrent",
    file=__file__,
    distribution="sb3-contrib",
    benchmark="train",
    outputs=("depth", "rgb"),
    scene=THE_SAME,
    setup=setup,
    threads=None,
    equal={"policy.recurrence": "lstm", **EQUAL},
)
