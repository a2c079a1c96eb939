"""Functions that bring their own gradient: `custom_gradient` and what is made with it."""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from dataflow.control_flow.functional import copy_handle_data
from dataflow.differentiation.captured_gradients import differentiate_here
from dataflow.differentiation.computation import is_resource_variable
from dataflow.differentiation.registry import has_gradient, own_gradient
from dataflow.functions.func_graph import FuncGraph
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.keys import GraphKeys
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.identity import identity, identity_n
from dataflow.values import nest

_VARIABLE_OPS = ("VariableV2", "VarHandleOp")
_READING_OPS = ("ReadVariableOp", "ResourceGather", "ResourceGatherNd")
_counter = itertools.count(1)


def custom_gradient(f: Callable[..., Any] | None = None) -> Any:
    """Decorator for a function that says itself what its gradient is.

    Args:
      f: `f(*x)` returns `(y, grad_fn)`: tensors, or a structure of them, and a function
        `grad_fn(*grad_ys)` that gives the gradient for each x. If `f` uses variables that are not
        among its arguments, they must be resource variables, and
        `grad_fn(*grad_ys, variables=None)` gives two lists: the gradients for the xs and those for
        `variables`.

    Returns:
      A function like `f` that returns `y` alone, or, without `f`, the decorator.

    Raises:
      TypeError: When called: `f` uses variables that `grad_fn` does not take, or reference
        variables.
      ValueError: When called: there are keyword arguments; when differentiated: `grad_fn` gives
        another number of gradients than there are inputs and variables.
    """
    return custom_gradient if f is None else _WithGradient(f)


def grad_pass_through(f: Callable[..., Any]) -> Any:
    """A function with the values of `f` and the gradients of the identity function."""

    @custom_gradient
    def passed_through(*args: Any, **kwargs: Any) -> Any:
        def gradient(*grads: Any, variables: Sequence[Any] | None = None) -> Any:
            return grads if variables is None else (grads, [None] * len(variables))

        return f(*args, **kwargs), gradient

    return functools.wraps(f)(passed_through)


class _WithGradient:
    """A function decorated with `custom_gradient`; binds like a function does as a method."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        functools.update_wrapper(self, function)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        return _WithGradient(self._function.__get__(instance, owner))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if kwargs:
            raise ValueError(
                "The custom_gradient decorator currently supports keywords arguments only when "
                "eager execution is enabled."
            )
        inputs = nest.map_structure(convert_to_tensor, args, expand_composites=True)
        graph = scopes.graph_of(nest.flatten(inputs))
        known = {id(variable) for variable in _collected(_STATE)}
        with graph._scopes.control_dependencies([]) as made:
            result, grad_fn = self._function(*inputs)
        _refuse_references(v for v in _collected(_STATE) if id(v) not in known)
        flat_inputs, flat_result = nest.flatten(inputs), nest.flatten(result)
        reached = variables_between(flat_inputs, flat_result)
        used = {v.name: v for v in (*reached, *variables_read(made.seen))}
        variables = [used[name] for name in sorted(used)]
        if variables and not _takes_variables(grad_fn):
            raise TypeError(
                "If using @custom_gradient with a function that uses variables, then grad_fn must "
                "accept a keyword argument 'variables'."
            )

        def gradient(op: Operation, *grads: Any) -> list[Any]:
            result_grads = grads[: len(flat_result)]
            if not variables:
                return _padded(flat_result, grad_fn(*result_grads), ())
            input_grads, variable_grads = grad_fn(*result_grads, variables=variables)
            if len(variable_grads) != len(variables):
                raise ValueError(
                    "Must return gradient for each variable from @custom_gradient grad_fn."
                )
            return _padded(flat_result, input_grads, variable_grads)

        name = f"CustomGradient-{next(_counter)}"
        with graph.gradient_override_map({"IdentityN": name}):
            outputs = identity_n([*flat_result, *flat_inputs, *variables])
        copy_handle_data([*flat_result, *flat_inputs], outputs)
        own_gradient(outputs[0].op, name, gradient)
        differentiate_here(graph)
        for variable in variables:
            # One more read than is needed, so that later nodes get TensorFlow's names.
            convert_to_tensor(variable)
        return nest.pack_sequence_as(result, outputs[: len(flat_result)])


def _padded(results: Sequence[Any], input_grads: Any, variable_grads: Iterable[Any]) -> list[Any]:
    """Gradients for the inputs of the IdentityN, whose first inputs are the results."""
    return [*(None for _ in results), *nest.flatten(input_grads), *variable_grads]


_STATE = (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES)


def _collected(keys: Iterable[str]) -> list[Any]:
    return [item for key in keys for item in scopes.get_collection(key)]


def _refuse_references(new_variables: Iterable[Any]) -> None:
    if not all(is_resource_variable(variable) for variable in new_variables):
        raise TypeError(
            "All variables used by a function wrapped with @custom_gradient must be "
            "`ResourceVariable`s. Ensure that no `variable_scope` is created with "
            "`use_resource=False`."
        )


def _takes_variables(grad_fn: Callable[..., Any]) -> bool:
    spec = inspect.getfullargspec(grad_fn)
    return "variables" in (*spec.args, *spec.kwonlyargs) or spec.varkw is not None


def variables_read(ops: Iterable[Operation]) -> list[Any]:
    """The trainable variables whose values the function's operations read."""
    handles = {_outside(op.inputs[0]) for op in ops if op.type in _READING_OPS}
    candidates = _collected((*_STATE, GraphKeys.TRAINABLE_VARIABLES)) if handles else []
    return [
        v for v in candidates if is_resource_variable(v) and v.trainable and v.handle in handles
    ]


def _outside(tensor: Tensor) -> Tensor:
    """The tensor that one in the body of a function stands for, or itself."""
    while isinstance(tensor.graph, FuncGraph):
        external = tensor.graph.captured.external_of(tensor)
        if external is None:
            break
        tensor = external
    return tensor


def variables_between(inputs: Sequence[Tensor], results: Sequence[Any]) -> list[Any]:
    """The trainable variables whose gradients the results would have but for their own."""
    # A result may be an input itself; its copy is not. The copies are TensorFlow's, too.
    queue = [identity(result).op for result in results]
    ends = set(inputs)
    seen = set(queue)
    variables = []
    while queue:
        op = queue.pop()
        if op.type in _VARIABLE_OPS:
            variables += _trainable_variable(op.name)
        if has_gradient(op.type):
            found = {tensor.op for tensor in op.inputs if tensor not in ends}
            queue += found - seen
            seen |= found
    return variables


def _trainable_variable(name: str) -> list[Any]:
    """The variable of that name, if it is trainable.

    Raises:
      ValueError: No variable has that name, or several have.
    """
    named = [v for v in _collected((GraphKeys.GLOBAL_VARIABLES,)) if _op_name(v) == name]
    if not named:
        raise ValueError(f"Unsuccessful at finding variable {name}.")
    trainable = [variable for variable in named if variable.trainable]
    if len(trainable) > 1:
        raise ValueError(
            f"Unsuccessful at finding trainable variable {name}. Number of candidates: "
            f"{len(trainable)}. Candidates: {trainable}"
        )
    return trainable


def _op_name(item: Any) -> str | None:
    op = getattr(item, "op", None)
    return op.name if isinstance(op, Operation) else None
