"""recompute_grad of tf.contrib.layers: functions are told when they compute again for gradients."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, Final

from dataflow.contrib.framework.arg_scope import arg_scope, current_arg_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.layers.recomputation import recomputed
from dataflow.variables.base import BaseVariable

_OTHER_VARIABLES: Final = (
    "The variables used on recompute were different than the variables originally used. The "
    "function wrapped with @recompute_grad likely creates its own variable scope with a default "
    "name and has been called twice in the same enclosing scope. To fix, ensure each call to the "
    "function happens in its own unique variable scope."
)


def recompute_grad(
    fn: Callable[..., Any] | None = None, use_data_dep: Any = None, tupleize_grads: bool = False
) -> Callable[..., Any]:
    """A function like `fn` whose inner values are computed again when its gradient is.

    Args:
      fn: Takes tensors and gives tensors, and uses variables behind handles. Where it takes
        `is_recomputing`, that is False the first time and True for gradients. Without it, a
        decorator is given.
      use_data_dep: For XLA, which is not here: what is computed again always waits for the
        gradients of the outputs.
      tupleize_grads: Gives no gradient before all are computed.

    Raises:
      ValueError: `fn` is a closure over a tensor or variable; when called: an argument is no
        tensor; when differentiated: `fn` used other variables than when it was called.
    """
    if fn is None:
        return functools.partial(
            recompute_grad, use_data_dep=use_data_dep, tupleize_grads=tupleize_grads
        )
    _refuse_closures(fn)
    is_told = "is_recomputing" in inspect.signature(fn).parameters

    @functools.wraps(fn)
    def wrapped(*args: Any) -> Any:
        if not all(isinstance(each, Tensor) for each in args):
            raise ValueError("All inputs to function must be Tensors")
        first, again = fn, fn
        if is_told:
            first = functools.partial(fn, is_recomputing=False)
            again = functools.partial(fn, is_recomputing=True)
        open_scope = current_arg_scope()
        return recomputed(
            first,
            again,
            entered=lambda: arg_scope(open_scope),
            grads_together=tupleize_grads,
            other_variables=_OTHER_VARIABLES,
        )(*args)

    return wrapped


def _refuse_closures(fn: Callable[..., Any]) -> None:
    closed_over = inspect.getclosurevars(fn).nonlocals if inspect.isfunction(fn) else {}
    for name, value in closed_over.items():
        if isinstance(value, (Tensor, BaseVariable)):
            raise ValueError(
                f"fn decorated with @recompute_grad closes over Tensor {value.name} (local "
                f"variable name: {name}). The decorated fn must not close over Tensors or "
                "Variables because gradients will NOT be computed for them through fn. To ensure "
                "correct gradients, make the Tensor an input to fn."
            )
