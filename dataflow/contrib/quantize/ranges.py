"""Fake quantisation with ranges that the values of tensors set."""

from __future__ import annotations

from typing import Any

from dataflow.graph.keys import GraphKeys
from dataflow.graph.tensor import Tensor
from dataflow.ops.math.binary import maximum, minimum
from dataflow.ops.quantization.fake_quant import (
    fake_quant_with_min_max_vars,
    fake_quant_with_min_max_vars_per_channel,
)
from dataflow.ops.reductions.reduce import reduce_max, reduce_min
from dataflow.ops.state.reference import assign
from dataflow.training.moving_averages import assign_moving_average
from dataflow.values.variable_policy import VariableAggregation
from dataflow.variables.initializers import Constant
from dataflow.variables.scope import get_variable, variable_scope


def quantized(
    inputs: Tensor,
    name: str,
    averaged: bool,
    is_training: bool,
    first_range: tuple[float, float],
    num_bits: int,
    narrow_range: bool,
    symmetric: bool,
    decay: float,
    collection: str | None = None,
    reuse: Any = None,
    per_channel: bool = False,
) -> Any:
    """A tensor rounded to as many values as bits can tell apart, in the range of variables.

    Args:
      inputs: The tensor.
      name: Scope of the variables `min` and `max`, and of the operations.
      averaged: Whether the range is a moving average; that of the last values otherwise.
      is_training: Whether the values set the range.
      first_range: What the variables begin with.
      num_bits: The bits, 2 to 16.
      narrow_range: Whether the lowest value is left out.
      symmetric: Whether the range reaches as far down as up.
      decay: Of the average.
      collection: Where the variables are kept beside the global ones.
      reuse: See `tf.variable_scope`.
      per_channel: Whether each place of the last axis has a range of its own.
    """
    with variable_scope(None, default_name=name, values=[inputs], reuse=reuse) as scope:
        scope.set_partitioner(None)
        axes = list(range(len(inputs.shape) - 1)) if per_channel else None
        if per_channel and len(inputs.shape) not in (1, 2, 4):
            raise AssertionError(
                f"Expected 1D, 2D or 4D input, was: {inputs.shape} in  scope: {name}"
            )
        ends: list[Any] = [
            get_variable(
                end,
                shape=[inputs.shape[-1]] if per_channel else [],
                initializer=Constant(first),
                collections=list(
                    dict.fromkeys(filter(None, [collection, GraphKeys.GLOBAL_VARIABLES]))
                ),
                trainable=False,
                aggregation=VariableAggregation.MEAN,
            )
            for end, first in zip(("min", "max"), first_range, strict=True)
        ]
        if is_training:
            single = axes == []
            low = inputs if single else reduce_min(inputs, axis=axes, name="BatchMin")
            high = inputs if single else reduce_max(inputs, axis=axes, name="BatchMax")
            if symmetric:
                # Of two's complement's numbers one more is negative than positive.
                ratio = -1 if narrow_range else -((1 << num_bits) - 2) / (1 << num_bits)
                reached = minimum(low, high / ratio), maximum(high, low * ratio)
            else:
                # Zero is in every range: padding is exact.
                reached = minimum(low, 0.0), maximum(high, 0.0)
            if averaged:
                ends = [
                    assign_moving_average(end, value, decay, name=f"Assign{which}Ema")
                    for end, value, which in zip(ends, reached, ("Min", "Max"), strict=True)
                ]
            else:
                ends = [
                    assign(end, value, name=f"Assign{which}Last")
                    for end, value, which in zip(ends, reached, ("Min", "Max"), strict=True)
                ]
        rounded = fake_quant_with_min_max_vars
        if per_channel:
            rounded = fake_quant_with_min_max_vars_per_channel
        return rounded(inputs, ends[0], ends[1], num_bits=num_bits, narrow_range=narrow_range)
