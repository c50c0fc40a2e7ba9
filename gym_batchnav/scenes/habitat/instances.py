"""Scenes of a data set to lists of placed files."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...errors import SceneError
from ..gltf.fields import Fields
from ..scene import SceneWarning
from .files import DataSetFiles
from .frames import Y_UP, Z_UP, Pose, frame_rotation, instance_pose, scales
from .templates import Library, Template

_ORIGINS = {"": None, "unknown": None, "com": True, "asset_local": False}
# What the bookkeeping of one object costs, so that their number is bounded too.
_BYTES_PER_INSTANCE = 16384
_STILL = Pose(np.eye(3), np.zeros(3), np.ones(3))


@dataclass(frozen=True, slots=True)
class Placed:
    """A scene file and where it stands; a point p of the file goes to R (S F p - c) + t."""

    file: Path
    frame: NDArray[np.float64]
    """(3, 3) S F: to +Y up, then scaled to metres."""
    pose: Pose
    """R and t."""
    center: NDArray[np.float64] | None
    """(3,) c, metres; None for the middle of the bounding box of S F p."""
    is_stage: bool = False
    """Whether it keeps the object ids of its file, as other parts are one object each."""


def stage_alone(files: DataSetFiles, template: Template) -> Placed:
    """A stage without a scene instance."""
    return _stage(files, template, _STILL)


def instance_parts(
    files: DataSetFiles, scene: Template, stages: Library, objects: Library
) -> Iterator[Placed]:
    """The stage of a scene instance, where it has one, then its objects in the file's order.

    Raises:
        SceneError: a template is missing or broken; the message names it and the file.
    """
    fields = scene.values
    stage = fields.child("stage_instance")
    if stage is None:
        raise fields.error("stage_instance", "is missing")
    if stage.text("template_name") not in ("", "NONE"):
        yield _stage(files, _template(stages, stage), instance_pose(stage))
    at_center = _origin(fields, usual=True)
    templates: dict[str, Template] = {}
    items = fields.items("object_instances")
    files.budget.spend(_BYTES_PER_INSTANCE * len(items), f"{fields.file}: object_instances")
    for item in items:
        name = item.text("template_name")
        if name not in templates:
            templates[name] = _template(objects, item)
        yield _object(files, templates[name], item, _origin(item, at_center))
    left_out = len(fields.items("articulated_object_instances"))
    if left_out:
        warnings.warn(
            f"{fields.file}: {left_out} articulated objects are left out; they are not supported",
            SceneWarning,
            stacklevel=4,
        )


def _stage(files: DataSetFiles, template: Template, pose: Pose) -> Placed:
    fields = template.values
    usual = Y_UP
    if template.asset is not None and template.asset.suffix.lower() == ".glb" and not template.has_defaults:
        # As Habitat takes glTF stages that nothing describes.
        usual = Z_UP
    frame = (scales(fields) * pose.scale)[:, None] * frame_rotation(fields, usual)
    origin = np.array(fields.numbers("origin", (0.0, 0.0, 0.0)))
    return Placed(_asset(files, template), frame, pose, -origin, is_stage=True)


def _object(files: DataSetFiles, template: Template, item: Fields, at_center: bool) -> Placed:
    pose = instance_pose(item)
    factors = scales(template.values) * pose.scale
    center: NDArray[np.float64] | None = np.zeros(3)
    if at_center:
        given = template.values.has("COM")
        center = factors * np.array(template.values.numbers("COM", (0.0, 0.0, 0.0))) if given else None
    frame = factors[:, None] * frame_rotation(template.values, Y_UP)
    return Placed(_asset(files, template), frame, pose, center)


def _asset(files: DataSetFiles, template: Template) -> Path:
    name = template.file_name("render_asset")
    if template.asset is not None and not name:
        return template.asset
    if not name:
        raise template.values.error("render_asset", "is missing")
    return files.find(template.values, "render_asset", template.folder, name)


def _template(library: Library, item: Fields) -> Template:
    name = item.text("template_name")
    handle = library.find(name)
    if handle is None:
        raise item.error(
            "template_name", f"is {name!r:.120}; {library.files.config} knows no such {library.kind[:-1]}"
        )
    try:
        return library.read(handle)
    except SceneError as error:
        raise SceneError(f"{item.file}: {item.place}.template_name is {name!r:.120}: {error}") from error


def _origin(fields: Fields, usual: bool) -> bool:
    """Whether translations are those of centres of mass, as they are in Habitat where nothing is said."""
    text = fields.text("translation_origin", "")
    if text.casefold() not in _ORIGINS:
        raise fields.error("translation_origin", f"is {text!r:.80}; expected 'COM' or 'asset_local'")
    said = _ORIGINS[text.casefold()]
    return usual if said is None else said
