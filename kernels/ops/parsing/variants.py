"""Variants as messages: lists, optionals, sparse matrices, parts of sparse and ragged tensors."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from google.protobuf.message import DecodeError

from dataflow.checkpoints.variants import SavedVariant
from dataflow.checkpoints.varints import read_varint, varint
from dataflow.kernels.contract.handles import in_array
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.lists.optional import NOTHING, OPTIONAL, RAGGED, TENSOR, Optional
from dataflow.kernels.lists.partial_shapes import agree
from dataflow.kernels.lists.sparse_matrix import SparseMatrix
from dataflow.kernels.lists.tensor_list import TensorList
from dataflow.kernels.parsing.tensors import read_tensor, write_tensor
from dataflow.kernels.parsing.wire import MalformedError
from dataflow.proto.tensor_pb2 import TensorProto, VariantTensorDataProto
from dataflow.proto.tensor_shape_pb2 import TensorShapeProto
from dataflow.proto.types_pb2 import DT_VARIANT
from dataflow.values import dtypes
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape

_LIST: Final = "tensorflow::TensorList"
_MATRIX: Final = "tensorflow::CSRSparseMatrix"
_WRAPPED: Final = 1 << 64
"""Negative numbers are counted down from here."""


def write_variants(array: np.ndarray[Any, Any]) -> bytes:
    """An array of variants as the bytes of a message.

    Raises:
      InvalidArgumentError: One of them cannot be saved.
    """
    message = TensorProto(dtype=DT_VARIANT)
    for size in array.shape:
        message.tensor_shape.dim.add(size=size)
    for item in array.flat:
        saved = saved_variant(item)
        if saved is None:
            raise invalid(f"Cannot serialize a variant of the kind {type(item).__name__}")
        message.variant_val.append(saved.to_proto())
    return message.SerializeToString()


def read_variants(data: bytes) -> Any:
    """The array of such bytes, or the only variant of a scalar.

    Raises:
      DecodeError: They are no message.
      InvalidArgumentError: The message is malformed, or of another type.
    """
    message = TensorProto.FromString(data)
    shape = tuple(dim.size for dim in message.tensor_shape.dim)
    if message.dtype != DT_VARIANT:
        raise invalid("Type mismatch between parsed tensor and dtype (variant)")
    count = math.prod(shape)
    is_shape = len(shape) <= 8 and min(shape, default=1) >= 0
    if is_shape and 0 < count <= len(message.tensor_content):
        held = _packed(message.tensor_content, count)
    else:
        held = list(message.variant_val)
    if not is_shape or count != len(held):
        raise invalid(f"A message of {len(held)} variants says that its shape is {list(shape)}")
    found = np.empty(count, object)
    for place, each in enumerate(held):
        found[place] = read_variant(SavedVariant.of_proto(each))
    return found.reshape(shape) if shape else found[0]


def _packed(content: bytes, count: int) -> list[VariantTensorDataProto]:
    """Variants in one piece, behind their lengths, as TensorFlow's op writes them."""
    sizes: list[int] = []
    at = 0
    try:
        for _ in range(count):
            size, at = read_varint(content, at)
            sizes.append(size)
    except ValueError as error:
        raise invalid(f"A message of variants is malformed: {error}") from None
    if at + sum(sizes) != len(content):
        raise invalid(f"Variants of {sum(sizes)} bytes in a message of {len(content) - at}")
    found = []
    for size in sizes:
        found.append(VariantTensorDataProto.FromString(content[at : at + size]))
        at += size
    return found


def saved_variants(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any] | None:
    """What a checkpoint has of an array of variants; None if one of them cannot be saved."""
    made = np.empty(array.size, object)
    for place, item in enumerate(array.flat):
        made[place] = saved_variant(item)
    return None if any(each is None for each in made) else made.reshape(array.shape)


def read_saved(array: np.ndarray[Any, Any]) -> Any:
    """The variants that a checkpoint has; those of unknown kinds stay as they are.

    Raises:
      InvalidArgumentError: One is malformed.
    """
    if not array.ndim:
        return read_variant(array.item())
    made = np.empty(array.size, object)
    for place, item in enumerate(array.flat):
        made[place] = read_variant(item)
    return made.reshape(array.shape)


def saved_variant(value: Any) -> SavedVariant | None:
    """What a checkpoint has of a variant; None if there are no words for its kind."""
    if isinstance(value, SavedVariant):
        return value
    if isinstance(value, TensorList):
        return _saved_list(value)
    if isinstance(value, Optional):
        return _saved_optional(value)
    return _saved_matrix(value) if isinstance(value, SparseMatrix) else None


def read_variant(saved: SavedVariant) -> Any:
    """The variant that a message stands for, or the message if its kind is unknown.

    Raises:
      InvalidArgumentError: It is malformed.
    """
    read = _READERS.get(saved.type_name)
    if read is None:
        return saved
    try:
        return read(saved)
    except (ValueError, TypeError, DecodeError, MalformedError) as error:
        raise invalid(f"A variant of the type {saved.type_name} is malformed: {error}") from None


def _tensor(value: Any, dtype: DType) -> bytes | None:
    """The message of a tensor; None if it holds what cannot be saved."""
    if dtype is dtypes.resource:
        return None
    if dtype is not dtypes.variant:
        return write_tensor(np.asarray(value), dtype)
    array = in_array(value)
    return None if saved_variants(array) is None else write_variants(array)


def _tensors(saved: SavedVariant) -> list[tuple[DType, Any]]:
    """The tensors in a message, with their types."""
    return [
        (dtypes.variant, read_variants(each)) if _is_of_variants(each) else read_tensor(each)
        for each in saved.tensors
    ]


def _is_of_variants(data: bytes) -> bool:
    return TensorProto.FromString(data).dtype == DT_VARIANT


def _of_tensors(
    type_name: str, metadata: bytes, tensors: list[bytes | None]
) -> SavedVariant | None:
    known = [each for each in tensors if each is not None]
    return SavedVariant(type_name, metadata, tuple(known)) if len(known) == len(tensors) else None


def _saved_list(value: TensorList) -> SavedVariant | None:
    elements = value.elements()
    unset = [place for place, each in enumerate(elements) if each is None]
    numbers = [len(unset), *unset, value.dtype.as_datatype_enum, value.limit % _WRAPPED]
    shape = TensorShape(value.dims).as_proto().SerializeToString()
    return _of_tensors(
        _LIST,
        b"".join(map(varint, numbers)) + shape,
        [_tensor(each, value.dtype) for each in elements if each is not None],
    )


def _read_list(saved: SavedVariant) -> TensorList:
    data, tensors = saved.metadata, _tensors(saved)
    count, at = read_varint(data, 0)
    unset: list[int] = []
    if count > len(data):
        raise ValueError(f"{count} elements that are not set, in {len(data)} bytes")
    for _ in range(count):
        place, at = read_varint(data, at)
        unset.append(place)
    kind, at = read_varint(data, at)
    limit, at = read_varint(data, at)
    dtype, shape = dtypes.as_dtype(kind), TensorShape(TensorShapeProto.FromString(data[at:]))
    dims = None if shape.rank is None else tuple(shape.as_list())
    total = count + len(tensors)
    if len(set(unset)) != count or any(place >= total for place in unset):
        raise ValueError(f"of {total} elements none is set at {unset}")
    elements: list[Any] = [None] * total
    free = iter(sorted(set(range(total)) - set(unset)))
    for place, (found, value) in zip(free, tensors, strict=True):
        if found is not dtype or not agree(dims, np.shape(value)):
            raise ValueError(
                f"an element is {found.name} of shape {list(np.shape(value))}, those of the list "
                f"are {dtype.name} of shape {shape}"
            )
        elements[place] = value
    limit = limit - _WRAPPED if limit >= _WRAPPED // 2 else limit
    return TensorList(dtype, dims, elements, limit)


def _saved_optional(value: Optional) -> SavedVariant | None:
    has = b"" if value.type_name != OPTIONAL else b"\0" if value.components is None else b"\1"
    pairs = zip(value.components or (), value.dtypes, strict=True)
    return _of_tensors(value.type_name, has, [_tensor(*pair) for pair in pairs])


def _read_optional(saved: SavedVariant) -> Optional:
    if saved.type_name == OPTIONAL and saved.metadata == b"\0" and not saved.tensors:
        return NOTHING
    if saved.metadata != (b"\1" if saved.type_name == OPTIONAL else b""):
        raise ValueError("it does not say whether it holds tensors")
    parts = _tensors(saved)
    kinds = tuple(dtype for dtype, _ in parts)
    return Optional(tuple(value for _, value in parts), kinds, saved.type_name)


def _saved_matrix(value: SparseMatrix) -> SavedVariant:
    starts = [
        np.searchsorted(value.indices[begin:end, -2], np.arange(value.sizes[-2] + 1))
        for begin, end in zip(value.ends[:-1], value.ends[1:], strict=True)
    ]
    parts = (
        (np.array(value.sizes, np.int64), dtypes.int64),
        (value.ends.astype(np.int32), dtypes.int32),
        (np.concatenate([np.zeros(0), *starts]).astype(np.int32), dtypes.int32),
        (value.indices[:, -1].astype(np.int32), dtypes.int32),
        (np.asarray(value.values), value.dtype),
    )
    head = b"\1\0\0\0" + int(value.dtype.as_datatype_enum).to_bytes(4, "little")
    return SavedVariant(_MATRIX, head, tuple(write_tensor(*part) for part in parts))


def _read_matrix(saved: SavedVariant) -> SparseMatrix:
    parts = _tensors(saved)
    kinds = [dtype for dtype, _ in parts]
    if len(saved.metadata) != 8 or kinds[:4] != [dtypes.int64, *[dtypes.int32] * 3]:
        raise ValueError("it does not consist of a shape, pointers, columns and values")
    (_, sizes), (_, ends), (_, starts), (_, columns), (dtype, values) = parts
    if any(np.ndim(each) != 1 for _, each in parts) or len(sizes) not in (2, 3):
        raise ValueError("its parts are no vectors, or its rank is neither 2 nor 3")
    *batch, rows, width = sizes.tolist()
    matrices = batch[0] if batch else 1
    if min(sizes) < 0 or len(ends) != matrices + 1 or len(starts) != matrices * (rows + 1):
        raise ValueError("its pointers do not fit its shape")
    counts = np.diff(starts.reshape(matrices, rows + 1).astype(np.int64), axis=1)
    each = np.diff(ends.astype(np.int64))
    fits = ends[:1].tolist() == [0] and (counts.sum(1) == each).all() and (counts >= 0).all()
    if not fits or ends[-1] != len(values) or len(columns) != len(values):
        raise ValueError("its pointers do not fit its values")
    if len(columns) and not 0 <= columns.min() <= columns.max() < width:
        raise ValueError("a column is outside of the matrix")
    places = [
        np.repeat(np.arange(matrices), each),
        np.repeat(np.tile(np.arange(rows), matrices), counts.ravel()),
        columns,
    ]
    indices = np.stack(places[0 if batch else 1 :], axis=1).astype(np.int64)
    return SparseMatrix(tuple(sizes.tolist()), dtype, indices, values)


_READERS: Final[dict[str, Callable[[SavedVariant], Any]]] = {
    _LIST: _read_list,
    _MATRIX: _read_matrix,
    OPTIONAL: _read_optional,
    RAGGED: _read_optional,
    TENSOR: _read_optional,
}
