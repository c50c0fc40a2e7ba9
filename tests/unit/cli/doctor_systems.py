"""Facts of a healthy computer with an NVIDIA GPU and of a laptop without one, to change parts of."""

from __future__ import annotations

import copy

SOFTWARE = {"index": 0, "cuda_ordinal": None, "software": True, "uuid": None, "drm": None}
NVIDIA = {"index": 1, "cuda_ordinal": 0, "software": False, "uuid": "GPU-1", "drm": "/dev/dri/card0"}
DRAWN = {"ok": True, "info": {"backend": "embree", "device": "cpu", "reason": "why", "software": False}}
ON_GPU = {"backend": "gl", "device": "cuda", "software": False, "reason": "why", "gl_renderer": "NVIDIA L40S"}
LLVMPIPE = {"ok": True, "info": {**ON_GPU, "gl_renderer": "llvmpipe", "software": True, "device": "cpu"}}
NOTHING_WRITTEN = {"folder": "~/x", "writable": True, "free_gib": 50.0}
HEALTHY = {
    "versions": {"python": "3.11.7", "glfw": "2.11.0"},
    "extras": {"sb3": [], "cuda": ["cuda-bindings"]},
    "conflicts": [],
    "processor": {
        "model": "CPU", "cores": 2, "all_cores": 2, "quota_cores": None, "load": 0.1, "memory_gib": 16.0,
        "available_gib": 12.0, "memory_limit_gib": None,
    },
    "embree": {"version": "4.4.0", "library": "libembree4.so", "packet_rays": 16},
    "cuda": {
        "driver": "580.1", "bindings": True, "torch_built_for": "13.0", "available": True,
        "devices": ["NVIDIA L40S"], "uuids": ["GPU-1"], "torch_error": None,
    },
    "egl": {
        "devices": [SOFTWARE, NVIDIA],
        "loaded": "/usr/lib/libEGL.so.1",
        "libraries": ["/usr/lib/libEGL.so.1"],
        "vendor_files": ["/usr/share/glvnd/egl_vendor.d/10_nvidia.json"],
        "broken_vendor_files": [],
    },
    "driver_libraries": [{"path": "/usr/lib/libcuda.so.580.1", "version": "580.1"}],
    "dri": [{"path": "/dev/dri/card0", "usable": False}, {"path": "/dev/dri/renderD128", "usable": True}],
    "nvidia": [{"path": "/dev/nvidia0", "usable": True}],
    "library_path": [],
    "container": None,
    "wsl": False,
    "storage": {
        "cache": {**NOTHING_WRITTEN, "mib": 3.0, "entries": 2, "limit_mib": 4096},
        "kernels": NOTHING_WRITTEN,
        "here": NOTHING_WRITTEN,
    },
    "environment": {},
    "threads": {},
    "device": None,
    "auto": {"ok": True, "info": {**ON_GPU, "interop": "shared: a ring of 2 on cuda:0"}},
    "self_test": {"embree": DRAWN, "gl": {"ok": True, "info": ON_GPU}},
    "gl": {
        "ok": True, "gl_renderer": "NVIDIA L40S", "gl_version": "4.6", "limits": {"texture_size": 32768},
        "extensions": {"GL_ARB_shader_draw_parameters": True},
    },
    "window": {"ok": True, "glfw": "3.4"},
    "speed": {"embree": {"per_second": 9000, "compared_with": "embree"}},
}  # fmt: skip


def changed(facts=HEALTHY, **fields):
    """A system, by default the healthy one, with parts of its facts changed."""
    facts = copy.deepcopy(facts)
    for name, value in fields.items():
        facts[name] = {**facts[name], **value} if isinstance(value, dict) else value
    return facts


LAPTOP = changed(
    cuda={"driver": None, "bindings": False, "torch_built_for": None, "available": False, "devices": [],
          "uuids": []},
    egl={"devices": [SOFTWARE], "vendor_files": ["/usr/share/glvnd/egl_vendor.d/50_mesa.json"]},
    driver_libraries=[], dri=[{"path": "/dev/dri/renderD128", "usable": False}], nvidia=[],
    self_test={"gl": LLVMPIPE}, auto={"ok": True, "info": {**DRAWN["info"], "interop": "not asked for"}},
)  # fmt: skip
"""A computer without an NVIDIA GPU, and one whose GPU this user may not use either."""
