"""Passes that remove, merge, rename and sort nodes."""

from __future__ import annotations

from collections.abc import Callable

from dataflow.errors import InvalidArgumentError
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.schema import op_def_proto, opdef
from dataflow.transforms.context import Context
from dataflow.transforms.views import (
    copy_of,
    needed,
    node_name_from_input,
    nodes_by_name,
    redirected,
    with_nodes,
)
from dataflow.values.dtypes import as_dtype


def remove_nodes(graph_def: GraphDef, context: Context) -> GraphDef:
    """Nodes of some ops give way to their first input: `op`, several times, and `max_inputs`."""
    ops = set(context.parameters.get("op", ()))
    if not ops:
        raise InvalidArgumentError(
            None, None, "remove_nodes expects at least one 'op' argument, e.g. remove_nodes(op=Op)"
        )
    most = context.number("max_inputs", 1)
    waited = {t[1:] for node in graph_def.node for t in node.input if t.startswith("^")}
    instead = {}
    for node in graph_def.node:
        controls = any(text.startswith("^") for text in node.input)
        if (
            node.op in ops
            and 0 < len(node.input) <= most
            and not controls
            and node.name not in waited | context.ends
        ):
            instead[node.name] = node.input[0]
    return redirected(graph_def, instead)


def merge_duplicate_nodes(graph_def: GraphDef, context: Context) -> GraphDef:
    """Of equal nodes with equal inputs, whose ops have no state, one stays."""
    current = graph_def
    while True:
        first: dict[bytes, str] = {}
        instead: dict[str, str] = {}
        for node in sorted(current.node, key=lambda n: n.name not in context.ends):
            if not _is_pure(node):
                continue
            bare = NodeDef()
            bare.CopyFrom(node)
            bare.name = ""
            key = bare.SerializeToString(deterministic=True)
            if key not in first:
                first[key] = node.name
            elif node.name not in context.ends:
                instead[node.name] = first[key]
        if not instead:
            return current
        current = _renamed_inputs(current, instead)


def _is_pure(node: NodeDef) -> bool:
    definition = opdef.find(node.op)
    if node.op == "Placeholder" or definition is None:
        return False
    return not definition.is_stateful


def _renamed_inputs(graph_def: GraphDef, instead: dict[str, str]) -> GraphDef:
    result = with_nodes(graph_def, (n for n in graph_def.node if n.name not in instead))
    for node in result.node:
        for index, text in enumerate(node.input):
            name = node_name_from_input(text)
            if name in instead:
                mark = "^" if text.startswith("^") else ""
                rest = text.removeprefix("^")[len(name) :]
                node.input[index] = f"{mark}{instead[name]}{rest}"
    return result


def sort_by_execution_order(graph_def: GraphDef, context: Context) -> GraphDef:
    """Each node stands behind its inputs, but for those that come around a loop."""
    nodes = nodes_by_name(graph_def)
    order: list[NodeDef] = []
    state: dict[str, int] = {}
    for start in nodes:
        pending = [start]
        while pending:
            name = pending[-1]
            if state.get(name, 0) == 0:
                state[name] = 1
                inputs = [node_name_from_input(text) for text in nodes[name].input]
                pending.extend(
                    each
                    for each in reversed(inputs)
                    if state.get(each, 0) == 0
                    and each in nodes
                    and nodes[each].op not in ("NextIteration", "RefNextIteration")
                )
                continue
            pending.pop()
            if state[name] == 1:
                state[name] = 2
                order.append(nodes[name])
    return with_nodes(graph_def, order)


def strip_unused_nodes(graph_def: GraphDef, context: Context) -> GraphDef:
    """What the outputs need; inputs become placeholders, of `type` and `shape` if those are given.

    `name` with `type_for_name` and `shape_for_name` say it of single ones.
    """
    given = context.parameters
    types = dict(zip(given.get("name", []), given.get("type_for_name", []), strict=False))
    shapes = dict(zip(given.get("name", []), given.get("shape_for_name", []), strict=False))
    inputs = {node_name_from_input(name) for name in context.inputs}
    kept = needed(graph_def, context.outputs, inputs)
    nodes = []
    for node in kept.node:
        if node.name in inputs:
            kind = types.get(node.name) or context.one("type", "")
            node = _placeholder(node, kind, shapes.get(node.name) or context.one("shape", ""))
        nodes.append(node)
    return needed(with_nodes(kept, nodes), context.outputs)


def _placeholder(node: NodeDef, kind: str, shape: str) -> NodeDef:
    result = NodeDef(name=node.name, op="Placeholder", device=node.device)
    if kind:
        try:
            result.attr["dtype"].type = as_dtype(kind).as_datatype_enum  # type: ignore[assignment]
        except TypeError as error:
            raise InvalidArgumentError(None, None, str(error)) from None
    else:
        # Most ops have their output's type in one of these.
        known = [key for key in ("dtype", "T", "DstT", "output_type") if key in node.attr]
        result.attr["dtype"].type = node.attr[known[0]].type if known else 1  # type: ignore[assignment]
    if shape:
        try:
            sizes = [int(size) for size in shape.split(",")]
        except ValueError:
            raise InvalidArgumentError(
                None, None, f"Couldn't interpret the shape argument: {shape}"
            ) from None
        for size in sizes:
            result.attr["shape"].shape.dim.add().size = size
    elif "shape" in node.attr:
        result.attr["shape"].CopyFrom(node.attr["shape"])
    return result


def _each(graph_def: GraphDef, context: Context, change: Callable[[NodeDef], None]) -> GraphDef:
    """A graph whose nodes of `op_name`, by default all of them, were changed."""
    op = context.one("op_name", "*")
    result = copy_of(graph_def)
    for node in result.node:
        if op in ("*", node.op):
            change(node)
    return result


def rename_attribute(graph_def: GraphDef, context: Context) -> GraphDef:
    """An attr has another name: `old_attribute_name`, `new_attribute_name`, `op_name`."""
    old, new = context.one("old_attribute_name"), context.one("new_attribute_name")

    def change(node: NodeDef) -> None:
        if old in node.attr:
            node.attr[new].CopyFrom(node.attr[old])
            del node.attr[old]

    return _each(graph_def, context, change)


def remove_attribute(graph_def: GraphDef, context: Context) -> GraphDef:
    """An attr is left out: `attribute_name`, `op_name`."""
    name = context.one("attribute_name")

    def change(node: NodeDef) -> None:
        node.attr.pop(name, None)

    return _each(graph_def, context, change)


def rename_op(graph_def: GraphDef, context: Context) -> GraphDef:
    """Nodes are of another op: `old_op_name`, `new_op_name`."""
    old, new = context.one("old_op_name"), context.one("new_op_name")

    def change(node: NodeDef) -> None:
        if node.op == old:
            node.op = new

    return _each(graph_def, context, change)


def remove_control_dependencies(graph_def: GraphDef, context: Context) -> GraphDef:
    """No node waits for others than its inputs."""

    def change(node: NodeDef) -> None:
        inputs = [text for text in node.input if not text.startswith("^")]
        del node.input[:]
        node.input.extend(inputs)

    return _each(graph_def, context, change)


def remove_device(graph_def: GraphDef, context: Context) -> GraphDef:
    """No node names a device."""
    return _each(graph_def, context, lambda node: node.ClearField("device"))


def set_device(graph_def: GraphDef, context: Context) -> GraphDef:
    """Nodes name a device: `device`, and `if_default` for those only that name none."""
    device, only = context.one("device"), context.one("if_default", "false") == "true"

    def change(node: NodeDef) -> None:
        if not (only and node.device):
            node.device = device

    return _each(graph_def, context, change)


def add_default_attributes(graph_def: GraphDef, context: Context) -> GraphDef:
    """Attrs that are left out and have a default are written."""

    def change(node: NodeDef) -> None:
        definition = opdef.find(node.op)
        if definition is None:
            return
        for attr in op_def_proto.to_proto(definition).attr:
            if attr.HasField("default_value") and attr.name not in node.attr:
                node.attr[attr.name].CopyFrom(attr.default_value)

    return _each(graph_def, context, change)
