"""V1 checkpoints: tables whose values are messages with slices of tensors, read."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from dataflow.checkpoints.ordered_code import slice_key
from dataflow.checkpoints.reader import Allocate, BundleReader, missing
from dataflow.checkpoints.slices import Slice, overlap
from dataflow.checkpoints.table import Table
from dataflow.errors import DataLossError, InvalidArgumentError, NotFoundError
from dataflow.proto.saved_tensor_slice_pb2 import SavedSliceMeta, SavedTensorSlices
from dataflow.values import dtypes
from dataflow.values.dtypes import DType, as_dtype
from dataflow.values.shapes import TensorShape
from dataflow.values.tensor_proto import make_ndarray


class LegacyReader:
    """Reads the files of a V1 checkpoint.

    Args:
      paths: The files.
      allocate: Makes arrays of a shape and numpy type.

    Raises:
      DataLossError: A file is damaged; the error names it.
    """

    def __init__(self, paths: Sequence[str], allocate: Allocate = np.empty) -> None:
        self._allocate = allocate
        self._metas: dict[str, SavedSliceMeta] = {}
        self._stored: dict[str, list[tuple[Slice, Table]]] = {}
        for path in paths:
            table = Table(path)
            data = table.get(b"")
            if data is None:
                raise table.damaged("the list of its tensors is missing")
            for meta in _message(table, data).meta.tensor:
                try:
                    as_dtype(meta.type)
                except TypeError as error:
                    raise table.damaged(f"tensor {meta.name}: {error}") from None
                self._metas.setdefault(meta.name, meta)
                self._stored.setdefault(meta.name, []).extend(
                    (Slice.of_proto(part), table) for part in meta.slice
                )

    def tensors(self) -> dict[str, tuple[DType, list[int]]]:
        """Type and shape of each tensor, by name."""
        return {
            name: (as_dtype(meta.type), [dim.size for dim in meta.shape.dim])
            for name, meta in self._metas.items()
        }

    def read(self, name: str, part: Slice | None = None) -> Any:
        """The value of a tensor, or of a part of it.

        Raises:
          NotFoundError: There is no such tensor.
          InvalidArgumentError: Not all of it is in the checkpoint.
          DataLossError: The data are damaged.
        """
        if name not in self._metas:
            raise NotFoundError(None, None, f"Tensor name {name!r} not found in checkpoint files")
        dtype, shape = self.tensors()[name]
        wanted = [(0, size) for size in shape] if part is None else part.bounds(shape)
        numpy_type = object if dtype == dtypes.string else dtype.as_numpy_dtype
        out = self._allocate(tuple(end - start for start, end in wanted), np.dtype(numpy_type))
        covered = 0
        for stored, table in self._stored[name]:
            bounds = stored.bounds(shape)
            place = overlap(bounds, wanted)
            if place is None:
                continue
            value = _value(table, name, stored, dtype, [end - start for start, end in bounds])
            out[place[1]] = value[place[0]]
            covered += int(np.size(value[place[0]]))
        if covered < out.size:
            raise InvalidArgumentError(
                None, None, f"The checkpoint has slices of {name}, which leave out a part of it"
            )
        return out


def _message(table: Table, data: bytes) -> SavedTensorSlices:
    try:
        return SavedTensorSlices.FromString(data)
    except DecodeError as error:
        raise table.damaged(f"a record: {error}") from None


def _value(table: Table, name: str, part: Slice, dtype: DType, shape: list[int]) -> Any:
    data = table.get(slice_key(name, part))
    if data is None:
        raise table.damaged(f"tensor {name}: its slice {part.text()} is missing")
    tensor: Any = _message(table, data).data.data
    tensor.dtype = dtype.as_datatype_enum
    tensor.tensor_shape.CopyFrom(TensorShape(shape).as_proto())
    try:
        return make_ndarray(tensor)
    except (InvalidArgumentError, ValueError, TypeError) as error:
        raise table.damaged(f"tensor {name}: {error}") from None


Reader = BundleReader | LegacyReader


def open_checkpoint(pattern: str, allocate: Allocate = np.empty) -> Reader:
    """The checkpoint of that prefix, or the V1 checkpoint of files of that name or pattern.

    Raises:
      NotFoundError: There is none.
      DataLossError: A file is damaged.
    """
    try:
        return BundleReader(pattern, allocate)
    except NotFoundError:
        paths = sorted(glob.glob(pattern))
    if not paths:
        raise missing(pattern)
    try:
        return LegacyReader(paths, allocate)
    except IsADirectoryError as error:
        raise DataLossError(None, None, f"{error.filename}: is a folder, no checkpoint") from None
