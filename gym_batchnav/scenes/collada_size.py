"""How large a COLLADA file becomes when its instances are made, before anything makes them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from ..errors import SceneError
from .budget import Budget

_BYTES_PER_NODE = 24576
# A character of text becomes a part of a number, its vertex, its face and their copies.
_BYTES_PER_CHARACTER = 32
_DEEPEST = 200


def check_collada_size(path: Path, content: bytes, budget: Budget) -> bytes:
    """Count what the nodes and geometries of a COLLADA file take with all their instances.

    Nodes may instantiate nodes that instantiate others, so a few lines can stand for billions.

    Returns:
        The file without materials that it names and does not define, which pycollada takes badly.

    Raises:
        SceneError: the XML is broken, nodes instantiate themselves, or the file unpacks to too much.
    """
    try:
        root = ElementTree.fromstring(content)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise SceneError(f"{path}: cannot be read as dae ({error})") from error
    sizes = _Sizes(path)
    for element in root.iter():
        name, key = _local(element), element.get("id")
        if key is not None and name in ("geometry", "controller"):
            sizes.geometries[key] = sum(len(text) for text in element.itertext())
        elif key is not None and name == "node":
            sizes.nodes[key] = element
    for element in root.iter():
        if _local(element) == "visual_scene":
            budget.spend(sizes.of(element, 0), "its nodes and their instances")
    _check_positions(path, root)
    return ElementTree.tostring(root) if _drop_unknown_materials(root) else content


def _check_positions(path: Path, root: ElementTree.Element) -> None:
    """Refuse positions that are no numbers, which pycollada takes for zeros."""
    named = {
        element.get("source", "").removeprefix("#")
        for element in root.iter()
        if _local(element) == "input" and element.get("semantic") == "POSITION"
    }
    for source in root.iter():
        if _local(source) == "source" and source.get("id") in named:
            text = " ".join(source.itertext()).lower()
            if "nan" in text or "inf" in text or "#" in text:
                raise SceneError(f"{path}: source {source.get('id')!r:.80} has a position NaN or infinite")


def _drop_unknown_materials(root: ElementTree.Element) -> bool:
    """Take out ``instance_material`` elements without a target; whether there were some."""
    known = {element.get("id") for element in root.iter() if _local(element) == "material"}
    found = False
    for parent in list(root.iter()):
        for child in list(parent):
            target = child.get("target", "").removeprefix("#")
            if _local(child) == "instance_material" and target not in known:
                parent.remove(child)
                found = True
    return found


@dataclass(slots=True)
class _Sizes:
    path: Path
    geometries: dict[str, int] = field(default_factory=dict)
    nodes: dict[str, ElementTree.Element] = field(default_factory=dict)
    _known: dict[str, int] = field(default_factory=dict)

    def of(self, element: ElementTree.Element, depth: int) -> int:
        """Bytes that the nodes below an element take with their instances."""
        if depth > _DEEPEST:
            raise SceneError(f"{self.path}: its nodes are nested deeper than {_DEEPEST}, or in themselves")
        total = _BYTES_PER_NODE
        for child in element:
            name, target = _local(child), child.get("url", "").removeprefix("#")
            if name == "node":
                total += self.of(child, depth + 1)
            elif name in ("instance_geometry", "instance_controller"):
                total += _BYTES_PER_NODE + _BYTES_PER_CHARACTER * self.geometries.get(target, 0)
            elif name == "instance_node" and target in self.nodes:
                if target not in self._known:
                    self._known[target] = self.of(self.nodes[target], depth + 1)
                total += self._known[target]
        return total


def _local(element: ElementTree.Element) -> str:
    """Name of an element without its namespace; comments have none."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
