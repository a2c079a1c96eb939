"""Counting integers, and values by interval."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.binary as math_binary
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.dispatch import dispatched
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import MISSING_GRADIENT, NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import UNKNOWN, unchanged, with_rank
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape


def _size(c: InferenceContext, index: int) -> int | None:
    """A scalar input read as a size."""
    with_rank(c.input(index), 0)
    value = c.constant(index)
    if value is None:
        return None
    if int(value) < 0:
        raise ValueError(f"size ({int(value)}) must be non-negative")
    return int(value)


def _bincount_shape(c: InferenceContext) -> TensorShape:
    return TensorShape.of((_size(c, 1),))


def _dense_bincount_shape(c: InferenceContext) -> TensorShape:
    rank = c.input(0).rank
    if rank is None:
        return UNKNOWN
    if rank > 2:
        raise ValueError(f"Shape must be at most rank 2 but is rank {rank}")
    size = _size(c, 1)
    if rank < 2:
        return TensorShape.of((size,))
    dims = c.input(0).dims_tuple or ()
    return TensorShape.of((None, None) if size is None else (dims[0], size))


def _histogram_shape(c: InferenceContext) -> TensorShape:
    bounds = with_rank(c.input(1), 1).dims_tuple
    if bounds is not None and bounds[0] not in (None, 2):
        raise ValueError(f"Dimension must be 2 but is {bounds[0]}")
    with_rank(c.input(2), 0)
    count = c.constant(2)
    if count is None:
        return TensorShape.of((None,))
    if int(count) <= 0:
        raise ValueError(f"Requires nbins > 0: {int(count)}")
    return TensorShape.of((int(count),))


define_op(
    "Bincount",
    inputs="arr: int32, size: int32, weights: T",
    outputs="bins: T",
    attrs=["T: {int32, int64, float32, float64}"],
    shape=_bincount_shape,
    gradient=MISSING_GRADIENT,
    doc="The number, or sum of weights, of each integer below size.",
)
define_op(
    "DenseBincount",
    inputs="input: Tidx, size: Tidx, weights: T",
    outputs="output: T",
    attrs=[
        "Tidx: {int32, int64}",
        "T: {int32, int64, float32, float64}",
        "binary_output: bool = false",
    ],
    shape=_dense_bincount_shape,
    gradient=MISSING_GRADIENT,
    doc="The number, or sum of weights, of each integer below size, in each row.",
)
define_op(
    "Bucketize",
    inputs="input: T",
    outputs="output: int32",
    attrs=["T: {int32, int64, float32, float64}", "boundaries: list(float)"],
    shape=unchanged,
    gradient=NOT_DIFFERENTIABLE,
    doc="The number of boundaries that are not greater.",
)
define_op(
    "HistogramFixedWidth",
    inputs="values: T, value_range: T, nbins: int32",
    outputs="out: dtype",
    attrs=["T: {int32, int64, float32, float64}", "dtype: {int32, int64} = int32"],
    shape=_histogram_shape,
    gradient=MISSING_GRADIENT,
    doc="How many values lie in each of nbins equal parts of a range.",
)


@dispatched
def bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = dtypes.int32,
) -> Tensor:
    """The number of times each integer from 0 on occurs, or the sum of its weights.

    Args:
      arr: Non-negative integers.
      weights: Tensor of the shape of `arr`: what each counts for.
      minlength: Least length of the result.
      maxlength: Greatest length of the result; greater integers are left out.
      dtype: Element type of the result, without weights.

    Raises:
      ValueError: `weights` is no tensor.
      InvalidArgumentError: In the run: an integer is negative.
    """
    with name_scope("bincount"):
        values: Any = convert_to_tensor(arr, name="arr")
        if weights is not None:
            weights = convert_to_tensor(weights, name="weights")
        if not values.dtype.is_integer:
            values = cast(values, dtypes.int32)
        count: Any = array_shape.size(values)
        nonempty = cast(count > 0, values.dtype)
        greatest: Any = reductions.reduce_max(values)
        length = nonempty * (greatest + 1)
        if minlength is not None:
            least = convert_to_tensor(minlength, name="minlength", dtype=values.dtype)
            length = math_binary.maximum(least, length)
        if maxlength is not None:
            most = convert_to_tensor(maxlength, name="maxlength", dtype=values.dtype)
            length = math_binary.minimum(most, length)
        if weights is not None:
            weights = array_shape.reshape(weights, [-1])
        values = array_shape.reshape(values, [-1])
        if weights is None:
            weights = constant([], dtype=dtype if dtype else values.dtype)
        return single("DenseBincount", values, length, weights, binary_output=False)


def histogram_fixed_width(
    values: Any,
    value_range: Any,
    nbins: Any = 100,
    dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """How many values lie in each of `nbins` equal parts of a range; outer ones count at its ends.

    Args:
      values: Numbers of any shape.
      value_range: Vector of two: the bounds.
      nbins: Number of parts.
      dtype: Element type of the counts: int32 or int64.
      name: Name of the operation.
    """
    with name_scope(name, "histogram_fixed_width", [values, value_range, nbins]) as scope:
        return single("HistogramFixedWidth", values, value_range, nbins, dtype=dtype, name=scope)
