"""FunctionDef into plain nodes: what a function computes under given attrs, as a GraphDef.

In a FunctionDef inputs are written `argument`, `argument:0` or `node:output:0`, and attrs may stand
for those of the function. Here both are resolved; arguments and results become `_Arg` and `_Retval`
nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dataflow.errors import InvalidArgumentError, OpError
from dataflow.proto.attr_value_pb2 import AttrValue
from dataflow.proto.function_pb2 import FunctionDef
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.schema import arguments as op_schema
from dataflow.schema import node_validation as validation
from dataflow.schema import opdef
from dataflow.schema.arguments import NO_DEFAULT
from dataflow.schema.function_signature import op_def_from_proto
from dataflow.schema.opdef import OpDef
from dataflow.schema.summaries import op_text, type_name
from dataflow.values import attrs as attr_codec
from dataflow.values.attrs import NameAttrList
from dataflow.values.dtypes import DType

FindOp = Callable[[str], "OpDef | None"]
"""The schema of an op type, the functions of a library included."""
_Outputs = list[tuple[str, DType]]
"""Tensors as NodeDef names them, with their types."""


@dataclass(frozen=True, slots=True)
class FunctionNodes:
    """A function's nodes.

    Attributes:
        graph_def: The nodes; `_Arg` and `_Retval` nodes have the position as attr `index`.
        arguments: Names of the `_Arg` nodes, in order.
        results: Names of the `_Retval` nodes, in order.
        effects: Names of the nodes that run whether or not a result needs them.
    """

    graph_def: GraphDef
    arguments: tuple[str, ...]
    results: tuple[str, ...]
    effects: tuple[str, ...]


class FunctionSchemas:
    """Schemas of registered ops and of a library's functions."""

    def __init__(self, functions: Mapping[str, FunctionDef]) -> None:
        self._functions = functions
        self._known: dict[str, OpDef] = {}

    def find(self, name: str) -> OpDef | None:
        """The schema of an op type or function, or None.

        Raises:
            InvalidArgumentError: The signature of the function is malformed.
        """
        found = opdef.find(name) or self._known.get(name)
        if found is None and (function := self._functions.get(name)) is not None:
            found = self._known[name] = op_def_from_proto(function.signature)
        return found


def function_attrs(op_def: OpDef, given: Mapping[str, Any]) -> dict[str, Any]:
    """The attrs of a function's signature, of given values or defaults, checked.

    Raises:
        InvalidArgumentError: An attr is missing, of another kind, or not allowed.
    """
    node = NodeDef(name=op_def.name, op=op_def.name)
    for attr in op_def.attrs:
        if attr.name in given:
            attr_codec.encode_inferred(given[attr.name], node.attr[attr.name])
        elif attr.default is NO_DEFAULT:
            raise InvalidArgumentError(
                None, None, f"Attr {attr.name} is not found from {op_text(op_def)}"
            )
    return validation.decode_attrs(op_def, node)


def instantiate(function: FunctionDef, given: Mapping[str, Any], find_op: FindOp) -> FunctionNodes:
    """The nodes of a function under these attrs.

    Types of inputs, and cycles, are left to who makes a graph of the nodes.

    Args:
        function: The function.
        given: Decoded values of attrs of its signature; others are ignored.
        find_op: Schemas of the ops in its body.

    Raises:
        InvalidArgumentError: The body is malformed; names the function and the node.
    """
    try:
        op_def = find_op(function.signature.name) or op_def_from_proto(function.signature)
        return _Instantiation(function, op_def, function_attrs(op_def, given), find_op).run()
    except OpError as error:
        raise in_function(error, function.signature.name) from None


def in_function(error: OpError, name: str) -> InvalidArgumentError:
    """The error with the name of the function whose body it is about."""
    place = f"In function {name}"
    if place in error.message:
        message = error.message
    else:
        message = f"{error.message}\n\t{place}"
    return InvalidArgumentError(error.node_def, None, message)


class _Instantiation:
    """Writes the nodes of one function."""

    def __init__(
        self, function: FunctionDef, op_def: OpDef, attrs: Mapping[str, Any], find_op: FindOp
    ) -> None:
        self._function = function
        self._op_def = op_def
        self._attrs = attrs
        self._find_op = find_op
        self._values: dict[str, AttrValue] = {}
        for attr in op_def.attrs:
            attr_codec.encode(
                attrs[attr.name], attr.kind, self._values.setdefault(attr.name, AttrValue())
            )
        self._graph_def = GraphDef()
        self._tensors: dict[str, _Outputs] = {}
        """What the body's inputs may name -> the tensors it stands for."""
        self._nodes: dict[str, str] = {}
        """What the body's control inputs may name -> the name of the node."""
        self._schemas: list[tuple[OpDef, dict[str, Any]]] = []
        self._arguments: list[str] = []
        self._results: list[str] = []

    def run(self) -> FunctionNodes:
        """Writes all nodes."""
        inputs, outputs = validation.node_types(
            self._op_def, self._attrs, NodeDef(name=self._op_def.name)
        )
        self._add_arguments()
        bodies = [self._add_node(node) for node in self._function.node_def]
        for node, body, schema in zip(self._function.node_def, bodies, self._schemas, strict=True):
            self._connect(node, body, *schema)
        self._add_results()
        assert (len(self._arguments), len(self._results)) == (len(inputs), len(outputs))
        return FunctionNodes(
            self._graph_def,
            tuple(self._arguments),
            tuple(self._results),
            tuple(dict.fromkeys(self._effects())),
        )

    def _add_arguments(self) -> None:
        for arg in self._op_def.inputs:
            types = op_schema.arg_types(arg, self._attrs)
            made: _Outputs = []
            for place, dtype in enumerate(types):
                name = f"{arg.name}_{place}" if len(types) > 1 else arg.name
                node = self._graph_def.node.add(name=name, op="_Arg")
                attr_codec.encode(dtype.base_dtype, "type", node.attr["T"])
                node.attr["index"].i = len(self._arguments)
                self._arguments.append(name)
                made.append((name, dtype))
                self._define(f"{arg.name}:{place}", [made[-1]])
            self._define(arg.name, made)
            if made:
                self._nodes[arg.name] = made[0][0]

    def _define(self, text: str, tensors: _Outputs) -> None:
        if self._tensors.setdefault(text, tensors) is not tensors:
            raise InvalidArgumentError(None, None, f"Duplicated ret name: {text}")

    def _add_node(self, node: NodeDef) -> NodeDef:
        """Adds a node without its inputs."""
        body = self._graph_def.node.add(name=node.name, op=node.op, device=node.device)
        if node.HasField("experimental_debug_info"):
            body.experimental_debug_info.CopyFrom(node.experimental_debug_info)
        for name, value in node.attr.items():
            self._substitute(value, body.attr[name])
        op_def = self._find_op(node.op)
        if op_def is None:
            op_def = validation.find_op(node, {})
        validation.check_not_system_op(node)
        attrs = validation.decode_attrs(op_def, body)
        self._schemas.append((op_def, attrs))
        validation.node_types(op_def, attrs, body)
        slot = 0
        for arg in op_def.outputs:
            made: _Outputs = []
            for place, dtype in enumerate(op_schema.arg_types(arg, attrs)):
                made.append((f"{node.name}:{slot}" if slot else node.name, dtype))
                slot += 1
                self._define(f"{node.name}:{arg.name}:{place}", [made[-1]])
            self._define(f"{node.name}:{arg.name}", made)
        if node.name in self._nodes:
            raise InvalidArgumentError(node, None, f"Node '{node.name}' is not unique")
        self._nodes[node.name] = node.name
        return body

    def _substitute(self, value: AttrValue, out: AttrValue) -> None:
        """Writes an attr of the body, the function's attrs in place of what stands for them."""
        kind = value.WhichOneof("value")
        if kind == "placeholder":
            given = self._values.get(value.placeholder)
            if given is None:
                raise InvalidArgumentError(
                    None, None, f"Failed to bind all placeholders in ${value.placeholder}"
                )
            out.CopyFrom(given)
        elif kind == "func":
            out.func.name = value.func.name
            for name, inner in value.func.attr.items():
                self._substitute(inner, out.func.attr[name])
        elif kind == "list" and value.list.func:
            for func in value.list.func:
                added = out.list.func.add(name=func.name)
                for name, inner in func.attr.items():
                    self._substitute(inner, added.attr[name])
        else:
            out.CopyFrom(value)

    def _connect(
        self, node: NodeDef, body: NodeDef, op_def: OpDef, attrs: Mapping[str, Any]
    ) -> None:
        """Adds a node's inputs."""
        expected = op_def.input_types(attrs)
        given = 0
        controls: list[str] = []
        for place, text in enumerate(node.input):
            if text.startswith("^"):
                found = self._nodes.get(text[1:])
                if found is None:
                    raise self._fault(f"input[{place}] == '{text}', is not found.", node)
                controls.append("^" + found)
                continue
            if controls:
                raise validation.late_data_input(node.name)
            tensors = self._tensors.get(text)
            if tensors is None:
                raise self._fault(f"input {text} is not found: {{{{node {node.name}}}}}", node)
            given += len(tensors)
            if given > len(expected):
                validation.check_num_inputs(op_def, expected, given, node)
            body.input.extend(name for name, _ in tensors)
        validation.check_num_inputs(op_def, expected, given, node)
        body.input.extend(controls)

    def _add_results(self) -> None:
        taken = {node.name for node in self._graph_def.node}
        for arg in self._op_def.outputs:
            text = self._function.ret.get(arg.name)
            if text is None:
                raise InvalidArgumentError(None, None, f"Return {arg.name} missing.")
            tensors = self._tensors.get(text)
            if tensors is None:
                raise InvalidArgumentError(None, None, f"Return {arg.name} -> {text} is not found.")
            types = op_schema.arg_types(arg, self._attrs)
            given = [dtype.base_dtype for _, dtype in tensors]
            if given != types:
                wanted, found = (", ".join(map(type_name, each)) for each in (types, given))
                raise InvalidArgumentError(
                    None, None, f"Invalid ret types {arg.name} : {wanted} vs. {found}"
                )
            for place, (tensor, dtype) in enumerate(tensors):
                name = f"{arg.name}_RetVal" + (f"_{place}" if len(tensors) > 1 else "")
                while name in taken:
                    name += "_"
                taken.add(name)
                node = self._graph_def.node.add(name=name, op="_Retval", input=[tensor])
                attr_codec.encode(dtype.base_dtype, "type", node.attr["T"])
                node.attr["index"].i = len(self._results)
                self._results.append(name)

    def _effects(self) -> list[str]:
        names = []
        for name, target in sorted(self._function.control_ret.items()):
            found = self._nodes.get(target)
            if found is None:
                raise InvalidArgumentError(
                    None, None, f"Control return {name} -> {target} is not found."
                )
            names.append(found)
        return names

    @staticmethod
    def _fault(text: str, node: NodeDef) -> InvalidArgumentError:
        return InvalidArgumentError(node, None, f"{text}\n\tIn {{{{node {node.name}}}}}")


def function_key(reference: NameAttrList) -> bytes:
    """Something to look an instantiation up by."""
    return reference.to_proto().SerializeToString(deterministic=True)
