"""tf.contrib.sparsemax: the nearest point of the simplex, and its loss.

After Martins and Astudillo, "From Softmax to Sparsemax", 2016: https://arxiv.org/abs/1602.02068.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.concat import stack
from dataflow.ops.array.fill import fill, zeros_like
from dataflow.ops.array.gather import gather_nd
from dataflow.ops.array.select import where
from dataflow.ops.array.shape import shape
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.range import range as range_of
from dataflow.ops.math.binary import maximum
from dataflow.ops.math.compare import equal, logical_and, logical_or
from dataflow.ops.math.rounding import is_inf, is_nan
from dataflow.ops.nn.topk import top_k
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.ops.reductions.scan import cumsum
from dataflow.values import dtypes


def sparsemax(logits: Any, name: str | None = None) -> Tensor:
    """The point of the simplex that is nearest to each row.

    Args:
      logits: Floats of rank 2.
      name: The name scope: "sparsemax".

    Returns:
      Of the type and shape of `logits`: rows of no negatives that add up to 1, nan where a row has
      a nan or no finite number.
    """
    with name_scope(name, "sparsemax", [logits]):
        logits = convert_to_tensor(logits, name="logits")
        rows, columns = shape(logits)[0], shape(logits)[1]
        descending = top_k(logits, k=columns).values
        sums = cumsum(descending, axis=1)
        counts = cast(range_of(1, columns + 1), logits.dtype)
        support = reduce_sum(cast(1 + counts * descending > sums, dtypes.int32), axis=1)
        ends = stack([range_of(rows), maximum(support, 1) - 1], axis=1)
        threshold = (gather_nd(sums, ends) - 1) / cast(support, logits.dtype)
        nearest = maximum(cast(0, logits.dtype), logits - threshold[:, None])
        invalid = logical_or(equal(support, 0), is_nan(sums[:, -1]))
        return where(invalid, fill([rows, columns], cast(np.nan, logits.dtype)), nearest)


def sparsemax_loss(logits: Any, sparsemax: Any, labels: Any, name: str | None = None) -> Tensor:
    """The loss whose gradient is `sparsemax - labels`, of each row.

    Args:
      logits: Floats of rank 2.
      sparsemax: Their sparsemax.
      labels: Distributions over the columns.
      name: The name scope: "sparsemax_loss".
    """
    with name_scope(name, "sparsemax_loss", [logits, sparsemax, labels]):
        logits = convert_to_tensor(logits, name="logits")
        sparsemax = convert_to_tensor(sparsemax, name="sparsemax")
        labels = convert_to_tensor(labels, name="labels")
        # What is outside of the support counts nothing, even if its logit is infinite.
        inside = logical_or(sparsemax > 0, is_nan(sparsemax))
        of_support = where(inside, sparsemax * (logits - 0.5 * sparsemax), zeros_like(sparsemax))
        outside = logical_and(equal(labels, 0), is_inf(logits))
        of_labels = where(outside, zeros_like(logits), labels * (0.5 * labels - logits))
        return reduce_sum(of_support + of_labels, axis=1)
