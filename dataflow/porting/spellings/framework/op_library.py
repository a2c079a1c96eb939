"""tensorflow.python.framework.op_def_library: ops by their types, as wrappers call them."""

from __future__ import annotations

from typing import Any

from dataflow.graph.tensor import Tensor
from dataflow.porting.spellings.raw import op
from dataflow.schema.opdef import find
from dataflow.values import nest

__all__ = ["OpDefLibrary", "apply_op"]


def apply_op(op_type_name: str, name: str | None = None, **keywords: Any) -> Any:
    """Adds an operation.

    Args:
      op_type_name: The op.
      name: The name of the operation.
      **keywords: Inputs and attrs.

    Returns:
      Its outputs, or the operation if it has none.

    Raises:
      RuntimeError: There is no such op.
    """
    if find(op_type_name) is None:
        raise RuntimeError(f"Unrecognized Op name {op_type_name}")
    return op(op_type_name)(name=name, **keywords)


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
