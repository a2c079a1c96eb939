"""tensorflow.python.framework.tensor_util: shapes of messages and of tensors."""

from __future__ import annotations

from typing import Any

from dataflow.graph.constant_value import constant_value_as_shape
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import get_default_graph
from dataflow.graph.tensor import Tensor
from dataflow.proto.tensor_pb2 import TensorProto
from dataflow.proto.tensor_shape_pb2 import TensorShapeProto
from dataflow.values import dtypes
from dataflow.values.shapes import dimension_value


def ShapeEquals(tensor_proto: Any, shape: Any) -> bool:
    """Whether a message of a tensor has a shape.

    Raises:
      TypeError: It is none, or the shape is no message, list or tuple.
    """
    if not isinstance(tensor_proto, TensorProto):
        raise TypeError("tensor_proto is not a tensor_pb2.TensorProto object")
    if isinstance(shape, TensorShapeProto):
        shape = [each.size for each in shape.dim]
    elif not isinstance(shape, (list, tuple)):
        raise TypeError("shape is not a list or tuple")
    return [each.size for each in tensor_proto.tensor_shape.dim] == list(shape)


def shape_tensor(shape: Any) -> Tensor:
    """A shape, of numbers and dimensions, as a tensor."""
    if isinstance(shape, (list, tuple)):
        sizes = [dimension_value(each) for each in shape]
        return convert_to_tensor(sizes, dtype=None if sizes else dtypes.int32, name="shape")
    return convert_to_tensor(shape, name="shape")


def maybe_set_static_shape(tensor: Tensor, shape: Any) -> None:
    """Tells a tensor in the body of a function what is known of a tensor that is its shape."""
    if get_default_graph()._building_function and isinstance(shape, Tensor):
        tensor.set_shape(constant_value_as_shape(shape_tensor(shape)))
