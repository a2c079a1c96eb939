"""Weights of losses and metrics: scalars, or of the rank of what they weigh, each axis 1 or its."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.compare as math_compare
from dataflow.control_flow.assertion import Assert
from dataflow.control_flow.cond import cond
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import control_dependencies, name_scope
from dataflow.ops.basic.identity import no_op
from dataflow.ops.sets.set_operation import set_difference

_MISFIT = "weights can not be broadcast to values."


def assert_broadcastable(weights: Any, values: Any) -> Operation:
    """An operation that fails unless the weights fit the values.

    Args:
      weights: A scalar, or a tensor of the rank of `values` whose axes are 1 or those of `values`.
      values: A tensor.

    Raises:
      ValueError: The static shapes tell that they do not.
    """
    with name_scope(None, "assert_broadcastable", [weights, values]) as scope:
        with name_scope(None, "weights", [weights]) as weights_scope:
            weights = convert_to_tensor(weights, name=weights_scope)
            weights_shape = array_shape.shape(weights, name="shape")
            weights_rank = array_shape.rank(weights, name="rank")
        with name_scope(None, "values", [values]) as values_scope:
            values = convert_to_tensor(values, name=values_scope)
            values_shape = array_shape.shape(values, name="shape")
            values_rank = array_shape.rank(values, name="rank")
        if weights.shape.rank is not None and values.shape.rank is not None:
            if weights.shape.rank == 0:
                return no_op(name="static_scalar_check_success")
            _check_ranks(weights, values)
            theirs, ours = constant_value(weights_shape), constant_value(values_shape)
            if theirs is not None and ours is not None:
                _check_dimensions(theirs, ours)
                return no_op(name="static_dims_check_success")
        is_scalar = math_compare.equal(0, weights_rank, name="is_scalar")
        told = [
            *(_MISFIT, "weights.shape=", weights.name, weights_shape),
            *("values.shape=", values.name, values_shape, "is_scalar=", is_scalar),
        ]
        fits = cond(
            is_scalar,
            lambda: is_scalar,
            lambda: _fits(weights_rank, weights_shape, values_rank, values_shape),
            name="is_valid_shape",
        )
        return Assert(fits, told, name=scope)


def broadcast_weights(weights: Any, values: Any) -> Any:
    """The weights in the shape of the values; see `assert_broadcastable`."""
    with name_scope(None, "broadcast_weights", [weights, values]) as scope:
        values = convert_to_tensor(values, name="values")
        weights = convert_to_tensor(weights, dtype=values.dtype.base_dtype, name="weights")
        is_known = weights.shape.is_fully_defined() and values.shape.is_fully_defined()
        if is_known and weights.shape.is_compatible_with(values.shape):
            return weights
        with control_dependencies([assert_broadcastable(weights, values)]):
            return math_binary.multiply(weights, array_fill.ones_like(values), name=scope)


def _check_ranks(weights: Any, values: Any) -> None:
    if weights.shape.rank != values.shape.rank:
        raise ValueError(
            f"{_MISFIT} values.rank={values.shape.rank}. weights.rank={weights.shape.rank}. "
            f"values.shape={values.shape}. weights.shape={weights.shape}. "
            f"Received weights={weights}, values={values}"
        )


def _check_dimensions(weights: Any, values: Any) -> None:
    for axis, (weight, value) in enumerate(zip(weights, values, strict=True)):
        if weight not in (1, value):
            raise ValueError(
                f"{_MISFIT} Mismatch at dim {axis}. values.shape={values}, weights.shape={weights}."
            )


def _fits(weights_rank: Any, weights_shape: Any, values_rank: Any, values_shape: Any) -> Any:
    parts = [weights_rank, weights_shape, values_rank, values_shape]
    with name_scope(None, "has_valid_nonscalar_shape", parts) as scope:
        same_rank = math_compare.equal(values_rank, weights_rank, name="is_same_rank")
        return cond(
            same_rank,
            lambda: _has_valid_dimensions(weights_shape, values_shape),
            lambda: same_rank,
            name=scope,
        )


def _has_valid_dimensions(weights_shape: Any, values_shape: Any) -> Any:
    with name_scope(None, "has_invalid_dims", [weights_shape, values_shape]) as scope:
        columns = array_shape.expand_dims(values_shape, -1)
        allowed = array_concat.concat([columns, array_fill.ones_like(columns)], axis=1)
        found = array_shape.expand_dims(weights_shape, -1)
        wrong: Any = set_difference(found, allowed)
        count = array_shape.size(wrong.values, name="num_invalid_dims")
        return math_compare.equal(0, count, name=scope)
