"""Each field of the configuration is checked by name."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from batchnav_renderer import RenderConfig, RenderConfigError


@pytest.mark.parametrize(
    "field",
    [
        {"num_views": 0},
        {"num_views": 2.5},
        {"num_views": True},
        {"height": 0},
        {"width": 100000},
        {"hfov_deg": 180.0},
        {"hfov_deg": 0.0},
        {"hfov_deg": float("nan")},
        {"outputs": ()},
        {"outputs": ("depth", "depth")},
        {"outputs": ("normal",)},
        {"outputs": 3},
        {"outputs": [["a"]]},
        {"outputs": ({},)},
        {"outputs": None},
        {"watertight": 1},
        {"num_views": "4"},
        {"hfov_deg": "a"},
        {"hfov_deg": None},
        {"hfov_deg": [90.0]},
        {"near": "0.1"},
        {"far": np.array([1.0, 2.0])},
        {"backend": ["gl"]},
        {"layer_stage": None},
        {"device": "cpu:1"},
        {"device": ["cpu"]},
        {"device": 0},
        {"near": 0.0},
        {"near": -1.0},
        {"far": 0.01},
        {"far": float("inf")},
        {"device": "gpu"},
        {"device": "cuda:x"},
        {"backend": "vulkan"},
        {"max_texture_size": 1000},
        {"num_workers": 0},
        {"chunk_triangles": 0},
        {"max_layers": 4096},
        {"layer_stage": "fragment"},
    ],
    ids=str,
)
def test_wrong_fields_are_named(field):
    (name,) = field
    with pytest.raises(RenderConfigError, match=name):
        RenderConfig(**{"num_views": 4, **field})


def test_good_values():
    class Device:
        def __str__(self):
            return "cuda:3"

    config = RenderConfig(num_views=np.int64(3), outputs="rgb", device=Device(), height=90, width=120)
    assert config.outputs == ("rgb",)
    assert config.device == "cuda:3"
    assert config.aspect == pytest.approx(4 / 3)
    assert RenderConfig(num_views=1, outputs=["rgb", "depth"]).outputs == ("rgb", "depth")
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.height = 3


def test_the_first_cpu_is_the_cpu():
    class Device:
        def __str__(self):
            return "cpu:0"

    assert RenderConfig(num_views=1, device="cpu:0").device == "cpu"
    assert RenderConfig(num_views=1, device=Device()).device == "cpu"


def test_devices_of_torch():
    torch = pytest.importorskip("torch")
    assert RenderConfig(num_views=1, device=torch.device("cpu", 0)).device == "cpu"
    assert RenderConfig(num_views=1, device=torch.device("cuda", 2)).device == "cuda:2"
