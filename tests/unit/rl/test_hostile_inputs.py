"""What goes wrong outside of the learner is named: environments, files of others, and calls."""

from __future__ import annotations

import dataclasses
import io
import os
import zipfile
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
import torch
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from gym_batchnav.errors import BatchNavError, CheckpointError, ConfigError
from gym_batchnav.rl import (
    PolicyConfig,
    PPOConfig,
    TrainConfig,
    TrainResult,
    load_checkpoint,
    load_policy,
    resolve_checkpoint,
    train,
)
from gym_batchnav.rl.pretrained import export_policy
from gym_batchnav.rl.running.checkpoint import save_checkpoint
from gym_batchnav.rl.spec import env_spec

CONFIG = TrainConfig(
    policy=PolicyConfig(hidden=8, action_embedding=2, vector_embedding=4),
    ppo=PPOConfig(rollout_length=8, minibatches=2, epochs=1),
    total_frames=2 * 8 * 4,
    tensorboard=False,
    precision="float32",
)
UNIT = spaces.Box(-1, 1, (3,), np.float32)


class ToyEnv(gym.Env):
    """Episodes of so many steps; observation, reward and infos are those given."""

    def __init__(self, space=UNIT, actions=3, steps=5, observation=None, reward=1.0, infos=None, cut=False):
        self.observation_space, self.action_space = space, spaces.Discrete(actions)
        self.steps, self.observation, self.reward = steps, observation, reward
        self.infos, self.cut, self.time = infos or {}, cut, 0

    def _observe(self):
        return self.observation_space.sample() if self.observation is None else self.observation

    def reset(self, *, seed=None, options=None):
        self.time = 0
        return self._observe(), dict(self.infos)

    def step(self, action):
        self.time += 1
        over = self.time == self.steps
        return self._observe(), self.reward, over and not self.cut, over and self.cut, dict(self.infos)


def run(folder: Path, mode=AutoresetMode.SAME_STEP, config=CONFIG, resume=False, **env) -> TrainResult:
    make = lambda: SyncVectorEnv([lambda: ToyEnv(**env)] * 4, autoreset_mode=mode)  # noqa: E731
    return train(config, make, folder, resume=resume)


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> Path:
    """The folder of a short run."""
    folder = tmp_path_factory.mktemp("hostile") / "run"
    run(folder)
    return folder


@pytest.mark.parametrize("cut", [False, True])
@pytest.mark.parametrize("mode", AutoresetMode)
def test_episodes_may_end_at_every_step(tmp_path, mode, cut):
    result = run(tmp_path, mode, steps=1, actions=1, cut=cut)
    assert (result.frames, result.updates) == (64, 2)
    # Of NEXT_STEP every other step is a reset, which is no step of an episode.
    assert result.metrics == {"return": 1.0, "length": 1.0}


@pytest.mark.parametrize(
    ("env", "words"),
    [
        ({"reward": float("nan")}, r"gave the reward nan in row 0; rewards must be finite"),
        ({"reward": -float("inf")}, r"gave the reward -inf in row 0"),
        ({"reward": 1e30}, r"rewards reaches 1e\+30: scale or clip that"),
        ({"observation": np.full(3, np.nan, np.float32)}, r"observation 'observation' is not finite: scale"),
        (
            {"space": spaces.Box(-1e9, 1e9, (4, 4, 1)), "observation": np.full((4, 4, 1), 1e8, np.float32)},
            r"'observation' is not finite \(as float16; see float_image_storage\)",
        ),
    ],
)  # fmt: skip
def test_numbers_that_cannot_be_learnt_are_named_and_spoil_no_checkpoint(tmp_path, env, words):
    with pytest.raises(BatchNavError, match=words):
        run(tmp_path, **env)
    assert not (tmp_path / "checkpoints").exists()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"metric_keys": ("won",)}, "the infos hold won='yes' at the end of an episode, which is no number"),
        ({"best_metric": "spl"}, "best_metric is 'spl', which the training does not count; it counts return"),
        ({"ppo": PPOConfig(minibatches=5)}, "minibatches is 5, but there are 4 environments to split"),
        ({"device": "gpu"}, "device='gpu' cannot be used here; there are cpu"),
        ({"device": "cuda:99"}, "device='cuda:99' cannot be used here; there are cpu"),
    ],
)
def test_settings_that_do_not_fit_the_environment_are_named(tmp_path, changes, words):
    with pytest.raises(ConfigError, match=words):
        run(tmp_path, config=dataclasses.replace(CONFIG, **changes), infos={"won": "yes"})


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (SyncVectorEnv([ToyEnv]), "make_envs is .*SyncVectorEnv.*give a function"),
        (ToyEnv, "which is no gymnasium.vector.VectorEnv"),
        (lambda: None, "make_envs made None"),
    ],
)
def test_what_makes_no_vector_environment_is_refused(tmp_path, make, words):
    with pytest.raises(ConfigError, match=words):
        train(CONFIG, make, tmp_path)


def test_observations_may_be_called_as_torch_calls_its_own(tmp_path):
    space = spaces.Dict({"items": UNIT, "type": spaces.Discrete(2), "keys": spaces.Dict({"training": UNIT})})
    run(tmp_path, space=space)
    agent = load_policy(tmp_path)
    assert set(agent.policy.spec.fields) == {"items", "type", "keys/training"}
    assert agent.act(space.sample(), None, True)[0] in (0, 1, 2)
    assert list(env_spec(spaces.Dict({1: UNIT, 2: UNIT}), spaces.Discrete(2)).fields) == ["1", "2"]


@pytest.mark.parametrize(
    ("space", "words"),
    [
        (spaces.Dict({"a/b": UNIT, "a": spaces.Dict(b=UNIT)}), "two observations are both called 'a/b'"),
        (spaces.Box(0, 255, (0, 4, 3), np.uint8), "an image without pixels"),
    ],
)
def test_observations_that_would_be_lost_are_refused(space, words):
    with pytest.raises(ConfigError, match=words):
        env_spec(space, spaces.Discrete(2))


class Command:
    """Runs a command when it is read by pickle."""

    def __reduce__(self):
        return os.system, ("touch executed",)


def foreign(kind: str) -> bytes:
    """Files that other programs write."""
    buffer = io.BytesIO()
    if kind == "pointer":
        return b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
    if kind == "zip":
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr("a.txt", "x")
    elif kind == "script":
        torch.jit.save(torch.jit.script(torch.nn.Linear(2, 2)), buffer)
    else:
        holds = {
            "weights": {"w": torch.zeros(3)},
            "module": torch.nn.Linear(2, 2),
            "command": {"format": 1, "x": Command()},
            "nothing": {"format": 1},
            "later": {"format": 2},
        }
        torch.save(holds[kind], buffer)
    return buffer.getvalue()


@pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:DeprecationWarning")
@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("pointer", "is broken (it is cut short, or no checkpoint at all)"),
        ("zip", "is broken ("),
        ("script", "it is a program that TorchScript wrote"),
        ("weights", "is no checkpoint of this library"),
        ("module", "it holds something else than numbers and text, which is never loaded"),
        ("command", "it holds something else than numbers and text, which is never loaded"),
        ("nothing", "holds no policy (it has no 'config')"),
        ("later", "is a checkpoint of format 2, this version reads 1; use the version"),
    ],
)
def test_files_of_others_are_refused_in_one_line_and_run_nothing(tmp_path, monkeypatch, kind, words):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "other.pt"
    path.write_bytes(foreign(kind))
    for read in (load_policy, lambda p: export_policy(p, tmp_path / "out.pt")):
        with pytest.raises(CheckpointError) as caught:
            read(path)
        assert words in str(caught.value)
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 300 + 2 * len(str(path))
    assert sorted(os.listdir(tmp_path)) == ["other.pt"]


def test_settings_of_another_version_are_named_with_the_file(tmp_path, trained):
    content = load_checkpoint(resolve_checkpoint(trained))
    content["config"]["policy"]["encoder"] = "transformer"
    save_checkpoint(tmp_path / "new.pt", content)
    with pytest.raises(CheckpointError, match=r"new\.pt are not those of this version \(encoder is 'transf"):
        load_policy(tmp_path / "new.pt")


def test_an_exported_policy_is_not_trained_on(tmp_path, trained):
    export_policy(trained, tmp_path / "checkpoints" / "update-00000009.pt")
    assert load_policy(tmp_path).act(np.zeros(3, np.float32), None, True)[0] in (0, 1, 2)
    with pytest.raises(CheckpointError, match="an exported policy can act and be evaluated, but not be"):
        run(tmp_path, resume=True)


@pytest.mark.parametrize("name", ["best.pt", "frames-000000000064.pt"])
def test_a_folder_with_one_kept_checkpoint_is_a_run(tmp_path, trained, name):
    """Such as a person leaves to save space; nothing of it is overwritten, and it can be used."""
    content = load_checkpoint(resolve_checkpoint(trained))
    save_checkpoint(tmp_path / "checkpoints" / name, content)
    assert resolve_checkpoint(tmp_path) == tmp_path / "checkpoints" / name
    with pytest.raises(BatchNavError, match=f"already holds a run .{name}"):
        run(tmp_path)
    longer = dataclasses.replace(CONFIG, total_frames=3 * 32)
    assert run(tmp_path, config=longer, resume=True).updates == 3


def test_rows_that_do_not_fit_together_are_named(trained):
    agent = load_policy(trained)
    two, three = (np.zeros((rows, 3), np.float32) for rows in (2, 3))
    with pytest.raises(ConfigError, match="'observation' has 2 rows, but episode_start has 3"):
        agent.act(two, None, np.ones(3, bool))
    _, state = agent.act(two, None, np.ones(2, bool))
    with pytest.raises(ConfigError, match="the state is that of 2 rows, but there are 3"):
        agent.act(three, state, np.zeros(3, bool))
    with pytest.raises(ConfigError, match="device='warp' cannot be used here"):
        load_policy(trained, "warp")


def test_a_file_in_the_place_of_the_folder_is_named(tmp_path):
    (tmp_path / "run").write_text("")
    with pytest.raises(BatchNavError, match=r"cannot write the logs in .*choose another folder"):
        run(tmp_path / "run")


def test_settings_come_in_their_plain_types():
    config = TrainConfig(
        total_frames=1e6, seed=np.int64(3), time_limit_s=5, metric_keys=["spl"], device=torch.device("cpu")
    )
    assert dataclasses.astuple(config)[3:] == dataclasses.astuple(
        TrainConfig(total_frames=1_000_000, seed=3, time_limit_s=5.0, metric_keys=("spl",))
    )[3:]  # fmt: skip
    assert [type(v) for v in (config.total_frames, config.seed, config.time_limit_s)] == [int, int, float]
    for name, wrong in [("total_frames", 1.5), ("total_frames", True), ("compile", 1), ("ppo", {})]:
        with pytest.raises(ConfigError, match=f"{name} is .*; it must be "):
            TrainConfig(**{name: wrong})
