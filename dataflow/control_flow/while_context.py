"""WhileContext: a loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.control_flow import predicates, primitives
from dataflow.control_flow.context import ControlFlowContext, tensor_of
from dataflow.control_flow.nesting import read_nested, register_reader, write_nested
from dataflow.graph import contexts as graph_contexts
from dataflow.graph import scopes
from dataflow.graph.collection_protos import register_proto_function
from dataflow.graph.keys import GraphKeys
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.identity import identity
from dataflow.proto.control_flow_pb2 import WhileContextDef
from dataflow.values.scope_names import prepend_name_scope, strip_name_scope

_MOVED_TO_FORWARD = ("Shape", "Size", "Rank")


class WhileContext(ControlFlowContext):
    """A loop: what is made here runs once in each iteration.

    Args:
      maximum_iterations: A scalar tensor that bounds the number of iterations, or None.
      parallel_iterations: How many iterations may be under way at once.
      back_prop: Whether gradients may pass through the loop.
      swap_memory: Whether values saved for gradients may be moved to host memory.
      name: The context's name, made unique: the name of the loop's frame.
      grad_state: For the backward loop of a gradient, what the gradient keeps.
      context_def: A message to restore the context from, instead of the other arguments.
      import_scope: Name scope that was put in front of the names in the message.

    Raises:
      ValueError: `parallel_iterations` is no positive integer.
    """

    kind = "while_ctxt"

    def __init__(
        self,
        maximum_iterations: Tensor | None = None,
        parallel_iterations: Any = 10,
        back_prop: bool = True,
        swap_memory: bool = False,
        name: str = "while_context",
        grad_state: Any = None,
        context_def: WhileContextDef | None = None,
        import_scope: str | None = None,
    ) -> None:
        self._grad_state = grad_state
        self._graph = scopes.get_default_graph()
        self._pivot: Any = None
        self._pivot_for_pred: Any = None
        self._pivot_for_body: Any = None
        self._loop_enters: list[Tensor] = []
        self._loop_exits: list[Tensor] = []
        if context_def is not None:
            self._init_from_proto(context_def, import_scope)
            return
        super().__init__()
        if not isinstance(parallel_iterations, int) or parallel_iterations <= 0:
            raise ValueError(
                f"'parallel_iterations' must be a positive integer: {parallel_iterations}"
            )
        self._name = self._graph.unique_name(name)
        self._maximum_iterations = maximum_iterations
        self._parallel_iterations = parallel_iterations
        self._back_prop = back_prop
        self._swap_memory = swap_memory

    def _init_from_proto(self, context_def: WhileContextDef, import_scope: str | None) -> None:
        self._name = prepend_name_scope(context_def.context_name, import_scope)
        limit = context_def.maximum_iterations_name
        self._maximum_iterations = tensor_of(limit, import_scope) if limit else None
        self._parallel_iterations = context_def.parallel_iterations
        self._back_prop = context_def.back_prop
        self._swap_memory = context_def.swap_memory
        self._pivot_for_pred = tensor_of(context_def.pivot_for_pred_name, import_scope)
        self._pivot_for_body = tensor_of(context_def.pivot_for_body_name, import_scope)
        self._pivot = tensor_of(context_def.pivot_name, import_scope)
        self._loop_exits = [tensor_of(name, import_scope) for name in context_def.loop_exit_names]
        self._loop_enters = [tensor_of(name, import_scope) for name in context_def.loop_enter_names]
        super().__init__(context_def.values_def, import_scope)
        if import_scope:
            self._rename_frame()

    def _rename_frame(self) -> None:
        """Gives the Enters of a loop that was imported into a scope the name it has there."""
        for name in self._values:
            op = tensor_of(name, None).op
            if predicates.is_enter(op):
                op._set_attr("frame_name", self.name.encode())

    @property
    def maximum_iterations(self) -> Tensor | None:
        """The bound on the number of iterations, or None."""
        return self._maximum_iterations

    @property
    def parallel_iterations(self) -> int:
        """How many iterations may be under way at once."""
        return self._parallel_iterations

    @property
    def back_prop(self) -> bool:
        """True if gradients may pass through the loop."""
        return self._back_prop

    @property
    def swap_memory(self) -> bool:
        """True if values saved for gradients may be moved to host memory."""
        return self._swap_memory

    @property
    def pivot(self) -> Tensor:
        """The condition under which the loop goes on."""
        pivot: Tensor = self._pivot
        return pivot

    @property
    def pivot_for_pred(self) -> Tensor:
        """What operations of the condition that have no inputs wait for."""
        pivot: Tensor = self._pivot_for_pred
        return pivot

    @property
    def pivot_for_body(self) -> Tensor:
        """What operations of the body that have no inputs wait for."""
        pivot: Tensor = self._pivot_for_body
        return pivot

    @property
    def loop_enters(self) -> list[Tensor]:
        """The Enters of the loop variables."""
        return self._loop_enters

    @property
    def loop_exits(self) -> list[Tensor]:
        """The Exits of the loop variables."""
        return self._loop_exits

    @property
    def grad_state(self) -> Any:
        """For the backward loop of a gradient, what the gradient keeps."""
        return self._grad_state

    def IsWhileContext(self) -> bool:
        """True."""
        return True

    def GetWhileContext(self) -> WhileContext:
        """This context."""
        return self

    def GetControlPivot(self) -> Tensor:
        """What operations without inputs wait for."""
        pivot: Tensor = (
            self._pivot_for_pred if self._pivot_for_body is None else self._pivot_for_body
        )
        return pivot

    def to_proto(self, export_scope: str | None = None) -> WhileContextDef | None:
        """The context as a message; None if it is not in `export_scope`."""
        if export_scope is not None and not self.name.startswith(export_scope):
            return None

        def stripped(tensor: Tensor) -> str:
            return strip_name_scope(tensor.name, export_scope)

        context_def = WhileContextDef(
            context_name=strip_name_scope(self.name, export_scope),
            parallel_iterations=self._parallel_iterations,
            back_prop=self._back_prop,
            swap_memory=self._swap_memory,
            pivot_for_pred_name=stripped(self._pivot_for_pred),
            pivot_for_body_name=stripped(self._pivot_for_body),
            pivot_name=stripped(self._pivot),
            loop_exit_names=[stripped(tensor) for tensor in self._loop_exits],
            loop_enter_names=[stripped(tensor) for tensor in self._loop_enters],
            values_def=self._to_values_def(export_scope),
        )
        if self._maximum_iterations is not None:
            context_def.maximum_iterations_name = stripped(self._maximum_iterations)
        write_nested(self._nested_contexts, context_def.nested_contexts, export_scope)
        return context_def

    @staticmethod
    def from_proto(context_def: WhileContextDef, import_scope: str | None = None) -> WhileContext:
        """Restores a context, and those inside it, in a graph that has its operations."""
        context = WhileContext(context_def=context_def, import_scope=import_scope)
        read_nested(context, context_def.nested_contexts, import_scope)
        return context

    def AddValue(self, val: Tensor) -> Tensor:
        """The tensor that stands for `val` in this loop; what comes from outside, by Enter."""
        # Of a loop that is imported into this one, values may come by that are not known yet.
        if val.name in self._values or val.op._control_flow_context is self:
            return self._external_values.get(val.name, val)
        self._values.add(val.name)
        saved = self._value_of_forward_loop(val)
        if saved is not None:
            self._external_values[val.name] = saved
            return saved
        result = val
        if self._outer_context is not None:
            result = self._outer_context.AddValue(val)
        with scopes.control_dependencies(None):
            entered: Tensor = primitives.enter(
                result, self._name, is_constant=True, parallel_iterations=self._parallel_iterations
            )
            entered.graph.prevent_feeding(entered)
            if self._outer_context is not None:
                self._outer_context.AddInnerOp(entered.op)
        self._fix_control_inputs_and_context([entered])
        self._values.add(entered.name)
        self._external_values[val.name] = entered
        return entered

    def _value_of_forward_loop(self, val: Tensor) -> Tensor | None:
        """In a backward loop, what was saved of a value of the forward loop."""
        current = graph_contexts.containing_while_context(
            scopes.get_default_graph()._get_control_flow_context()
        )
        if current is None or current.grad_state is None:
            return None
        source = graph_contexts.containing_while_context(graph_contexts.output_context(val.op))
        if source is not current.grad_state.forward_context:
            return None
        saved: Tensor = current.grad_state.GetRealValue(val)
        return saved

    def AddOp(self, op: Operation) -> None:
        """Takes up an operation: inputs from outside come by Enter, or the pivot is waited for."""
        if op.type in _MOVED_TO_FORWARD and not graph_contexts.is_in_xla_context(op):
            # To save a shape for the backward loop takes less than to save the value.
            current = graph_contexts.containing_while_context(
                scopes.get_default_graph()._get_control_flow_context()
            )
            if current is not None and current.grad_state is not None:
                source = op.inputs[0].op
                if graph_contexts.while_context(source) is current.grad_state.forward_context:
                    context = source._get_control_flow_context()
                    op._set_control_flow_context(context)
                    context._add_op_here(op)
                    return
        self._add_op_here(op)

    def _add_op_here(self, op: Operation) -> None:
        if op.type in ("PartitionedCall", "StatefulPartitionedCall"):
            op._add_control_input(self.GetControlPivot().op)
        if op.inputs:
            for index, tensor in enumerate(op.inputs):
                inside = self.AddValue(tensor)
                if inside is not tensor:
                    op._update_input(index, inside)
            _, external = self._remove_external_control_edges(op)
            self._bind_to_iteration(op)
        else:
            internal, external = self._remove_external_control_edges(op)
            if not internal:
                op._add_control_input(self.GetControlPivot().op)
        self._values.update(tensor.name for tensor in op.outputs)
        if external:
            self._wait_inside(op, external)
        if self._outer_context is not None or not predicates.is_exit(op):
            op.graph.prevent_fetching(op)
            for tensor in op.outputs:
                op.graph.prevent_feeding(tensor)
        if self._outer_context is not None:
            self._outer_context.AddInnerOp(op)

    def _bind_to_iteration(self, op: Operation) -> None:
        """Makes an operation that takes only invariants of the loop wait for the iteration."""
        if op._control_inputs:
            return
        is_call = op.graph._is_function(op.type) or op.type == "SymbolicGradient"
        if is_call or all(predicates.is_constant_enter(tensor.op) for tensor in op.inputs):
            op._add_control_input(self.GetControlPivot().op)

    def _wait_inside(self, op: Operation, external: Sequence[Operation]) -> None:
        """Waits for operations outside of the loop by way of their outputs, brought in."""
        with scopes.control_dependencies(None):
            self.Enter()
            inside = [identity(each.outputs[0]).op for each in external if each.outputs]
            self.Exit()
        op._add_control_inputs(inside)

    def _fix_control_inputs_and_context(self, enters: Sequence[Tensor]) -> None:
        """Puts Enters, made in no context, into this one, with the control inputs due there."""
        graph = scopes.get_default_graph()
        for tensor in enters:
            op = tensor.op
            waits_for = graph._scopes.control_inputs_for([op.inputs[0].op])
            op._set_control_flow_context(self)
            op._add_control_inputs([each for each in waits_for if self._is_around(each)])
            graph._scopes.note_made(op)

    def _is_around(self, control_input: Operation) -> bool:
        """True if an operation is in a context around this loop and in no loop further out."""
        context = graph_contexts.output_context(control_input)
        outer: Any = self._outer_context
        outer_loop = None if outer is None else outer.GetWhileContext()
        while outer is not context:
            if outer is None or outer is outer_loop:
                return False
            outer = outer.outer_context
        return True

    def _set_values(self, tensors: Sequence[Tensor]) -> None:
        """Makes these the values known here."""
        self._values = {tensor.name for tensor in tensors}


register_reader(WhileContext.kind, WhileContext.from_proto)
register_proto_function(
    GraphKeys.WHILE_CONTEXT, WhileContextDef, WhileContext.to_proto, WhileContext.from_proto
)
