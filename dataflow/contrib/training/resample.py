"""Rows of a batch drawn again, each at a rate of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.ops.array.gather import gather
from dataflow.ops.array.repeat import repeat
from dataflow.ops.array.shape import shape
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.identity import stop_gradient
from dataflow.ops.basic.range import range as make_range
from dataflow.ops.random.gamma import random_poisson
from dataflow.ops.reductions.reduce import reduce_mean
from dataflow.training.moving_averages import assign_moving_average
from dataflow.values import dtypes
from dataflow.variables.scope import get_local_variable, variable_scope


def resample_at_rate(
    inputs: Sequence[Any],
    rates: Any,
    scope: str | None = None,
    seed: int | None = None,
    back_prop: bool = False,
) -> list[Any]:
    """Row i of every input, Poisson(rates[i]) times, in the order of the rows.

    Args:
      inputs: Tensors of shape [batch, ...].
      rates: How often each row is expected: shape [batch], floating point.
      scope: Name of the scope of the operations.
      seed: Of the draws.
      back_prop: Whether gradients may flow through the choice.

    Returns:
      Tensors like the inputs, with an unknown and possibly zero first dimension.
    """
    with scopes.name_scope(scope, "resample_at_rate", [*inputs, rates]):
        rates = convert_to_tensor(rates, name="rates")
        counts = cast(random_poisson(rates, (), rates.dtype, seed=seed), dtypes.int32)
        rows = repeat(make_range(shape(counts)[0]), counts)
        if not back_prop:
            rows = stop_gradient(rows)
        return [gather(each, rows) for each in inputs]


def weighted_resample(
    inputs: Sequence[Any],
    weights: Any,
    overall_rate: Any,
    scope: str | None = None,
    mean_decay: Any = 0.999,
    seed: int | None = None,
) -> tuple[list[Any], Any]:
    """Rows drawn in proportion to their weights, `overall_rate` of a row on average.

    The mean weight is a moving average without bias, kept in the local variable `estimated_mean`.

    Args:
      inputs: Tensors of shape [batch, ...].
      weights: Weight of each row: shape [batch], floating point.
      overall_rate: How often a row of mean weight is expected.
      scope: Name of the scope of the operations.
      mean_decay: Decay of the mean weight.
      seed: Of the draws.

    Returns:
      Tensors like the inputs with an unknown first dimension, and the rate of each row in them.
    """
    with scopes.name_scope(scope, "weighted_resample", list(inputs)) as opened:
        weights = convert_to_tensor(weights)
        with variable_scope(scope, "estimate_mean", list(inputs)):
            estimate = get_local_variable(
                "estimated_mean", initializer=cast(0, weights.dtype), dtype=weights.dtype
            )
            mean = assign_moving_average(estimate, reduce_mean(weights), mean_decay)
        rates = weights * overall_rate / mean
        chosen = resample_at_rate([rates, *inputs], rates, scope=opened, seed=seed)
        return chosen[1:], chosen[0]
