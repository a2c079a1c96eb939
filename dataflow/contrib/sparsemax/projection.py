"""The nearest probabilities to logits.

Martins, Astudillo, From softmax to sparsemax, 2016.
"""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.concat import stack
from dataflow.ops.array.gather import gather_nd
from dataflow.ops.array.select import where
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.range import range as range_of
from dataflow.ops.math.binary import maximum
from dataflow.ops.math.compare import equal, greater, logical_and, logical_or
from dataflow.ops.math.rounding import is_inf, is_nan
from dataflow.ops.nn.topk import top_k
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.ops.reductions.scan import cumsum
from dataflow.values import dtypes


def sparsemax(logits: Any, name: str | None = None) -> Tensor:
    """The probabilities that are nearest to logits: those above a threshold, less the threshold.

    Args:
      logits: Floats, shape `[batch, classes]`.
      name: Name scope of the operations.

    Returns:
      Probabilities of the same shape; NaN in rows that have none.
    """
    with name_scope(name, "sparsemax", [logits]):
        logits = convert_to_tensor(logits, name="logits")
        dtype = logits.dtype
        shape: Any = array_shape.shape(logits)
        ordered: Any = top_k(logits, shape[1])[0]
        sums: Any = cumsum(ordered, 1)
        places: Any = cast(range_of(1, shape[1] + 1), dtype)
        # Classes stay whose logits are above the threshold that they would have.
        stay = cast(greater(1.0 + places * ordered, sums), dtypes.int32)
        count: Any = reduce_sum(stay, axis=1)
        last: Any = stack([range_of(shape[0]), maximum(count, 1) - 1], 1)
        threshold: Any = (gather_nd(sums, last) - 1.0) / cast(count, dtype)
        found = maximum(logits - array_shape.expand_dims(threshold, 1), cast(0.0, dtype))
        none = logical_or(equal(count, 0), is_nan(sums[:, -1]))
        return where(none, array_fill.fill(shape, cast(float("nan"), dtype)), found)


def sparsemax_loss(logits: Any, sparsemax: Any, labels: Any, name: str | None = None) -> Tensor:
    """The loss whose gradient is what `sparsemax` gives, less the labels.

    Args:
      logits: Floats, shape `[batch, classes]`.
      sparsemax: What `sparsemax` makes of them.
      labels: Probabilities, of the same shape.
      name: Name scope of the operations.

    Returns:
      The loss of each example.
    """
    with name_scope(name, "sparsemax_loss", [logits, sparsemax, labels]):
        logits = convert_to_tensor(logits, name="logits")
        sparsemax = convert_to_tensor(sparsemax, name="sparsemax")
        labels = convert_to_tensor(labels, name="labels")
        nothing = array_fill.zeros_like(logits)
        # An infinite logit counts only where it has a part.
        has_part = logical_or(greater(sparsemax, 0.0), is_nan(sparsemax))
        own = where(has_part, sparsemax * (logits - 0.5 * sparsemax), nothing)
        infinite = logical_and(equal(labels, 0.0), is_inf(logits))
        others = where(infinite, nothing, labels * (0.5 * labels - logits))
        found: Tensor = reduce_sum(own + others, axis=1)
        return found
