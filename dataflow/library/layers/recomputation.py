"""recompute_grad: parts of nets that are computed again for gradients instead of kept in memory."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import dataflow.ops.basic.grouping as grouping
from dataflow.differentiation.computation import UnconnectedGradients
from dataflow.differentiation.custom_gradient import custom_gradient, variables_read
from dataflow.differentiation.gradients import gradients
from dataflow.graph import scopes
from dataflow.graph.variable_scope_object import get_variable_scope
from dataflow.ops.basic.identity import identity
from dataflow.values import nest
from dataflow.variables.scope import variable_scope


def recompute_grad(f: Callable[..., Any]) -> Any:
    """A function like `f` whose inner values are computed again when its gradient is.

    Args:
      f: Takes tensors and gives tensors; variables that it uses are behind handles. It is called
        once more, with the same variables, for each gradient.

    Returns:
      The function; `__wrapped__` is `f`.
    """
    return functools.wraps(f)(recomputed(f, f))


def recomputed(
    forward: Callable[..., Any],
    backward: Callable[..., Any],
    *,
    entered: Callable[[], AbstractContextManager[Any]] = nullcontext,
    grads_together: bool = False,
    other_variables: str | None = None,
) -> Any:
    """A function with the values of `forward` and the gradients of `backward`.

    Args:
      forward: Takes tensors and gives tensors.
      backward: Computes the same for gradients, when those of the outputs are there.
      entered: Gives what `backward` is called in.
      grads_together: Gives no gradient before all are computed.
      other_variables: What the error says where `backward` reads other variables than `forward`;
        nothing looks for that if None.

    Raises:
      ValueError: When differentiated: `backward` reads other variables.
    """

    @custom_gradient
    def inner(*args: Any) -> Any:
        scope = get_variable_scope()

        def gradient(*output_grads: Any, variables: Sequence[Any] | None = None) -> Any:
            with (
                scopes.control_dependencies([each for each in output_grads if each is not None]),
                scopes.get_default_graph()._scopes.control_dependencies([]) as made,
                entered(),
                variable_scope(scope, reuse=True),
            ):
                inputs = nest.map_structure(identity, args)
                outputs = backward(*inputs)
            if other_variables is not None:
                read = {variable.name for variable in variables_read(made.seen)}
                if read != {variable.name for variable in variables or ()}:
                    raise ValueError(other_variables)
            flat = nest.flatten(inputs)
            grads = gradients(
                nest.flatten(outputs),
                [*flat, *(variables or ())],
                grad_ys=list(output_grads),
                unconnected_gradients=UnconnectedGradients.ZERO,
            )
            if grads_together:
                grads = grouping.tuple(grads)
            by_input = grads[: len(flat)]
            return by_input if variables is None else (by_input, grads[len(flat) :])

        return forward(*args), gradient

    return inner
