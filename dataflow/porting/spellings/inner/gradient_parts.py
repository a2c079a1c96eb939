"""tensorflow.python.ops.math_grad and others: gradients of op types, and what they are made of."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from dataflow.graph.apply_op import apply_op
from dataflow.graph.keys import GraphKeys
from dataflow.graph.scopes import get_collection
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.shape import shape
from dataflow.schema import opdef
from dataflow.values import dtypes
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape

_NAME: Final = re.compile(r"_(\w+)Grad(?:s$)?(\w*)")
"""Of a function that differentiates an op type: `_MulGrad`, `_ConcatGradV2`."""
_OTHER_NAMES: Final = {
    "_BatchMatMul": "BatchMatMul",
    "_BatchMatMulV2": "BatchMatMulV2",
    "_IdGrad": "Identity",
    "_IdNGrad": "IdentityN",
    "_ReadGrad": "ReadVariableOp",
    "_RefIdGrad": "RefIdentity",
    "_XDivyGrad": "Xdivy",
    "_XLogyGrad": "Xlogy",
}
"""Functions whose names do not tell the op type."""
_Side = tuple[Any, Any, bool]


def SmartBroadcastGradientArgs(x: Any, y: Any, grad: Any) -> tuple[_Side, _Side]:
    """How the gradient of an operation that broadcasts is summed up for each of its operands.

    Args:
      x: An operand.
      y: The other one.
      grad: The gradient of the result.

    Returns:
      For each operand: its shape and the dimensions to sum over, as tuples if both shapes are
      known and else as tensors, and whether that is needed at all.
    """
    known = [_known_shape(each) for each in (x, y, grad)]
    if not all(isinstance(each, Tensor) for each in (x, y, grad)) or None in known[:2]:
        sizes = shape(x), shape(y)
        axes = apply_op("BroadcastGradientArgs", *sizes)
        return (sizes[0], axes[0], True), (sizes[1], axes[1], True)
    of_x, of_y, of_grad = known
    summed = _summed(of_x, of_y), _summed(of_y, of_x)
    return (of_x, summed[0], of_x != of_grad), (of_y, summed[1], of_y != of_grad)


def _known_shape(value: Any) -> tuple[int, ...] | None:
    if not isinstance(value, Tensor) or not value.shape.is_fully_defined():
        return None
    return value.shape.dims_tuple  # type: ignore[return-value]


def _summed(own: Any, other: Any) -> tuple[int, ...]:
    """The dimensions of the result over which an operand is broadcast, or which have size 1."""
    if own == other:
        return ()
    rank = max(len(own), len(other))
    padded = (1,) * (rank - len(own)) + own
    return tuple(place for place in range(rank) if padded[place] == 1)


def get_zeros_dtype(t: Tensor) -> DType:
    """The element type of the gradient of a tensor where there is none; of a variable's handle,
    that of the variable."""
    return shape_and_dtype(t)[1]


def shape_and_dtype(t: Tensor) -> tuple[TensorShape, DType]:
    """The shape and the element type of the gradient of a tensor where there is none."""
    if t.dtype != dtypes.resource:
        return t.shape, t.dtype
    if t.handle_data is None or len(t.handle_data) != 1:
        return TensorShape(None), dtypes.float32
    ((dtype, known),) = t.handle_data
    return known, dtype


def get_variable_by_name(var_name: str) -> Any:
    """The trainable variable of a name, or None if the variable of the name is not trainable.

    Raises:
      ValueError: There is none, or there are several.
    """
    found = get_collection(GraphKeys.GLOBAL_VARIABLES, scope=f"{var_name}:0")
    if not found:
        raise ValueError(f"Unsuccessful at finding variable {var_name}.")
    trainable = [variable for variable in found if variable.trainable]
    if len(trainable) > 1:
        raise ValueError(
            f"Unsuccessful at finding trainable variable {var_name}. "
            f"Number of candidates: {len(trainable)}. Candidates: {trainable}"
        )
    return trainable[0] if trainable else None


def get_filtered_grad_fn(grad_fn: Callable[..., Any]) -> Callable[..., list[tuple[Any, Any]]]:
    """A function that gives gradients and variables without those pairs that have no gradient."""

    def filtered(*args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        return [pair for pair in grad_fn(*args, **kwargs) if pair[0] is not None]

    return filtered


def __getattr__(name: str) -> Callable[..., Any]:
    """The registered gradient of an op type, by the name of TensorFlow's function: `_MulGrad`."""
    parts = _NAME.fullmatch(name)
    op_type = _OTHER_NAMES.get(name, parts.expand(r"\1\2") if parts else "")
    found = opdef.registered_gradients().get(op_type)
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return found
