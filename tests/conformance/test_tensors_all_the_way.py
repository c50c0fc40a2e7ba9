"""Images that stay tensors from the renderer to the agent show what arrays show."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from gymnasium.vector import AutoresetMode

from gym_batchnav import BatchPointNavEnv, DepthNoise, RgbNoise
from gym_batchnav.envs import images

OPTIONS = {
    "scenes": "houses:train[:2]", "sensors": ("depth", "rgb"), "resolution": (6, 8), "device": "cpu",
    "scene_workers": 0, "max_episode_steps": 4, "min_depth": 0.3,
}  # fmt: skip


@pytest.fixture
def tensors(monkeypatch):
    """On the CPU too; by themselves they stay tensors on a GPU alone."""
    monkeypatch.setattr(images, "keeps_tensors", lambda config: config.output == "torch")


def plain(value):
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, torch.Tensor):
        return value.numpy().copy()
    if isinstance(value, np.ndarray) and value.dtype == object:
        return [plain(item) for item in value]
    return value


def walk(mode, render_mode=None, **fields):
    """All that ten steps of three agents return, as arrays."""
    env = BatchPointNavEnv(3, render_mode=render_mode, autoreset_mode=mode, **{**OPTIONS, **fields})
    generator = np.random.default_rng(1)
    seen = [plain(env.reset(seed=4)[0])]
    for _ in range(10):
        observation, _, terminations, truncations, infos = env.step(generator.integers(1, 4, 3))
        seen.append(plain({"now": observation, "final": infos.get("final_obs")}))
        ended = np.asarray(terminations) | np.asarray(truncations)
        if mode == AutoresetMode.DISABLED and ended.any():
            seen.append(plain(env.reset(options={"reset_mask": ended})[0]))
        if render_mode:
            seen.append({"frame": np.stack(env.render())})
    env.close()
    return seen


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("copy", [True, False])
def test_tensors_show_what_arrays_show(tensors, mode, copy):
    expected = walk(mode)
    found = walk(mode, output="torch", copy=copy)
    np.testing.assert_equal(found, expected)


def test_noise_on_tensors_is_that_on_arrays(tensors):
    noise = {"depth_noise": DepthNoise(), "rgb_noise": RgbNoise()}
    expected = walk(AutoresetMode.SAME_STEP, **noise)
    np.testing.assert_equal(walk(AutoresetMode.SAME_STEP, output="torch", **noise), expected)
    clean = walk(AutoresetMode.SAME_STEP)
    assert (clean[0]["rgb"] != expected[0]["rgb"]).mean() > 0.8


def test_frames_are_arrays(tensors):
    np.testing.assert_equal(
        walk(AutoresetMode.SAME_STEP, "rgb_array", output="torch"), walk(AutoresetMode.SAME_STEP, "rgb_array")
    )


def test_copies_stay_as_they_are(tensors, monkeypatch):
    """What was returned before does not change with the next step, even where the renderer's memory does."""
    env = BatchPointNavEnv(2, **OPTIONS, output="torch")
    first, _ = env.reset(seed=0)
    delivery = env._world.images._renderer._delivery
    handed, original = [], type(delivery).delivered

    def remember(self, drawn):
        handed.append(original(self, drawn))
        return handed[-1]

    monkeypatch.setattr(type(delivery), "delivered", remember)
    second, *_ = env.step(np.array([1, 2]))
    assert second["depth"].data_ptr() != handed[-1]["depth"].data_ptr()
    before = first["depth"].clone()
    env.step(np.array([2, 2]))
    assert torch.equal(first["depth"], before)
    env.close()
