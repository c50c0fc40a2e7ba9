"""A process that draws with one peer: ``python worker.py MODULE TASK``.

It answers in lines of JSON: first ``{"version": ...}``, ``{"missing": module}`` or ``{"failed": text}``; then
``{"frames": ..., "seconds": ...}`` for each line of standard input, which says how many seconds to draw.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import json
import os
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

PACKAGE = "batchnav_bench_peers"


def main(module: str, task: str) -> None:
    """Set the peer up and draw whenever told to."""
    # Libraries print; their words go to the errors, so that the answers stay clean.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    here = Path(__file__).resolve().parent
    # The files in here are named as the libraries that they import.
    sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != here]
    _load(PACKAGE, here / "__init__.py")
    peer = _load(f"{PACKAGE}.{Path(module).stem}", Path(module)).PEER
    tasks, windows = (importlib.import_module(f"{PACKAGE}.{name}") for name in ("task", "window"))

    def answer(**values: Any) -> None:
        answers.write(json.dumps(values) + "\n")
        answers.flush()

    try:
        draw = peer.setup(tasks.read_task(Path(task)))
        version = importlib.metadata.version(peer.distribution)
    except ModuleNotFoundError as error:
        return answer(missing=error.name)
    except Exception as error:
        traceback.print_exc()
        return answer(failed=f"{type(error).__name__}: {error}")
    answer(version=version)
    for line in sys.stdin:
        window = windows.run_window(draw, float(line))
        answer(frames=window.frames, seconds=window.seconds)
    return None


def _load(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main(*sys.argv[1:])
