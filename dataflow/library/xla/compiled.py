"""compile: a part of a graph that XLA would compile; here it runs as it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import dataflow.ops.basic.identity as basic_identity
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.variable_scope_object import get_variable_scope
from dataflow.ops.basic.grouping import group
from dataflow.values import nest


def compile(computation: Callable[..., Any], inputs: Sequence[Any] | None = None) -> Any:
    """Calls a function, whose variables are behind handles, and runs all it gives together.

    Args:
      computation: Takes the inputs; it gives nested tensors, or a list of tensors and after them
        operations.
      inputs: What it takes; nested numbers become tensors one by one.

    Returns:
      The tensors as it gave them, a single one in a list; an operation if there are none.

    Raises:
      TypeError: `inputs` is no sequence.
      ValueError: It gives something else.
    """
    inputs = [] if inputs is None else inputs
    if not isinstance(inputs, Sequence):
        raise TypeError("inputs must be a list")
    flat = [
        basic_identity.identity(convert_to_tensor(each), name=f"input_{place}")
        for place, each in enumerate(nest.flatten(inputs))
    ]
    scope = get_variable_scope()
    use_resource = scope.use_resource
    scope.set_use_resource(True)
    try:
        outputs = computation(*nest.pack_sequence_as(inputs, flat))
    finally:
        scope.set_use_resource(use_resource)
    structure = outputs if _is_nested(outputs) else None
    tensors, operations = _told_apart(nest.flatten(outputs) if structure else _as_list(outputs))
    if structure and operations:
        raise ValueError(
            "XLA computation function must not return Operations in a structure that is not flat: "
            f"{operations[0]}"
        )
    if not tensors:
        return group(*operations, name="output_0")
    with scopes.control_dependencies(operations):
        tensors = [
            basic_identity.identity(each, name=f"output_{place}")
            for place, each in enumerate(tensors)
        ]
    return nest.pack_sequence_as(structure, tensors) if structure else tensors


def _is_nested(outputs: Any) -> bool:
    if isinstance(outputs, Sequence):
        return any(isinstance(each, (Sequence, Mapping)) for each in outputs)
    return isinstance(outputs, Mapping)


def _as_list(outputs: Any) -> list[Any]:
    if outputs is None:
        return []
    return list(outputs) if isinstance(outputs, Sequence) else [outputs]


def _told_apart(outputs: list[Any]) -> tuple[list[Any], list[Operation]]:
    try:
        outputs = [
            each if isinstance(each, Operation) else convert_to_tensor(each) for each in outputs
        ]
    except (TypeError, ValueError) as error:
        raise ValueError(
            "XLA computation function return values must all either be Operations or convertible "
            f'to Tensors. Got error: "{error}"'
        ) from error
    operations = [each for each in outputs if isinstance(each, Operation)]
    tensors = [each for each in outputs if not isinstance(each, Operation)]
    if outputs != tensors + operations:
        raise ValueError(
            "XLA computation function must return zero or more Tensor values followed by zero or "
            "more Operations."
        )
    return tensors, operations
