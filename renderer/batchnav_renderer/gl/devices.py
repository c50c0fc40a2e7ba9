"""Chooses an EGL device; pure code over an enumeration, so that tests can fake one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import EGLError


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceInfo:
    """One EGL device."""

    index: int
    """Place in EGL's enumeration (not CUDA's order)."""
    cuda_ordinal: int | None = None
    """CUDA's physical ordinal (EGL_CUDA_DEVICE_NV); None for a device that is not NVIDIA's."""
    software: bool = False
    """Whether it is Mesa's software rasteriser."""
    uuid: str | None = None
    """UUID as in CUDA_VISIBLE_DEVICES, "GPU-...", where the driver tells it."""
    drm: str | None = None
    """Device file, such as /dev/dri/card0."""


def choose_device(
    device: str | None,
    devices: Sequence[DeviceInfo],
    cuda_visible_devices: str | None,
    uuid: str | None = None,
) -> DeviceInfo | None:
    """The EGL device for a device string; None means software (no device needed).

    Args:
        device: None, "cpu", "cuda" or "cuda:<logical ordinal>".
        devices: what EGL enumerates.
        cuda_visible_devices: the environment variable, which CUDA obeys and EGL does not.
        uuid: the CUDA device's own, "GPU-...", where it is known; it says more than any ordinal.

    Raises:
        EGLError: no EGL device is the CUDA device asked for; the message holds the devices and the fix.
    """
    if device == "cpu":
        return None
    nvidia = [entry for entry in devices if entry.cuda_ordinal is not None]
    if device is None:
        visible = [entry for entry in nvidia if _visible(entry, cuda_visible_devices)]
        if not visible:
            return None
        device = "cuda:0"
    for entry in nvidia:
        if uuid is not None and entry.uuid == uuid:
            return entry
    logical = int(device.partition(":")[2] or 0)
    physical = _physical(logical, cuda_visible_devices, devices)
    for entry in nvidia:
        if physical in (entry.cuda_ordinal, entry.uuid):
            return entry
    raise EGLError(_no_match(device, physical, devices, cuda_visible_devices))


def device_table(devices: Sequence[DeviceInfo]) -> str:
    """The devices, one a line, for messages."""
    if not devices:
        return "  (EGL enumerates no device)"
    return "\n".join(
        f"  EGL device {entry.index}: "
        + (
            "software"
            if entry.software
            else f"CUDA device {entry.cuda_ordinal}"
            if _is_cuda(entry)
            else "other GPU"
        )
        + (f", {entry.uuid}" if entry.uuid else "")
        + (f", {entry.drm}" if entry.drm else "")
        for entry in devices
    )


def _is_cuda(entry: DeviceInfo) -> bool:
    return entry.cuda_ordinal is not None


def _names(cuda_visible_devices: str) -> list[str]:
    return [name.strip() for name in cuda_visible_devices.split(",") if name.strip()]


def _visible(entry: DeviceInfo, cuda_visible_devices: str | None) -> bool:
    if cuda_visible_devices is None:
        return True
    return any(
        name == str(entry.cuda_ordinal) or (entry.uuid is not None and entry.uuid.startswith(name))
        for name in _names(cuda_visible_devices)
    )


def _physical(
    logical: int, cuda_visible_devices: str | None, devices: Sequence[DeviceInfo]
) -> int | str | None:
    if cuda_visible_devices is None:
        return logical
    names = _names(cuda_visible_devices)
    # CUDA stops at the first name that is not a device, as with the customary -1.
    if logical >= len(names) or names[logical].startswith("-"):
        raise EGLError(
            f"device 'cuda:{logical}' was asked for, but CUDA_VISIBLE_DEVICES={cuda_visible_devices!r} shows "
            f"{len(names)} device(s); take a lower number or change the variable\n{device_table(devices)}"
        )
    if names[logical].isdigit():
        return int(names[logical])
    matches = [entry.uuid for entry in devices if entry.uuid and entry.uuid.startswith(names[logical])]
    return matches[0] if len(matches) == 1 else names[logical]


def _no_match(
    device: str, physical: int | str | None, devices: Sequence[DeviceInfo], cuda_visible_devices: str | None
) -> str:
    shown = "not set" if cuda_visible_devices is None else repr(cuda_visible_devices)
    if str(physical).startswith("MIG-"):
        return (
            f"{device!r} is a MIG slice (CUDA_VISIBLE_DEVICES is {shown}), and slices have no graphics.\n"
            f"{device_table(devices)}\n"
            "Fix: take a whole GPU (switch MIG off), or device='cpu'."
        )
    return (
        f"no EGL device is {device!r} (physical CUDA device {physical}; CUDA_VISIBLE_DEVICES is {shown}).\n"
        f"{device_table(devices)}\n"
        "Fix: in a container set NVIDIA_DRIVER_CAPABILITIES=all (it must include 'graphics') and make the "
        "file /usr/share/glvnd/egl_vendor.d/10_nvidia.json present; on a bare machine install the driver's "
        "EGL library (libnvidia-gl). Or take device='cpu'."
    )
