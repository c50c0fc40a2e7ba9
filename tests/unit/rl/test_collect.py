from __future__ import annotations

import numpy as np
import pytest
import torch
from gymnasium.vector import AutoresetMode

from gym_batchnav.errors import ConfigError
from gym_batchnav.rl import PolicyConfig, PPOConfig, TrainConfig
from gym_batchnav.rl.collecting.collect import Collector
from gym_batchnav.rl.collecting.parts import EnvParts
from gym_batchnav.rl.collecting.stepping import VectorStepper, info_column
from gym_batchnav.rl.collecting.timing import StageTimer
from gym_batchnav.rl.nets.policy import ActorCritic
from gym_batchnav.rl.spec import env_spec

LENGTHS = [(4, 3, 5), (2, 2), (6, 1, 3)]
STEPS = 17


def collector(envs) -> Collector:
    torch.manual_seed(0)
    spec = env_spec(envs.single_observation_space, envs.single_action_space)
    policy = ActorCritic(PolicyConfig(hidden=8, vector_embedding=4, action_embedding=4), spec)
    torch.nn.init.normal_(policy.critic.weight)
    config = TrainConfig(ppo=PPOConfig(rollout_length=STEPS), metric_keys=("success",))
    parts = EnvParts([lambda: envs], "off", "cpu")
    made = Collector(policy, parts, config, torch.Generator().manual_seed(0), StageTimer())
    made.reset(0)
    return made


def expected_frames(row: int, mode: AutoresetMode) -> list[tuple[int, int, bool]]:
    """(episode, step, is a skipped reset frame) of each frame of a clock."""
    frames, episode = [], 0
    while len(frames) <= STEPS:
        length = LENGTHS[row][episode % len(LENGTHS[row])]
        frames += [(episode, t, False) for t in range(length)]
        if mode is AutoresetMode.NEXT_STEP:
            frames.append((episode, length, True))
        episode += 1
    return frames


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_rollout_holds_what_happened(clock_envs, mode):
    rollout = collector(clock_envs(mode)).collect()
    for row in range(3):
        frames = expected_frames(row, mode)
        for t in range(STEPS):
            episode, time, skipped = frames[t]
            length = LENGTHS[row][episode % len(LENGTHS[row])]
            assert rollout.obs["observation"][t, row].tolist() == [row, episode, time]
            assert bool(rollout.valid[t, row]) is not skipped
            assert bool(rollout.starts[t, row]) is (time == 0)
            last = time == length - 1 and not skipped
            assert bool(rollout.terminated[t, row]) is (last and episode % 2 == 0)
            assert bool(rollout.truncated[t, row]) is (last and episode % 2 == 1)
            reward = 0.0 if skipped else 100 * row + 10 * episode + time + 1
            assert float(rollout.rewards[t, row]) == reward
            if t:
                assert rollout.previous[t, row] == rollout.actions[t - 1, row]


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_truncated_episodes_are_valued_at_their_last_observation_with_their_memory(clock_envs, mode):
    made = collector(clock_envs(mode))
    rollout = made.collect()
    checked = 0
    for t, row in torch.nonzero(rollout.truncated).tolist():
        _, episode, time = (int(x) for x in rollout.obs["observation"][t, row])
        # The whole episode again, alone, from its first frame to the observation after its last step.
        obs = torch.tensor([[row, episode, k] for k in range(time + 2)], dtype=torch.float32)[:, None]
        actions = rollout.actions[t - time : t + 1, row]
        previous = torch.cat((torch.tensor([-1]), actions))[:, None]
        starts = (torch.arange(time + 2) == 0)[:, None]
        output = made.policy.sequence({"observation": obs}, made.policy.initial_state(1), previous, starts)
        assert float(rollout.final_values[t, row]) == pytest.approx(output.values[-1, 0].item(), abs=1e-5)
        checked += 1
    assert checked >= 4
    assert not rollout.final_values[~rollout.truncated].any()


def test_modes_agree_on_episodes(clock_envs):
    means = []
    for mode in AutoresetMode:
        made = collector(clock_envs(mode))
        for _ in range(4):
            made.collect()
        values = made.metrics.values
        means.append([list(values[key])[:12] for key in ("return", "length", "success")])
    same = [m for mode, m in zip(AutoresetMode, means, strict=True) if mode is not AutoresetMode.NEXT_STEP]
    assert same[0] == same[1]
    # Row 1 ends first: episode 0, two steps of reward 101 and 102; its first episode is a success.
    assert all(m[0][0] == 203 and m[1][0] == 2 and m[2][0] == 1.0 for m in means)


def test_second_rollout_goes_on_where_the_first_ended(clock_envs):
    made = collector(clock_envs(AutoresetMode.SAME_STEP))
    first = made.collect()
    last = {key: value[STEPS].clone() for key, value in first.obs.items()}
    state = made.state.clone()
    second = made.collect()
    assert torch.equal(second.obs["observation"][0], last["observation"])
    assert torch.equal(second.state, state)


def test_stored_log_probabilities_equal_those_of_the_sequence(clock_envs):
    made = collector(clock_envs(AutoresetMode.SAME_STEP))
    made.collect()
    rollout = made.collect()
    frames = slice(0, STEPS)
    output = made.policy.sequence({"observation": rollout.obs["observation"][frames]}, rollout.state,
                                  rollout.previous[frames], rollout.starts[frames])  # fmt: skip
    picked = output.logits.gather(-1, rollout.actions[..., None])[..., 0]
    torch.testing.assert_close(picked, rollout.log_probs, rtol=0, atol=1e-5)
    torch.testing.assert_close(output.values, rollout.values, rtol=0, atol=1e-5)


def test_undeclared_autoreset_mode_is_refused(clock_envs):
    envs = clock_envs(AutoresetMode.SAME_STEP)
    envs.metadata = {}
    with pytest.raises(ConfigError, match="autoreset_mode"):
        VectorStepper(envs)


def test_batched_final_observations_and_torch_outputs_are_read(clock_envs):
    envs = clock_envs(AutoresetMode.SAME_STEP)
    plain_step, plain_reset = envs.step, envs.reset
    seen = []

    def step(actions):
        seen.append(actions)
        obs, rewards, terminated, truncated, infos = plain_step(actions.numpy())
        if "final_obs" in infos:
            batched = np.stack([np.zeros(3, np.float32) if x is None else x for x in infos["final_obs"]])
            infos = infos | {"final_obs": {"observation": torch.from_numpy(batched)}}
        tensors = [torch.from_numpy(np.asarray(x)) for x in (obs, rewards, terminated, truncated)]
        return *tensors, infos

    envs.step = step
    envs.reset = lambda **k: (lambda out: (torch.from_numpy(out[0]), out[1]))(plain_reset(**k))
    rollout = collector(envs).collect()
    plain = collector(clock_envs(AutoresetMode.SAME_STEP)).collect()
    assert isinstance(seen[0], torch.Tensor)
    assert torch.equal(rollout.obs["observation"], plain.obs["observation"])
    assert torch.equal(rollout.final_values, plain.final_values)


def test_info_column_masks():
    infos = {"a": np.array([1.0, 2.0]), "_a": np.array([True, False]), "b": ["x", "y"]}
    values, present = info_column(infos, "a", 2)
    assert values.tolist() == [1.0, 2.0]
    assert present.tolist() == [True, False]
    assert info_column(infos, "b", 2)[1].all()
    assert info_column(infos, "c", 2) is None
