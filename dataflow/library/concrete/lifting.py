"""Initial values that a traced function computes, computed outside of it instead."""

from __future__ import annotations

from dataflow.functions.func_graph import FuncGraph
from dataflow.graph import scopes
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor


def lifted(value: Tensor) -> Tensor:
    """A copy of a tensor, and of what it is made of, in the graph outside of all functions.

    Raises:
      ValueError: It depends on what the function is called with.
    """
    copies: dict[Operation, Operation] = {}
    with scopes.init_scope():
        return _outer(value, copies)


def _outer(tensor: Tensor, copies: dict[Operation, Operation]) -> Tensor:
    while isinstance(tensor.graph, FuncGraph):
        captured = tensor.graph.captured.external_of(tensor)
        if captured is None:
            break
        tensor = captured
    else:
        return tensor
    op = tensor.op
    if op not in copies:
        if op.type == "Placeholder":
            raise ValueError(
                f"Unable to lift tensor {tensor!r} because it depends transitively on placeholder "
                f"{op!r}"
            )
        inputs = [_outer(each, copies) for each in op.inputs]
        copies[op] = scopes.get_default_graph().add_op(op.op_def, inputs, dict(op.attrs), op.name)
    return copies[op].outputs[tensor.value_index]
