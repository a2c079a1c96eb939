"""An array in a message: type, rank, dimensions, then its elements or where they are."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from dataflow.actors.wire.counts import damaged
from dataflow.errors import InvalidArgumentError
from dataflow.proto import types_pb2
from dataflow.values import dtypes
from dataflow.values.shapes import MAX_RANK

_HEAD: Final = struct.Struct("<BBB5xQ")
"""Number of the element type, rank, 1 for an array of rank 0 and 0 for a scalar, and the frame the
elements lie in: 0 if they follow.

Eight bytes a dimension keep elements that follow aligned.
"""
_NOTHING: Final = bytes(_HEAD.size - 1)
"""What follows the type in the head of a scalar."""
_DIMENSIONS: Final = tuple(struct.Struct(f"<{rank}q") for rank in range(MAX_RANK + 1))


def _kinds() -> dict[int, np.dtype[Any]]:
    """What numpy calls the element types whose arrays can cross as bytes, by number."""
    kinds = {}
    for number in types_pb2.DataType.values():
        try:
            dtype = dtypes.as_dtype(number)
        except TypeError:
            continue
        if not dtype._is_ref_dtype and dtype.is_numpy_compatible:
            kinds[number] = np.dtype(dtype.as_numpy_dtype)
    return {number: kind for number, kind in kinds.items() if not kind.hasobject}


_KINDS: Final = _kinds()
_NUMBERS: Final[dict[np.dtype[Any], int]] = {}
"""Numbers of the element types that have been met."""


def pack_array(array: np.ndarray[Any, Any] | np.generic, frame: int = 0) -> bytes:
    """An array of the machine's byte order.

    Args:
      array: The array.
      frame: Where its elements lie; 0 if they are to follow here.

    Raises:
      InvalidArgumentError: Arrays of its type cannot cross.
    """
    number = _NUMBERS.get(array.dtype)
    if number is None:
        number = _NUMBERS[array.dtype] = _number_of(array.dtype)
    rank = array.ndim
    if rank:
        head = _HEAD.pack(number, rank, 0, frame) + _DIMENSIONS[rank].pack(*array.shape)
    else:
        head = _HEAD.pack(number, 0, isinstance(array, np.ndarray), frame)
    return head if frame else head + array.tobytes()


def read_array(
    data: bytes, frames: Sequence[bytes | bytearray | memoryview]
) -> np.ndarray[Any, Any]:
    """What `pack_array` wrote, as a view of the memory that its elements lie in.

    Args:
      data: The bytes.
      frames: Where elements may lie that do not follow.

    Raises:
      DataLossError: The bytes are no such array.
    """
    if len(data) < _HEAD.size:
        raise damaged(f"an array in {len(data)} bytes")
    number, rank, _, frame = _HEAD.unpack_from(data)
    kind = _KINDS.get(number)
    if kind is None or rank > MAX_RANK:
        raise damaged(f"an array of type {number} and rank {rank}")
    place = _HEAD.size + 8 * rank
    if len(data) < place:
        raise damaged(f"an array of rank {rank} in {len(data)} bytes")
    shape = _DIMENSIONS[rank].unpack_from(data, _HEAD.size) if rank else ()
    if rank and min(shape) < 0:
        raise damaged(f"shape {shape}")
    body: bytes | bytearray | memoryview = data
    if frame:
        if frame >= len(frames) or len(data) != place:
            raise damaged(f"an array in frame {frame} of {len(frames)}")
        body, place = frames[frame], 0
    size = memoryview(body).nbytes - place
    if size != math.prod(shape) * kind.itemsize:
        raise damaged(f"{size} bytes for an array {kind.name}{list(shape)}")
    if not size:
        return np.empty(shape, kind)
    array = np.frombuffer(body, kind, offset=place)
    return array.reshape(shape)


def read_scalar(data: bytes) -> Any:
    """What `pack_array` wrote of a scalar.

    Raises:
      DataLossError: The bytes are no scalar.
    """
    kind = _KINDS.get(data[0]) if len(data) > _HEAD.size else None
    if kind is None or len(data) != _HEAD.size + kind.itemsize or data[1 : _HEAD.size] != _NOTHING:
        raise damaged(f"a scalar in {len(data)} bytes")
    return np.frombuffer(data, kind, 1, _HEAD.size)[0]


def is_scalar(data: bytes) -> bool:
    """Whether `pack_array` wrote this of a scalar, if it wrote it."""
    return data[1:3] == b"\0\0"


def _number_of(kind: np.dtype[Any]) -> int:
    try:
        return dtypes.as_dtype(kind).as_datatype_enum
    except TypeError:
        raise InvalidArgumentError(
            None, None, f"An array of type {kind} cannot be sent to another process."
        ) from None
