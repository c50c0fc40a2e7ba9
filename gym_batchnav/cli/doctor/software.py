"""Packages: their versions, what they ask of each other, and which extras are there."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Iterable, Iterator
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement

PROJECT = "gym-batchnav"
EXTRAS = {
    "sb3": ("stable-baselines3", "sb3-contrib"),
    "viewer": ("glfw", "imageio-ffmpeg"),
    "formats": ("pycollada", "DracoPy", "meshopt", "opengl-basisu"),
    "cuda": ("cuda-bindings",),
    "wandb": ("wandb",),
}
"""Packages of each extra; a test holds them equal to the project's."""
PACKAGES = (
    PROJECT, "torch", "numpy", "gymnasium", "numba", "llvmlite", "embreex", "PyOpenGL", "scipy", "shapely",
    "pillow", "tyro", "rich", *(name for names in EXTRAS.values() for name in names),
)  # fmt: skip
_JUDGED = (PROJECT, "numba", "torch", "gymnasium", "scipy", "embreex", *EXTRAS["sb3"])
"""Packages whose requirements are compared with what is installed."""
MISSING = "missing"


def versions() -> dict[str, str]:
    """Python, the system, and the packages that matter; "missing" where one is not installed."""
    found = {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
    }
    return found | {name.lower(): _version(name) or MISSING for name in PACKAGES}


def extras() -> dict[str, list[str]]:
    """What is missing of each extra; nothing where it is installed."""
    return {extra: [name for name in names if _version(name) is None] for extra, names in EXTRAS.items()}


def conflicts() -> list[dict[str, str]]:
    """Installed packages that others cannot work with: "package", "needs" and "found"."""
    return [found for name in _JUDGED for found in judged(name, _version(name), _requires(name))]


def judged(name: str, version: str | None, requires: Iterable[str]) -> Iterator[dict[str, str]]:
    """The requirements of one package that what is installed does not meet; extras are nobody's duty.

    Args:
        name: the package.
        version: of it; None where it is not installed, and so asks for nothing.
        requires: its requirements, as in its metadata.
    """
    if version is None:
        return
    for text in requires:
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            continue
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        found = _version(requirement.name)
        if found is None or not requirement.specifier.contains(found, prereleases=True):
            needs = f"{requirement.name}{requirement.specifier}"
            yield {"package": f"{name} {version}", "needs": needs, "found": found or MISSING}


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _requires(name: str) -> list[str]:
    try:
        return importlib.metadata.requires(name) or []
    except importlib.metadata.PackageNotFoundError:
        return []


def embree_facts() -> dict[str, Any]:
    """Version and file of Embree and the rays of its packets, or the error."""
    from batchnav_renderer.embree.library import Embree
    from batchnav_renderer.errors import EmbreeError

    try:
        embree = Embree()
        return {"version": embree.version, "library": embree.path, "packet_rays": embree.lanes}
    except EmbreeError as error:
        return {"error": str(error)}
