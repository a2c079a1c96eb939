"""Operation: a node of a graph under construction."""

from __future__ import annotations

import traceback as traceback_lib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from dataflow.errors import InvalidArgumentError, OutOfRangeError
from dataflow.graph import default_stacks
from dataflow.graph.creation_site import CreationSite
from dataflow.graph.parts.operation_internals import OperationInternals
from dataflow.graph.parts.places import OpenScope, TraceableObject, shown_device
from dataflow.graph.tensor import Tensor
from dataflow.graph.tracebacks import shortened
from dataflow.proto.attr_value_pb2 import AttrValue
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.schema.opdef import GradientFunction, OpDef
from dataflow.schema.summaries import shape_text
from dataflow.values import attrs as attr_codec
from dataflow.values.dtypes import DType

if TYPE_CHECKING:
    from dataflow.graph.graph import Graph


class Operation(OperationInternals):
    """A node: takes tensors, makes tensors. `Graph.create_op` makes them, and so does a call.

    `attrs` holds decoded attr values; every schema attr has an entry.

    Args:
      node_def: The type, the name, the device and the attrs.
      g: The graph that the node becomes part of.
      inputs: The tensors it takes.
      output_types: Ignored: the schema says what comes out.
      control_inputs: Operations that run before it.
      input_types: Ignored: the schema says what goes in.
      original_op: The operation that it was made for.
      op_def: Ignored: op types are registered.

    Raises:
      TypeError: `node_def` is no NodeDef.
      ValueError: The name is not valid, or taken.
    """

    __slots__ = (
        "__dict__",
        "__weakref__",
        "_control_flow_context",
        "_control_inputs",
        "_control_outputs",
        "_device",
        "_edges",
        "_gradient_function",
        "_id",
        "_inputs",
        "_original_op",
        "_scopes_around",
        "attrs",
        "creation_site",
        "graph",
        "name",
        "op_def",
        "outputs",
        "type",
    )

    _original_op: Operation | None
    _scopes_around: tuple[Sequence[OpenScope], Sequence[OpenScope]]

    def __init__(
        self,
        node_def: NodeDef,
        g: Graph,
        inputs: Sequence[Tensor] | None = None,
        output_types: Any = None,
        control_inputs: Iterable[Operation] | None = None,
        input_types: Any = None,
        original_op: Operation | None = None,
        op_def: Any = None,
    ) -> None:
        if not isinstance(node_def, NodeDef):
            raise TypeError(f"node_def needs to be a NodeDef: {node_def}")
        g._add_node(self, node_def, inputs or ())
        self._add_control_inputs(control_inputs or ())
        if original_op is not None:
            self._original_op = original_op

    def _begin(
        self,
        graph: Graph,
        op_def: OpDef,
        name: str,
        inputs: Sequence[Tensor],
        attrs: dict[str, Any],
        control_inputs: list[Operation],
        creation_site: CreationSite | None,
    ) -> Operation:
        """Fills in a new operation, which is not part of the graph yet."""
        self.graph = graph
        self.op_def = op_def
        self.type = op_def.name
        self.name = name
        self.attrs = attrs
        self.outputs: list[Tensor] = []
        self.creation_site = creation_site
        self._inputs = tuple(inputs)
        self._control_inputs = control_inputs
        self._control_outputs: list[Operation] = []
        self._device = ""
        self._id = 0
        self._original_op = None
        self._scopes_around = (), ()
        self._gradient_function: GradientFunction | None = None
        self._control_flow_context: Any = graph._get_control_flow_context()
        self._edges: list[int | Operation] | None = None
        """Once an input was replaced: indices of inputs, and control inputs, in TensorFlow's order.

        There a new edge goes to the end, and the last one takes the place of one that is removed.
        """
        return self

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """The input tensors."""
        return self._inputs

    @property
    def _input_types(self) -> list[DType]:
        return self.op_def.input_types(self.attrs)

    @property
    def _outputs(self) -> list[Tensor]:
        """As programs that copy graphs say it."""
        return self.outputs

    @property
    def _output_types(self) -> list[int]:
        return [int(output.dtype.as_datatype_enum) for output in self.outputs]

    @property
    def control_inputs(self) -> list[Operation]:
        """Operations that run before this one."""
        return list(self._control_inputs)

    @property
    def _control_outputs_list(self) -> list[Operation]:
        return list(self._control_outputs)

    @property
    def device(self) -> str:
        """The device asked for, or ""."""
        return self._device

    @property
    def node_def(self) -> NodeDef:
        """The node as it stands in GraphDef."""
        node = NodeDef()
        self.fill_node_def(node)
        return node

    @property
    def _node_def(self) -> NodeDef:
        """As programs from before TensorFlow 1.3 say it."""
        return self.node_def

    @property
    def _graph(self) -> Graph:
        """As programs that copy graphs say it."""
        return self.graph

    def fill_node_def(self, node: NodeDef, with_attrs: bool = True) -> None:
        """Writes the node, with or without its attrs, into an empty NodeDef."""
        node.name = self.name
        node.op = self.type
        node.input.extend([tensor._as_node_def_input() for tensor in self._inputs])
        if self._control_inputs:
            node.input.extend(sorted("^" + op.name for op in self._control_inputs))
        if self._device:
            node.device = self._device
        if not with_attrs:
            return
        kinds = self.op_def.attr_by_name
        protos = node.attr
        for name, value in self.attrs.items():
            if type(value) is DType:
                protos[name].type = value.as_datatype_enum  # type: ignore[assignment]
            elif (definition := kinds.get(name)) is None:
                attr_codec.encode_inferred(value, protos[name])
            else:
                attr_codec.encode(value, definition.kind, protos[name])

    def get_attr(self, name: str) -> Any:
        """The value of an attr, as TensorFlow gives it: shapes and tensors as protos.

        Raises:
          ValueError: There is no such attr.
        """
        if name not in self.attrs:
            raise ValueError(f"Operation '{self.name}' has no attr named '{name}'.")
        value = self.attrs[name]
        if isinstance(value, (DType, bool, int, float, bytes)):
            return value
        if isinstance(value, tuple) and all(
            isinstance(v, (DType, bool, int, float, bytes)) for v in value
        ):
            return list(value)
        proto = self._encoded(name)
        kind = proto.WhichOneof("value")
        if kind != "list":
            return getattr(proto, kind) if kind else None
        fields = proto.list.ListFields()
        return list(fields[0][1]) if fields else []

    def colocation_groups(self) -> list[bytes]:
        """Names of the groups of operations that share a device with this one."""
        groups = [name for name in self.attrs.get("_class", ()) if name.startswith(b"loc:@")]
        return groups or [b"loc:@" + self.name.encode()]

    def _set_creation_site(self, site: CreationSite | None) -> None:
        self.creation_site = site

    @property
    def traceback_line(self) -> str:
        """`file:line` of the program line that made the operation, or ""."""
        return str(self.creation_site) if self.creation_site else ""

    @property
    def traceback(self) -> list[traceback_lib.FrameSummary]:
        """The frames of the program that made the operation, from the outermost in."""
        return [] if self.creation_site is None else self.creation_site.frames

    @property
    def traceback_with_start_lines(self) -> list[tuple[Any, ...]]:
        """The frames as tuples, with the line that each one's function begins at behind them."""
        starts = [] if self.creation_site is None else self.creation_site.start_lines
        return [(*frame, start) for frame, start in zip(self.traceback, starts, strict=True)]

    @property
    def _device_assignments(self) -> list[TraceableObject]:
        """The device scopes that it was made in, the innermost first, and where they begin."""
        scopes, _ = self._scopes_around
        return [scope.traceable(shown_device(scope.what)) for scope in reversed(scopes)]

    @property
    def _colocation_dict(self) -> dict[str, TraceableObject]:
        """Where the scopes begin that put it together with others, by the others' names."""
        _, scopes = self._scopes_around
        return {scope.what.name: scope.traceable(None) for scope in reversed(scopes)}

    def values(self) -> tuple[Tensor, ...]:
        """The outputs."""
        return tuple(self.outputs)

    @shortened
    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        """Runs the operation in `session` or the default session.

        Raises:
          ValueError: There is no session to run in, or it holds another graph.
        """
        default_stacks.evaluate(self, feed_dict, self.graph, session, "execute operation", "run")

    def _get_control_flow_context(self) -> Any:
        """The branch or loop the operation is in, or None."""
        return self._control_flow_context

    def _set_control_flow_context(self, ctx: Any) -> None:
        self._control_flow_context = ctx

    def _encoded(self, name: str) -> AttrValue:
        proto = AttrValue()
        definition = self.op_def.attr_by_name.get(name)
        if definition is None:
            attr_codec.encode_inferred(self.attrs[name], proto)
        else:
            attr_codec.encode(self.attrs[name], definition.kind, proto)
        return proto

    def _set_attr(self, name: str, value: Any) -> None:
        """Sets an attr, to a decoded value or an AttrValue proto."""
        self.graph._note_mutation(self, "setting attribute")
        self.attrs[name] = attr_codec.decode(value) if isinstance(value, AttrValue) else value

    def _clear_attr(self, name: str) -> None:
        self.graph._note_mutation(self, "clearing attribute")
        self.attrs.pop(name, None)

    def _set_device(self, device: Any) -> None:
        """Sets the device, a string or a DeviceSpec."""
        self.graph._note_mutation(self, "setting device")
        self._device = device if isinstance(device, str) else device.to_string()

    def _set_device_from_string(self, device: str) -> None:
        self._device = device

    def _add_control_input(self, op: Operation) -> None:
        self._add_control_inputs([op])

    def _add_control_inputs(self, ops: Iterable[Operation]) -> None:
        """Makes this operation wait for others."""
        self.graph._note_mutation(self, "adding control input")
        for op in ops:
            if not isinstance(op, Operation):
                raise TypeError(f"op must be an Operation: {op}")
            if op.graph is not self.graph:
                raise ValueError(f"{op.name} must be from the same graph as {self.name}.")
            if op not in self._control_inputs:
                self._control_inputs.append(op)
                op._control_outputs.append(self)
                if self._edges is not None:
                    self._edges.append(op)

    def _remove_all_control_inputs(self) -> None:
        self.graph._note_mutation(self, "removing control inputs")
        for op in self._control_inputs:
            op._control_outputs.remove(self)
            if self._edges is not None:
                _remove_edge(self._edges, op)
        self._control_inputs = []

    def _update_input(self, index: int, tensor: Tensor) -> None:
        """Replaces an input; the way back edges of loops are made.

        Whether the types agree is found out when a session takes the graph.

        Raises:
          TypeError: `tensor` is no tensor.
          ValueError: `tensor` is in another graph.
          OutOfRangeError: There is no such input.
          InvalidArgumentError: No tensor has the shapes of both.
        """
        if not isinstance(tensor, Tensor):
            raise TypeError(f"tensor must be a Tensor: {tensor}")
        if tensor.graph is not self.graph:
            raise ValueError(f"{tensor!r} must be from the same graph as {self.name}.")
        if not 0 <= index < len(self._inputs):
            raise OutOfRangeError(
                None,
                None,
                f"Cannot update edge. Input index [{index}] is greater than the number of total "
                f"inputs [{len(self._inputs)}].",
            )
        old = self._inputs[index]
        if not old.shape.is_compatible_with(tensor.shape):
            raise InvalidArgumentError(
                None,
                None,
                f"Cannot update edge, incompatible shapes: {shape_text(tensor.shape)} and "
                f"{shape_text(old.shape)}.",
            )
        self.graph._note_mutation(self, "updating input tensor")
        old._consumers.remove(self)
        self._inputs = (*self._inputs[:index], tensor, *self._inputs[index + 1 :])
        tensor._consumers.append(self)
        if self._edges is None:
            self._edges = [*range(len(self._inputs)), *self._control_inputs]
        _remove_edge(self._edges, index)
        self._edges.append(index)
        if len(self._control_inputs) > 1:
            self._control_inputs = [each for each in self._edges if isinstance(each, Operation)]

    def __str__(self) -> str:
        return str(self.node_def)

    def __repr__(self) -> str:
        return f"<tf.Operation '{self.name}' type={self.type}>"


def new_operation() -> Operation:
    """An operation to begin."""
    return Operation.__new__(Operation)


def _remove_edge(edges: list[int | Operation], edge: int | Operation) -> None:
    edges[edges.index(edge)] = edges[-1]
    edges.pop()
