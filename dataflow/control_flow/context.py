"""ControlFlowContext: what branches of conditionals and loops have in common."""

from __future__ import annotations

from typing import Any

from dataflow.graph import contexts as graph_contexts
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import get_default_graph
from dataflow.graph.tensor import Tensor
from dataflow.proto.control_flow_pb2 import ControlFlowContextDef, ValuesDef
from dataflow.values import nest
from dataflow.values.scope_names import prepend_name_scope, strip_name_scope


class ControlFlowContext:
    """A branch or a loop that operations are made in.

    The graph has a current context, set by `Enter` and `Exit`; each operation keeps the one it was
    made in. A context keeps the names of the values it has seen, and for values from outside the
    tensor that stands for them inside. Method names are TensorFlow's, for programs call them.
    """

    kind: str
    """The field of ControlFlowContextDef that holds contexts of this kind."""

    _name: str

    def __init__(
        self, values_def: ValuesDef | None = None, import_scope: str | None = None
    ) -> None:
        self._nested_contexts: list[ControlFlowContext] = []
        self._outer_context: ControlFlowContext | None = (
            get_default_graph()._get_control_flow_context()
        )
        if self._outer_context is not None:
            self._outer_context._nested_contexts.append(self)
        self._context_stack: list[Any] = []
        self._values: set[str] = set()
        self._external_values: dict[str, Tensor] = {}
        if values_def is not None:
            self._init_values_from_proto(values_def, import_scope)

    @property
    def name(self) -> str:
        """The context's name."""
        return self._name

    @property
    def outer_context(self) -> ControlFlowContext | None:
        """The context this one was opened in, or None."""
        return self._outer_context

    @property
    def grad_state(self) -> Any:
        """What the gradient of the loop around keeps, or None outside of such a gradient."""
        raise NotImplementedError

    @property
    def back_prop(self) -> bool:
        """True if the loop around is prepared for gradients."""
        raise NotImplementedError

    def AddOp(self, op: Operation) -> None:
        """Takes up an operation made in this context: brings its inputs in."""
        raise NotImplementedError

    def _add_op_here(self, op: Operation) -> None:
        """`AddOp` of an operation that belongs here, whatever context is current."""
        self.AddOp(op)

    def AddValue(self, val: Tensor) -> Tensor:
        """The tensor that stands for `val` in this context."""
        raise NotImplementedError

    def AddName(self, name: str) -> None:
        """Makes a value known here by its name."""
        self._values.add(name)

    def AddInnerOp(self, op: Operation) -> None:
        """Learns of an operation made in a context inside this one."""
        if self._outer_context is not None:
            self._outer_context.AddInnerOp(op)

    def Enter(self) -> None:
        """Makes this the graph's current context."""
        graph = get_default_graph()
        self._context_stack.append(graph._get_control_flow_context())
        graph._set_control_flow_context(self)

    def Exit(self) -> None:
        """Goes back to the context that `Enter` found."""
        get_default_graph()._set_control_flow_context(self._context_stack.pop())

    def ExitResult(self, result: Any) -> None:
        """Makes a structure of tensors known in the outer context."""
        outer = self._outer_context
        if outer is not None:
            for tensor in nest.flatten(result, expand_composites=True):
                outer.AddName(tensor.name)

    def GetWhileContext(self) -> Any:
        """The innermost loop at or around this context, or None."""
        return graph_contexts.containing_while_context(self)

    def GetControlPivot(self) -> Tensor | None:
        """What operations without inputs wait for, so that they run only when this does."""
        return None

    def IsWhileContext(self) -> bool:
        """True for a loop."""
        return False

    def IsCondContext(self) -> bool:
        """True for a branch of a conditional."""
        return False

    def IsXLAContext(self) -> bool:
        """True for what a program wants to be compiled."""
        return False

    def to_proto(self, export_scope: str | None = None) -> Any:
        """The context as a message; None if it is not in `export_scope`."""
        raise NotImplementedError

    def to_control_flow_context_def(
        self, context_def: ControlFlowContextDef, export_scope: str | None = None
    ) -> None:
        """Writes the context into a message; nothing if it is not in `export_scope`."""
        written = self.to_proto(export_scope)
        if written is not None:
            getattr(context_def, self.kind).CopyFrom(written)

    def _remove_external_control_edges(
        self, op: Operation
    ) -> tuple[list[Operation], list[Operation]]:
        """Takes the control inputs from outside the loop around off an operation.

        Returns:
          The control inputs it keeps, and those it had from outside.
        """
        loop = self.GetWhileContext()
        control_inputs = op.control_inputs
        if loop is None:
            return control_inputs, []
        internal: list[Operation] = []
        external: list[Operation] = []
        for control_input in control_inputs:
            context = graph_contexts.output_context(control_input)
            inside = graph_contexts.containing_while_context(context) is loop
            (internal if inside else external).append(control_input)
        if external:
            op._remove_all_control_inputs()
            op._add_control_inputs(internal)
        return internal, external

    def _init_values_from_proto(self, values_def: ValuesDef, import_scope: str | None) -> None:
        graph = get_default_graph()
        self._values = {prepend_name_scope(value, import_scope) for value in values_def.values}
        for name, inside in values_def.external_values.items():
            tensor = graph.as_graph_element(prepend_name_scope(inside, import_scope))
            self._external_values[prepend_name_scope(name, import_scope)] = _tensor(tensor)
        for name in {v.split(":")[0] for v in self._values - set(self._external_values)}:
            op = graph.as_graph_element(name)
            assert isinstance(op, Operation)
            op._set_control_flow_context(self)

    def _to_values_def(self, export_scope: str | None) -> ValuesDef:
        values_def = ValuesDef()
        values_def.values.extend(
            strip_name_scope(name, export_scope) for name in sorted(self._values)
        )
        for name, tensor in self._external_values.items():
            inside = strip_name_scope(tensor.name, export_scope)
            values_def.external_values[strip_name_scope(name, export_scope)] = inside
        return values_def

    def __str__(self) -> str:
        return self.name


def tensor_of(name: str, import_scope: str | None) -> Tensor:
    """The tensor of the default graph that a context's message names.

    Raises:
      KeyError: The graph has no such tensor.
      ValueError: It is the name of an operation.
    """
    return _tensor(get_default_graph().as_graph_element(prepend_name_scope(name, import_scope)))


def _tensor(element: Any) -> Tensor:
    if not isinstance(element, Tensor):
        raise ValueError(f"A control flow context refers to {element!r}, which is no tensor.")
    return element
