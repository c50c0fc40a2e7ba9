"""Learners that are measured beside ours: the same network, the same work."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
import torch

from gym_batchnav.cli import main
from gym_batchnav.cli.args import BenchArgs
from gym_batchnav.cli.bench import train as bench_train
from gym_batchnav.cli.bench.peers import PEERS, sb3
from gym_batchnav.config import EnvConfig
from gym_batchnav.envs import BatchPointNavEnv
from gym_batchnav.envs.spaces import observation_space
from gym_batchnav.rl.nets.policy import ActorCritic
from gym_batchnav.rl.spec import env_spec
from gym_batchnav.sim import PointNav

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")
from gym_batchnav.integrations.sb3.observations import Observations

ROWS, STEPS = 4, 8
SETTINGS = (
    "ppo.rollout_length=8", "ppo.minibatches=2", "ppo.epochs=2", "policy.hidden=16", "policy.planes=[4]",
    "policy.strides=[2]", "policy.stem_planes=4",
)  # fmt: skip


def wishes(**changes) -> BenchArgs:
    return BenchArgs(what="train", num_envs=ROWS, device="cpu", set=SETTINGS, **changes)


def config(sensors=("depth",)) -> EnvConfig:
    return EnvConfig(
        scenes=("houses:train/0",), resolution=(16, 16), render_backend="constant", scene_workers=0,
        sensors=sensors,
    )  # fmt: skip


def shapes(parameters) -> Counter:
    return Counter(tuple(p.shape) for p in parameters)


def test_a_peer_s_network_sees_what_ours_sees(rng):
    """The images that come with their channels first are read as ours are: depth in every bit."""
    learner = bench_train._learner(wishes(), PEERS["sb3"].equal)
    space = observation_space(config(("depth", "rgb")), PointNav(config(), 2))
    convert = Observations(space, depth="float32", min_image_size=3)
    network = sb3.features(learner)(convert.space)
    seen = {
        "depth": rng.random((2, 16, 16, 1), dtype=np.float32),
        "rgb": rng.integers(0, 256, (2, 16, 16, 3), dtype=np.uint8),
        "pointgoal": np.float32([[1, 2], [3, -1]]),
    }
    theirs = {key: torch.from_numpy(value) for key, value in convert(seen).items()}
    ours = {key: torch.from_numpy(value) for key, value in seen.items()}
    none = torch.zeros(2, dtype=torch.long)
    with torch.no_grad():
        # Stable-Baselines3 gives bytes as 255ths.
        read = network({**theirs, "rgb": theirs["rgb"] / 255})
        expected = network.after(network.net.features(network.net.prepare(ours), none, none.bool()))
    assert read.shape == (2, 16)
    assert torch.allclose(read, expected, atol=1e-6)
    assert not torch.allclose(read[0], read[1])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sb3", "sb3-recurrent"])
def test_a_peer_has_our_network_and_does_our_work(name, monkeypatch):
    peer, models, counted = PEERS[name], [], Counter()
    task = bench_train._task(wishes(), config(), peer)
    setup = sb3.updates

    def updates(task, algorithm, policy, net):
        class Watched(algorithm):
            def train(self):
                counted["updates"] += 1
                step = self.policy.optimizer.step
                self.policy.optimizer.step = lambda *a, **k: (counted.update(["steps"]), step(*a, **k))
                super().train()
                self.policy.optimizer.step = step

            def __init__(self, *args, **kwargs):
                super().__init__(*args, **kwargs)
                models.append(self)

        return setup(task, Watched, policy, net)

    monkeypatch.setattr("gym_batchnav.cli.bench.peers.sb3.updates", updates)
    monkeypatch.setattr("gym_batchnav.cli.bench.peers.sb3_recurrent.updates", updates)
    update = peer.setup(task)
    assert update() == ROWS * STEPS
    assert update() == ROWS * STEPS
    # Two updates of two epochs of two minibatches.
    assert counted == {"updates": 2, "steps": 8}
    (model,) = models
    envs = BatchPointNavEnv(ROWS, config())
    learner = bench_train._learner(wishes(), peer.equal)
    ours = ActorCritic(learner.policy, env_spec(envs.single_observation_space, envs.single_action_space))
    envs.close()
    assert shapes(model.policy.parameters()) == shapes(ours.parameters())
    assert learner.precision == "float32"
    assert all(p.grad is not None for p in model.policy.parameters())
    assert all(torch.isfinite(p).all() for p in model.policy.parameters())
    model.env.close()


@pytest.mark.slow
def test_the_record_holds_each_peer_beside_ours_with_its_network(tmp_path, capsys):
    path = tmp_path / "record.json"
    how = ["--num-envs", str(ROWS), "--resolution", "16", "--backend", "constant", "--seconds", "0.1"]
    scenes = ["--scenes", "houses:train/0", "--device", "cpu"]
    more = [part for setting in SETTINGS for part in ("--set", setting)]
    compared = ["--compare", "sb3-recurrent,overlap"]
    assert main(["bench", "train", *scenes, *how, *more, *compared, "--json", str(path)]) == 0
    record = json.loads(path.read_text())
    overlap, recurrent = sorted(record["comparisons"], key=lambda entry: entry["name"])
    assert overlap["name"] == "overlap"
    # What is measured does not overlap on a CPU: its own figure is the one to compare with.
    assert overlap["ours"] == record["frames_per_second"]
    assert recurrent["ours_with"]["policy.recurrence"] == "lstm"
    assert recurrent["ours"] != record["frames_per_second"]
    for entry in (overlap, recurrent):
        assert entry["ratio"] == pytest.approx(entry["ours"] / entry["frames_per_second"])
        assert {"act", "env", "learn"} <= set(entry["our_stages_ms"])
    assert "sb3-recurrent" in capsys.readouterr().out
