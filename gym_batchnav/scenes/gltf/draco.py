"""Primitives compressed with KHR_draco_mesh_compression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..codecs import DRACO, INSTALL_HINT, CodecError, is_installed, load_codec
from ..draco_header import draco_counts
from .document import Document
from .extensions import DRACO_EXTENSION
from .fields import Fields

# Draco's own tables take about this many bytes for a face while it decodes.
_BYTES_PER_FACE = 100


@dataclass(frozen=True, slots=True)
class DracoMesh:
    """A decoded primitive."""

    indices: NDArray[np.int64]
    """(3 F,) int64, below the number of vertices."""
    attributes: dict[str, NDArray[Any]]
    """(V, width) values by glTF name, in Draco's number types."""


def read_draco(document: Document, primitive: Fields) -> DracoMesh | None:
    """Decode a primitive, or return None where it is not compressed or its plain accessors are to be read.

    Raises:
        SceneError: the data is broken or does not fit the accessors, or the codec is needed and not
            installed.
    """
    extension = primitive.child_or_empty("extensions").child(DRACO_EXTENSION)
    if extension is None:
        return None
    position = _accessor(document, primitive.child_or_empty("attributes"), "POSITION")
    indices = _accessor(document, primitive, "indices") if primitive.has("indices") else None
    if not is_installed(DRACO):
        if position.has("bufferView"):
            return None
        raise extension.error("", f"needs the package {DRACO}: {INSTALL_HINT}")
    content = bytes(document.view(extension.integer("bufferView"), extension.place)[0])
    try:
        faces, vertices = draco_counts(content)
        most_faces = faces if indices is None else indices.integer("count") // 3
        if faces > most_faces or vertices > position.integer("count"):
            raise CodecError(
                f"holds {faces} faces and {vertices} vertices, but its accessors have {most_faces} faces "
                f"and {position.integer('count')} vertices"
            )
        document.budget.spend(_BYTES_PER_FACE * (faces + vertices), extension.place)
        return _decode(content, extension.child_or_empty("attributes"))
    except CodecError as error:
        raise extension.error("", str(error)) from error


def _accessor(document: Document, fields: Fields, key: str) -> Fields:
    return document.item("accessors", fields.integer(key), f"{fields.place}.{key}")


def _decode(content: bytes, attributes: Fields) -> DracoMesh:
    codec = load_codec(DRACO)
    try:
        mesh = codec.decode(content)
    except (codec.FileTypeException, ValueError, TypeError, RuntimeError, MemoryError) as error:
        raise CodecError(f"holds broken Draco data ({error})") from error
    if not hasattr(mesh, "faces"):
        raise CodecError("holds a Draco point cloud; expected triangles")
    indices = np.asarray(mesh.faces).astype(np.int64).reshape(-1)
    stored = {entry["unique_id"]: np.asarray(entry["data"]) for entry in mesh.attributes}
    found = {}
    for name in attributes.values:
        number = attributes.integer(name)
        if number not in stored:
            raise attributes.error(name, f"is {number}, but the Draco data has attributes {sorted(stored)}")
        found[name] = stored[number].reshape(len(stored[number]), -1)
    shortest = min((len(array) for array in found.values()), default=0)
    if len(indices) and int(indices.max()) >= shortest:
        raise CodecError(f"holds a face of vertex {int(indices.max())}, but {shortest} vertices")
    return DracoMesh(indices, found)
