"""tf.Assert: fails the step when a condition does not hold."""

from __future__ import annotations

from typing import Any

from dataflow.control_flow.cond import cond
from dataflow.graph import scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_n_to_tensor, convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.ops.basic.identity import no_op
from dataflow.values import dtypes

_ON_HOST = (dtypes.string, dtypes.int32)


def Assert(
    condition: Any, data: Any, summarize: int | None = None, name: str | None = None
) -> Operation:
    """An operation that fails the step, printing `data`, if `condition` does not hold.

    Args:
      condition: A boolean scalar.
      data: Tensors to print.
      summarize: How many elements of each to print; 3 by default.
      name: Name scope of the operations.
    """
    with scopes.name_scope(name, "Assert", [condition, data]):
        tensors = convert_n_to_tensor(data)
        if all(tensor.dtype in _ON_HOST for tensor in tensors):
            return _assert(condition, data, summarize)
        # The data is brought to the host only if it is to be printed.
        condition = convert_to_tensor(condition, name="Condition")
        guarded = cond(
            condition, no_op, lambda: _assert(condition, data, summarize), name="AssertGuard"
        )
        op: Operation = guarded.op
        return op


def _assert(condition: Any, data: Any, summarize: int | None) -> Operation:
    op: Operation = apply_op("Assert", condition, data, summarize=summarize, name="Assert")
    return op
