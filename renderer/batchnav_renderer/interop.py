"""The one module that imports torch and CUDA: images as tensors, and GL buffers that CUDA maps.

A GL buffer is registered with CUDA once and mapped for as long as its tensor lives. CUDA's documentation
promises of cudaGraphicsMapResources that graphics calls issued before it complete before CUDA work issued
later in the given stream begins, and of cudaGraphicsUnmapResources the converse; so no thread waits for
the GPU.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import InteropError

if TYPE_CHECKING:
    import torch

Tensors = dict[str, "torch.Tensor"]
_MOST_DEVICES = 16
_INSUFFICIENT_DRIVER = "cudaErrorInsufficientDriver"
_KERNEL = Path("/proc/version")
_REFUSED = (
    "the driver refuses to share GL memory with CUDA, as some clusters and containers have it; start "
    "containers with NVIDIA_DRIVER_CAPABILITIES=all"
)
_CAUSES = {
    304: "the system refuses what the driver asks of it, as in containers whose driver libraries are not "
    "those of the kernel's driver; start containers with NVIDIA_DRIVER_CAPABILITIES=all, and after an update "
    "of the driver restart the machine",
    801: "this GPU or its driver cannot share GL memory with CUDA, as virtual GPUs and compute-only drivers; "
    "nothing needs to be done but for speed",
    999: "GL and CUDA do not meet on one GPU, most often as GL draws with another one; make the driver's EGL "
    "the one that is found (egl_vendor.d), and after an update of the driver restart the machine",
}
"""What errors of cudaGraphicsGLRegisterBuffer come from, by number."""


class HostTensors:
    """Tensors for images that a backend writes on the host."""

    def __init__(self, device: str) -> None:
        """Check that torch can use the device.

        Args:
            device: where the tensors are to be, "cpu" or "cuda:<ordinal>".

        Raises:
            InteropError: there is no torch, or it cannot use the device.
        """
        self._torch = _torch()
        self._on_gpu = device.startswith("cuda")
        if self._on_gpu and not self._torch.cuda.is_available():
            raise InteropError(
                f"images='torch' on device {device!r} needs a torch that finds CUDA; this one, "
                f"{self._torch.__version__}, does not; install a CUDA build of torch, or take images='numpy' "
                "or device='cpu'"
            )
        self._device = device

    def fresh(self, shapes: Mapping[str, tuple[int, ...]], dtypes: Mapping[str, np.dtype[Any]]) -> Tensors:
        """Empty host tensors, page-locked where they will be copied to a GPU."""
        return {
            name: self._torch.empty(
                shape, dtype=getattr(self._torch, dtypes[name].name), pin_memory=self._on_gpu
            )
            for name, shape in shapes.items()
        }

    def arrays(self, tensors: Tensors) -> dict[str, np.ndarray[Any, Any]]:
        """NumPy arrays over the memory of host tensors."""
        return {name: tensor.numpy() for name, tensor in tensors.items()}

    def delivered(self, tensors: Tensors) -> Tensors:
        """The tensors on the device; copies to a GPU are queued on torch's current stream."""
        if not self._on_gpu:
            return tensors
        return {name: tensor.to(self._device, non_blocking=True) for name, tensor in tensors.items()}


class CudaGL:
    """CUDA's side of sharing GL buffers on one device.

    Everything but ``stream`` and ``tensor`` runs on the thread where the GL context is current.
    """

    def __init__(self, device: str, runtime: Any = None) -> None:
        """Load torch and CUDA's runtime.

        Args:
            device: "cuda" or "cuda:<ordinal>", as torch and CUDA count.
            runtime: stands in for ``cuda.bindings.runtime``.

        Raises:
            InteropError: torch or cuda-bindings is missing.
        """
        self.ordinal = int(device.partition(":")[2] or 0)
        self._torch = _torch()
        self._runtime = _runtime() if runtime is None else runtime

    def open(self) -> None:
        """Take the device on this thread; raises ``InteropError`` where the GL context is on another one."""
        self._call("cudaSetDevice", self.ordinal)
        everything = self._runtime.cudaGLDeviceList.cudaGLDeviceListAll
        count, devices = self._call("cudaGLGetDevices", _MOST_DEVICES, everything)
        found = [int(device) for device in devices[: int(count)]]
        if self.ordinal not in found:
            raise InteropError(
                f"the GL context is on CUDA device {found}, not on 'cuda:{self.ordinal}'; set "
                "CUDA_DEVICE_ORDER=PCI_BUS_ID, or take the device that draws"
            )

    def register(self, buffer: int) -> Any:
        """Make a GL buffer known to CUDA, once; returns its resource."""
        return self._call("cudaGraphicsGLRegisterBuffer", buffer, 0)[0]

    def unregister(self, resource: Any) -> None:
        """Forget a buffer before GL deletes it."""
        self._call("cudaGraphicsUnregisterResource", resource)

    def map(self, resources: Sequence[Any], stream: int) -> list[int]:
        """Lend buffers to CUDA: work on ``stream`` begins after the GL calls so far; returns addresses."""
        mapped: list[Any] = []
        try:
            for resource in resources:
                self._call("cudaGraphicsMapResources", 1, resource, stream)
                mapped.append(resource)
            return [int(self._call("cudaGraphicsResourceGetMappedPointer", item)[0]) for item in resources]
        except InteropError:
            self.unmap(mapped, stream)
            raise

    def unmap(self, resources: Sequence[Any], stream: int) -> None:
        """Give buffers back to GL: later GL calls begin after the work on ``stream`` so far."""
        for resource in resources:
            self._call("cudaGraphicsUnmapResources", 1, resource, stream)

    def stream(self) -> int:
        """Handle of torch's current stream of the calling thread."""
        return int(self._torch.cuda.current_stream(self.ordinal).cuda_stream)

    def tensor(self, address: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> torch.Tensor:
        """A tensor over mapped memory, without a copy."""
        memory = _DeviceMemory(address, shape, dtype)
        tensor: torch.Tensor = self._torch.as_tensor(memory, device=f"cuda:{self.ordinal}")
        if tensor.data_ptr() != address:
            raise InteropError(
                f"torch {self._torch.__version__} copies mapped GL memory; take images='numpy'"
            )
        return tensor

    def _call(self, name: str, *arguments: Any) -> tuple[Any, ...]:
        try:
            code, *values = getattr(self._runtime, name)(*arguments)
        except RuntimeError as error:  # cuda-bindings found no CUDA library to call
            raise InteropError(f"{name} cannot be called ({error}); install NVIDIA's driver") from error
        if int(code):
            raise InteropError(explain(name, int(code), getattr(code, "name", str(code)), system_notes()))
        return tuple(values)


class _DeviceMemory:
    """Device memory as torch reads it (the CUDA array interface, version 3)."""

    def __init__(self, address: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.__cuda_array_interface__ = {
            "shape": shape,
            "typestr": dtype.str,
            "data": (address, False),
            "strides": None,
            "version": 3,
        }


def device_uuid(device: str) -> str | None:
    """UUID "GPU-..." of one of torch's CUDA devices; None where torch does not tell it."""
    cuda, ordinal = _torch().cuda, int(device.partition(":")[2] or 0)
    if not cuda.is_available() or ordinal >= cuda.device_count():
        return None
    uuid = getattr(cuda.get_device_properties(ordinal), "uuid", None)
    return None if uuid is None else f"GPU-{uuid}"


def system_notes() -> frozenset[str]:
    """What this system is, as far as it forbids sharing: "wsl", "mig"."""
    notes = set()
    if _KERNEL.is_file() and "microsoft" in _KERNEL.read_text().lower():
        notes.add("wsl")
    if os.environ.get("CUDA_VISIBLE_DEVICES", "").strip().startswith("MIG-"):
        notes.add("mig")
    return frozenset(notes)


def explain(call: str, code: int, name: str, notes: frozenset[str]) -> str:
    """What an error of CUDA means here, and what to do; one line."""
    if "wsl" in notes:
        cause = "WSL2 cannot share memory between CUDA and OpenGL; run on Linux or Windows itself"
    elif "mig" in notes:
        cause = "a MIG slice has no graphics; use a whole GPU"
    elif name == _INSUFFICIENT_DRIVER:
        cause = (
            "the driver is older than cuda-bindings, or missing; update it, or install the cuda-bindings of "
            "the CUDA version that nvidia-smi shows"
        )
    else:
        cause = _CAUSES.get(code, _REFUSED)
    return f"{call} failed with {name} ({code}): {cause}"


def _torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise InteropError(
            f"images='torch' needs torch ({error}); install it, or take images='numpy'"
        ) from error
    return torch


def _runtime() -> Any:
    try:
        from cuda.bindings import runtime
    except ImportError as error:
        raise InteropError(
            f"the package cuda-bindings is missing or broken ({error}); install it with "
            "'pip install gym-batchnav[cuda]', its version that of the driver's CUDA"
        ) from error
    return runtime
