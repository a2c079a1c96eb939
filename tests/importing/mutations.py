"""Ways to spoil a GraphDef, drawn by hypothesis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

import dataflow as tf

SIZES = [0, 1, 2, 3, 7, -1, -2, 2**40, 2**62, -(2**63)]
"""Numbers for shapes, lengths and axes. Those between would only fill the memory."""
_TYPES = [0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 14, 19, 20, 21, 77, 101, 103, 109]
_NAMES = ["", "x", "a b", "_x", "a:0", "^a", "a/", "\u00fc", "A" * 300]
_SUFFIXES = ["", ":0", ":1", ":7", ":-1", ":99999999999", ":x"]
_DEVICES = ["/cpu:0", "/cpu:7", "/gpu:0", "/job:ps/task:3", "/foo", "cpu", "/device:CPU:*", "//"]

Mutation = Callable[[st.DataObject, tf.GraphDef], None]


def _node(data: st.DataObject, graph_def: tf.GraphDef) -> tf.NodeDef:
    return graph_def.node[data.draw(st.integers(0, len(graph_def.node) - 1), label="node")]


def drop(data: st.DataObject, graph_def: tf.GraphDef) -> None:
    """Takes a node out."""
    del graph_def.node[data.draw(st.integers(0, len(graph_def.node) - 1), label="dropped")]


def double(data: st.DataObject, graph_def: tf.GraphDef) -> None:
    """Adds a node again, maybe under another name."""
    twin = graph_def.node.add()
    twin.CopyFrom(_node(data, graph_def))
    twin.name += data.draw(st.sampled_from(["", "_1", "/x"]))


def rename(data: st.DataObject, graph_def: tf.GraphDef) -> None:
    """Gives a node another name, maybe that of another node."""
    names = [*_NAMES, _node(data, graph_def).name]
    _node(data, graph_def).name = data.draw(st.sampled_from(names))


def another_op(data: st.DataObject, graph_def: tf.GraphDef) -> None:
    """Makes a node do what another does."""
    ops = [_node(data, graph_def).op, "", "Nope", "NoOp", "Const", "Placeholder", "AddN", "Reshape"]
    _node(data, graph_def).op = data.draw(st.sampled_from(ops))


def inputs(data: st.DataObject, graph_def: tf.GraphDef) -> None:
    """Adds an input, takes one out, puts another in its place, or turns them round."""
    node, other = _node(data, graph_def), _node(data, graph_def)
    text = data.draw(st.sampled_from(["", "^"])) + other.name
    text += data.draw(st.sampled_from(_SUFFIXES))
    how = data.draw(st.sampled_from(["add", "drop", "replace", "turn"]))
    if how == "add":
        node.input.append(text)
    elif how == "turn":
        turned = list(node.input)[::-1]
        del node.input[:]
        node.input.extend(turned)
    elif node.input:
        place = data.draw(st.integers(0, len(node.input) - 1))
        if how == "drop":
            del node.input[place]
        else:
            node.input[place] = text


def attr_dropped(data: st.DataObject, graph_def: tf.GraphDef) -> None:
    """Takes an attr out, or its value."""
    node = _node(data, graph_def)
    if node.attr:
        name = data.draw(st.sampled_from(sorted(node.attr)))
        if data.draw(st.booleans()):
            node.attr.pop(name)
        else:
            node.attr[name].Clear()


def attr_of_another(data: st.DataObject, graph_def: tf.GraphDef) -> None:
    """Gives an attr the value of any other attr."""
    node, other = _node(data, graph_def), _node(data, graph_def)
    if other.attr:
        source = data.draw(st.sampled_from(sorted(other.attr)))
        names = [*node.attr, source, "_class", "_output_shapes", "shape", "T", "N"]
        node.attr[data.draw(st.sampled_from(sorted(set(names))))].CopyFrom(other.attr[source])


def attr_changed(data: st.DataObject, graph_def: tf.GraphDef) -> None:
    """Changes the value of an attr within its kind."""
    node = _node(data, graph_def)
    if not node.attr:
        return
    value = node.attr[data.draw(st.sampled_from(sorted(node.attr)))]
    size = data.draw(st.sampled_from(SIZES))
    match value.WhichOneof("value"):
        case "type":
            value.type = data.draw(st.sampled_from(_TYPES))  # type: ignore[assignment]
        case "i":
            value.i = size
        case "b":
            value.b = not value.b
        case "f":
            value.f = data.draw(st.sampled_from([0.0, -1.0, float("nan"), float("inf")]))
        case "s":
            value.s = data.draw(st.sampled_from([b"", b"SAME", b"\xff", value.s * 2]))
        case "shape":
            _change_shape(data, value.shape, size)
        case "tensor":
            _change_tensor(data, value.tensor, size)
        case "list":
            _change_list(data, value.list, size)


def _change_shape(data: st.DataObject, shape: Any, size: int) -> None:
    how = data.draw(st.sampled_from(["add", "unknown", "set", "drop"]))
    if how == "unknown":
        shape.unknown_rank = not shape.unknown_rank
    elif how == "add" or not shape.dim:
        shape.dim.add().size = size
    else:
        place = data.draw(st.integers(0, len(shape.dim) - 1))
        if how == "set":
            shape.dim[place].size = size
        else:
            del shape.dim[place]


def _change_tensor(data: st.DataObject, tensor: Any, size: int) -> None:
    how = data.draw(st.sampled_from(["shape", "dtype", "content", "value", "value"]))
    if how == "shape":
        _change_shape(data, tensor.tensor_shape, size)
    elif how == "dtype":
        tensor.dtype = data.draw(st.sampled_from(_TYPES))
    elif how == "content":
        content = data.draw(st.sampled_from([b"", b"\xff", tensor.tensor_content + b"\x00"]))
        tensor.tensor_content = content
    elif tensor.dtype in (3, 9):
        field = "int_val" if tensor.dtype == 3 else "int64_val"
        getattr(tensor, field).append(size if abs(size) < 2**31 else -(2**31))
        if tensor.tensor_content:
            width = 4 if tensor.dtype == 3 else 8
            number = (size % 2 ** (8 * width)).to_bytes(width, "little")
            tensor.tensor_content = tensor.tensor_content[:-width] + number


def _change_list(data: st.DataObject, values: Any, size: int) -> None:
    filled = values.ListFields()
    how = data.draw(st.sampled_from(["drop", "double", "set", "other"]))
    if how == "other" or not filled:
        values.i.append(size)
    elif how == "drop":
        del getattr(values, filled[0][0].name)[-1:]
    elif how == "set" and values.i:
        values.i[0] = size
    else:
        field = getattr(values, filled[0][0].name)
        field.extend(list(field))


def device(data: st.DataObject, graph_def: tf.GraphDef) -> None:
    """Puts a node elsewhere."""
    _node(data, graph_def).device = data.draw(st.sampled_from(_DEVICES))


def together(data: st.DataObject, graph_def: tf.GraphDef) -> None:
    """Puts a node together with others."""
    groups = _node(data, graph_def).attr["_class"].list.s
    name = data.draw(st.sampled_from([_node(data, graph_def).name, "zz", ""]))
    groups.append(f"loc:@{name}".encode())


def versions(data: st.DataObject, graph_def: tf.GraphDef) -> None:
    """Says that other readers and writers are meant."""
    number = st.sampled_from([0, 1, -1, 21, 2474, 99999, 2**31 - 1, -(2**31)])
    graph_def.versions.producer = data.draw(number)
    graph_def.versions.min_consumer = data.draw(number)
    graph_def.versions.bad_consumers.append(data.draw(number))


def order(data: st.DataObject, graph_def: tf.GraphDef) -> None:
    """Turns the order of the nodes round."""
    nodes = list(graph_def.node)[::-1]
    del graph_def.node[:]
    graph_def.node.extend(nodes)


MUTATIONS: list[Mutation] = [
    *(drop, double, rename, another_op, inputs, inputs, attr_dropped, attr_of_another),
    *(attr_changed, attr_changed, attr_changed, device, together, versions, order),
]


def mutate(data: st.DataObject, graph_def: tf.GraphDef) -> None:
    """Spoils a graph in one to four ways."""
    for _ in range(data.draw(st.integers(1, 4), label="mutations")):
        if graph_def.node:
            data.draw(st.sampled_from(MUTATIONS), label="how")(data, graph_def)


def mutate_bytes(data: st.DataObject, content: bytes) -> bytes:
    """Changes, drops or inserts bytes, or cuts the rest off."""
    changed = bytearray(content)
    for _ in range(data.draw(st.integers(1, 3), label="mutations")):
        place = data.draw(st.integers(0, max(len(changed) - 1, 0)))
        how = data.draw(st.sampled_from(["change", "flip", "drop", "insert", "cut"]))
        if how == "cut":
            del changed[place:]
        elif how == "insert" or not changed:
            changed[place:place] = data.draw(st.binary(min_size=1, max_size=8))
        elif how == "drop":
            del changed[place : place + data.draw(st.integers(1, 8))]
        elif how == "flip":
            changed[place] ^= 1 << data.draw(st.integers(0, 7))
        else:
            changed[place] = data.draw(st.integers(0, 255))
    return bytes(changed)
