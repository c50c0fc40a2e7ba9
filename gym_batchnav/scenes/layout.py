"""Which files of a folder are scenes, as Gibson, Matterport3D and HM3D lay their files out for Habitat."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

_BASIS = ".basis.glb"
# x.semantic.glb, x_semantic.ply, x.collision.glb and the like.
_OTHER_USE = re.compile(r"[._-](semantics?|collisions?|collider|convex|physics)\.[a-z]+$", re.IGNORECASE)
# Data sets whose files are +Z up though glTF says otherwise; their folders may carry versions.
# As in hm3d/val/00800-TEEsavR23oF/TEEsavR23oF.glb.
_DEPTH = 3
_Z_UP_FOLDER = re.compile(
    r"(gibson|mp3d|matterport3d|hm3d|habitat[-_]test[-_]scenes)([-_+ .0-9].*)?", re.IGNORECASE
)


def is_scene_file(path: Path) -> bool:
    """Whether a file is no mesh of another use (semantics, collisions), by its name."""
    return _OTHER_USE.search(path.name) is None


def scene_files(files: Iterable[Path]) -> list[Path]:
    """Those of ``files`` that are scenes; of ``x.glb`` and ``x.basis.glb`` the latter."""
    scenes = [path for path in files if is_scene_file(path)]
    basis = {path.with_name(path.name[: -len(_BASIS)]) for path in scenes if path.name.endswith(_BASIS)}
    return [path for path in scenes if path.suffix.lower() != ".glb" or path.with_suffix("") not in basis]


def is_z_up(path: Path) -> bool:
    """Whether a scene file is one of Habitat's data sets whose files are +Z up, by its name and folders.

    These are ``x.basis.glb`` (HM3D), ``x.glb`` beside ``x.house`` (Matterport3D), and ``.glb`` files below a
    folder named after such a data set (``gibson``, ``mp3d``, ``hm3d_v0.2``, ``habitat-test-scenes``).
    """
    if path.suffix.lower() != ".glb":
        return False
    if path.name.endswith(_BASIS) or path.with_suffix(".house").is_file():
        return True
    return any(_Z_UP_FOLDER.fullmatch(folder.name) for folder in list(path.absolute().parents)[:_DEPTH])
