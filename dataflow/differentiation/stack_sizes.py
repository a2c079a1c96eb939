"""How many values the forward loops of a gradient push, where a program wants to compile them."""

from __future__ import annotations

from typing import Any

from dataflow.graph import contexts, scopes
from dataflow.graph.constant_value import constant_value
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.constant import constant


def bounded_size(value: Tensor, loop: Any) -> Tensor:
    """The product of the iterations that the loops between a value and the gradient may make.

    Args:
      value: What is pushed.
      loop: The innermost loop around it.

    Raises:
      ValueError: A loop has no bound, or one that is not known where the gradient is made.
    """
    current = scopes.get_default_graph()._get_control_flow_context()
    size: Any = constant(1)
    while loop is not None and loop is not current:
        limit = loop.maximum_iterations
        refusal = f"Cannot create a gradient accumulator for tensor '{value.name}' inside XLA "
        if limit is None:
            raise ValueError(
                f"{refusal}while_loop because maximum_iterations was not passed to the "
                f"tf.while_loop call ('{loop.name}')."
            )
        place = limit.op._get_control_flow_context()
        if contexts.is_containing_context(current, place):
            size *= limit
        else:
            known = constant_value(limit)
            if known is None:
                raise ValueError(
                    f"{refusal}while_loop. maximum_iterations tensor '{limit.name}' for while_loop "
                    f"context '{loop.name}' must be statically known (e.g. a constant value or "
                    "known shape dimension), or be defined at or outside the while loop context "
                    f"'{'' if current is None else current.name}' (currently defined in "
                    f"'{place.name}')."
                )
            size *= int(known)
        loop = contexts.containing_while_context(loop.outer_context, current)
    bounded: Tensor = size
    return bounded
