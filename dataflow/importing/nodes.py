"""Makes the operations of a GraphDef for a graph that does not have them yet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dataflow.errors import InvalidArgumentError
from dataflow.graph import creation_site, shape_inference
from dataflow.graph.graph import Graph
from dataflow.graph.operation import Operation, new_operation
from dataflow.graph.tensor import Tensor
from dataflow.importing.errors import UnregisteredOpError, about_node, invalid
from dataflow.importing.function_shapes import CALLS, CallShapes
from dataflow.importing.names import new_names
from dataflow.proto.function_pb2 import FunctionDef
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.schema import node_validation
from dataflow.schema.function_signature import op_def_from_proto
from dataflow.schema.node_validation import CONTROL_SLOT
from dataflow.schema.opdef import OpDef, find
from dataflow.values.dtypes import DType
from dataflow.values.node_order import MERGE_OPS, NEXT_ITERATION_OPS, stable_order
from dataflow.values.shapes import TensorShape

Endpoint = tuple[str, int]
"""A node's name in the GraphDef and an output index; -1 is a control edge."""

_GROUP_PREFIX = "loc:@"


class NodeMaker:
    """Makes operations, and keeps them by their names in the GraphDef.

    Attributes:
      made: The operations, producers first.
      used: The keys of the input map that were needed.
    """

    def __init__(
        self,
        graph: Graph,
        functions: Mapping[str, FunctionDef],
        prefix: str,
        input_map: Mapping[Endpoint, Tensor],
        call_shapes: CallShapes | None = None,
    ) -> None:
        self.made: dict[str, Operation] = {}
        self.used: set[Endpoint] = set()
        self._graph = graph
        self._functions = functions
        self._schemas: dict[str, OpDef] = {}
        self._prefix = prefix
        self._input_map = input_map
        self._nodes: dict[str, NodeDef] = {}
        self._new_names: dict[str, str] = {}
        self._site = creation_site.capture()
        self._back_edges: list[tuple[NodeDef, int, Endpoint]] = []
        self._call_shapes = call_shapes or CallShapes(functions, self._make_others)

    def make(self, graph_def: GraphDef) -> None:
        """Makes the operation of every node.

        Raises:
          InvalidArgumentError: The GraphDef is malformed.
        """
        self._index(graph_def)
        inputs = {name: self._parse_inputs(node) for name, node in self._nodes.items()}
        self._new_names = new_names(self._graph, self._nodes, self._prefix)
        for name in self._ordered(inputs):
            node = self._nodes[name]
            try:
                self._make(node, inputs[name])
            except InvalidArgumentError as error:
                raise about_node(error, node, self._new_names[name]) from None
        self._close_loops()

    def _index(self, graph_def: GraphDef) -> None:
        for node in graph_def.node:
            node_validation.check_node_name(node.name)
            node_validation.check_not_system_op(node)
            if node.name in self._nodes:
                raise invalid(node, f"Node '{node.name}' is not unique")
            self._nodes[node.name] = node

    def _parse_inputs(self, node: NodeDef) -> list[Endpoint]:
        parsed: list[Endpoint] = []
        for text in node.input:
            endpoint = (text, 0) if text in self._nodes else node_validation.parse_input(text)
            source, slot = endpoint
            if slot != CONTROL_SLOT and parsed and parsed[-1][1] == CONTROL_SLOT:
                raise node_validation.late_data_input(node.name)
            if source not in self._nodes and endpoint not in self._input_map:
                raise node_validation.unknown_input(node.name, text)
            parsed.append(endpoint)
        return parsed

    def _ordered(self, inputs: Mapping[str, Sequence[Endpoint]]) -> list[str]:
        """Names with producers first, and otherwise in the order of the GraphDef."""
        names = list(self._nodes)
        place = {name: index for index, name in enumerate(names)}
        pairs = [
            (place[endpoint[0]], index)
            for index, name in enumerate(names)
            for endpoint in inputs[name]
            if endpoint not in self._input_map and not self._is_back_edge(name, endpoint)
        ]
        if all(before < after for before, after in pairs):
            return names
        order = stable_order(len(names), pairs)
        if len(order) < len(names):
            stuck = [names[index] for index in sorted(set(range(len(names))).difference(order))]
            raise invalid(
                self._nodes[stuck[0]],
                f"{len(stuck)} nodes in a cycle, or fed by one: {', '.join(stuck[:5])}",
            )
        return [names[index] for index in order]

    def _is_back_edge(self, name: str, endpoint: Endpoint) -> bool:
        return (
            self._nodes[name].op in MERGE_OPS
            and endpoint[1] != CONTROL_SLOT
            and self._nodes[endpoint[0]].op in NEXT_ITERATION_OPS
        )

    def _make(self, node: NodeDef, endpoints: Sequence[Endpoint]) -> None:
        op_def = self._find_op(node)
        attrs = node_validation.decode_attrs(op_def, node)
        if op_def.name == "Const":
            attrs["value"] = _compact(attrs["value"], node)
        shapes = attrs.pop("_output_shapes", None)
        if "_class" in attrs:
            attrs["_class"] = self._renamed_groups(node, attrs["_class"])
        expected, output_types = node_validation.node_types(op_def, attrs, node)
        data = [endpoint for endpoint in endpoints if endpoint[1] != CONTROL_SLOT]
        node_validation.check_num_inputs(op_def, expected, len(data), node)
        tensors = [self._input(node, i, e, expected[i]) for i, e in enumerate(data)]
        control = [self._control(name) for name, _ in endpoints[len(data) :]]
        name = self._new_names[node.name]
        waits_for = list(dict.fromkeys(control))
        op = new_operation()._begin(
            self._graph, op_def, name, tensors, attrs, waits_for, self._site
        )
        if node.device:
            node_validation.check_device(node)
            op._set_device_from_string(node.device)
        try:
            shape_inference.infer(op, list(output_types))
        except ValueError as error:
            raise invalid(node, str(error)) from None
        if op.type in CALLS:
            self._set_call_shapes(op)
        if shapes is not None:
            _merge_shapes(node, op, shapes)
        self.made[node.name] = op

    def _set_call_shapes(self, op: Operation) -> None:
        for tensor, shape in zip(op.outputs, self._call_shapes.infer(op) or (), strict=False):
            tensor._shape_val = shape

    def _make_others(
        self,
        graph: Graph,
        graph_def: GraphDef,
        input_map: Mapping[Endpoint, Tensor],
        call_shapes: CallShapes,
    ) -> Mapping[str, Operation]:
        """Makes operations of another graph, with the same functions."""
        maker = NodeMaker(graph, self._functions, "", input_map, call_shapes)
        maker.make(graph_def)
        return maker.made

    def _find_op(self, node: NodeDef) -> OpDef:
        found = find(node.op) or self._schemas.get(node.op)
        if found is not None:
            return found
        function = self._functions.get(node.op)
        if function is not None:
            try:
                self._schemas[node.op] = op_def_from_proto(function.signature)
            except InvalidArgumentError as error:
                name = self._new_names[node.name]
                raise invalid(node, f"Node '{name}' calls a function: {error.message}") from None
        try:
            return node_validation.find_op(node, self._schemas)
        except InvalidArgumentError as error:
            if not node.op:
                raise
            raise UnregisteredOpError(node, None, error.message + self._lacking()) from None

    def _lacking(self) -> str:
        """Which op types are not here, of nodes and functions, and how often each is used."""
        bodies = [function.node_def for function in self._functions.values()]
        nodes = [*self._nodes.values(), *(node for body in bodies for node in body)]
        ops = Counter(node.op for node in nodes)
        for op in [op for op in ops if find(op) or op in self._functions]:
            del ops[op]
        listed = ", ".join(f"{op} ({count})" for op, count in ops.most_common())
        return f" In the whole graph there are, with the number of their nodes: {listed}."

    def _input(self, node: NodeDef, index: int, endpoint: Endpoint, expected: DType) -> Tensor:
        tensor = self._input_map.get(endpoint)
        if tensor is not None:
            self.used.add(endpoint)
        elif endpoint[0] in self.made:
            tensor = self._output(node, endpoint)
        else:
            self._back_edges.append((node, index, endpoint))
            return self._stand_in(endpoint, expected)
        self._check_type(node, index, tensor, expected)
        return tensor

    def _output(self, node: NodeDef, endpoint: Endpoint) -> Tensor:
        outputs = self.made[endpoint[0]].outputs
        if endpoint[1] >= len(outputs):
            raise node_validation.invalid_output(node.name, *endpoint, len(outputs))
        return outputs[endpoint[1]]

    def _check_type(self, node: NodeDef, index: int, tensor: Tensor, expected: DType) -> None:
        if not node_validation.accepts(expected, tensor.dtype):
            raise node_validation.type_mismatch(
                index,
                self._new_names[node.name],
                tensor.dtype,
                tensor.op.name,
                tensor.value_index,
                expected,
            )

    def _stand_in(self, endpoint: Endpoint, dtype: DType) -> Tensor:
        """Stands for the output of a node that is made later, until `_close_loops`."""
        source = self._nodes[endpoint[0]]
        name = self._new_names[source.name]
        op = new_operation()._begin(self._graph, self._find_op(source), name, (), {}, [], None)
        return Tensor(op, endpoint[1], dtype, TensorShape.of(None))

    def _close_loops(self) -> None:
        for node, index, endpoint in self._back_edges:
            op = self.made[node.name]
            tensor = self._output(node, endpoint)
            self._check_type(node, index, tensor, op._inputs[index].dtype)
            op._inputs = (*op._inputs[:index], tensor, *op._inputs[index + 1 :])

    def _control(self, name: str) -> Operation:
        mapped = self._input_map.get((name, CONTROL_SLOT))
        if mapped is not None:
            self.used.add((name, CONTROL_SLOT))
            return mapped.op
        return self.made[name]

    def _renamed_groups(self, node: NodeDef, groups: Any) -> tuple[bytes, ...]:
        """The groups of a `_class` attr, with the names that their nodes get."""
        if not isinstance(groups, tuple) or not all(isinstance(g, bytes) for g in groups):
            raise invalid(node, f"Node '{node.name}': attr '_class' is not a list of strings")
        renamed = []
        for group in groups:
            text = group.decode(errors="replace")
            if text.startswith(_GROUP_PREFIX):
                name = text[len(_GROUP_PREFIX) :]
                if name not in self._nodes:
                    raise invalid(
                        node,
                        f"Node '{node.name}' expects to be colocated with unknown node '{name}'",
                    )
                group = (_GROUP_PREFIX + self._new_names[name]).encode()
            renamed.append(group)
        return tuple(renamed)


def _compact(value: np.ndarray[Any, Any], node: NodeDef) -> np.ndarray[Any, Any]:
    """A value that repeats one element as a view of that element, which is written as short."""
    if value.size < 2 or node.attr["value"].tensor.tensor_content:
        return value
    first = value[(slice(0, 1),) * value.ndim]
    return np.broadcast_to(first.copy(), value.shape) if (value == first).all() else value


def _merge_shapes(node: NodeDef, op: Operation, shapes: Any) -> None:
    """Refines the inferred shapes by those the GraphDef carries."""
    if not isinstance(shapes, tuple) or not all(isinstance(s, TensorShape) for s in shapes):
        raise invalid(node, f"Node '{op.name}': attr '_output_shapes' is not a list of shapes")
    if len(shapes) < len(op.outputs):
        raise invalid(
            node,
            f"Node '{op.name}' has {len(op.outputs)} outputs but the _output_shapes attribute "
            f"specifies shapes for {len(shapes)} outputs",
        )
    for index, (tensor, shape) in enumerate(zip(op.outputs, shapes, strict=False)):
        try:
            tensor.set_shape(shape)
        except ValueError as error:
            raise invalid(
                node,
                f"Node '{op.name}' has an _output_shapes attribute inconsistent with the GraphDef "
                f"for output #{index}: {error}",
            ) from None
