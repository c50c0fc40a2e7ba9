from __future__ import annotations

import pytest

from gym_batchnav.errors import ConfigError
from gym_batchnav.rl import PolicyConfig, PPOConfig, TrainConfig


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: PolicyConfig(planes=(8,), strides=(1, 2)),
            ["planes", "strides", "leave both None", "narrow"],
        ),
        (lambda: PolicyConfig(recurrence="rnn"), ["recurrence", "rnn", "gru"]),
        (lambda: PolicyConfig(hidden=0), ["hidden", "0", "at least 1"]),
        (lambda: PolicyConfig(initial_action_probabilities=(0.5, 0.6)), ["initial_action", "0.6", "sum 1"]),
        (lambda: PPOConfig(gamma=1.5), ["gamma", "1.5"]),
        (lambda: PPOConfig(clip=0.0), ["clip", "above 0"]),
        (lambda: PPOConfig(learning_rate=float("nan")), ["learning_rate", "nan"]),
        (lambda: PPOConfig(optimizer="sgd"), ["optimizer", "sgd", "lamb"]),
        (lambda: PPOConfig(final_of="end"), ["final_of", "end", "base"]),
        (lambda: TrainConfig(total_frames=0), ["total_frames"]),
        (lambda: TrainConfig(time_limit_s=-1.0), ["time_limit_s", "-1"]),
    ],
)
def test_bad_values_name_the_field_and_the_limit(make, words):
    with pytest.raises(ConfigError) as caught:
        make()
    assert all(word in str(caught.value) for word in words)


def test_dict_round_trip_keeps_every_field():
    config = TrainConfig(
        policy=PolicyConfig(planes=(4, 8, 16), strides=(1, 2, 2)), ppo=PPOConfig(epochs=7), seed=5
    )
    assert TrainConfig.from_dict(config.to_dict()) == config


def test_unknown_field_is_refused():
    data = TrainConfig().to_dict()
    data["ppo"]["epoch"] = 3
    with pytest.raises(ConfigError, match="epoch"):
        TrainConfig.from_dict(data)
