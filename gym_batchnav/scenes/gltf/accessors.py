"""Accessors: typed, strided, sparse and normalised views of the buffers."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from .document import Document
from .fields import Fields

_COMPONENTS: dict[int, np.dtype[Any]] = {
    5120: np.dtype("<i1"),
    5121: np.dtype("<u1"),
    5122: np.dtype("<i2"),
    5123: np.dtype("<u2"),
    5125: np.dtype("<u4"),
    5126: np.dtype("<f4"),
}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class Accessors:
    """Decoded accessors of one document, each decoded once."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._decoded: dict[int, NDArray[Any]] = {}
        self._floats: dict[int, NDArray[np.float32]] = {}

    def read(self, index: int, place: str, widths: tuple[int, ...]) -> NDArray[Any]:
        """Decode an accessor.

        Args:
            index: its number.
            place: who asks, for messages.
            widths: how many components an element may have.

        Returns:
            (count, width) array in the file's component type; normalised integers as float32. Shared by all
            readers: do not write into it.

        Raises:
            SceneError: it does not fit into its buffer or has another type.
        """
        if index not in self._decoded:
            self._decoded[index] = self._decode(self._document.item("accessors", index, place))
        array = self._decoded[index]
        if array.shape[1] not in widths:
            raise self._document.error(
                place, f"reads accessors[{index}] of {array.shape[1]} components; allowed: {widths}"
            )
        return array

    def floats(self, index: int, place: str, widths: tuple[int, ...]) -> NDArray[np.float32]:
        """Decode an accessor to finite float32 values, (count, width), shared by all readers."""
        array = self.read(index, place, widths)
        if index not in self._floats:
            self._floats[index] = self.finite(array, place, f"accessors[{index}]")
        return self._floats[index]

    def fractions(self, index: int, place: str, widths: tuple[int, ...]) -> NDArray[np.float32]:
        """Like ``floats``, but integers are normalised even where the file forgets to say so."""
        return self.finite(normalise(self.read(index, place, widths)), place, f"accessors[{index}]")

    def finite(self, array: NDArray[Any], place: str, source: str) -> NDArray[np.float32]:
        """Check that values are finite and return them as float32; ``source`` says where they are from."""
        floats = array.astype(np.float32, copy=False)
        if not np.isfinite(floats).all():
            row = int(np.nonzero(~np.isfinite(floats).all(axis=1))[0][0])
            raise self._document.error(place, f"reads NaN or infinity from element {row} of {source}")
        return floats

    def indices(self, index: int, place: str) -> NDArray[np.int64]:
        """Decode an accessor of unsigned integers, (count,)."""
        array = self.read(index, place, (1,))
        if array.dtype.kind != "u":
            raise self._document.error(place, f"reads accessors[{index}], which holds no unsigned integers")
        return array[:, 0].astype(np.int64)

    def cast(
        self, index: int, place: str, array: NDArray[Any], *, fractions: bool = False
    ) -> NDArray[np.float32]:
        """Bring values that were stored elsewhere to an accessor's type, and normalise them as it says.

        ``fractions`` normalises integers whatever it says.
        """
        fields = self._document.item("accessors", index, place)
        dtype = component_type(fields)
        typed = array.astype(dtype) if dtype.kind != "f" and array.dtype.kind != "f" else array
        values = normalise(typed) if fractions or fields.flag("normalized") else typed
        return self.finite(values, place, "compressed data")

    def _decode(self, fields: Fields) -> NDArray[Any]:
        kind = fields.text("type")
        if kind not in _WIDTHS:
            raise fields.error("type", f"is {kind!r:.20}; expected one of {sorted(_WIDTHS)}")
        width, count = _WIDTHS[kind], fields.integer("count")
        dtype = component_type(fields)
        if fields.has("bufferView"):
            view = fields.integer("bufferView")
            array = self._strided(fields, view, fields.integer("byteOffset", 0), count, width, dtype)
        else:
            self._document.budget.spend(count * width * dtype.itemsize, f"{fields.place}.count")
            array = np.zeros((count, width), dtype)
        sparse = fields.child("sparse")
        if sparse is not None:
            array = self._with_sparse(sparse, array)
        return normalise(array) if fields.flag("normalized") else array

    def _strided(
        self, fields: Fields, view: int, offset: int, count: int, width: int, dtype: np.dtype[Any]
    ) -> NDArray[Any]:
        """(count, width) elements of a buffer view, interleaved or not."""
        data, stride = self._document.view(view, fields.place)
        size = width * dtype.itemsize
        stride = stride or size
        if stride < size:
            raise fields.error("bufferView", f"has a byteStride of {stride}; an element takes {size} bytes")
        end = offset + stride * (count - 1) + size if count else offset
        if end > len(data):
            raise fields.error("count", f"needs {end} bytes, but bufferViews[{view}] has {len(data)}")
        self._document.budget.spend(count * size, f"{fields.place}.count")
        if not count:
            return np.zeros((0, width), dtype)
        raw = np.frombuffer(data, np.uint8, end - offset, offset)
        rows = np.lib.stride_tricks.as_strided(raw, (count, size), (stride, 1), writeable=False)
        return np.ascontiguousarray(rows).view(dtype)

    def _with_sparse(self, sparse: Fields, base: NDArray[Any]) -> NDArray[Any]:
        """A copy of ``base`` with some rows replaced."""
        count = sparse.integer("count", high=len(base))
        where, what = sparse.child_or_empty("indices"), sparse.child_or_empty("values")
        dtype = component_type(where)
        rows = self._strided(
            where, where.integer("bufferView"), where.integer("byteOffset", 0), count, 1, dtype
        )[:, 0]
        if dtype.kind != "u" or (count and int(rows.max()) >= len(base)):
            raise where.error("", f"does not name rows of an accessor of {len(base)} elements")
        self._document.budget.spend(base.nbytes, sparse.place)
        array = base.copy()
        array[rows] = self._strided(
            what,
            what.integer("bufferView"),
            what.integer("byteOffset", 0),
            count,
            base.shape[1],
            base.dtype,
        )
        return array


def component_type(fields: Fields) -> np.dtype[Any]:
    """Return the number type of an accessor or of sparse indices; raises ``SceneError`` where unknown."""
    code = fields.integer("componentType")
    if code not in _COMPONENTS:
        raise fields.error("componentType", f"is {code}; expected one of {sorted(_COMPONENTS)}")
    return _COMPONENTS[code]


def normalise(array: NDArray[Any]) -> NDArray[Any]:
    """Integers to [0, 1] or [-1, 1] (glTF 2.0, section 3.6.2.2)."""
    if array.dtype.kind == "f":
        return array
    scaled = array.astype(np.float32) / np.float32(np.iinfo(array.dtype).max)
    return cast("NDArray[Any]", np.maximum(scaled, np.float32(-1.0)))
