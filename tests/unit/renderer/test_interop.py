"""Sharing GL buffers with CUDA, over a CUDA runtime that keeps the rules of the real one."""

from __future__ import annotations

import enum
import sys
import types
from collections.abc import Callable
from concurrent.futures import Future

import numpy as np
import pytest
import torch

from batchnav_renderer import InteropError, interop
from batchnav_renderer.gl.ring import SharedRing

# The error codes that the fake gives.
CODES = {"cudaSuccess": 0, "cudaErrorOperatingSystem": 304, "cudaErrorInvalidResourceHandle": 400}
Code = enum.IntEnum("Code", {**CODES, "cudaErrorUnknown": 999})


class FakeRuntime:
    """CUDA's runtime: refuses what the real one refuses, and keeps a log of its calls."""

    cudaGLDeviceList = types.SimpleNamespace(cudaGLDeviceListAll=1)

    def __init__(self, devices=(1,), refuse=()):
        self.log = []
        self.registered, self.mapped = {}, set()
        self._devices, self._refuse = devices, dict(refuse)

    def __getattribute__(self, name):
        value = object.__getattribute__(self, name)
        if name.startswith("cudaG") and name in self._refuse:
            return lambda *arguments: (self._refuse[name],) + (None,) * (name != "cudaGraphicsMapResources")
        return value

    def cudaSetDevice(self, ordinal):
        self.log.append(("device", ordinal))
        return (Code.cudaSuccess,)

    def cudaGLGetDevices(self, most, which):
        assert (most >= 8, which) == (True, 1)
        return Code.cudaSuccess, len(self._devices), [*self._devices, 0, 0]

    def cudaGraphicsGLRegisterBuffer(self, buffer, flags):
        assert buffer not in self.registered.values()
        assert flags == 0
        handle = f"resource of {buffer}"
        self.registered[handle] = buffer
        return Code.cudaSuccess, handle

    def cudaGraphicsUnregisterResource(self, resource):
        if self.registered.pop(resource, None) is None or resource in self.mapped:
            return (Code.cudaErrorInvalidResourceHandle,)
        return (Code.cudaSuccess,)

    def cudaGraphicsMapResources(self, count, resource, stream):
        assert count == 1
        if resource not in self.registered or resource in self.mapped:
            return (Code.cudaErrorUnknown,)
        self.mapped.add(resource)
        self.log.append(("map", self.registered[resource], stream))
        return (Code.cudaSuccess,)

    def cudaGraphicsUnmapResources(self, count, resource, stream):
        if resource not in self.mapped:
            return (Code.cudaErrorUnknown,)
        self.mapped.discard(resource)
        self.log.append(("unmap", self.registered[resource], stream))
        return (Code.cudaSuccess,)

    def cudaGraphicsResourceGetMappedPointer(self, resource):
        if resource not in self.mapped:
            return Code.cudaErrorUnknown, None, None
        return Code.cudaSuccess, 4096 * self.registered[resource], 1 << 20


class HostCuda(interop.CudaGL):
    """Streams are numbers, and tensors tell what they were made of."""

    now = 7

    def stream(self):
        return self.now

    def tensor(self, address, shape, dtype):
        return address, shape, dtype


class Inline:
    """A worker that runs its calls at once."""

    def __init__(self):
        self.at_stop: list[Callable[[], None]] = []

    def submit(self, function, *args):
        future: Future = Future()
        try:
            future.set_result(function(*args))
        except Exception as error:
            future.set_exception(error)
        return future


SHAPES = {"depth": (4, 6, 1), "rgb": (4, 6, 3)}
DTYPES = {"depth": np.dtype(np.float16), "rgb": np.dtype(np.uint8)}
SETS = ({"depth": 10, "rgb": 11}, {"depth": 20, "rgb": 21})


def ring_over(runtime, worker=None, sets=SETS):
    return SharedRing(HostCuda("cuda:1", runtime), worker or Inline(), sets, SHAPES, DTYPES)


def test_the_ring_comes_round_in_the_right_order():
    runtime = FakeRuntime()
    ring = ring_over(runtime)
    assert sorted(runtime.registered.values()) == [10, 11, 20, 21]
    assert runtime.log[0] == ("device", 1)
    assert not runtime.mapped  # the trial mapping is given back
    runtime.log.clear()
    found = []
    for stream in (5, 6, 7):
        ring._cuda.now = stream
        found.append(ring.finish(ring.begin(), 3))
    # Set 0, set 1, then set 0 again: the third render first takes it back behind the consumer's stream 7.
    assert runtime.log == [
        ("map", 10, 5), ("map", 11, 5), ("map", 20, 6), ("map", 21, 6),
        ("unmap", 10, 7), ("unmap", 11, 7), ("map", 10, 7), ("map", 11, 7),
    ]  # fmt: skip
    depth, rgb = (3, 4, 6, 1), (3, 4, 6, 3)
    assert found[1] == {
        "depth": (4096 * 20, depth, DTYPES["depth"]),
        "rgb": (4096 * 21, rgb, DTYPES["rgb"]),
    }
    assert found[0] == found[2] != found[1]


def test_a_second_batch_is_drawn_while_the_first_is_used():
    runtime = FakeRuntime()
    ring = ring_over(runtime)
    first = ring.begin()
    ring.finish(first, 2)
    second = ring.begin()
    assert {runtime.registered[resource] for resource in runtime.mapped} == {10, 11}  # the first one's
    ring.finish(second, 2)
    assert len(runtime.mapped) == 4


def test_all_is_given_back_at_the_end():
    runtime, worker = FakeRuntime(), Inline()
    ring = ring_over(runtime, worker)
    ring.finish(ring.begin(), 1)
    for function in worker.at_stop:
        function()
    assert runtime.registered == {}
    assert runtime.mapped == set()


@pytest.mark.parametrize(
    "call",
    ["cudaGraphicsGLRegisterBuffer", "cudaGraphicsMapResources", "cudaGraphicsResourceGetMappedPointer"],
)
def test_a_refusal_is_named_and_leaves_nothing_registered(call, monkeypatch):
    monkeypatch.setattr(interop, "system_notes", frozenset)
    runtime = FakeRuntime(refuse={call: Code.cudaErrorOperatingSystem})
    with pytest.raises(InteropError, match=rf"{call} failed with cudaErrorOperatingSystem \(304\)") as caught:
        ring_over(runtime)
    assert "NVIDIA_DRIVER_CAPABILITIES=all" in str(caught.value)
    assert runtime.registered == {}


def test_a_refusal_in_the_middle_of_the_ring_leaves_nothing_registered():
    class Full(FakeRuntime):
        def cudaGraphicsGLRegisterBuffer(self, buffer, flags):
            if buffer == 20:
                return Code.cudaErrorUnknown, None
            return super().cudaGraphicsGLRegisterBuffer(buffer, flags)

    runtime = Full()
    with pytest.raises(InteropError, match=r"cudaErrorUnknown \(999\)"):
        ring_over(runtime)
    assert runtime.registered == {}


def test_another_device_is_named():
    with pytest.raises(InteropError, match=r"on CUDA device \[0, 2\], not on 'cuda:1'"):
        ring_over(FakeRuntime(devices=(0, 2)))


@pytest.mark.parametrize(
    ("notes", "name", "expected"),
    [
        ({"wsl"}, "cudaErrorOperatingSystem", "WSL2 cannot share"),
        ({"mig"}, "cudaErrorUnknown", "a MIG slice has no graphics"),
        (set(), "cudaErrorInsufficientDriver", "older than cuda-bindings"),
        (set(), "cudaErrorNotSupported", "clusters and containers"),
    ],
)
def test_causes(notes, name, expected):
    assert expected in interop.explain("cudaGLGetDevices", 1, name, frozenset(notes))


@pytest.mark.parametrize(
    ("code", "expected"),
    [(304, "NVIDIA_DRIVER_CAPABILITIES=all"), (801, "virtual GPUs"), (999, "egl_vendor.d")],
)
def test_known_errors_have_a_cause_of_their_own(code, expected):
    said = interop.explain("cudaGraphicsGLRegisterBuffer", code, "cudaErrorX", frozenset())
    assert said.startswith(f"cudaGraphicsGLRegisterBuffer failed with cudaErrorX ({code}): ")
    assert expected in said
    assert "WSL2" in interop.explain("x", code, "cudaErrorX", frozenset({"wsl"}))


def test_the_system_is_looked_at(monkeypatch, tmp_path):
    kernel = tmp_path / "version"
    kernel.write_text("Linux version 5.15.90.1-microsoft-standard-WSL2")
    monkeypatch.setattr(interop, "_KERNEL", kernel)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "MIG-12345678-1234-1234-1234-123456789012")
    assert interop.system_notes() == {"wsl", "mig"}
    kernel.write_text("Linux version 6.1.0")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")
    assert interop.system_notes() == set()


def test_missing_bindings_are_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "cuda.bindings", None)
    with pytest.raises(InteropError, match=r"cuda-bindings is missing.*pip install gym-batchnav\[cuda\]"):
        interop.CudaGL("cuda")


def test_a_library_that_cannot_be_called_is_named():
    class Broken(FakeRuntime):
        def cudaSetDevice(self, ordinal):
            raise RuntimeError("libcudart.so cannot be opened")

    with pytest.raises(InteropError, match=r"cudaSetDevice cannot be called \(libcudart"):
        interop.CudaGL("cuda:0", Broken()).open()


def test_the_names_that_are_called_exist_in_the_real_bindings():
    runtime = pytest.importorskip("cuda.bindings.runtime", reason="cuda-bindings is not installed")
    for name in vars(FakeRuntime):
        if name.startswith("cuda"):
            assert hasattr(runtime, name), name


def test_device_memory_is_described_as_torch_reads_it():
    memory = interop._DeviceMemory(4096, (2, 3, 4, 1), np.dtype(np.float16))
    assert memory.__cuda_array_interface__ == {
        "shape": (2, 3, 4, 1), "typestr": "<f2", "data": (4096, False), "strides": None, "version": 3,
    }  # fmt: skip


def test_host_tensors_share_their_memory():
    host = interop.HostTensors("cpu")
    dtypes = {"depth": np.dtype(np.float16), "rgb": np.dtype(np.uint8), "ids": np.dtype(np.int32)}
    tensors = host.fresh(dict.fromkeys(dtypes, (2, 3)), dtypes)
    for name, array in host.arrays(tensors).items():
        assert array.dtype == dtypes[name]
        array[:] = 5
    assert all((tensor == 5).all() for tensor in host.delivered(tensors).values())


def test_torch_without_cuda_is_named(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(InteropError, match=r"'cuda:1' needs a torch that finds CUDA.*images='numpy'"):
        interop.HostTensors("cuda:1")


def test_uuids_of_devices(monkeypatch):
    properties = [types.SimpleNamespace(uuid="ffc79498-8ff3-c2dc-3b0d-fafd804516ae"), types.SimpleNamespace()]
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda number: properties[number])
    assert interop.device_uuid("cuda") == "GPU-ffc79498-8ff3-c2dc-3b0d-fafd804516ae"
    assert interop.device_uuid("cuda:1") is None  # a torch too old to tell it
    assert interop.device_uuid("cuda:2") is None
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert interop.device_uuid("cuda") is None


def test_missing_torch_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(InteropError, match="images='torch' needs torch"):
        interop.HostTensors("cpu")
