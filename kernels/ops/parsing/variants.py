"""Tensors of variants as serialized messages, if the variants are those of checkpoints."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dataflow.checkpoints.variants import SavedVariant
from dataflow.kernels.contract.invalid import invalid
from dataflow.proto.tensor_pb2 import TensorProto
from dataflow.values import dtypes


def write_variants(array: np.ndarray[Any, Any]) -> bytes:
    """An array of variants as the bytes of a message.

    Raises:
      InvalidArgumentError: One of them cannot be saved.
    """
    message = TensorProto(dtype=dtypes.variant.as_datatype_enum)
    for size in array.shape:
        message.tensor_shape.dim.add(size=size)
    for item in array.flat:
        if not isinstance(item, SavedVariant):
            raise invalid(f"Cannot serialize a variant of the kind {type(item).__name__}")
        message.variant_val.add(type_name=item.type_name, metadata=item.metadata)
    return message.SerializeToString()


def read_variants(data: bytes) -> np.ndarray[Any, Any]:
    """The array of such bytes.

    Raises:
      DecodeError: They are no message.
      InvalidArgumentError: The message is malformed, or of another type.
    """
    message = TensorProto.FromString(data)
    shape = tuple(dim.size for dim in message.tensor_shape.dim)
    items = [SavedVariant(each.type_name, each.metadata) for each in message.variant_val]
    if message.dtype != dtypes.variant.as_datatype_enum:
        raise invalid("Type mismatch between parsed tensor and dtype (variant)")
    if min(shape, default=1) < 0 or math.prod(shape) != len(items) or len(shape) > 8:
        raise invalid(f"A message of {len(items)} variants says that its shape is {list(shape)}")
    found = np.empty(len(items), object)
    found[:] = items
    return found.reshape(shape)
