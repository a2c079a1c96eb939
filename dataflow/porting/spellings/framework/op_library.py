"""tensorflow.python.framework.op_def_library: ops by their types, as wrappers call them."""

from __future__ import annotations

from typing import Any

from dataflow.graph.apply_op import apply_op as add_op
from dataflow.graph.tensor import Tensor
from dataflow.schema.opdef import find
from dataflow.values import nest

__all__ = ["OpDefLibrary", "apply_op"]


def apply_op(op_type_name: str, name: str | None = None, **keywords: Any) -> Any:
    """Adds an operation.

    Args:
      op_type_name: The op.
      name: The name of the operation.
      **keywords: Inputs and attrs, by their names in the op's definition; an underscore may
        follow a name.

    Returns:
      Its outputs, or the operation if it has none.

    Raises:
      RuntimeError: There is no such op.
      TypeError: An input is missing, or an argument is not the op's.
    """
    op_def = find(op_type_name)
    if op_def is None:
        raise RuntimeError(f"Unrecognized Op name {op_type_name}")
    names = [*(arg.name for arg in op_def.inputs), *op_def.attr_by_name]
    for given in [key for key in keywords if key not in names and key.removesuffix("_") in names]:
        keywords[given.removesuffix("_")] = keywords.pop(given)
    inputs = []
    for attr in keywords:
        if any(
            attr in (arg.type_attr, arg.number_attr, arg.type_list_attr) for arg in op_def.inputs
        ):
            raise TypeError(
                f"Should not specify value for inferred attr '{attr}' for {op_type_name}."
            )
    for arg in op_def.inputs:
        if arg.name not in keywords:
            raise TypeError(f'No argument for input {arg.name} found in name: "{op_type_name}"')
        inputs.append(keywords.pop(arg.name))
    return add_op(op_type_name, *inputs, name=name, **keywords)


def _apply_op_helper(op_type_name: str, name: str | None = None, **keywords: Any) -> Any:
    """The definition, None for the structure, whether it is stateful, and the operation."""
    made = nest.flatten(apply_op(op_type_name, name, **keywords))[0]
    operation = made.op if isinstance(made, Tensor) else made
    definition = operation.op_def
    return definition, None, definition.is_stateful, operation


class OpDefLibrary:
    """The ops of this library, whatever is added."""

    def add_op(self, op_def: Any) -> None:
        """Does nothing."""

    def add_op_list(self, op_list: Any) -> None:
        """Does nothing."""

    def apply_op(self, op_type_name: str, name: str | None = None, **keywords: Any) -> Any:
        """See the function of that name."""
        return apply_op(op_type_name, name, **keywords)

    def _apply_op_helper(self, op_type_name: str, name: str | None = None, **keywords: Any) -> Any:
        return _apply_op_helper(op_type_name, name, **keywords)
