"""Scenes that episode files name, found in a folder of scene data sets."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from ...errors import SceneError
from ..frames import Up
from ..houses.splits import SPLITS, house_id
from ..loading import SUPPORTED_SUFFIXES, find_navmesh
from ..refs import SceneRef
from .dataset import CONFIG_SUFFIX, SceneDataSet
from .templates import bare_name

_HOUSE = re.compile(r"houses-v2/(?P<split>\w+)/(?P<number>\d{4,9})")


@dataclass(slots=True)
class SceneFinder:
    """Finds scenes by the names that episodes give them.

    Names are relative to ``scenes_dir``, whatever root they were written for: ``gibson/Adrian.glb``,
    ``data/scene_datasets/gibson/Adrian.glb``, ``/of/another/machine/gibson/Adrian.glb`` and the same with
    back slashes name one file. Nothing outside ``scenes_dir`` is looked at.
    """

    scenes_dir: Path
    up: Up | None = None
    """Axis of scene files that points up; see ``load_scene``."""
    scale: float = 1.0
    """Metres for each unit of scene files."""
    _data_sets: dict[Path, SceneDataSet] = field(default_factory=dict)

    def find(self, scene_id: str, data_set: str = "") -> SceneRef | None:
        """The scene that an episode names; None where it is not there.

        Args:
            scene_id: the episode's ``scene_id``, also that of a built-in house.
            data_set: the episode's ``scene_dataset_config``, empty or ``"default"`` for none.

        Raises:
            SceneError: the data set's configuration is broken.
        """
        house = _HOUSE.fullmatch(scene_id)
        if house is not None and house["split"] in SPLITS:
            split, number = house["split"], int(house["number"])
            known = number < SPLITS[split].count and house_id(split, number) == scene_id
            return SceneRef(scene_id, split, number) if known else None
        return self._member(scene_id, data_set) or self._file(scene_id)

    def _member(self, scene_id: str, data_set: str) -> SceneRef | None:
        """A scene of the data set that the episode names, where that is there."""
        config = self._tail(data_set) if data_set.endswith(CONFIG_SUFFIX) else None
        if config is None:
            return None
        if config not in self._data_sets:
            self._data_sets[config] = SceneDataSet(config, self.scenes_dir)
        for name in dict.fromkeys(
            (scene_id, "/".join(_parts(scene_id)), bare_name("/".join(_parts(scene_id))))
        ):
            if self._data_sets[config].knows(name):
                return SceneRef(f"{config}:{name}", str(config), member=name, scenes_dir=str(self.scenes_dir))
        return None

    def _file(self, scene_id: str) -> SceneRef | None:
        name = "/".join(_parts(scene_id))
        spellings = [name]
        if name.endswith(".glb"):
            plain = name.removesuffix(".glb").removesuffix(".basis")
            spellings += [f"{plain}.basis.glb", f"{plain}.glb"]
        for spelling in dict.fromkeys(spellings):
            path = self._tail(spelling)
            if path is not None and path.suffix.lower() in SUPPORTED_SUFFIXES:
                mesh = find_navmesh(path, None)
                return SceneRef(
                    str(path), str(path), None, None if mesh is None else str(mesh), self.up, self.scale
                )
        return None

    def _tail(self, name: str) -> Path | None:
        """The file under ``scenes_dir`` whose path is the longest tail of a name."""
        parts = _parts(name)
        if any("\0" in part for part in parts):
            return None
        try:
            tails = (self.scenes_dir.joinpath(*parts[start:]) for start in range(len(parts)))
            return next((path for path in tails if path.is_file()), None)
        except OSError as error:
            raise SceneError(f"{self.scenes_dir}: cannot look for {name!r:.120} ({error})") from error


def _parts(name: str) -> list[str]:
    """Parts of a path of any machine, after the last step upwards."""
    parts = [part for part in PurePosixPath(name.replace("\\", "/")).parts if part not in ("/", "//")]
    upwards = [number for number, part in enumerate(parts) if part == ".."]
    return parts[upwards[-1] + 1 :] if upwards else parts
