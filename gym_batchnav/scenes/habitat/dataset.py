"""A ``.scene_dataset_config.json``: which scenes it holds, and how one is loaded."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from pathlib import Path

from batchnav_renderer.types import SceneArrays

from ...errors import SceneError
from ..gltf.fields import Fields
from ..layout import is_scene_file
from ..loading import find_navmesh
from ..reads import content_digest, is_file, note_content
from ..scene import Scene
from .files import DataSetFiles
from .instances import instance_parts, stage_alone
from .merging import merge
from .templates import NAME_TAG, Library, Template, bare_name, without_endings

CONFIG_SUFFIX = ".scene_dataset_config.json"


class SceneDataSet:
    """The scenes of a Habitat data set, found by name and loaded when asked for.

    Args:
        config: a ``.scene_dataset_config.json``.
        scenes_dir: folder besides the data set's own surroundings in which its files may lie.

    Raises:
        SceneError: the file is missing or broken, or a pattern in it reaches too far.
    """

    def __init__(self, config: str | Path, scenes_dir: str | Path | None = None) -> None:
        self.config = Path(config)
        self._files = DataSetFiles(self.config, None if scenes_dir is None else Path(scenes_dir))
        self._fields = self._files.read_json(self.config)

    @cached_property
    def _stages(self) -> Library:
        return Library(self._files, "stages", self._fields.child_or_empty("stages"))

    @cached_property
    def _objects(self) -> Library:
        return Library(self._files, "objects", self._fields.child_or_empty("objects"))

    @cached_property
    def _instances(self) -> Library:
        return Library(self._files, "scene_instances", self._fields.child_or_empty("scene_instances"))

    @cached_property
    def _names(self) -> dict[str, str]:
        return _names(self._instances) or _names(self._stages)

    @property
    def listing_digest(self) -> str:
        """Hash of the names of all that it holds: what is found by name depends on them."""
        handles = [library.handles for library in (self._stages, self._objects, self._instances)]
        return content_digest(repr(handles).encode())

    @property
    def has_instances(self) -> bool:
        """Whether it has scene instances, not stages alone."""
        return bool(self._instances.handles)

    @property
    def scene_names(self) -> tuple[str, ...]:
        """Its scene instances, or its stages where it has none, sorted.

        A name is that of the file without endings; where two share it, their paths in the data set.
        """
        return tuple(self._names)

    def knows(self, name: str) -> bool:
        """Whether it has a scene instance or a stage of this name, whole or without folders and endings."""
        return self._find(name) is not None

    def load(self, name: str) -> Scene:
        """Load a scene instance with its objects, or a stage.

        The scene's id is ``<config>:<name>``. Object ids are those of the stage, then one for each object.
        Without a navigation mesh of its own, a scene instance takes its stage's only where it has no objects.

        Raises:
            SceneError: there is no such scene, or a file of it is missing or broken.
        """
        found = self._find(name)
        if found is None:
            some = ", ".join(self.scene_names[:5]) or "none"
            raise SceneError(
                f"{self.config}: has no scene {name!r:.120}; it has {len(self._names)}: {some}"
                + (", ..." if len(self._names) > 5 else "")
            )
        scene_id, (library, handle) = f"{self.config}:{name}", found
        template = library.read(handle)
        if library is self._stages:
            arrays = merge([stage_alone(self._files, template)], self._files.budget, scene_id)
            return _scene(scene_id, arrays, self._stage_navmesh(template))
        parts = instance_parts(self._files, template, self._stages, self._objects)
        arrays = merge(parts, self._files.budget, scene_id)
        return _scene(scene_id, arrays, self._instance_navmesh(template))

    def _find(self, name: str) -> tuple[Library, str] | None:
        """Scene instances come before stages, whole names before parts of them."""
        if name in self._names:
            return (self._instances if self.has_instances else self._stages), self._names[name]
        for library in (self._instances, self._stages):
            handle = library.find_whole(name)
            if handle is not None:
                return library, handle
        return None

    def _stage_of(self, scene: Template) -> str | None:
        """Handle of the stage of a scene instance; None where it has none."""
        name = scene.values.child_or_empty("stage_instance").text("template_name", "")
        return None if name in ("", "NONE") else self._stages.find(name)

    def _instance_navmesh(self, scene: Template) -> Path | None:
        fields = scene.values
        name = fields.text("navmesh_instance", "")
        if name:
            known = self._fields.child_or_empty("navmesh_instances")
            key = name if known.has(name) else next((key for key in known.values if name in key), None)
            if key is None:
                raise fields.error("navmesh_instance", f"is {name!r:.120}; {self.config} knows no such mesh")
            return self._files.find(known, key, self._files.root)
        stage = self._stage_of(scene)
        moved = _is_moved(fields.child_or_empty("stage_instance"))
        if stage is None or moved or fields.items("object_instances"):
            return None
        return self._stage_navmesh(self._stages.read(stage))

    def _stage_navmesh(self, stage: Template) -> Path | None:
        """The mesh that a stage names, or the one beside its file."""
        name = stage.file_name("nav_asset")
        if name:
            # A default for all stages may name meshes that some do not have.
            optional = NAME_TAG in stage.values.text("nav_asset")
            beside = stage.folder / name
            if optional and not is_file(beside):
                return None
            return self._files.find(stage.values, "nav_asset", stage.folder, name)
        return None if stage.asset is None else find_navmesh(stage.asset, None)


def load_data_set_scene(config: str, name: str, scenes_dir: str | None = None) -> Scene:
    """Load one scene of a data set, see ``SceneDataSet``."""
    return SceneDataSet(config, scenes_dir).load(name)


def _scene(scene_id: str, arrays: SceneArrays, navmesh: Path | None) -> Scene:
    if navmesh is not None:
        note_content(navmesh)
    return Scene(scene_id=scene_id, arrays=arrays, navmesh_path=navmesh)


def _names(library: Library) -> dict[str, str]:
    """Handles by the shortest names that tell them apart, without meshes of another use."""
    handles = [handle for handle in library.handles if is_scene_file(Path(handle))]
    counts = Counter(map(bare_name, handles))
    return {
        (
            bare_name(handle) if counts[bare_name(handle)] == 1 else without_endings(handle, library.kind)
        ): handle
        for handle in handles
    }


def _is_moved(stage: Fields) -> bool:
    """Whether the stage stands elsewhere than its own navigation mesh says."""
    return any(stage.has(key) for key in ("translation", "rotation", "uniform_scale", "non_uniform_scale"))
