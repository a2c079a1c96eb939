"""Second derivatives of losses by logits, as the strategies for several classes need them."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.differentiation.gradients import gradients as derivatives
from dataflow.ops.array.concat import stack, unstack
from dataflow.ops.array.gather import gather
from dataflow.ops.array.transpose import transpose
from dataflow.ops.basic.range import range as number_range
from dataflow.ops.linalg.tensordot import trace
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.values.shapes import TensorShape


def rows_of_hessians(gradients: Any, predictions: Any, logits: int) -> list[Any]:
    """For each logit, the derivatives of its gradient by all logits: [batch_size, logits]."""
    found = []
    for row, gradient in enumerate(unstack(gradients, num=logits, axis=1)):
        made = derivatives(gradient, predictions, name=f"Hessian_{row}")
        found.append(array_shape.squeeze(unstack(made), [0]))
    return found


def full(gradients: Any, predictions: Any, logits: int) -> Any:
    """The hessians of examples, [batch_size, logits, logits]."""
    return stack(rows_of_hessians(gradients, predictions, logits), axis=1)


def diagonal(gradients: Any, predictions: Any, logits: int) -> Any:
    """The diagonals of hessians, [batch_size, logits]."""
    rows = rows_of_hessians(gradients, predictions, logits)
    return stack([transpose(row)[place] for place, row in enumerate(rows)], axis=1)


def of_class(values: Any, class_id: Any) -> Any:
    """The column of a matrix that is a class's."""
    shape = array_shape.shape(values)
    places = number_range(0, shape[0]) * shape[1] + class_id
    return gather(array_shape.reshape(values, [-1]), places)


def example_weights(hessians: Any, shape: TensorShape) -> Any:
    """What examples weigh where quantiles are made: the sums of their diagonals."""
    if shape.rank == 0:
        return hessians
    return reduce_sum(hessians, axis=1) if shape.rank == 1 else trace(hessians)
