"""tensorflow.python.framework.constant_op: constants with the checks of the second version."""

from __future__ import annotations

import math
from typing import Any

from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.constant import constant as constant_v1
from dataflow.values.shapes import TensorShape
from dataflow.values.tensor_proto import make_tensor_proto


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str = "Const") -> Tensor:
    """A constant; only a single element is repeated to fill a shape.

    Raises:
      TypeError: There are several elements, and more or fewer than the shape has.
    """
    if shape is not None:
        given = tuple(dim.size for dim in make_tensor_proto(value, dtype).tensor_shape.dim)
        wanted: tuple[Any, ...] = tuple(TensorShape(shape).as_list())
        if given not in ((), (1,)) and math.prod(given) != math.prod(wanted):
            raise TypeError(f"Expected Tensor's shape: {wanted}, got {given}.")
    return constant_v1(value, dtype, shape, name)


def is_constant(tensor_or_op: Any) -> bool:
    """Whether it is made by a node that holds a value."""
    op = tensor_or_op.op if isinstance(tensor_or_op, Tensor) else tensor_or_op
    return bool(op.type == "Const")
