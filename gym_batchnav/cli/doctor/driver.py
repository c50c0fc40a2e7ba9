"""``python -m gym_batchnav.cli.doctor.driver DEVICE`` prints what the GL driver says of itself, as JSON."""

from __future__ import annotations

import json
import sys
from typing import Any

from batchnav_renderer import RenderConfig, RendererError
from batchnav_renderer.gl.report import driver_report


def ask_driver(device: str | None) -> dict[str, Any]:
    """Name, limits and extensions of the driver; "error" alone, with "ok" False, where there is none."""
    try:
        return {"ok": True, **driver_report(RenderConfig(num_views=1, device=device))}
    except (RendererError, ImportError) as error:
        return {"ok": False, "error": str(error)}


if __name__ == "__main__":
    print(json.dumps(ask_driver(sys.argv[1] or None)))
