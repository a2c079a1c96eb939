"""Tensors as the bytes of `TensorProto` messages, and back."""

from __future__ import annotations

import functools
import math
from typing import Any, Final

import numpy as np
from google.protobuf.message import DecodeError

from dataflow.errors import InvalidArgumentError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.parsing import wire
from dataflow.kernels.parsing.lists import varint_of
from dataflow.kernels.parsing.wire import MalformedError
from dataflow.proto.tensor_pb2 import TensorProto
from dataflow.values import dtypes
from dataflow.values.dtypes import DType
from dataflow.values.tensor_proto import decode_tensor

_CONTENT: Final = 0x22
"""The tag of the elements as they lie in memory;"""
_STRING: Final = b"\x42"
"""of one string."""
_SHORT: Final = 0x80
_MOST_DIMS: Final = 8
_PLAIN: Final = frozenset(
    {
        *(dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64),
        *(dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64),
        *(dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64),
        *(dtypes.complex64, dtypes.complex128),
    }
)
"""Types of which any bytes are elements."""


def write_tensor(array: np.ndarray[Any, Any], dtype: DType, packs_strings: bool = False) -> bytes:
    """An array as the bytes of a message that holds its elements as they lie in memory.

    Args:
      array: The array.
      dtype: Its element type.
      packs_strings: Whether strings stand in one piece, behind their lengths, or one by one.

    Raises:
      InvalidArgumentError: They are resources or variants.
    """
    if dtype in (dtypes.resource, dtypes.variant):
        raise invalid(f"Cannot serialize a tensor of type {dtype.name}")
    head = _head(dtype.as_datatype_enum, array.shape)
    if dtype is not dtypes.string:
        content = array.tobytes()
    else:
        strings = array.ravel().tolist()
        lengths = [varint_of(len(each)) for each in strings]
        if not packs_strings:
            pieces = zip(lengths, strings, strict=True)
            return head + b"".join([_STRING + length + each for length, each in pieces])
        content = b"".join([*lengths, *strings])
    return b'%b"%b%b' % (head, varint_of(len(content)), content) if content else head


@functools.lru_cache(maxsize=256)
def _head(kind: int, shape: tuple[int, ...]) -> bytes:
    """Type and shape, as a message begins with them."""
    sizes = [b"\x08" + varint_of(size) if size else b"" for size in shape]
    dims = b"".join(b"\x12" + varint_of(len(size)) + size for size in sizes)
    return b"\x08" + varint_of(kind) + b"\x12" + varint_of(len(dims)) + dims


def read_tensor(data: bytes) -> tuple[DType, Any]:
    """The element type and the array of such bytes.

    Raises:
      MalformedError: They are no message.
      InvalidArgumentError: The message is malformed.
    """
    if (found := _read_usual(data)) is not None:
        return found
    message = TensorProto()
    try:
        message.ParseFromString(data)
    except DecodeError:
        raise MalformedError from None
    array = decode_tensor(message)
    return dtypes.as_dtype(message.dtype), array


def _read_usual(data: bytes) -> tuple[DType, Any] | None:
    """The same of what `write_tensor` makes of numbers; None for anything else."""
    if len(data) < 4 or data[1] >= _SHORT or data[2] != wire.DELIMITED_2 or data[3] >= _SHORT:
        return None
    place = 4 + data[3]
    if place >= len(data) or data[place] != _CONTENT:
        return None
    try:
        begin, end = wire.text(data, place + 1, len(data))
    except MalformedError:
        return None
    known = _known_head(data[:place])
    if end != len(data) or known is None or known[2] != end - begin:
        return None
    dtype, shape, _ = known
    return dtype, np.frombuffer(data[begin:end], dtype.as_numpy_dtype).reshape(shape)


@functools.lru_cache(maxsize=256)
def _known_head(head: bytes) -> tuple[DType, tuple[int, ...], int] | None:
    """Type, shape and number of bytes of a tensor of numbers; None if the head says another."""
    message = TensorProto()
    try:
        message.ParseFromString(head)
        shape = tuple(dim.size for dim in message.tensor_shape.dim)
        dtype = dtypes.as_dtype(message.dtype)
    except (DecodeError, TypeError, InvalidArgumentError):
        return None
    if dtype not in _PLAIN or message.tensor_shape.unknown_rank or len(shape) > _MOST_DIMS:
        return None
    if min(shape, default=1) < 1 or _head(message.dtype, shape) != head:
        return None
    return dtype, shape, math.prod(shape) * np.dtype(dtype.as_numpy_dtype).itemsize
