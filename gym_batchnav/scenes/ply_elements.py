"""The elements of a PLY file: headers, and bodies in text or in bytes of either order."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import SceneError

_TYPES = {
    **{"char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1", "short": "i2", "int16": "i2"},
    **{"ushort": "u2", "uint16": "u2", "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4"},
    **{"float": "f4", "float32": "f4", "double": "f8", "float64": "f8", "int64": "i8", "uint64": "u8"},
}
_ORDERS = {"ascii": "=", "binary_little_endian": "<", "binary_big_endian": ">"}
_END = re.compile(rb"^end_header[ \t]*(?:\r\n|\n|\r|\Z)", re.MULTILINE)
_END_OF_OLD_MACS = re.compile(rb"\rend_header[ \t]*\r")
_LONGEST_HEADER = 1 << 20


@dataclass(slots=True)
class PlyProperty:
    """One property of an element; a list where ``count_type`` is given."""

    name: str
    item_type: np.dtype[Any]
    count_type: np.dtype[Any] | None = None


@dataclass(slots=True)
class PlyElement:
    """Rows of one kind, and their values once they are read."""

    name: str
    count: int
    properties: list[PlyProperty] = field(default_factory=list)
    values: dict[str, NDArray[Any]] = field(default_factory=dict)
    """(count,) for each property, and all items of a list one row after the other."""
    lengths: dict[str, NDArray[np.int64]] = field(default_factory=dict)
    """(count,) items in each row of a list."""


@dataclass(slots=True)
class PlyFile:
    """A PLY file."""

    elements: dict[str, PlyElement]
    comments: list[str]


def read_ply(path: Path, content: bytes) -> PlyFile:
    """Read all elements; raises ``SceneError`` where the file is broken or cut short."""
    match = _END.search(content, 0, _LONGEST_HEADER) or _END_OF_OLD_MACS.search(content, 0, _LONGEST_HEADER)
    if content[:3] != b"ply" or match is None:
        raise SceneError(f"{path}: does not begin with the header of a PLY file")
    header = content[: match.start()].decode("utf-8", "replace").replace("\r", "\n")
    order, file = _read_header(path, header.split("\n"))
    body: _Body
    if order == "=":
        body = _TextBody(path, content[match.end() :])
    else:
        body = _BinaryBody(path, content[match.end() :])
    for element in file.elements.values():
        body.read(element)
    return file


def _read_header(path: Path, lines: list[str]) -> tuple[str, PlyFile]:
    order, elements, comments = "", list[PlyElement](), []
    for line in lines:
        try:
            match line.split():
                case ["format", name, *_]:
                    order = _ORDERS[name]
                case ["comment" | "obj_info", *_]:
                    comments.append(line.split(None, 1)[-1].strip())
                case ["element", name, count]:
                    elements.append(PlyElement(name, _whole(count)))
                case ["property", "list", counts, items, name]:
                    _add(elements[-1], PlyProperty(name, _kind(order, items), _kind(order, counts)))
                case ["property", items, name]:
                    _add(elements[-1], PlyProperty(name, _kind(order, items)))
        except (KeyError, IndexError, ValueError) as error:
            raise SceneError(f"{path}: the header line {line!r:.80} is broken ({error})") from error
    if not order:
        raise SceneError(f"{path}: its header names no format")
    if len({element.name for element in elements}) < len(elements):
        raise SceneError(f"{path}: its header names an element twice")
    return order, PlyFile({element.name: element for element in elements}, comments)


def _kind(order: str, name: str) -> np.dtype[Any]:
    return np.dtype(order + _TYPES[name])


def _add(element: PlyElement, one: PlyProperty) -> None:
    if one.count_type is not None and one.count_type.kind == "f":
        raise ValueError("a list whose length is no whole number")
    if any(one.name == other.name for other in element.properties):
        raise ValueError("a property with the name of another")
    element.properties.append(one)


def _whole(text: str) -> int:
    if not text.isdigit() or len(text) > 18:
        raise ValueError("no count")
    return int(text)


_Step = tuple[Callable[[int], None], Callable[[int], int] | None, int, Callable[[int], None], int]
"""Notes where a property begins, reads a list's length, cells of an item, notes the length, its cells."""


class _Body:
    """Rows of elements in cells: numbers of a text, or bytes."""

    def __init__(self, path: Path, num_cells: int) -> None:
        self._path = path
        self._num_cells = num_cells
        self._at = 0

    def size(self, kind: np.dtype[Any]) -> int:
        """Cells that a number takes."""
        raise NotImplementedError

    def counter(self, kind: np.dtype[Any]) -> Callable[[int], int]:
        """A function of the cell at which a whole number begins, which is there."""
        raise NotImplementedError

    def take(self, cells: NDArray[np.int64], kind: np.dtype[Any]) -> NDArray[Any]:
        """Numbers that begin at these cells, which are all there."""
        raise NotImplementedError

    def grid(
        self, start: int, steps: tuple[int, int], shape: tuple[int, int], kind: np.dtype[Any]
    ) -> NDArray[Any]:
        """Numbers at equal steps, which are all there."""
        raise NotImplementedError

    def read(self, element: PlyElement) -> None:
        """Read the next element."""
        if not element.count:
            for one in element.properties:
                element.values[one.name] = np.zeros(0, one.item_type)
                if one.count_type is not None:
                    element.lengths[one.name] = np.zeros(0, np.int64)
        elif element.properties and not self._read_equal_rows(element):
            self._read_rows(element)

    def _read_equal_rows(self, element: PlyElement) -> bool:
        """Read an element whose lists are as long in each row as in the first; False where they are not."""
        places, lengths, end = self._row(element, self._at)
        step = end - self._at
        if self._at + step * element.count > self._num_cells:
            if not any(one.count_type is not None for one in element.properties):
                raise self._cut_short(element)
            return False
        rows = element.count
        for one, place in zip(element.properties, places, strict=True):
            if one.count_type is not None:
                counts = self.grid(place, (step, 1), (rows, 1), one.count_type)
                if not (counts == lengths[one.name]).all():
                    return False
        for one, place in zip(element.properties, places, strict=True):
            width, first = 1, place
            if one.count_type is not None:
                width, first = lengths[one.name], place + self.size(one.count_type)
                element.lengths[one.name] = np.full(rows, width, np.int64)
            steps = (step, self.size(one.item_type))
            element.values[one.name] = self.grid(first, steps, (rows, width), one.item_type).reshape(-1)
        self._at += step * rows
        return True

    def _read_rows(self, element: PlyElement) -> None:
        """Read an element row by row."""
        starts: list[list[int]] = [[] for _ in element.properties]
        counts: dict[str, list[int]] = {
            one.name: [] for one in element.properties if one.count_type is not None
        }
        plan = [self._step(one, row, counts) for one, row in zip(element.properties, starts, strict=True)]
        at, end = self._at, self._num_cells
        for _ in range(element.count):
            for note, count, size, note_count, length_size in plan:
                note(at)
                if count is None:
                    at += size
                    continue
                # A count beyond the end reads as nothing, and so is cut short too.
                width = count(at) if at + length_size <= end else end
                if not 0 <= width <= end:
                    raise self._bad_length(element, width)
                note_count(width)
                at += length_size + width * size
            if at > end:
                raise self._cut_short(element)
        self._at = at
        for one, row in zip(element.properties, starts, strict=True):
            cells = np.array(row, np.int64)
            if one.count_type is not None:
                element.lengths[one.name] = many = np.array(counts[one.name], np.int64)
                inner = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many)
                cells = np.repeat(cells + self.size(one.count_type), many) + self.size(one.item_type) * inner
            element.values[one.name] = self.take(cells, one.item_type)

    def _step(self, one: PlyProperty, starts: list[int], counts: dict[str, list[int]]) -> _Step:
        """What to do at one property of each row."""
        size = self.size(one.item_type)
        if one.count_type is None:
            return starts.append, None, size, starts.append, 0
        counter, length_size = self.counter(one.count_type), self.size(one.count_type)
        return starts.append, counter, size, counts[one.name].append, length_size

    def _row(self, element: PlyElement, at: int) -> tuple[list[int], dict[str, int], int]:
        """Cells where the properties of a row begin, lengths of its lists, and where it ends."""
        places, lengths = [], {}
        for one in element.properties:
            places.append(at)
            width = 1
            if one.count_type is not None:
                if at + self.size(one.count_type) > self._num_cells:
                    raise self._cut_short(element)
                width = self.counter(one.count_type)(at)
                if not 0 <= width <= self._num_cells:
                    raise self._bad_length(element, width)
                lengths[one.name] = width
                at += self.size(one.count_type)
            at += width * self.size(one.item_type)
        if at > self._num_cells and element.count:
            raise self._cut_short(element)
        return places, lengths, at

    def _bad_length(self, element: PlyElement, length: int) -> SceneError:
        return SceneError(
            f"{self._path}: a list of {element.name} has length {length}, beyond the file's end"
        )

    def _cut_short(self, element: PlyElement) -> SceneError:
        return SceneError(f"{self._path}: is cut short: it claims {element.count} rows of {element.name}")


class _TextBody(_Body):
    def __init__(self, path: Path, content: bytes) -> None:
        words = content.split()
        try:
            self._numbers = np.fromiter(map(float, words), np.float64, len(words))
        except ValueError as error:
            raise SceneError(f"{path}: holds what is no number ({error})") from error
        self._whole: NDArray[np.int64] | None = None
        super().__init__(path, len(words))

    def size(self, kind: np.dtype[Any]) -> int:
        """Cells that a number takes."""
        return 1

    def counter(self, kind: np.dtype[Any]) -> Callable[[int], int]:
        """A function of the cell at which a whole number begins, which is there; -1 for others."""
        if self._whole is None:
            whole = (self._numbers == np.floor(self._numbers)) & (np.abs(self._numbers) < 2.0**53)
            self._whole = np.where(whole, self._numbers, -1.0).astype(np.int64)
        return self._whole.item

    def take(self, cells: NDArray[np.int64], kind: np.dtype[Any]) -> NDArray[Any]:
        """Numbers that begin at these cells, which are all there."""
        return self._typed(self._numbers[cells], kind)

    def grid(
        self, start: int, steps: tuple[int, int], shape: tuple[int, int], kind: np.dtype[Any]
    ) -> NDArray[Any]:
        """Numbers at equal steps, which are all there."""
        strides = (8 * steps[0], 8 * steps[1])
        return self._typed(np.ndarray(shape, np.float64, self._numbers, 8 * start, strides), kind)

    def _typed(self, numbers: NDArray[np.float64], kind: np.dtype[Any]) -> NDArray[Any]:
        if kind.kind == "f":
            return numbers.copy()
        if not (np.abs(numbers) < 2.0**53).all():
            raise SceneError(f"{self._path}: holds a whole number that is none or far too large")
        return numbers.astype(np.int64)


class _BinaryBody(_Body):
    def __init__(self, path: Path, content: bytes) -> None:
        self._raw = content
        self._bytes = np.frombuffer(content, np.uint8)
        super().__init__(path, len(content))

    def size(self, kind: np.dtype[Any]) -> int:
        """Cells that a number takes."""
        return kind.itemsize

    def counter(self, kind: np.dtype[Any]) -> Callable[[int], int]:
        """A function of the cell at which a whole number begins, which is there."""
        raw, size, signed = self._raw, kind.itemsize, kind.kind == "i"
        order: Literal["big", "little"] = "big" if kind.byteorder == ">" else "little"
        if size == 1 and not signed:
            return raw.__getitem__
        return lambda cell: int.from_bytes(raw[cell : cell + size], order, signed=signed)

    def take(self, cells: NDArray[np.int64], kind: np.dtype[Any]) -> NDArray[Any]:
        """Numbers that begin at these cells, which are all there."""
        raw = self._bytes[cells[:, None] + np.arange(kind.itemsize)]
        return np.ascontiguousarray(raw).view(kind).reshape(-1)

    def grid(
        self, start: int, steps: tuple[int, int], shape: tuple[int, int], kind: np.dtype[Any]
    ) -> NDArray[Any]:
        """Numbers at equal steps, which are all there."""
        if not shape[0] * shape[1]:
            return np.zeros(shape, kind)
        return np.ndarray(shape, kind, self._bytes, start, steps).copy()
