"""Where along an axis the extreme element is."""

from __future__ import annotations

from typing import Any

from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.single import single
from dataflow.ops.math.types import ORDERED
from dataflow.schema.opdef import InferenceContext, define_op
from dataflow.schema.shape_functions import UNKNOWN, with_rank
from dataflow.values import dtypes
from dataflow.values.deprecated_args import renamed
from dataflow.values.shapes import TensorShape


def _arg_shape(c: InferenceContext) -> TensorShape:
    with_rank(c.input(1), 0)
    dims = c.input(0).dims_tuple
    if dims is None:
        return UNKNOWN
    rank = len(dims)
    if rank <= 1:
        return TensorShape.of(())
    axis = c.constant(1)
    if axis is None:
        return TensorShape.of((None,) * (rank - 1))
    position = int(axis)
    if not -rank <= position < rank:
        raise ValueError(
            f"Dimension ({position}) must be in the range [{-rank}, {rank}), where {rank} is the "
            "number of dimensions in the input."
        )
    position %= rank
    return TensorShape.of(dims[:position] + dims[position + 1 :])


def _no_gradient(op: Operation, grad: Any) -> Any:
    return [None, None]


for _name, _indices, _results, _doc in (
    ("ArgMax", "{int16, int32, int64}", "{int16, uint16, int32, int64}", "greatest"),
    ("ArgMin", "{int32, int64}", "{int32, int64}", "least"),
):
    define_op(
        _name,
        inputs="input: T, dimension: Tidx",
        outputs="output: output_type",
        attrs=[
            f"T: {ORDERED}, bool}}",
            f"Tidx: {_indices} = int32",
            f"output_type: {_results} = int64",
        ],
        shape=_arg_shape,
        gradient=_no_gradient,
        doc=f"The index of the {_doc} element along an axis, of several the first.",
    )

_NARROW_AXES = (dtypes.int8, dtypes.int16, dtypes.uint8, dtypes.uint16)


def argmax(
    input: Any,
    axis: Any = None,
    name: str | None = None,
    dimension: Any = None,
    output_type: Any = dtypes.int64,
) -> Tensor:
    """The index of the greatest element along an axis, of several equal ones the first.

    Args:
      input: The tensor.
      axis: The axis, 0 by default; a negative one counts from the end.
      name: Name of the operation.
      dimension: Old name of `axis`.
      output_type: Element type of the indices.

    Raises:
      TypeError: `axis` is no integer.
      ValueError: `axis` is out of range, or given under both its names.
    """
    axis = renamed("axis", axis, "dimension", dimension)
    if axis is None:
        axis = 0
    if hasattr(axis, "dtype"):
        if axis.dtype not in (*_NARROW_AXES, dtypes.int32, dtypes.int64):
            raise TypeError(f"axis tensor dtypes {axis.dtype} is not supported")
        if axis.dtype in _NARROW_AXES:
            axis = cast(axis, dtypes.int32)
    elif not isinstance(axis, int):
        raise TypeError("axis must be int or Tensor with integer datatype")
    return single("ArgMax", input, axis, output_type=output_type, name=name)


def argmin(
    input: Any,
    axis: Any = None,
    name: str | None = None,
    dimension: Any = None,
    output_type: Any = dtypes.int64,
) -> Tensor:
    """The index of the least element along an axis, of several the first; see `argmax`."""
    axis = renamed("axis", axis, "dimension", dimension)
    return single("ArgMin", input, 0 if axis is None else axis, output_type=output_type, name=name)


def arg_max(
    input: Any, dimension: Any, output_type: Any = dtypes.int64, name: str | None = None
) -> Tensor:
    """Old form of `argmax`."""
    return single("ArgMax", input, dimension, output_type=output_type, name=name)


def arg_min(
    input: Any, dimension: Any, output_type: Any = dtypes.int64, name: str | None = None
) -> Tensor:
    """Old form of `argmin`."""
    return single("ArgMin", input, dimension, output_type=output_type, name=name)
