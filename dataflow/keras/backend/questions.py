"""What tensors, shapes and conditions are: what layers of programs ask TensorFlow's tf_utils."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from dataflow.control_flow.smart_cond import smart_cond as smart_cond
from dataflow.control_flow.smart_cond import smart_constant_value
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.values import nest
from dataflow.values.composite_tensor import CompositeTensor
from dataflow.values.shapes import TensorShape
from dataflow.variables.base import BaseVariable


def constant_value(pred: Any) -> Any:
    """The value of a condition if it is known when the graph is made, else None."""
    return smart_constant_value(pred)


def get_reachable_from_inputs(inputs: Any, targets: Any = None) -> set[Any]:
    """The tensors and operations that come of some, with these.

    Args:
      inputs: Tensors, variables or operations.
      targets: Once all of these are found, no more is looked for; None to find all.

    Raises:
      TypeError: An input is something else.
    """
    waiting = list(nest.flatten(inputs))
    found = set(waiting)
    wanted = None if targets is None else set(nest.flatten(targets))
    while waiting and (wanted is None or not wanted <= found):
        each = waiting.pop()
        if isinstance(each, Operation):
            after = [*each.outputs, *each._control_outputs]
        elif isinstance(each, BaseVariable):
            after = [each.op]
        elif isinstance(each, Tensor):
            after = list(each.consumers())
        else:
            raise TypeError(f"Expected Operation, Variable, or Tensor, got {each}")
        new = [item for item in after if item not in found]
        found.update(new)
        waiting += new
    return found


_SYMBOLIC: list[type] = [Tensor, BaseVariable, CompositeTensor]
"""What counts as a tensor; programs add their own classes."""


def register_symbolic_tensor_type(cls: type) -> None:
    """Lets objects of a class, that can be converted to tensors, count as tensors."""
    _SYMBOLIC.append(cls)


def is_symbolic_tensor(tensor: Any) -> bool:
    """Whether it is a tensor or a variable of a graph, of whatever kind, or counts as one."""
    return isinstance(tensor, tuple(_SYMBOLIC))


def are_all_symbolic_tensors(tensors: Any) -> bool:
    """Whether all are."""
    return all(map(is_symbolic_tensor, tensors))


def is_tensor_or_variable(x: Any) -> bool:
    """Whether it is a tensor or a variable."""
    return is_symbolic_tensor(x)


def is_tensor_or_tensor_list(v: Any) -> bool:
    """Whether it is a tensor, or the first of a list is one."""
    return is_symbolic_tensor(nest.flatten(v)[0])


def is_ragged(tensor: Any) -> bool:
    """Whether it is a ragged one."""
    return hasattr(tensor, "nested_row_splits")


def convert_shapes(input_shape: Any, to_tuples: bool = True) -> Any:
    """Shapes in their structure, as tuples or as `TensorShape`s."""
    if isinstance(input_shape, dict):
        return {key: convert_shapes(each, to_tuples) for key, each in input_shape.items()}
    if _is_shape(input_shape):
        shape = TensorShape(input_shape)
        return tuple(shape.as_list()) if to_tuples and shape.rank is not None else shape
    parts = [convert_shapes(each, to_tuples) for each in input_shape]
    is_named = hasattr(input_shape, "_fields")
    return type(input_shape)(*parts) if is_named else type(input_shape)(parts)


def _is_shape(value: Any) -> bool:
    return not isinstance(value, (list, tuple)) or all(
        each is None or isinstance(each, int) or hasattr(each, "value") for each in value
    )


def shape_type_conversion(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates methods of shapes that compute with tuples."""

    @functools.wraps(fn)
    def method(instance: Any, input_shape: Any) -> Any:
        if input_shape is not None:
            input_shape = convert_shapes(input_shape, to_tuples=True)
        found = fn(instance, input_shape)
        return None if found is None else convert_shapes(found, to_tuples=False)

    return method
