"""Tensors as the bytes of `TensorProto` messages, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.parsing.lists import varint_of
from dataflow.kernels.parsing.wire import MalformedError
from dataflow.proto.tensor_pb2 import TensorProto
from dataflow.values import dtypes
from dataflow.values.dtypes import DType
from dataflow.values.tensor_proto import decode_tensor


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
    message = TensorProto(dtype=dtype.as_datatype_enum)  # type: ignore[arg-type]
    for size in array.shape:
        message.tensor_shape.dim.add().size = size
    message.tensor_shape.SetInParent()
    if dtype is dtypes.string and packs_strings:
        strings = array.ravel().tolist()
        message.tensor_content = b"".join([*(varint_of(len(each)) for each in strings), *strings])
    elif dtype is dtypes.string:
        message.string_val.extend(array.ravel().tolist())
    else:
        message.tensor_content = np.ascontiguousarray(array).tobytes()
    return message.SerializeToString()


def read_tensor(data: bytes) -> tuple[DType, Any]:
    """The element type and the array of such bytes.

    Raises:
      MalformedError: They are no message.
      InvalidArgumentError: The message is malformed.
    """
    message = TensorProto()
    try:
        message.ParseFromString(data)
    except DecodeError:
        raise MalformedError from None
    array = decode_tensor(message)
    return dtypes.as_dtype(message.dtype), array
