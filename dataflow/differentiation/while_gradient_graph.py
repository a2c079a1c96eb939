"""The body of a backward loop: how it gets at the values of the forward loop's iterations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import dataflow.ops.lists.tensor_list_nodes as lists
from dataflow.control_flow.intermediates import accumulate, accumulator_of
from dataflow.differentiation.resource_inputs import resource_input_index
from dataflow.functions.func_graph import FuncGraph, WhileBodyFuncGraph
from dataflow.graph.constant_value import constant_value
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.constant import constant
from dataflow.schema.opdef import OpDef
from dataflow.values import dtypes

_SMALLER_THAN_INPUT: Final = frozenset(
    {"Rank", "Shape", "Size", "TensorListElementShape", "TensorListLength"}
)
"""Of their inputs only the shape matters: it is saved in their place."""


class WhileGradientGraph(WhileBodyFuncGraph):
    """The gradient of a loop's body.

    A tensor of the body reaches it as the loop variable it is, if it stays the same, or from a list
    that the forward loop pushes its values to.

    Attributes:
      new_inputs: Lists, empty at first, that the forward loop has to be given.
      following: For each captured input what it is in the next iteration.
    """

    def __init__(
        self,
        name: str,
        forward_cond: FuncGraph,
        forward_body: FuncGraph,
        forward_node: Operation,
        limit: Tensor,
    ) -> None:
        super().__init__(name)
        self._forward = forward_body
        self._forward_cond = forward_cond
        self._forward_op = forward_node
        self._limit = limit
        self._indirect: dict[Tensor, Tensor] = {}
        self.new_inputs: list[Tensor] = []
        self.following: dict[Tensor, Tensor] = {}

    def add_op(
        self,
        op_def: OpDef,
        inputs: Sequence[Tensor],
        attrs: dict[str, Any],
        name: str | None,
        op: Operation | None = None,
    ) -> Operation:
        """Adds an operation; one that reads a shape of the forward body is put there instead."""
        if op_def.name in _SMALLER_THAN_INPUT and all(
            tensor.graph is self._forward and accumulator_of(tensor) is None for tensor in inputs
        ):
            return self._add_forward(op_def, inputs, attrs, name)
        return super().add_op(op_def, inputs, attrs, name, op)

    def _add_forward(
        self, op_def: OpDef, inputs: Sequence[Tensor], attrs: dict[str, Any], name: str | None
    ) -> Operation:
        if name is None or not name.endswith("/"):
            with self.name_scope(name or op_def.name) as scope:
                name = scope
        key = (op_def.name, *inputs, name, tuple(sorted(attrs.items(), key=lambda item: item[0])))
        found = self._forward.shape_ops.get(key)
        if found is None:
            with self._forward.as_default():
                found = self._forward.add_op(op_def, inputs, attrs, name[:-1])
            self._forward.shape_ops[key] = found
        return found

    def _capture_outer(self, tensor: Tensor, name: str) -> Tensor:
        known = self._indirect.get(tensor)
        if known is not None:
            return known
        forward = self._forward
        if tensor.graph is not forward:
            return self._captured_unchanged(tensor, name)
        while tensor.op.type == "Identity":
            tensor = tensor.op.inputs[0]
        known = self._indirect.get(tensor)
        if known is not None:
            return known
        if tensor in forward.inputs and tensor in forward.outputs:
            return self._captured_unchanged(tensor, name)
        if tensor.op.type == "Const":
            captured = constant(constant_value(tensor), dtype=tensor.dtype)
        elif tensor.dtype is dtypes.resource:
            captured = self.capture(self._outer_resource(tensor))
        else:
            captured = self._popped(tensor, name)
        self._indirect[tensor] = captured
        return captured

    def _captured_unchanged(self, tensor: Tensor, name: str) -> Tensor:
        """Captures what is the same in all iterations."""
        known = self.captured.get(tensor)
        if known is not None:
            return known
        captured = super()._capture_outer(tensor, name)
        self.following[captured] = captured
        self._indirect[tensor] = captured
        return captured

    def _outer_resource(self, tensor: Tensor) -> Tensor:
        """The resource outside of the loop that a handle in the body stands for."""
        forward = self._forward
        index = resource_input_index(tensor, forward)
        outer = self._forward_op.inputs[index]
        if index != resource_input_index(forward.outputs[index], forward):
            raise AssertionError(f"Resource tensors must be loop invariants {outer}")
        return outer

    def _popped(self, tensor: Tensor, name: str) -> Tensor:
        """The value of the iteration that is gone back; the forward loop is made to push it."""
        accumulator = accumulator_of(tensor)
        if accumulator is None:
            accumulator = self._new_accumulator(tensor)
        captured = super()._capture_outer(accumulator, name)
        rest: Tensor
        value: Tensor
        rest, value = lists.pop_back(captured, element_dtype=tensor.dtype.base_dtype)
        self.following[captured] = rest
        value.handle_data = tensor.handle_data
        return value

    def _new_accumulator(self, tensor: Tensor) -> Tensor:
        name = f"{tensor.name}/accumulator".replace(":", "_")
        forward = self._forward
        empty, accumulator = accumulate(tensor, self._forward_cond, forward, self._limit, name)
        self.new_inputs.append(empty)
        return accumulator
