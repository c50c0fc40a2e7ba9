"""The checker lets good environments pass, and names the law and the row of each that is broken."""

import pickle

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.vector.utils import batch_space
from gymnasium.wrappers.vector import RecordEpisodeStatistics

import gym_batchnav
from gym_batchnav import BatchPointNavEnv, ConfigError, ConformanceError, check_vector_env
from tests.unit.envs.counting import CountingEnv

MODES = list(AutoresetMode)
NEXT, SAME, DISABLED = AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("num_envs", [1, 4])
def test_a_good_environment_passes_and_is_closed(mode, num_envs):
    env = CountingEnv(mode, num_envs)
    check_vector_env(env, steps=20)
    assert env.closed
    env = CountingEnv(mode, num_envs)
    check_vector_env(env, steps=20, close=False)
    assert not env.closed


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("copy", [True, False])
@pytest.mark.parametrize("output", ["numpy", "torch"])
def test_ours_passes(fake_renderer, rooms, mode, copy, output):
    env = BatchPointNavEnv(
        4, scenes=rooms, sensors=("depth", "rgb"), resolution=(4, 5), straight_ratio=1.0, scene_workers=0,
        autoreset_mode=mode, render_mode="rgb_array", max_episode_steps=9, copy=copy, output=output,
    )  # fmt: skip
    check_vector_env(env, steps=30, views=not copy)


def test_our_views_are_found_where_they_are_not_announced(fake_renderer, rooms):
    env = BatchPointNavEnv(
        2, scenes=rooms, resolution=(4, 5), straight_ratio=1.0, scene_workers=0, copy=False
    )
    with pytest.raises(ConformanceError, match=r"fresh arrays.*'depth'"):
        check_vector_env(env)


def test_ours_passes_with_fewer_scenes_held_than_there_are(fake_renderer, rooms):
    check_vector_env(
        BatchPointNavEnv(
            4, scenes=rooms, num_resident_scenes=2, swap_episodes=2, sensors=(), straight_ratio=1.0,
            scene_workers=0, max_episode_steps=6,
        ),
        steps=60,
    )  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("copy", [True, False])
def test_gymnasium_s_own_passes(mode, copy):
    makers = [lambda: gym.make("CartPole-v1")] * 3
    check_vector_env(SyncVectorEnv(makers, autoreset_mode=mode, copy=copy), views=not copy)


def test_wrapped_and_truncated_environments_pass():
    makers = [lambda: gym.make("CartPole-v1", max_episode_steps=7)] * 3
    for mode in MODES:
        check_vector_env(RecordEpisodeStatistics(SyncVectorEnv(makers, autoreset_mode=mode)))
    # One generator for all rows, and no partial reset.
    batch = gym.make_vec("CartPole-v1", num_envs=3, vectorization_mode="vector_entry_point")
    check_vector_env(batch, partial_reset=False)


def test_async_passes():
    env = gym.make_vec("CartPole-v1", num_envs=2, vectorization_mode="async")
    check_vector_env(env, steps=30)


def test_too_few_steps_are_said():
    with pytest.raises(ConfigError, match="no episode ended within steps=2; give more"):
        check_vector_env(CountingEnv(NEXT), steps=2)
    with pytest.raises(ConfigError, match="steps=0"):
        check_vector_env(CountingEnv(NEXT), steps=0)


def test_error_is_public_survives_pickling_and_names_all():
    error = ConformanceError("spaces", "expected a, found b", 3)
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == "the law of 'spaces' is broken in row 3: expected a, found b"
    assert (again.law, again.row) == ("spaces", 3)
    assert isinstance(error, AssertionError)
    assert gym_batchnav.check_vector_env is check_vector_env


class UnbatchedActions(CountingEnv):
    def __init__(self, mode):
        super().__init__(mode)
        self.action_space = self.single_action_space


class WiderObservations(CountingEnv):
    def __init__(self, mode):
        super().__init__(mode)
        wide = gym.spaces.Dict({**self.single_observation_space, "seen": gym.spaces.Box(-9, 9, (5,))})
        self.observation_space = batch_space(wide, self.num_envs)


class NoRows(CountingEnv):
    def __init__(self, mode):
        super().__init__(mode)
        self.num_envs = 0


class NoMode(CountingEnv):
    def __init__(self, mode):
        super().__init__(mode)
        self.metadata = {"autoreset_mode": "NextStep"}


class NoInfosFromReset(CountingEnv):
    def reset(self, **arguments):
        return super().reset(**arguments)[0]


class OldStep(CountingEnv):
    def step(self, actions):
        observations, rewards, ends, _, infos = super().step(actions)
        return observations, rewards, ends, infos


class ColumnRewards(CountingEnv):
    def step(self, actions):
        observations, rewards, *rest = super().step(actions)
        return observations, rewards[:, None], *rest


class CountedEnds(CountingEnv):
    def step(self, actions):
        observations, rewards, ends, cuts, infos = super().step(actions)
        return observations, rewards, ends.astype(np.int64), cuts, infos


class LostReward(CountingEnv):
    def step(self, actions):
        observations, rewards, *rest = super().step(actions)
        rewards[2] = np.nan
        return observations, rewards, *rest


class WrongDtype(CountingEnv):
    def observe(self):
        return {**super().observe(), "seen": self.seen.astype(np.float16)}


class MissingKey(CountingEnv):
    def observe(self):
        return {"seen": self.seen.copy()}


class OutOfBounds(CountingEnv):
    def observe(self):
        seen = super().observe()
        seen["seen"][1, 1] += 99
        return seen


class NotFinite(CountingEnv):
    def observe(self):
        seen = super().observe()
        seen["seen"][3, 0] = np.nan
        return seen


class OutOfDiscrete(CountingEnv):
    def observe(self):
        return {**super().observe(), "parity": self.seen[:, 1].astype(np.int64)}


class NoMask(CountingEnv):
    def infos(self, rows):
        return {"steps": super().infos(rows)["steps"]}


class ShortInfos(CountingEnv):
    def infos(self, rows):
        return {**super().infos(rows), "short": np.zeros(2), "_short": rows.copy()}


class CountedMask(CountingEnv):
    def infos(self, rows):
        return {**super().infos(rows), "_steps": rows.astype(int)}


class Unseeded(CountingEnv):
    def reset(self, *, seed=None, options=None):
        return super().reset(options=options)


class SharedRewards(CountingEnv):
    kept = np.zeros(4)

    def step(self, actions):
        observations, rewards, *rest = super().step(actions)
        self.kept[:] = rewards
        return observations, self.kept, *rest


class SharedObservations(CountingEnv):
    def observe(self):
        return {**super().observe(), "seen": self.seen}


class ActsWhileResting(CountingEnv):
    def act(self, actions, resting):
        rewards, over = super().act(actions, resting)
        self.seen[resting, 2] += actions[resting]
        return rewards, over


class PaidRest(CountingEnv):
    def act(self, actions, resting):
        rewards, over = super().act(actions, resting)
        return rewards + 0.5 * resting, over


class FinalOfAll(CountingEnv):
    def step(self, actions):
        *rest, infos = super().step(actions)
        if "_final_obs" in infos:
            infos["_final_obs"][:] = True
        return *rest, infos


class NoFinalInfo(CountingEnv):
    def step(self, actions):
        *rest, infos = super().step(actions)
        return *rest, {key: value for key, value in infos.items() if "final_info" not in key}


class FinalIsTheNewOne(CountingEnv):
    def step(self, actions):
        observations, rewards, ends, cuts, infos = super().step(actions)
        for row in np.flatnonzero(ends):
            infos["final_obs"][row] = {key: value[row].copy() for key, value in observations.items()}
        return observations, rewards, ends, cuts, infos


class FinalOutOfSpace(CountingEnv):
    def step(self, actions):
        *rest, infos = super().step(actions)
        for row in np.flatnonzero(infos.get("_final_obs", ())):
            infos["final_obs"][row] = infos["final_obs"][row]["seen"]
        return *rest, infos


class GoesOn(CountingEnv):
    def step(self, actions):
        self.over[:] = False
        return super().step(actions)


class ResetsAll(CountingEnv):
    def reset(self, *, seed=None, options=None):
        return super().reset(seed=seed)


class MovesTheOthersLater(CountingEnv):
    def reset(self, *, seed=None, options=None):
        result = super().reset(seed=seed, options=options)
        if options:
            self.seen[~options["reset_mask"], 2] += 1
        return result


class IgnoresTheMask(CountingEnv):
    def reset(self, *, seed=None, options=None):
        if not options:
            return super().reset(seed=seed)
        self.over &= ~options["reset_mask"]
        return self.observe(), self.infos(options["reset_mask"])


class TellsOfAll(CountingEnv):
    def reset(self, *, seed=None, options=None):
        observations, _ = super().reset(seed=seed, options=options)
        return observations, self.infos(np.ones(self.num_envs, bool))


class UnknownRenderMode(CountingEnv):
    def __init__(self, mode):
        super().__init__(mode)
        self.metadata = {"render_modes": [], "autoreset_mode": mode}


class OneFrame(CountingEnv):
    def render(self):
        return np.zeros((4, 4, 3), np.uint8)


class FloatFrames(CountingEnv):
    def render(self):
        return tuple(np.zeros((4, 4, 3)) for _ in range(self.num_envs))


class ClosesOnce(CountingEnv):
    def close(self):
        assert not self.closed
        super().close()


@pytest.mark.parametrize(
    ("broken", "mode", "law", "row", "words"),
    [
        (UnbatchedActions, NEXT, "spaces", None, "action_space to be single_action_space 4 times"),
        (WiderObservations, NEXT, "spaces", None, "observation_space"),
        (NoRows, NEXT, "num_envs", None, "at least 1, found 0"),
        (NoMode, NEXT, "autoreset mode", None, "found 'NextStep'"),
        (NoInfosFromReset, NEXT, "reset", None, "expected"),
        (OldStep, NEXT, "step", None, "expected"),
        (ColumnRewards, NEXT, "step", None, r"rewards \(4,\) of floats, found ndarray of shape \(4, 1\)"),
        (CountedEnds, NEXT, "step", None, r"terminations \(4,\) of bools, .* and int64"),
        (LostReward, NEXT, "step", 2, "finite rewards, found nan"),
        (WrongDtype, NEXT, "observations", None, "'seen', with shape .* and dtype float32, found .*float16"),
        (MissingKey, NEXT, "observations", None, r"\['parity', 'seen'\], found \['seen'\]"),
        # Row 1 shows 99 + 2 steps at its second step.
        (OutOfBounds, NEXT, "observations", 1, r"from -100.0 to 100.0, found 101.0 at index \[1, 1\]"),
        (NotFinite, SAME, "observations", 3, r"'seen', to be finite, found nan at index \[3, 0\]"),
        (OutOfDiscrete, NEXT, "observations", None, "'parity', in MultiDiscrete"),
        (NoMask, NEXT, "infos", None, "a mask '_steps'"),
        (ShortInfos, NEXT, "infos", None, "4 entries in infos.'short'., found 2"),
        (CountedMask, NEXT, "infos", None, "_steps.* of bools"),
        (Unseeded, SAME, "equal seeds", 0, "expected equal runs; found, call 0, observation"),
        (SharedRewards, NEXT, "fresh arrays", None, "rewards"),
        (SharedObservations, NEXT, "fresh arrays", None, "'seen'"),
        (ActsWhileResting, NEXT, "autoreset NEXT_STEP", 0, "at rest does to have no effect"),
        # Rows 0 and 2 end first, at the third step.
        (PaidRest, NEXT, "autoreset NEXT_STEP", 0, "found reward 0.5 and end False"),
        (FinalOfAll, SAME, "autoreset SAME_STEP", 1, "'final_obs' .* so False, found True"),
        (NoFinalInfo, SAME, "autoreset SAME_STEP", 0, "'final_info' .* so True, found False"),
        (FinalIsTheNewOne, SAME, "autoreset SAME_STEP", 0, "found them the same at all"),
        (FinalOutOfSpace, SAME, "observations", None, "final_obs of row 0"),
        (GoesOn, DISABLED, "autoreset DISABLED", 0, "found that it went on"),
        (ResetsAll, SAME, "partial reset", 1, "stay as it was"),
        (ResetsAll, DISABLED, "partial reset", 1, "stay as it was"),
        (MovesTheOthersLater, SAME, "partial reset", 1, "go on as without the reset of others"),
        (IgnoresTheMask, SAME, "partial reset", 0, "begin anew"),
        (TellsOfAll, SAME, "partial reset", 1, "no infos outside of reset_mask, found 'steps'"),
        (UnknownRenderMode, SAME, "render", None, "'rgb_array' in metadata"),
        (OneFrame, SAME, "render", None, "tuple of 4 frames"),
        (FloatFrames, SAME, "render", 0, "of float64"),
        (ClosesOnce, SAME, "close", None, "second close"),
    ],
)  # fmt: skip
def test_each_broken_law_is_named(broken, mode, law, row, words):
    with pytest.raises(ConformanceError, match=words) as caught:
        check_vector_env(broken(mode), steps=20)
    assert (caught.value.law, caught.value.row) == (law, row)
