"""Images become bytes with their channels first, classes one-hot, and the rest stays."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, MultiDiscrete

from gym_batchnav import ConfigError

pytest.importorskip("stable_baselines3")
from stable_baselines3.common.preprocessing import (
    is_image_space,
    is_image_space_channels_first,
)

from gym_batchnav.integrations.sb3.observations import Observations


def image(shape, low=0.0, high=1.0, dtype=np.float32) -> Box:
    return Box(low, high, shape, dtype)


def converted(space, value, **options):
    """One pixel's values spread over a large enough image, converted, and read back at that pixel."""
    full = np.broadcast_to(np.asarray(value, space.dtype), space.shape)
    return Observations(Dict({"seen": space}), **options)({"seen": full})["seen"]


@pytest.mark.parametrize(
    ("low", "high", "value", "byte"),
    [
        (0, 1, 0.0, 0),
        (0, 1, 1.0, 255),
        (0, 1, 0.3, 76),  # 76.5: a tie goes to the even byte
        (0, 1, 0.001, 0),  # 0.255
        (0, 1, 0.002, 1),  # 0.51
        (0.5, 4.5, 1.5, 64),  # (1.5 - 0.5) * 255 / 4 = 63.75
        (0.5, 4.5, 4.5, 255),
        (0, 1, 1.0000001, 255),
        (-1, 1, -1.0, 0),
        (-1, 1, 0.5, 191),  # 1.5 * 127.5 = 191.25
    ],
)
def test_floats_become_255ths_of_their_range(low, high, value, byte):
    bytes_ = converted(image((36, 36, 1), low, high), value)
    assert bytes_.dtype == np.uint8
    assert set(bytes_.ravel().tolist()) == {byte}


def test_a_byte_is_off_by_half_a_255th_at_most(rng):
    values = rng.random((36, 36, 1), dtype=np.float32)
    bytes_ = converted(image((36, 36, 1)), values)
    assert np.abs(bytes_ / 255 - values[..., 0]).max() <= 0.5 / 255 + 1e-6


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_channels_come_first(dtype):
    high = 255 if dtype == np.uint8 else 255.0
    space = image((36, 40, 3), 0, high, dtype)
    values = (np.arange(36)[:, None, None] + 50 * np.arange(3) + 2 * np.arange(40)[:, None]).astype(dtype)
    # Rows of a batch are converted alike, each in its place.
    batch = np.stack([values, values[::-1]])
    convert = Observations(Dict({"seen": space}))
    out = convert({"seen": batch})["seen"]
    assert out.shape == (2, 3, 36, 40)
    # Pixel (7, 9) of channel 2: 7 + 100 + 18 = 125; upside down, row 35 - 7 holds it.
    assert (out[0, 2, 7, 9], out[1, 2, 28, 9]) == (125, 125)
    assert convert.space["seen"].contains(out[0])
    assert out.flags.c_contiguous


def test_float32_keeps_every_bit(rng):
    values = rng.random((36, 36, 1), dtype=np.float32)
    out = converted(image((36, 36, 1)), values, depth="float32")
    assert out.dtype == np.float32
    assert np.array_equal(out[0], values[..., 0])


def test_flat_images_are_vectors_in_the_unit_range():
    space = image((2, 3, 1), 0.5, 4.5)
    values = np.array([0.5, 1.5, 2.5, 3.5, 4.5, 9.0], np.float32).reshape(2, 3, 1)
    convert = Observations(
        Dict({"depth": space, "rgb": image((2, 2, 3), 0, 255, np.uint8)}), flatten_images=True
    )
    out = convert({"depth": values, "rgb": np.full((2, 2, 3), 51, np.uint8)})
    assert out["depth"].tolist() == [0.0, 0.25, 0.5, 0.75, 1.0, 1.0]
    assert out["rgb"] == pytest.approx([0.2] * 12)
    assert all(inner.contains(out[key]) for key, inner in convert.space.items())


def test_classes_are_one_hot_and_the_rest_stays():
    spaces = {
        "objectgoal": Box(0, 3, (1,), np.int64),
        "pointgoal": Box(-9, 9, (2,), np.float32),
        "semantic": Box(-(2**31), 2**31 - 1, (4, 4, 1), np.int32),
        "counts": MultiDiscrete([3, 4]),
    }
    convert = Observations(Dict(spaces))
    seen = {
        "objectgoal": np.array([[2], [0]]),
        "pointgoal": np.float32([[1, 2], [3, 4]]),
        "semantic": np.arange(32, dtype=np.int32).reshape(2, 4, 4, 1),
        "counts": np.array([[1, 2], [2, 3]]),
    }
    out = convert(seen)
    assert out["objectgoal"].tolist() == [[0, 0, 1, 0], [1, 0, 0, 0]]
    assert convert.space["objectgoal"] == Box(0.0, 1.0, (4,), np.float32)
    for key in ("pointgoal", "semantic", "counts"):
        assert np.array_equal(out[key], seen[key])
        assert convert.space[key] == spaces[key]
        assert convert.space[key] is not spaces[key]


def test_a_single_image_needs_no_name():
    convert = Observations(image((36, 36, 1)))
    assert convert.space == Box(0, 255, (1, 36, 36), np.uint8)
    assert convert(np.ones((5, 36, 36, 1), np.float32)).tolist() == np.full((5, 1, 36, 36), 255).tolist()


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("size", [(36, 36), (64, 64), (36, 200), (200, 36)])
def test_what_comes_out_is_an_image_to_the_policies(size, channels):
    """They read (C, H, W) as it is only if they take the first axis for the channels."""
    for space in (image((*size, channels)), image((*size, channels), 0, 255, np.uint8)):
        out = Observations(space).space
        assert is_image_space(out, check_channels=True)
        assert is_image_space_channels_first(out)


def test_images_that_the_cnn_cannot_read_are_refused_with_three_ways_out():
    space = Dict({"depth": image((35, 64, 1))})
    ways = "'depth' has 35 x 64 pixels.*36 a side.*resolution.*flatten_images=True.*min_image_size=36"
    with pytest.raises(ConfigError, match=ways):
        Observations(space)
    assert Observations(space, min_image_size=35).space["depth"].shape == (1, 35, 64)
    with pytest.raises(ConfigError, match="min_image_size=2 is not allowed; expected at least 3"):
        Observations(space, min_image_size=2)
    with pytest.raises(ConfigError, match="depth='float64' is not allowed; expected 'uint8' or 'float32'"):
        Observations(space, depth="float64")
