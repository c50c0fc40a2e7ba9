"""Which EGL device each of torch's CUDA devices is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from batchnav_renderer.errors import EGLError
from batchnav_renderer.gl.devices import DeviceInfo, choose_device

from .problem import Facts


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceRow:
    """A CUDA device as torch counts."""

    name: str
    """Such as "cuda:0"."""
    model: str
    uuid: str | None
    egl_index: int | None
    """Place of its EGL device; None where EGL has none for it."""
    egl_uuid: str | None
    ordinal: int | None
    """CUDA's own number of that EGL device, before CUDA_VISIBLE_DEVICES."""

    @property
    def mistaken(self) -> bool:
        """Whether its number leads to another GPU."""
        return None not in (self.uuid, self.egl_uuid) and self.uuid != self.egl_uuid


def device_map(facts: Facts) -> list[DeviceRow]:
    """All of torch's devices, with the EGL devices that draw for them.

    EGL knows nothing of CUDA_VISIBLE_DEVICES; numbers go through it, as in the renderer.
    """
    cuda = facts["cuda"]
    infos = [DeviceInfo(**device) for device in facts["egl"]["devices"]]
    visible = facts["environment"].get("CUDA_VISIBLE_DEVICES")
    rows = []
    for number, (model, uuid) in enumerate(zip(cuda["devices"], cuda["uuids"], strict=True)):
        found = _chosen(f"cuda:{number}", infos, visible)
        rows.append(
            DeviceRow(
                name=f"cuda:{number}",
                model=model,
                uuid=uuid,
                egl_index=found and found.index,
                egl_uuid=found and found.uuid,
                ordinal=found and found.cuda_ordinal,
            )
        )
    return rows


def _chosen(name: str, infos: list[DeviceInfo], visible: str | None) -> Any:
    try:
        return choose_device(name, infos, visible)
    except EGLError:
        return None
