"""Statistics over axes, made of reductions: log-sum-exp, variance, counts."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.compare as math_compare
import dataflow.ops.math.unary as math_unary
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.dispatch import dispatched
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.reduction import scalar_if_complete
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.identity import stop_gradient
from dataflow.ops.basic.single import single
from dataflow.ops.math.types import NN_FLOAT
from dataflow.schema.opdef import InferenceContext, define_op
from dataflow.values import dtypes
from dataflow.values.deprecated_args import renamed
from dataflow.values.shapes import TensorShape


def _l2_loss_shape(c: InferenceContext) -> TensorShape:
    return TensorShape.of(())


def _l2_loss_gradient(op: Operation, grad: Any) -> Any:
    return op.inputs[0] * grad


define_op(
    "L2Loss",
    inputs="t: T",
    outputs="output: T",
    attrs=[NN_FLOAT],
    shape=_l2_loss_shape,
    gradient=_l2_loss_gradient,
    doc="Half the sum of squares.",
)


def l2_loss(t: Any, name: str | None = None) -> Tensor:
    """Half the sum of the squares of all elements: a scalar."""
    return single("L2Loss", t, name=name)


def reduce_logsumexp(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
) -> Tensor:
    """log(sum(exp(x))) along axes, without overflow; arguments are those of `reduce_sum`."""
    axis = renamed("axis", axis, "reduction_indices", reduction_indices)
    keep = bool(renamed("keepdims", keepdims, "keep_dims", keep_dims))
    with name_scope(name, "ReduceLogSumExp", [input_tensor]) as scope:
        greatest = reductions.reduce_max(input_tensor, axis=axis, keepdims=True)
        finite = single("IsFinite", greatest)
        shift = stop_gradient(single("SelectV2", finite, greatest, 0))
        exponentials = math_unary.exp(math_binary.subtract(input_tensor, shift))
        summed = reductions.reduce_sum(exponentials, axis=axis, keepdims=keep)
        result = math_unary.log(summed)
        if not keep:
            shift = array_shape.reshape(shift, single("Shape", result))
        result = math_binary.add(result, shift, name=scope)
        return scalar_if_complete(result, axis, keep)


@dispatched
def reduce_variance(
    input_tensor: Any, axis: Any = None, keepdims: Any = False, name: str | None = None
) -> Tensor:
    """The mean squared distance from the mean along axes; of complex numbers a real one.

    Raises:
      TypeError: The tensor is of integer type.
    """
    with name_scope(name if name else "reduce_variance"):
        tensor: Any = convert_to_tensor(input_tensor)
        means = reductions.reduce_mean(tensor, axis=axis, keepdims=True)
        if means.dtype.is_integer:
            raise TypeError(
                f"Input must be either real or complex. Received integer type {means.dtype}."
            )
        difference = tensor - means
        if difference.dtype.is_complex:
            product = math_binary.multiply(single("Conj", difference), difference)
            squared = single("Real", product, Tout=difference.dtype.real_dtype)
        else:
            squared = math_unary.square(difference)
        return reductions.reduce_mean(squared, axis=axis, keepdims=keepdims)


@dispatched
def reduce_std(
    input_tensor: Any, axis: Any = None, keepdims: Any = False, name: str | None = None
) -> Tensor:
    """The root of `reduce_variance`."""
    with name_scope(name if name else "reduce_std"):
        tensor = convert_to_tensor(input_tensor)
        return math_unary.sqrt(reduce_variance(tensor, axis=axis, keepdims=keepdims))


def count_nonzero(
    input_tensor: Any = None,
    axis: Any = None,
    keepdims: Any = None,
    dtype: Any = dtypes.int64,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
    input: Any = None,
) -> Tensor:
    """The number of elements along axes that are not zero (or, of strings, not empty).

    Args:
      input_tensor: The tensor.
      axis: The axis or axes to count along, all if None.
      keepdims: Keeps reduced axes, with size 1.
      dtype: Element type of the counts.
      name: Name of the operations.
      reduction_indices: Old name of `axis`.
      keep_dims: Old name of `keepdims`.
      input: New name of `input_tensor`.

    Raises:
      ValueError: An argument is given under both its names.
    """
    keepdims = renamed("keepdims", keepdims, "keep_dims", keep_dims)
    value = renamed("input", input, "input_tensor", input_tensor)
    axis = renamed("axis", axis, "reduction_indices", reduction_indices)
    with name_scope(name, "count_nonzero", [value]):
        predicate = convert_to_tensor(value, name="input")
        if predicate.dtype.base_dtype is not dtypes.bool:
            zero = array_fill.zeros([], dtype=predicate.dtype.base_dtype)
            predicate = math_compare.not_equal(predicate, zero)
        ones = cast(predicate, dtypes.int64)
        count = reductions.reduce_sum(ones, axis=axis, keepdims=bool(keepdims))
        result: Tensor = cast(count, dtype)
        return result
