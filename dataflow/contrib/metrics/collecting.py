"""Metrics that count or keep what they see, and several metrics taken together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
import dataflow.ops.reductions.reduce as reductions
from dataflow.control_flow.cond import cond
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.keys import GraphKeys
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import control_dependencies
from dataflow.graph.tensor import Tensor
from dataflow.library.metrics.state import metric_variable, published
from dataflow.library.weights import broadcast_weights
from dataflow.ops.array.concat import concat, stack
from dataflow.ops.array.transpose import transpose
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.identity import identity
from dataflow.ops.math.binary import minimum
from dataflow.ops.math.division import div
from dataflow.ops.math.power import pow as power
from dataflow.ops.math.rounding import ceil
from dataflow.ops.math.unary import log
from dataflow.ops.state.reference import assign, assign_add
from dataflow.values import dtypes
from dataflow.variables.scope import variable_scope
from dataflow.variables.variable import Variable

Metric = tuple[Any, Any]


def count(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """How many values there were, or their weights added up.

    Args:
      values: Of any type.
      weights: Broadcast to them.
      metrics_collections: Where the value goes.
      updates_collections: Where the update goes.
      name: Variable scope.
    """
    with variable_scope(name, "count", (values, weights)):
        total = metric_variable([], dtypes.float32, name="count")
        if weights is None:
            number: Any = cast(array_shape.size(values), dtypes.float32)
        else:
            values = cast(values, dtypes.float32)
            weights = broadcast_weights(cast(weights, dtypes.float32), values)
            number = reductions.reduce_sum(weights)
        with control_dependencies([convert_to_tensor(values)]):
            update = assign_add(total, number)
        return published(identity(total), update, metrics_collections, updates_collections)


def streaming_concat(
    values: Any,
    axis: int = 0,
    max_size: int | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """All values one behind the other.

    Args:
      values: A tensor of known dimensions, but for that of the axis.
      axis: The axis.
      max_size: How long it becomes at most; what comes later is left out.
      metrics_collections: Where the value goes.
      updates_collections: Where the update goes.
      name: Variable scope.

    Returns:
      The values, and an update that tells how long they are now.

    Raises:
      ValueError: A dimension is not known, or there is no such axis.
    """
    with variable_scope(name, "streaming_concat", (values,)):
        values = convert_to_tensor(values)
        rank = values.shape.rank
        if rank is None:
            raise ValueError("`values` must have known statically known rank")
        axis = axis + rank if axis < 0 else axis
        if not 0 <= axis < rank:
            raise ValueError(f"axis = {axis!r} not in [0, {rank!r})")
        shape = values.shape.as_list()
        fixed = shape[:axis] + shape[axis + 1 :]
        if any(each is None for each in fixed):
            raise ValueError(
                "all dimensions of `values` other than the dimension to concatenate along must "
                "have statically known size"
            )
        kept = Variable(
            lambda: array_fill.zeros([max_size or 0, *fixed], values.dtype),
            trainable=False,
            collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES],
            validate_shape=False,
            name="array",
            use_resource=False,
        )
        size: Any = metric_variable([], dtypes.int32, name="size")
        in_front = [axis, *(each for each in range(rank) if each != axis)]
        back = [in_front.index(each) for each in range(rank)]
        held: Any = kept[:size]
        held.set_shape([None, *fixed])
        value = transpose(held, back, name="concat")
        added: Any = array_shape.shape(values)[axis]
        if max_size is not None:
            added = minimum(added, max_size - size)
        new: Any = transpose(values, in_front)
        length = size + added

        def grow() -> Operation:
            room = array_fill.zeros(stack([_next_array_size(length) - size, *fixed]), values.dtype)
            whole = concat([kept[:size], room], 0)
            return group(assign(kept, whole, validate_shape=False))

        has_room = cond(length > array_shape.shape(kept)[0], grow, group)
        with control_dependencies([has_room]):
            part: Any = kept[size:length]
            filled = part.assign(new[:added])
        with control_dependencies([filled]):
            update = assign(size, length)
        return published(value, update, metrics_collections, updates_collections)


def _next_array_size(required_size: Any, growth_factor: Any = 1.5) -> Tensor:
    """The least power of a factor, rounded up, that is no less than a size."""
    factor = cast(growth_factor, dtypes.float32)
    exponent = ceil(div(log(cast(required_size, dtypes.float32)), log(factor)))
    found: Tensor = cast(ceil(power(factor, exponent)), dtypes.int32)
    return found


def aggregate_metrics(*value_update_tuples: Metric) -> tuple[list[Any], list[Any]]:
    """The values of metrics, and their updates.

    Raises:
      ValueError: There are none.
    """
    if not value_update_tuples:
        raise ValueError("Expected at least one value_tensor/update_op pair")
    values, updates = zip(*value_update_tuples, strict=True)
    return list(values), list(updates)


def aggregate_metric_map(
    names_to_tuples: Mapping[str, Metric],
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The values of metrics by name, and their updates by name."""
    return (
        {name: value for name, (value, _) in names_to_tuples.items()},
        {name: update for name, (_, update) in names_to_tuples.items()},
    )
