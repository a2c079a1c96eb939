"""tensorflow.python.framework.common_shapes and constant_op: shapes out of ops, and as tensors."""

from __future__ import annotations

from typing import Any

from dataflow.ops.basic.constant import constant as constant_v1
from dataflow.ops.basic.constant import convert_dimension as _dimension_tensor_conversion_function
from dataflow.ops.basic.constant import convert_shape as _tensor_shape_tensor_conversion_function
from dataflow.ops.basic.constant import convert_value as _constant_tensor_conversion_function
from dataflow.schema.shape_functions import broadcast_shapes
from dataflow.values.shapes import TensorShape

__all__ = [
    "_constant_tensor_conversion_function",
    "_dimension_tensor_conversion_function",
    "_tensor_shape_tensor_conversion_function",
    "constant_v1",
]


def has_fully_defined_shape(tensor: Any) -> bool:
    """Whether all sizes of a tensor are known."""
    return bool(tensor.shape.is_fully_defined())


def scalar_shape(unused_op: Any) -> list[TensorShape]:
    """Of an op that makes a scalar."""
    return [TensorShape([])]


def unchanged_shape(op: Any) -> list[TensorShape]:
    """Of an op that makes a tensor like its first input."""
    return [op.inputs[0].get_shape()]


def no_outputs(unused_op: Any) -> list[TensorShape]:
    """Of an op without outputs."""
    return []


def is_broadcast_compatible(shape_x: TensorShape, shape_y: TensorShape) -> bool:
    """Whether two shapes of known ranks broadcast."""
    if shape_x.ndims is None or shape_y.ndims is None:
        return False
    try:
        broadcast_shapes(shape_x, shape_y)
    except ValueError:
        return False
    return True


def broadcast_shape(shape_x: TensorShape, shape_y: TensorShape) -> TensorShape:
    """The shape that two shapes broadcast to.

    Raises:
      ValueError: They do not.
    """
    try:
        return broadcast_shapes(shape_x, shape_y)
    except ValueError:
        raise ValueError(f"Incompatible shapes for broadcasting: {shape_x} and {shape_y}") from None


def call_cpp_shape_fn(op: Any, require_shape_fn: bool = True) -> dict[str, Any]:
    """The shapes of an operation's outputs, which it has from when it was made."""
    return {"shapes": [each.shape.as_proto() for each in op.outputs], "inputs_needed": b""}
