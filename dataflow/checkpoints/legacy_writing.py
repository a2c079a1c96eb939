"""V1 checkpoints: tables whose values are messages with slices of tensors, written."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dataflow.checkpoints.ordered_code import slice_key
from dataflow.checkpoints.places import write_whole
from dataflow.checkpoints.slices import WHOLE, Slice
from dataflow.checkpoints.table_writing import table
from dataflow.errors import InvalidArgumentError, UnimplementedError
from dataflow.proto.saved_tensor_slice_pb2 import SavedTensorSlices
from dataflow.values import dtypes
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape

_VERSION: Final = 1
_MOST_BYTES: Final = (1 << 31) - (1 << 16)
"""Of a tensor: a message ends below two gigabytes."""
_FIELDS: Final = {
    dtypes.float32: ("float_val", None),
    dtypes.float64: ("double_val", None),
    dtypes.float16: ("half_val", np.uint16),
    dtypes.complex64: ("scomplex_val", np.float32),
    dtypes.complex128: ("dcomplex_val", np.float64),
    dtypes.int64: ("int64_val", None),
    dtypes.bool: ("bool_val", None),
    **dict.fromkeys(
        (
            dtypes.int32,
            dtypes.int16,
            dtypes.int8,
            dtypes.uint16,
            dtypes.uint8,
            dtypes.qint32,
            dtypes.qint8,
            dtypes.quint8,
        ),
        ("int_val", None),
    ),
}
"""Where a TensorProto has the elements, and as what they are seen: TensorFlow reads no others."""


class LegacyWriter:
    """Writes the one file of a V1 checkpoint."""

    def __init__(self, path: str) -> None:
        """Writes nothing before `finish`."""
        self._path = path
        self._metas: dict[str, Any] = {}
        self._list = SavedTensorSlices()
        self._list.meta.versions.producer = _VERSION
        self._entries: dict[bytes, bytes] = {}

    def add(
        self, name: str, dtype: DType, value: Any, shape: list[int] | None, part: Slice | None
    ) -> None:
        """Adds a tensor, or a slice of one.

        Args:
          name: Name of the whole.
          dtype: Element type.
          value: The values.
          shape: Shape of the whole; that of the values if None.
          part: The slice; the whole if None.

        Raises:
          InvalidArgumentError: There is such a slice, or it is too large for a message.
          UnimplementedError: Files of this version do not have the type.
        """
        shape = list(np.shape(value)) if shape is None else shape
        part = Slice(tuple((0, WHOLE) for _ in shape)) if part is None else part
        key = slice_key(name, part)
        if key in self._entries:
            raise InvalidArgumentError(None, None, f"Adding duplicate key: {name}")
        meta = self._metas.get(name)
        if meta is None:
            meta = self._metas[name] = self._list.meta.tensor.add(name=name)
            meta.type = _number(dtype)
            meta.shape.CopyFrom(TensorShape(shape).as_proto())
        meta.slice.append(part.to_proto())
        message = SavedTensorSlices()
        message.data.name = name
        message.data.slice.CopyFrom(part.to_proto())
        _fill(message.data.data, name, dtype, np.asarray(value))
        self._entries[key] = message.SerializeToString()

    def finish(self) -> None:
        """Puts the file in place."""
        entries = {b"": self._list.SerializeToString(), **self._entries}
        write_whole(self._path, table((key, entries[key]) for key in sorted(entries)))


def _fill(message: Any, name: str, dtype: DType, value: Any) -> None:
    flat = np.ascontiguousarray(value).reshape(-1)
    if dtype == dtypes.string:
        texts = [item if isinstance(item, bytes) else str(item).encode() for item in flat.tolist()]
        if sum(map(len, texts)) > _MOST_BYTES:
            raise _too_large(name)
        message.string_val.extend(texts)
        return
    if dtype not in _FIELDS:
        raise UnimplementedError(None, None, f"Saving data type {dtype.name} not yet supported")
    # Varints may take ten bytes, of negative numbers.
    if flat.nbytes > _MOST_BYTES or (flat.dtype.kind in "iu" and 10 * flat.size > _MOST_BYTES):
        raise _too_large(name)
    field, seen_as = _FIELDS[dtype]
    seen = flat if seen_as is None else flat.view(seen_as)
    if field == "int_val":
        seen = seen.astype(np.int32)
    getattr(message, field).extend(seen.tolist())


def _number(dtype: DType) -> Any:
    """The type in messages; Any, as generated hints want a class that is none at run time."""
    return dtype.as_datatype_enum


def _too_large(name: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        None, None, f"Tensor {name} is too large for a V1 checkpoint: save it with SaverDef.V2."
    )
