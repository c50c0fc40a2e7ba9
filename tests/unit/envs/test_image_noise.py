"""Noise of images against the models written out pixel by pixel, on arrays and tensors."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from gym_batchnav import BatchPointNavEnv, Camera, DepthNoise, RgbNoise
from gym_batchnav.config import EnvConfig
from gym_batchnav.envs.noise import ImageNoise
from gym_batchnav.envs.noise import images as noising
from gym_batchnav.sim.random import normal_table, stream_keys
from tests.unit.envs.doubles import two_rooms

MASK = (1 << 64) - 1
KEYS = np.array([5, 2**63 + 11, 77], np.uint64)
SMALL = {"resolution": (6, 7), "straight_ratio": 1.0, "scene_workers": 0}


def noise(**fields):
    return ImageNoise(EnvConfig(sensors=("depth", "rgb"), **fields))


def pictures(views=3, height=9, width=13):
    """Depths from 0 to 12 m, and all colours."""
    rng = np.random.default_rng(0)
    depth = (rng.random((views, height, width, 1)) * 12).astype(np.float32)
    depth[0, :2] = 0.0
    depth[1, :4] = 10.0
    return {"depth": depth, "rgb": rng.integers(0, 256, (views, height, width, 3)).astype(np.uint8)}


def three_normals(key, place):
    """Those of a pixel: SplitMix64's word number ``place``, 16 bits each."""
    word = (int(key) + (place + 1) * 0x9E3779B97F4A7C15) & MASK
    word = ((word ^ word >> 30) * 0xBF58476D1CE4E5B9) & MASK
    word = ((word ^ word >> 27) * 0x94D049BB133111EB) & MASK
    word ^= word >> 31
    return [float(normal_table()[word >> 16 * part & 0xFFFF]) for part in range(3)]


def simulated(depth, key, multiplier):
    """The Redwood model in float64: where a pixel looks, what disparity it measures, what depth that is."""
    height, width = depth.shape
    result = np.zeros((height, width))
    for y in range(height):
        for x in range(width):
            aside_y, aside_x, error = three_normals(key, y * width + x)
            row = int(min(max(y + 0.25 * multiplier * aside_y, 0), height - 1) + 0.5)
            column = int(min(max(x + 0.25 * multiplier * aside_x, 0), width - 1) + 0.5)
            true = float(depth[row // 2 * 2, column // 2 * 2])
            if true >= 10.0:
                continue
            if true == 0.0:
                continue  # an endless disparity
            disparity = round((35.13 / true + multiplier * 0.027778 * error) * 8) / 8
            result[y, x] = 35.13 / disparity if disparity > 0 else 0.0
    return result


@pytest.mark.parametrize("multiplier", [0.0, 1.0, 3.0])
def test_depth_is_that_of_the_model(multiplier):
    images = pictures()
    expected = [
        simulated(depth[..., 0], key, multiplier)
        for depth, key in zip(images["depth"], stream_keys(KEYS, 2), strict=True)
    ]
    noise(depth_noise=DepthNoise(multiplier=multiplier)).apply(images, KEYS)
    found = images["depth"][..., 0]
    # In float32 a disparity near the middle of two steps may be rounded the other way.
    assert (np.abs(found - expected) < 1e-4).mean() > 0.99
    assert np.isfinite(found).all()
    assert (found >= 0).all()


def test_wall_at_two_metres_by_hand():
    """2 m have the disparity 17.565 pixels: off by 1/36 pixel and rounded to eighths, 17.5 or 17.625."""
    images = {"depth": np.full((3, 64, 64, 1), 2.0, np.float32)}
    noise(depth_noise=DepthNoise()).apply(images, KEYS)
    found, counts = np.unique(images["depth"], return_counts=True)
    assert found[counts > 100] == pytest.approx([35.13 / 17.625, 35.13 / 17.5])
    # 17.5625, the middle, lies 0.0025 pixels below the truth: 0.0025 / 0.027778 = 0.09 deviations, 53.6%.
    assert counts.max() / counts.sum() == pytest.approx(0.536, abs=0.02)


def test_colours_are_off_by_the_intensity():
    images = {"rgb": np.full((3, 64, 64, 3), 128, np.uint8)}
    noise(rgb_noise=RgbNoise(intensity=0.1)).apply(images, KEYS)
    values = images["rgb"].astype(float)
    # 25.5 levels; of 36,864 draws the mean is known to 0.13 and the deviation to 0.1.
    assert values.mean() == pytest.approx(128, abs=0.5)
    assert values.std() == pytest.approx(25.5, abs=0.4)
    first = three_normals(stream_keys(KEYS, 3)[1], 0)
    assert images["rgb"][1, 0, 0].tolist() == [round(128 + 25.5 * value) for value in first]
    channels = values.reshape(-1, 3).T
    assert np.abs(np.corrcoef(channels) - np.eye(3)).max() < 0.05
    white = {"rgb": np.full((3, 64, 64, 3), 255, np.uint8)}
    noise(rgb_noise=RgbNoise(intensity=1.0)).apply(white, KEYS)
    assert 0.4 < (white["rgb"] == 255).mean() < 0.6


def test_tensors_get_the_same_bits():
    fields = {"depth_noise": DepthNoise(multiplier=1.7), "rgb_noise": RgbNoise(intensity=0.3)}
    arrays, source = pictures(), pictures()
    tensors = {name: torch.from_numpy(image) for name, image in source.items()}
    noise(**fields).apply(arrays, KEYS)
    noise(**fields).apply(tensors, KEYS)
    for name, image in arrays.items():
        assert not np.array_equal(image, pictures()[name])
        assert np.array_equal(tensors[name].numpy(), image)


def test_noise_of_an_image_depends_on_its_key_alone(monkeypatch):
    """Not on the batch, its order, or the threads that share the work."""
    fields = {"depth_noise": DepthNoise(), "rgb_noise": RgbNoise()}
    whole, order = pictures(), [2, 0, 1]
    noise(**fields).apply(whole, KEYS)
    mixed = {name: image[order] for name, image in pictures().items()}
    monkeypatch.setattr(noising, "ENOUGH_FOR_THREADS", 1)
    noise(**fields).apply(mixed, KEYS[order])
    alone = {name: image[1:2] for name, image in pictures().items()}
    noise(**fields).apply(alone, KEYS[1:2])
    for name, image in whole.items():
        assert np.array_equal(mixed[name], image[order])
        assert np.array_equal(alone[name], image[1:2])


def test_each_camera_has_its_own_noise():
    cameras = (Camera(name="left"), Camera(name="right"))
    images = {"rgb": np.full((4, 8, 8, 3), 128, np.uint8)}
    ImageNoise(EnvConfig(sensors=("rgb",), cameras=cameras, rgb_noise=RgbNoise())).apply(images, KEYS[:2])
    assert len({image.tobytes() for image in images["rgb"]}) == 4


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("tensors", [False, True])
def test_observations_stay_in_their_space(fake_renderer, normalize, tensors):
    env = BatchPointNavEnv(
        3, scenes=two_rooms(2), sensors=("depth", "rgb"), min_depth=0.5, max_depth=10.0,
        normalize_depth=normalize, depth_noise=DepthNoise(multiplier=5.0), rgb_noise=RgbNoise(intensity=0.5),
        max_episode_steps=3, output="torch" if tensors else "numpy", device="cpu", **SMALL,
    )  # fmt: skip
    env.reset(seed=0)
    for step in range(8):
        observation = env.step(np.array([2, 1, 3]))[0]
        plain = {name: np.asarray(value) for name, value in observation.items()}
        assert plain in env.observation_space, step
        low, high = (0.0, 1.0) if normalize else (0.5, 10.0)
        assert (plain["depth"] >= low).all()
        assert (plain["depth"] <= high).all()
    env.close()


@pytest.mark.parametrize("copy", [True, False])
def test_noise_changes_depth_and_colour_alone_and_with_the_step(fake_renderer, copy):
    options = {"scenes": two_rooms(2), "sensors": ("depth", "rgb", "semantic", "normals"), "copy": copy}
    clean, noisy = (
        BatchPointNavEnv(3, **options, **SMALL, **fields)
        for fields in ({}, {"depth_noise": DepthNoise(), "rgb_noise": RgbNoise()})
    )
    one, other = clean.reset(seed=4)[0], noisy.reset(seed=4)[0]
    for _ in range(5):
        for name in ("semantic", "normals", "pointgoal"):
            assert np.array_equal(one[name], other[name])
        for name in ("depth", "rgb"):
            assert (one[name] != other[name]).mean() > 0.5
        # Turning right and left again shows the same view with other noise.
        before = {name: other[name].copy() for name in ("depth", "rgb")}
        for action in (2, 3):
            one, other = clean.step(np.full(3, action))[0], noisy.step(np.full(3, action))[0]
        assert all((before[name] != other[name]).any() for name in before)
    clean.close()
    noisy.close()
