"""import_graph_def: adds the nodes of a GraphDef to the default graph."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from typing import Any

from dataflow import import_graph_options as options
from dataflow import node_validation, scopes
from dataflow.errors import InvalidArgumentError
from dataflow.graph import Graph
from dataflow.node_validation import CONTROL_SLOT
from dataflow.opdef import OpDef
from dataflow.operation import Operation
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.shapes import TensorShape
from dataflow.tensor import Tensor

Endpoint = tuple[str, int]
"""A node's name in the GraphDef and an output index; -1 is a control edge."""


class InvalidGraphDefError(InvalidArgumentError, ValueError):
    """A GraphDef that cannot be imported. TensorFlow's importer raises ValueError."""


def import_graph_def(
    graph_def: Any,
    input_map: Mapping[Any, Any] | None = None,
    return_elements: Sequence[Any] | None = None,
    name: str | None = None,
    op_dict: Any = None,
    producer_op_list: Any = None,
) -> list[Any] | None:
    """Adds the nodes of a GraphDef to the default graph.

    Args:
      graph_def: The GraphDef, ours or TensorFlow's.
      input_map: Tensors to use in place of those of these names, "a:0"; "^a" replaces a control
        input.
      return_elements: Names of operations, and of tensors "a:0", to return.
      name: Prefix of the new names, made unique; "" for none. By default "import".
      op_dict: Ignored, as in TensorFlow.
      producer_op_list: An OpList; attrs unknown here that have their default there are left out.

    Returns:
      The operations and tensors asked for, or None if `return_elements` is None.

    Raises:
      TypeError: An argument is of a wrong type.
      InvalidGraphDefError: (a ValueError and an InvalidArgumentError) The GraphDef is malformed,
        or lacks a name in `input_map` or `return_elements`; the text names node and reason.
    """
    graph_def = options.as_graph_def(graph_def)
    mapped = options.checked_input_map(input_map)
    wanted = options.checked_return_elements(return_elements)
    if producer_op_list is not None:
        graph_def = options.without_producer_defaults(graph_def, producer_op_list)
    graph = scopes.get_default_graph()
    with scopes.name_scope(name, "import", mapped.values()) as scope:
        tensors = options.as_tensors(mapped, name)
    run = _Import(graph, graph_def, scope[:-1], tensors)
    try:
        run.add_nodes()
        return None if wanted is None else [run.element(text) for text in wanted]
    except InvalidArgumentError as error:
        if isinstance(error, InvalidGraphDefError):
            raise
        raise InvalidGraphDefError(error.node_def, None, error.message) from None


def _invalid(node: NodeDef | None, message: str) -> InvalidGraphDefError:
    return InvalidGraphDefError(node, None, message)


class _Import:
    """One call of `import_graph_def`."""

    def __init__(
        self, graph: Graph, graph_def: GraphDef, prefix: str, input_map: Mapping[Endpoint, Tensor]
    ) -> None:
        self._graph = graph
        self._graph_def = graph_def
        self._prefix = prefix
        self._input_map = input_map
        self._used: set[Endpoint] = set()
        self._nodes: dict[str, NodeDef] = {}
        self._new_names: dict[str, str] = {}
        self._made: dict[str, Operation] = {}

    def add_nodes(self) -> None:
        """Adds every node, producers first.

        Raises:
          InvalidArgumentError: The GraphDef is malformed.
        """
        node_validation.check_versions(self._graph_def.versions)
        for node in self._graph_def.node:
            node_validation.check_node_name(node.name)
            if node.name in self._nodes:
                raise _invalid(node, f"Node '{node.name}' is not unique")
            self._nodes[node.name] = node
        inputs = {name: self._parse_inputs(node) for name, node in self._nodes.items()}
        self._name_nodes()
        self._graph.library.MergeFrom(self._graph_def.library)
        for name in self._ordered(inputs):
            self._add(self._nodes[name], inputs[name])
        self._check_input_map()

    def _parse_inputs(self, node: NodeDef) -> list[Endpoint]:
        parsed: list[Endpoint] = []
        for text in node.input:
            source, slot = node_validation.parse_input(text)
            if slot != CONTROL_SLOT and parsed and parsed[-1][1] == CONTROL_SLOT:
                raise node_validation.late_data_input(node.name)
            if source not in self._nodes and (source, slot) not in self._input_map:
                raise node_validation.unknown_input(node.name, text)
            parsed.append((source, slot))
        return parsed

    def _name_nodes(self) -> None:
        """Gives each node its new name; without a prefix it may have to be made unique."""
        taken = self._graph._by_name
        for name in self._nodes:
            if self._prefix:
                self._new_names[name] = f"{self._prefix}/{name}"
                self._graph._names_in_use.setdefault(self._new_names[name].lower(), 1)
                continue
            unique = self._graph.unique_name(name)
            while unique in taken or (unique != name and unique in self._nodes):
                unique = self._graph.unique_name(name)
            self._new_names[name] = unique

    def _ordered(self, inputs: Mapping[str, list[Endpoint]]) -> list[str]:
        """Names with producers first, and otherwise in the order of the GraphDef."""
        position = {name: index for index, name in enumerate(self._nodes)}
        consumers: dict[str, list[str]] = {}
        missing: dict[str, int] = {}
        for name, endpoints in inputs.items():
            sources = {s for s, slot in endpoints if (s, slot) not in self._input_map}
            missing[name] = len(sources)
            for source in sources:
                consumers.setdefault(source, []).append(name)
        ready = [position[name] for name, count in missing.items() if not count]
        heapq.heapify(ready)
        names = list(self._nodes)
        ordered: list[str] = []
        while ready:
            name = names[heapq.heappop(ready)]
            ordered.append(name)
            for consumer in consumers.get(name, ()):
                missing[consumer] -= 1
                if not missing[consumer]:
                    heapq.heappush(ready, position[consumer])
        if len(ordered) < len(names):
            stuck = [name for name in names if missing[name]]
            raise _invalid(
                self._nodes[stuck[0]],
                f"{len(stuck)} nodes in a cycle, or fed by one: {', '.join(stuck[:5])}",
            )
        return ordered

    def _add(self, node: NodeDef, endpoints: Sequence[Endpoint]) -> None:
        op_def = node_validation.find_op(node, {})
        node_validation.check_device(node)
        attrs = node_validation.decode_attrs(op_def, node)
        shapes = attrs.pop("_output_shapes", None)
        device = self._colocate(node, attrs) or node.device
        tensors = [self._tensor(node, e) for e in endpoints if e[1] != CONTROL_SLOT]
        control = [self._control(name) for name, slot in endpoints if slot == CONTROL_SLOT]
        new_name = self._new_names[node.name]
        self._check_types(op_def, attrs, node, new_name, tensors)
        try:
            op = self._graph.add_imported_op(
                op_def, tensors, attrs, new_name, list(dict.fromkeys(control)), device
            )
        except ValueError as error:
            raise _invalid(node, str(error)) from None
        if shapes is not None:
            _merge_shapes(node, op, shapes)
        self._made[node.name] = op

    def _tensor(self, node: NodeDef, endpoint: Endpoint) -> Tensor:
        mapped = self._input_map.get(endpoint)
        if mapped is not None:
            self._used.add(endpoint)
            return mapped
        outputs = self._made[endpoint[0]].outputs
        if endpoint[1] >= len(outputs):
            raise node_validation.invalid_output(node.name, *endpoint, len(outputs))
        return outputs[endpoint[1]]

    def _control(self, name: str) -> Operation:
        mapped = self._input_map.get((name, CONTROL_SLOT))
        if mapped is not None:
            self._used.add((name, CONTROL_SLOT))
            return mapped.op
        return self._made[name]

    def _check_types(
        self,
        op_def: OpDef,
        attrs: Mapping[str, Any],
        node: NodeDef,
        new_name: str,
        tensors: Sequence[Tensor],
    ) -> None:
        expected, _ = node_validation.node_types(op_def, attrs, node)
        node_validation.check_num_inputs(op_def, expected, len(tensors), node)
        for index, (tensor, dtype) in enumerate(zip(tensors, expected, strict=True)):
            if not node_validation.accepts(dtype, tensor.dtype):
                raise node_validation.type_mismatch(
                    index, new_name, tensor.dtype, tensor.op.name, tensor.value_index, dtype
                )

    def _colocate(self, node: NodeDef, attrs: dict[str, Any]) -> str:
        """Renames the node's colocation groups; returns the device of one of their operations."""
        classes = attrs.get("_class")
        if not isinstance(classes, tuple) or not all(isinstance(c, bytes) for c in classes):
            return ""
        device = ""
        renamed = []
        for group in classes:
            if group.startswith(b"loc:@"):
                name = group[5:].decode(errors="replace")
                if name not in self._nodes:
                    raise _invalid(
                        node,
                        f"Node '{node.name}' expects to be colocated with unknown node '{name}'",
                    )
                device = device or self._nodes[name].device
                group = b"loc:@" + self._new_names[name].encode()
            renamed.append(group)
        attrs["_class"] = tuple(renamed)
        return device

    def _check_input_map(self) -> None:
        missing = [e for e in self._input_map if e not in self._used and not self._exists(e)]
        if missing:
            shown = ", ".join(f"^{n}" if s == CONTROL_SLOT else f"{n}:{s}" for n, s in missing)
            raise _invalid(
                None, f"Attempted to map inputs that were not found in graph_def: [{shown}]"
            )

    def _exists(self, endpoint: Endpoint) -> bool:
        op = self._made.get(endpoint[0])
        return op is not None and endpoint[1] < len(op.outputs)

    def element(self, text: str) -> Tensor | Operation:
        """The operation or tensor of a name in the GraphDef.

        Raises:
          InvalidGraphDefError: There is none.
        """
        if ":" not in text:
            if text not in self._made:
                raise _invalid(None, f"Requested return node '{text}' not found in graph def")
            return self._made[text]
        endpoint = options.parse_tensor_name(text)
        if endpoint in self._input_map:
            return self._input_map[endpoint]
        op = self._made.get(endpoint[0])
        if op is None:
            raise _invalid(None, f"Requested return tensor '{text}' not found in graph def")
        if endpoint[1] >= len(op.outputs):
            raise _invalid(
                None,
                f"Invalid return output {endpoint[1]} of node '{endpoint[0]}', which has "
                f"{len(op.outputs)} output(s)",
            )
        return op.outputs[endpoint[1]]


def _merge_shapes(node: NodeDef, op: Operation, shapes: Any) -> None:
    """Refines the inferred shapes by those the GraphDef carries."""
    if not isinstance(shapes, tuple) or not all(isinstance(s, TensorShape) for s in shapes):
        raise _invalid(node, f"Node '{node.name}': attr '_output_shapes' is not a list of shapes")
    if len(shapes) != len(op.outputs):
        raise _invalid(
            node,
            f"Node '{node.name}' has {len(op.outputs)} outputs but the _output_shapes attribute "
            f"specifies shapes for {len(shapes)} outputs",
        )
    for index, (tensor, shape) in enumerate(zip(op.outputs, shapes, strict=True)):
        try:
            tensor.set_shape(shape)
        except ValueError as error:
            raise _invalid(
                node,
                f"Node '{op.name}' has an _output_shapes attribute inconsistent with the GraphDef "
                f"for output #{index}: {error}",
            ) from None
