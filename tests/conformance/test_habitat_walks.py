"""Walks recorded with Detour's sliding, replayed action by action through the simulator.

The third recorded mesh (ifc_duplex) has walks along other islands, where Detour slides and Habitat, like the
simulator, does not step at all.
"""

import json

import numpy as np
import pytest

from gym_batchnav.config import EnvConfig
from gym_batchnav.nav import NavMesh
from gym_batchnav.sim import Simulator
from gym_batchnav.sim.episodes import Draft, place_episodes


@pytest.mark.parametrize("name", ["van-gogh-room", "aws_small_house"])
def test_replay(shared_data, name):
    truth = json.loads((shared_data / "truth" / f"{name}.json").read_text())
    ground = NavMesh.load(shared_data / "navmesh" / f"{name}.navmesh")
    walks = truth["trajectories"]
    simulator = Simulator(len(walks), EnvConfig(max_episode_steps=None))
    starts = np.array([walk["positions"][0] for walk in walks], dtype=np.float32)
    headings = [float(np.radians(walk["yaw_deg"][0])) for walk in walks]
    drafts, rows = [Draft(0, 0)] * len(walks), range(len(walks))
    episodes = place_episodes(ground, drafts, starts, headings, starts, [name] * len(walks))
    simulator.begin(rows, episodes, [ground] * len(walks))
    lengths = [len(walk["actions"]) for walk in walks]
    assert min(lengths) == max(lengths) > 50
    for step in range(lengths[0]):
        simulator.step(np.array([walk["actions"][step] for walk in walks]))
        expected = np.array([walk["positions"][step + 1] for walk in walks])
        assert np.abs(simulator.state.position - expected).max() < 1e-3, step
        yaw = np.radians([walk["yaw_deg"][step + 1] for walk in walks])
        assert np.abs(np.exp(1j * simulator.state.heading) - np.exp(1j * yaw)).max() < 1e-9
    ways = np.array(
        [np.linalg.norm(np.diff(np.array(walk["positions"]), axis=0), axis=1).sum() for walk in walks]
    )
    assert np.allclose(simulator.infos()["path_length"], ways, atol=1e-2)
    assert simulator.infos()["collisions"].sum() > 0
