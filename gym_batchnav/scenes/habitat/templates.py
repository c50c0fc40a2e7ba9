"""Templates of a data set: descriptions of stages, objects and scenes, found by name and read when needed."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from ..gltf.fields import Fields
from .files import DataSetFiles

NAME_TAG = "%%CONFIG_NAME_AS_ASSET_FILENAME%%"
_SUFFIXES = {
    "stages": ".stage_config.json",
    "objects": ".object_config.json",
    "scene_instances": ".scene_instance.json",
}


@dataclass(frozen=True, slots=True)
class Template:
    """One description with the data set's defaults filled in."""

    handle: str
    """Its name in the data set: a path relative to it, or a name that the configuration gives."""
    values: Fields
    folder: Path
    """Folder that the files it names are relative to."""
    asset: Path | None
    """The scene file that it stands for, where it was made of a file alone."""
    has_defaults: bool
    """Whether the data set gives defaults for its kind."""

    @property
    def name(self) -> str:
        """The handle without folders and endings."""
        return bare_name(self.handle)

    def file_name(self, key: str) -> str:
        """The file name in a field ("" where absent), the tag for the template's own name filled in."""
        return self.values.text(key, "").replace(NAME_TAG, self.name)


@dataclass(frozen=True, slots=True)
class _Entry:
    file: Path | None
    """A configuration file or a scene file; None for a template of the configuration alone."""
    overrides: tuple[Fields, ...] = ()
    """Fields that win over the file's, and later ones over earlier ones."""


@dataclass(slots=True)
class Library:
    """The templates of one kind: ``"stages"``, ``"objects"`` or ``"scene_instances"``."""

    files: DataSetFiles
    kind: str
    section: Fields
    _entries: dict[str, _Entry] = field(default_factory=dict)
    _by_name: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        paths = self.section.child_or_empty("paths")
        for ending in paths.values:
            for pattern in paths.texts(ending):
                self._add_files(paths, ending, pattern)
        for config in self.section.items("configs"):
            self._add_config(config)
        for handle in self._entries:
            self._by_name.setdefault(bare_name(handle), []).append(handle)

    @property
    def handles(self) -> list[str]:
        """All of them, sorted."""
        return sorted(self._entries)

    def find(self, name: str) -> str | None:
        """The handle that a name means; None for none.

        Where ``find_whole`` finds none, the first handle that contains the name is taken, case aside, as in
        Habitat.
        """
        return self.find_whole(name) or self._containing(name)

    def find_whole(self, name: str) -> str | None:
        """The handle that a name is, perhaps without its endings and its first folders; None for none."""
        name = name.replace("\\", "/").removeprefix("./")
        if name in self._entries:
            return name
        wanted = without_endings(name, self.kind)
        alike = self._by_name.get(bare_name(name), []) + self._by_name.get(wanted.rsplit("/", 1)[-1], [])
        for handle in sorted(set(alike)):
            whole = "/" + without_endings(handle, self.kind)
            if whole.endswith(("/" + wanted, "/" + name)):
                return handle
        return None

    def read(self, handle: str) -> Template:
        """Read a template; raises ``SceneError`` where its file is broken."""
        entry, file = self._entries[handle], str(self.files.config)
        defaults = self.section.child_or_empty("default_attributes").values
        values, folder, asset = dict(defaults), self.files.root, None
        if entry.file is not None:
            self.files.check(entry.file)
            file, folder = str(entry.file), entry.file.parent
            if entry.file.name.endswith(_SUFFIXES[self.kind]):
                values |= self.files.read_json(entry.file).values
            else:
                asset = entry.file
        for overrides in entry.overrides:
            values |= overrides.values
        return Template(handle, Fields(values, file, ""), folder, asset, bool(defaults))

    def _add_files(self, paths: Fields, ending: str, pattern: str) -> None:
        suffix = _SUFFIXES[self.kind] if ".json" in ending else ending
        for path in self.files.glob(paths, ending, pattern) or self._without_ending(paths, ending, pattern):
            inside = [path]
            if path.is_dir():
                inside = sorted(Path(item.path) for item in os.scandir(path) if item.name.endswith(suffix))
            for file in inside:
                if file.name.endswith(suffix):
                    self._entries[self._relative(file)] = _Entry(file)

    def _without_ending(self, paths: Fields, ending: str, pattern: str) -> list[Path]:
        """Files whose ending the configuration leaves out."""
        suffix = _SUFFIXES[self.kind] if ".json" in ending else ending
        return self.files.glob(paths, ending, pattern + suffix) if not pattern.endswith(suffix) else []

    def _add_config(self, config: Fields) -> None:
        """A template that the configuration gives itself, perhaps on top of another one."""
        overrides = config.child_or_empty("attributes")
        original = config.text("original_file", "")
        base, handle = _Entry(None), config.text("template_handle", "")
        if original:
            found = self._containing(original)
            if found is None:
                raise config.error("original_file", f"is {original!r:.120}; the data set has no such file")
            base, handle = self._entries[found], handle or found
        if not handle:
            raise config.error("template_handle", "is missing, and so is original_file; give one of them")
        self._entries[handle] = _Entry(base.file, (*base.overrides, overrides))

    def _containing(self, name: str) -> str | None:
        folded = name.replace("\\", "/").removeprefix("./").casefold()
        return (
            next((handle for handle in self.handles if folded in handle.casefold()), None) if name else None
        )

    def _relative(self, file: Path) -> str:
        if file.is_relative_to(self.files.root):
            return file.relative_to(self.files.root).as_posix()
        return Path(os.path.relpath(file, self.files.root)).as_posix()


def bare_name(handle: str) -> str:
    """The last part of a path without up to two endings, as in ``a.stage_config.json``, ``b.basis.glb``."""
    return os.path.splitext(os.path.splitext(handle.rsplit("/", 1)[-1])[0])[0]


def without_endings(handle: str, kind: str) -> str:
    """A handle without the ending of its kind, or of a scene file."""
    if handle.endswith(_SUFFIXES[kind]):
        return handle.removesuffix(_SUFFIXES[kind])
    for ending in (".basis.glb", ".glb", ".gltf"):
        if handle.endswith(ending):
            return handle.removesuffix(ending)
    return handle
