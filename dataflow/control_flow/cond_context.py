"""CondContext: one branch of a conditional."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.control_flow import primitives
from dataflow.control_flow.context import ControlFlowContext, tensor_of
from dataflow.control_flow.nesting import read_nested, register_reader, write_nested
from dataflow.control_flow.variable_reads import read_variables
from dataflow.control_flow.written_summaries import with_summaries
from dataflow.functions import flow
from dataflow.graph import scopes
from dataflow.graph.collection_protos import register_proto_function
from dataflow.graph.contexts import EXITS, op_in_context
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.keys import GraphKeys
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.proto.control_flow_pb2 import CondContextDef
from dataflow.values import nest
from dataflow.values.scope_names import prepend_name_scope, strip_name_scope


class CondContext(ControlFlowContext):
    """A branch: what is made here runs only if the condition goes its way.

    Args:
      pred: The condition, a boolean scalar.
      pivot: The condition as it is alive in this branch.
      branch: 1 for what runs if `pred` is true, else 0.
      name: The context's name; made unique.
      context_def: A message to restore the context from, instead of the other arguments.
      import_scope: Name scope that was put in front of the names in the message.
    """

    kind = "cond_ctxt"

    def __init__(
        self,
        pred: Tensor | None = None,
        pivot: Tensor | None = None,
        branch: int | None = None,
        name: str = "cond_text",
        context_def: CondContextDef | None = None,
        import_scope: str | None = None,
    ) -> None:
        self._name = scopes.get_default_graph().unique_name(name)
        self._pred: Tensor
        self._pivot: Tensor
        self._branch: int
        if context_def is not None:
            self._init_from_proto(context_def, import_scope)
            return
        super().__init__()
        assert pred is not None and pivot is not None and branch is not None
        self._pred, self._pivot, self._branch = pred, pivot, branch
        self._values.add(pred.name)
        self._external_values[pred.name] = pred
        self._values.add(pivot.name)
        pivot.op._set_control_flow_context(self)

    def _init_from_proto(self, context_def: CondContextDef, import_scope: str | None) -> None:
        self._name = prepend_name_scope(context_def.context_name, import_scope)
        self._pred = tensor_of(context_def.pred_name, import_scope)
        self._pivot = tensor_of(context_def.pivot_name, import_scope)
        self._branch = context_def.branch
        super().__init__(context_def.values_def, import_scope)

    @property
    def pred(self) -> Tensor:
        """The condition."""
        return self._pred

    @property
    def pivot(self) -> Tensor:
        """The condition as it is alive in this branch."""
        return self._pivot

    @property
    def branch(self) -> int:
        """1 for what runs if the condition is true, else 0."""
        return self._branch

    @property
    def grad_state(self) -> Any:
        """What the gradient of the loop around keeps, or None outside of such a gradient."""
        loop = self.GetWhileContext()
        return None if loop is None else loop.grad_state

    @property
    def back_prop(self) -> bool:
        """True if the loop around is prepared for gradients."""
        loop = self.GetWhileContext()
        return loop is not None and loop.back_prop

    def GetControlPivot(self) -> Tensor:
        """What operations without inputs wait for."""
        return self._pivot

    def IsCondContext(self) -> bool:
        """True."""
        return True

    def to_proto(self, export_scope: str | None = None) -> CondContextDef | None:
        """The context as a message; None if it is not in `export_scope`."""
        if export_scope is not None and not self.name.startswith(export_scope):
            return None
        context_def = CondContextDef(
            context_name=strip_name_scope(self.name, export_scope),
            pred_name=strip_name_scope(self._pred.name, export_scope),
            pivot_name=strip_name_scope(self._pivot.name, export_scope),
            branch=self._branch,
            values_def=self._to_values_def(export_scope),
        )
        write_nested(self._nested_contexts, context_def.nested_contexts, export_scope)
        return context_def

    @staticmethod
    def from_proto(context_def: CondContextDef, import_scope: str | None = None) -> CondContext:
        """Restores a context, and those inside it, in a graph that has its operations."""
        context = CondContext(context_def=context_def, import_scope=import_scope)
        read_nested(context, context_def.nested_contexts, import_scope)
        return context

    def AddValue(self, val: Tensor) -> Tensor:
        """The tensor that stands for `val` in this branch: alive only if the branch is taken."""
        if val.name in self._values:
            # In a nested conditional that may be what the outer branch has for it.
            return self._external_values.get(val.name, val)
        result = val
        self._values.add(val.name)
        outer = self._outer_context
        if outer is not None:
            result = outer.AddValue(val)
            self._values.add(result.name)
            self._external_values[result.name] = result
        with scopes.control_dependencies(None):
            result = self._switched(result)
            if outer is not None:
                outer.AddInnerOp(result.op)
        result.graph.prevent_fetching(result.op)
        result.op._set_control_flow_context(self)
        self._add_to_all([result])
        self._external_values[val.name] = result
        return result

    def AddOp(self, op: Operation) -> None:
        """Takes up an operation: inputs from outside come by Switch, or the pivot is waited for."""
        if op.inputs:
            for index, tensor in enumerate(op.inputs):
                if op.type == "Merge" and tensor.op.type == "NextIteration":
                    # The back edge of a loop that is imported here comes from inside.
                    continue
                inside = self.AddValue(tensor)
                if inside is not tensor:
                    op._update_input(index, inside)
            self._remove_external_control_edges(op)
            if op.graph._is_function(op.type) or op.type == "SymbolicGradient":
                op._add_control_input(self._pivot.op)
        else:
            self._remove_external_control_edges(op)
            if not any(op_in_context(control_input, self) for control_input in op._control_inputs):
                op._add_control_input(self._pivot.op)
        self._add_to_all(op.outputs)
        if self._outer_context is not None or op.type not in EXITS:
            op.graph.prevent_fetching(op)
        if self._outer_context is not None:
            self._outer_context.AddInnerOp(op)

    def BuildCondBranch(self, fn: Callable[[], Any]) -> tuple[Any, Any]:
        """Makes the operations of the branch.

        Returns:
          What `fn` returned, and its structure with the tensors to merge; None twice if `fn`
          returned nothing.
        """
        original = with_summaries(fn, before=read_variables)
        if original is None:
            return None, None
        original = read_variables(original)
        result = nest.map_structure(self._branch_tensor, original, expand_composites=True)
        return original, result if isinstance(result, (list, tuple)) else [result]

    def _switched(self, value: Tensor) -> Tensor:
        side: Tensor = primitives.switch_ref_or_tensor(value, self._pred)[self._branch]
        return side

    def _add_to_all(self, tensors: list[Tensor]) -> None:
        """Makes tensors known here and in all contexts around."""
        names = [tensor.name for tensor in tensors]
        context: ControlFlowContext | None = self
        while context is not None:
            context._values.update(names)
            context = context._outer_context

    def _branch_tensor(self, value: Any) -> Tensor:
        if isinstance(value, Operation):
            result: Tensor = with_dependencies([value], self._pivot)
            return result
        return self._output(convert_to_tensor(flow.to_flow(value)))

    def _output(self, value: Tensor) -> Tensor:
        """A result of the branch; one from outside, returned as it is, comes by Switch."""
        if value.name in self._values:
            return self._external_values.get(value.name, value)
        result = value
        self._values.add(value.name)
        if self._outer_context is not None:
            result = self._outer_context.AddValue(value)
            self._values.add(result.name)
            self._external_values[result.name] = result
        result = self._switched(result)
        self._external_values[value.name] = result
        return result


register_reader(CondContext.kind, CondContext.from_proto)
register_proto_function(
    GraphKeys.COND_CONTEXT, CondContextDef, CondContext.to_proto, CondContext.from_proto
)
