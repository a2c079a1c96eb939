"""Assertions in the graph: the Assert op, which fails the step when a condition does not hold."""

from __future__ import annotations

from typing import Any

import dataflow.ops.math.compare as math_compare
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph.apply_op import apply_op
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.constant import constant
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, define_op
from dataflow.schema.shape_functions import no_outputs

define_op(
    "Assert",
    inputs="condition: bool, data: T",
    attrs=["T: list(type) >= 1", "summarize: int = 3"],
    shape=no_outputs,
    gradient=NOT_DIFFERENTIABLE,
    doc="Fails the step, printing the data, if the condition does not hold.",
    stateful=True,
)


def assert_equal_integers(x: Tensor, y: Tensor) -> Operation:
    """An operation that fails unless two int32 tensors are equal, element by element."""
    with name_scope(None, "assert_equal_1", [x, y]):
        holds = reductions.reduce_all(math_compare.equal(x, y))
        texts = (
            "Condition x == y did not hold element-wise:",
            f"x ({x.name}) = ",
            f"y ({y.name}) = ",
        )
        with name_scope(None, "Assert", [holds, x, y]):
            for text in texts:
                # Nothing reads these, but the names of the nodes count on them.
                constant(text)
            data: list[Any] = [texts[0], texts[1], x, texts[2], y]
            op: Operation = apply_op("Assert", holds, data)
            return op
