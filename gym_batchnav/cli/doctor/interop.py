"""Whether images reach torch on the GPU without a copy, why not, and what to do."""

from __future__ import annotations

from typing import Any, NamedTuple

from .problem import Facts, has_nvidia, hides_gpus

_FIXES = {
    "WSL2": "run on Linux or Windows itself; on WSL2 the copy stays",
    "MIG": "take a whole GPU instead of a slice",
    "cuda-bindings is missing": "pip install 'gym-batchnav[cuda]'",
    "older than cuda-bindings": "update the driver, or install the cuda-bindings of its CUDA version",
    "the GL context is on CUDA device": "export CUDA_DEVICE_ORDER=PCI_BUS_ID, or take the GPU that draws",
    "(304)": "start containers with NVIDIA_DRIVER_CAPABILITIES=all; after a driver update restart",
    "(801)": "nothing can be done on this GPU; on a virtual GPU ask for a graphics profile",
    "(999)": "make NVIDIA's EGL the one in use (egl_vendor.d); restart the machine after a driver update",
    "num_workers": "leave num_workers at None",
}
"""What to do, by a word of the cause."""


class Interop(NamedTuple):
    """The answer."""

    shared: bool
    why: str
    fix: str | None
    """None where there is nothing to mend."""


def interop_answer(facts: Facts) -> Interop:
    """From what ``auto`` drew, and from what is known of torch where it drew nothing on a GPU."""
    info: dict[str, Any] = facts["auto"].get("info", {})
    said = str(info.get("interop", ""))
    if said.startswith("shared"):
        return Interop(True, said, None)
    if not has_nvidia(facts):
        return Interop(
            False, "not needed: there is no NVIDIA GPU, and images are drawn in the CPU's memory", None
        )
    if hides_gpus(facts) or facts["device"] == "cpu":
        return Interop(False, "not needed: the CPU was asked for", None)
    if facts["cuda"]["torch_built_for"] is None:
        return Interop(False, "torch is built for the CPU alone", "install a CUDA build of torch")
    if not str(info.get("device", "")).startswith("cuda"):
        return Interop(False, "the GPU does not draw", None)
    if said.startswith("copied"):
        return Interop(False, said, _fix_of(said))
    return Interop(False, "torch does not use the GPU", None)


def _fix_of(cause: str) -> str:
    for word, fix in _FIXES.items():
        if word in cause:
            return fix
    return "see the cause; it costs speed, not correctness"
