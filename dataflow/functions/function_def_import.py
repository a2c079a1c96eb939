"""A FunctionDef as the body of a function that operations can be added to."""

from __future__ import annotations

from collections.abc import Sequence

from dataflow.errors import InvalidArgumentError
from dataflow.functions.func_graph import FuncGraph, find_function
from dataflow.graph.graph import Graph
from dataflow.graph.parts.functions import GraphFunction
from dataflow.graph.tensor import Tensor
from dataflow.importing.import_graph import import_graph_def
from dataflow.proto.function_pb2 import FunctionDef
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.proto.op_def_pb2 import OpDef as OpDefProto
from dataflow.schema import opdef
from dataflow.schema.arguments import arg_types
from dataflow.schema.function_signature import op_def_from_proto
from dataflow.schema.opdef import OpDef
from dataflow.values import attrs as attr_codec
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape
from dataflow.values.versions import GRAPH_DEF_VERSION_MIN_CONSUMER


def function_def_to_graph(
    definition: FunctionDef, outer: Graph, input_shapes: Sequence[TensorShape | None] | None = None
) -> FuncGraph:
    """Makes a body whose operations are those of a function.

    Args:
      definition: The function.
      outer: The graph the function is called in; it has the functions that this one calls.
      input_shapes: Static shapes of the arguments, where they are known.

    Raises:
      InvalidArgumentError: The function is malformed, or calls one that `outer` does not have.
    """
    graph = FuncGraph(definition.signature.name, outer)
    with graph.as_default():
        graph.inputs, graph.outputs = add_function_body(graph, definition, outer, input_shapes)
    for tensor, arg in zip(graph.outputs, definition.signature.output_arg, strict=True):
        graph.output_names.setdefault(tensor, arg.name)
    graph.control_outputs = [
        graph.get_operation_by_name(name) for name in definition.control_ret.values()
    ]
    graph.structured_outputs = list(graph.outputs)
    return graph


def add_function_body(
    graph: FuncGraph,
    definition: FunctionDef,
    outer: Graph,
    input_shapes: Sequence[TensorShape | None] | None = None,
) -> tuple[list[Tensor], list[Tensor]]:
    """Adds the nodes of a function to a body that is the default graph.

    Args:
      graph: The body.
      definition: The function.
      outer: The graph that has the functions that this one calls.
      input_shapes: Static shapes of the arguments, where they are known.

    Returns:
      Placeholders for the arguments, and the results.

    Raises:
      InvalidArgumentError: The function is malformed, or calls one that `outer` does not have.
    """
    graph_def, flat_names = function_def_to_graph_def(definition, outer, input_shapes)
    for function in _functions_called(definition, outer):
        graph._functions.add(function)
    import_graph_def(graph_def, name="")
    signature = definition.signature
    inputs = [graph.get_tensor_by_name(f"{arg.name}:0") for arg in signature.input_arg]
    outputs = []
    for arg in signature.output_arg:
        name = definition.ret.get(arg.name)
        if name is None:
            raise _malformed(definition, f"has no value for its output '{arg.name}'")
        outputs.append(graph.get_tensor_by_name(_flat(definition, flat_names, name)))
    args = (*signature.input_arg, *signature.output_arg)
    for tensor, arg in zip((*inputs, *outputs), args, strict=True):
        _set_handle_data(tensor, arg)
    return inputs, outputs


def function_def_to_graph_def(
    definition: FunctionDef, outer: Graph, input_shapes: Sequence[TensorShape | None] | None = None
) -> tuple[GraphDef, dict[str, str]]:
    """A function's nodes as a GraphDef, with a Placeholder for each argument.

    Returns:
      The GraphDef, and the names of tensors in the function ("add:z:0") -> those in the GraphDef.

    Raises:
      InvalidArgumentError: The function is malformed.
    """
    graph_def = GraphDef()
    graph_def.versions.producer = outer._versions.producer
    graph_def.versions.min_consumer = GRAPH_DEF_VERSION_MIN_CONSUMER
    flat_names: dict[str, str] = {}
    for index, arg in enumerate(definition.signature.input_arg):
        node = graph_def.node.add(name=arg.name, op="Placeholder")
        node.attr["dtype"].type = arg.type
        known = input_shapes[index] if input_shapes is not None else None
        if known is not None:
            node.attr["shape"].shape.CopyFrom(known.as_proto())
        _copy_arg_attrs(definition, index, node)
        flat_names[arg.name] = f"{arg.name}:0"
        flat_names[f"^{arg.name}"] = f"^{arg.name}"
    for source in definition.node_def:
        flat_names[f"^{source.name}"] = f"^{source.name}"
        op_def = _op_def(definition, source, outer)
        attrs = _attrs(source, op_def)
        start = 0
        for output in op_def.outputs:
            try:
                size = len(arg_types(output, attrs))
            except KeyError as missing:
                raise _malformed(definition, f"node '{source.name}' lacks {missing}") from None
            for i in range(size):
                flat_names[f"{source.name}:{output.name}:{i}"] = f"{source.name}:{start + i}"
            start += size
    for source in definition.node_def:
        node = graph_def.node.add()
        node.CopyFrom(source)
        node.input[:] = [_flat(definition, flat_names, name) for name in source.input]
    return graph_def, flat_names


def _copy_arg_attrs(definition: FunctionDef, index: int, node: NodeDef) -> None:
    if index not in definition.arg_attr:
        return
    for key, value in definition.arg_attr[index].attr.items():
        if key == "_output_shapes":
            shapes = [value.shape] if value.HasField("shape") else value.list.shape
            if shapes and not shapes[0].unknown_rank:
                node.attr["shape"].shape.CopyFrom(shapes[0])
        elif key.startswith("_"):
            node.attr[key].CopyFrom(value)


def _op_def(definition: FunctionDef, node: NodeDef, outer: Graph) -> OpDef:
    found = opdef.find(node.op)
    if found is not None:
        return found
    function = find_function(outer, node.op)
    if function is None:
        raise _malformed(definition, f"node '{node.name}' is of the unknown op '{node.op}'")
    return op_def_from_proto(function.definition.signature)


def _attrs(node: NodeDef, op_def: OpDef) -> dict[str, object]:
    attrs: dict[str, object] = {a.name: a.default for a in op_def.attrs if a.has_default}
    attrs.update(attr_codec.decode_map(node.attr))
    return attrs


def _flat(definition: FunctionDef, flat_names: dict[str, str], name: str) -> str:
    """The name of a tensor in the GraphDef; `node:arg` without an index is the first of several."""
    found = flat_names.get(name) or flat_names.get(f"{name}:0")
    if found is None:
        raise _malformed(definition, f"uses '{name}', which nothing in it makes")
    return found


def _functions_called(definition: FunctionDef, outer: Graph) -> list[GraphFunction]:
    """The functions that the nodes need for their schemas: those called by op type."""
    found = {}
    for node in definition.node_def:
        if opdef.find(node.op) is None and node.op not in found:
            function = find_function(outer, node.op)
            if function is not None:
                found[node.op] = function
    return list(found.values())


def _set_handle_data(tensor: Tensor, arg: OpDefProto.ArgDef) -> None:
    data = arg.handle_data
    if data:
        tensor.handle_data = ((DType(data[0].dtype), TensorShape(data[0].shape)),)


def _malformed(definition: FunctionDef, text: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, f"Function '{definition.signature.name}' {text}.")
