"""The steps that a rewritten graph counts, and tensors that take others' places."""

from __future__ import annotations

from collections.abc import Container
from typing import Any, Final

from dataflow.graph import scopes
from dataflow.graph.keys import GraphKeys
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.identity import identity
from dataflow.ops.state.reference import assign_add
from dataflow.values import dtypes
from dataflow.values.variable_policy import VariableAggregation
from dataflow.variables.initializers import Zeros
from dataflow.variables.scope import get_variable

_NAME: Final = "fake_quantization_step"


def quantization_step() -> Tensor:
    """How often the default graph has run; the first to ask adds the counter."""
    graph = scopes.get_default_graph()
    try:
        return graph.get_tensor_by_name(f"{_NAME}/Identity:0")
    except KeyError:
        pass
    with graph.name_scope(None):
        counter = get_variable(
            _NAME,
            shape=[],
            dtype=dtypes.int64,
            initializer=Zeros(),
            trainable=False,
            collections=[GraphKeys.GLOBAL_VARIABLES],
            aggregation=VariableAggregation.ONLY_FIRST_REPLICA,
        )
        with graph.name_scope(counter.op.name + "/"):
            counted: Tensor = identity(assign_add(counter, 1))
            return counted


def reroute(new: Any, old: Tensor, consumers: Container[Operation] | None = None) -> int:
    """Gives what takes a tensor another one.

    Args:
      new: The tensor that they take from now on.
      old: The one that they took.
      consumers: Operations that may be changed; all if None.

    Returns:
      How many inputs were changed.
    """
    changes = [
        (op, index)
        for op in old.consumers()
        if consumers is None or op in consumers
        for index, taken in enumerate(op.inputs)
        if taken is old
    ]
    for op, index in changes:
        op._update_input(index, new)
    return len(changes)
