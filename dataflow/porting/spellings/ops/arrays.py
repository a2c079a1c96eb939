"""tensorflow.python.ops.array_ops and math_ops: what their public functions are made of."""

from __future__ import annotations

from typing import Any, Final

from dataflow.graph.tensor import Tensor
from dataflow.ops.array.gather import gather_nd
from dataflow.ops.array.repeat import convert_to_int_tensor
from dataflow.ops.array.repeat import repeat as repeat_with_axis
from dataflow.ops.array.shape import rank, size
from dataflow.ops.array.unique import setdiff1d as listdiff
from dataflow.ops.linalg.matmul import matvec
from dataflow.ops.quantization.imitation import quantize_and_dequantize
from dataflow.ops.reductions.reduce_gradients import reduced_shape
from dataflow.porting.spellings.raw import op

__all__ = [
    "convert_to_int_tensor",
    "listdiff",
    "matvec",
    "quantize_and_dequantize",
    "reduced_shape",
    "repeat_with_axis",
]

NEW_AXIS: Final = -1
SHRINK_AXIS: Final = -2
"""Axes of slices that are no axes of the sliced tensor."""


def batch_gather_nd(params: Any, indices: Any, batch_dims: int, name: str | None = None) -> Tensor:
    """`tf.gather_nd` of each of a batch."""
    return gather_nd(params, indices, batch_dims=batch_dims, name=name)


def size_internal(
    input: Any, name: str | None = None, optimize: bool = True, out_type: Any = None
) -> Tensor:
    """`tf.size`."""
    return size(input, name, out_type)


def rank_internal(input: Any, name: str | None = None, optimize: bool = True) -> Tensor:
    """`tf.rank`."""
    return rank(input, name)


def get_positive_axis(axis: Any, ndims: int | None) -> int:
    """An axis counted from the first one.

    Raises:
      TypeError: It is no int.
      ValueError: There is no such axis.
    """
    if not isinstance(axis, int):
        raise TypeError(f"axis must be an int; got {type(axis).__name__}")
    if ndims is None:
        if axis < 0:
            raise ValueError("axis may only be negative if ndims is statically known.")
        return axis
    if not -ndims <= axis < ndims:
        raise ValueError(f"axis={axis} out of bounds: expected {-ndims}<=axis<{ndims}")
    return axis % ndims


def tensor_equals(self: Any, other: Any) -> bool:
    """Whether two tensors are one and the same, as `==` asks in graphs."""
    return self is other


def tensor_not_equals(self: Any, other: Any) -> bool:
    """Whether they are not."""
    return self is not other


def _bucketize(input: Any, boundaries: Any, name: str | None = None) -> Any:
    """In which of the intervals between boundaries each element lies."""
    return op("Bucketize")(input=input, boundaries=boundaries, name=name)
