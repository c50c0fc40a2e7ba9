"""Which way images are handed out, and that a refusal falls back to copies with one warning."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from batchnav_renderer import BatchRenderer, InteropError, RenderConfig, RenderConfigError, backends, interop
from batchnav_renderer.delivery import make_delivery

TORCH = RenderConfig(num_views=4, height=2, width=3, images="torch")


class FakeHost:
    """Page-locked tensors and copies on a GPU, as arrays and names."""

    def __init__(self, device):
        self.device = device

    def fresh(self, shapes, dtypes):
        return {name: np.zeros(shape, dtypes[name]) for name, shape in shapes.items()}

    def arrays(self, tensors):
        return tensors

    def delivered(self, tensors):
        return {name: (self.device, tensor) for name, tensor in tensors.items()}


def backend_on(device, worker=None, **info):
    return SimpleNamespace(
        info={"backend": "gl", "device": device, "reason": "", "workers": 2, **info}, gl_worker=worker
    )


@pytest.fixture
def fake_host(monkeypatch):
    monkeypatch.setattr(interop, "HostTensors", FakeHost)


def test_numpy_asks_for_nothing():
    delivery = make_delivery(RenderConfig(num_views=4), backend_on("cuda:0"))
    assert delivery.interop == "not asked for: images='numpy'"
    assert delivery.fresh(None, 3)["depth"].shape == (3, 64, 64, 1)


def test_the_cpu_needs_no_sharing():
    delivery = make_delivery(TORCH, backend_on("cpu"))
    assert delivery.interop.startswith("not needed")
    images = delivery.fresh(None, 3)
    images["depth"][:] = 2.0
    assert delivery.delivered(images)["depth"].tolist() == np.full((3, 2, 3, 1), 2.0).tolist()
    with pytest.raises(RenderConfigError, match="out is not taken"):
        delivery.fresh({"depth": images["depth"]}, 3)


@pytest.mark.parametrize("worker", [None, object()])
def test_a_refusal_copies_and_warns_once(worker, fake_host, monkeypatch, caplog):
    def refuse(device):
        raise InteropError("cudaGLGetDevices failed with cudaErrorOperatingSystem (304): WSL2 cannot share")

    monkeypatch.setattr(interop, "CudaGL", refuse)
    delivery = make_delivery(TORCH, backend_on("cuda:1", worker))
    reason = "gl draws with 2 contexts; take num_workers=None" if worker is None else "WSL2 cannot share"
    assert delivery.interop.startswith("copied: ")
    assert reason in delivery.interop
    (record,) = caplog.records
    assert record.levelname == "WARNING"
    assert reason in record.getMessage()
    images = delivery.fresh(None, 4)
    images["depth"][:] = 1.0
    device, copied = delivery.delivered(images)["depth"]
    assert device == "cuda:1"
    assert copied.tolist() == np.ones((4, 2, 3, 1)).tolist()


def test_a_torch_that_cannot_use_the_device_is_an_error_and_closes_the_backend(monkeypatch):
    closed = []
    fake = backend_on("cuda")
    fake.close = lambda: closed.append(True)
    monkeypatch.setattr(backends, "_named", lambda config, name: fake)
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    with pytest.raises(InteropError, match="needs a torch that finds CUDA"):
        BatchRenderer(RenderConfig(num_views=1, backend="gl", images="torch"))
    assert closed == [True]
