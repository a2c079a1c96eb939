"""Spoils a graph: moves parts of it elsewhere, drops them, or changes bytes."""

from __future__ import annotations

from random import Random
from typing import Any

import dataflow as tf
from tests.fuzz import values


def spoil(rng: Random, graph_def: tf.GraphDef) -> tf.GraphDef:
    """Changes one to three things."""
    for _ in range(rng.randrange(1, 4)):
        if graph_def.node:
            rng.choice(_WAYS)(rng, graph_def)
    return graph_def


def spoil_bytes(rng: Random, content: bytes) -> bytes:
    """Changes, drops or adds bytes."""
    changed = bytearray(content)
    for _ in range(rng.randrange(1, 4)):
        place = rng.randrange(len(changed) + 1)
        how = rng.randrange(4)
        if how == 0:
            changed[place:place] = rng.randbytes(rng.randrange(1, 5))
        elif how == 1:
            del changed[place : place + rng.randrange(1, 5)]
        elif place < len(changed):
            changed[place] = (
                changed[place] ^ 1 << rng.randrange(8) if how == 2 else rng.randrange(256)
            )
    return bytes(changed)


def _attr(rng: Random, graph_def: tf.GraphDef) -> None:
    """Gives an attr the value of another one."""
    node, other = rng.choice(graph_def.node), rng.choice(graph_def.node)
    if node.attr and other.attr:
        target, source = rng.choice(sorted(node.attr)), rng.choice(sorted(other.attr))
        value = other.attr[source].SerializeToString()
        node.attr[target].ParseFromString(value)


def _number(rng: Random, graph_def: tf.GraphDef) -> None:
    """Changes a number somewhere in an attr."""
    node = rng.choice(graph_def.node)
    if not node.attr:
        return
    value = node.attr[rng.choice(sorted(node.attr))]
    size = values.number(rng)
    match value.WhichOneof("value"):
        case "i":
            value.i = size
        case "type":
            value.type = rng.choice([0, 1, 2, 3, 7, 9, 14, 19, 20, 21, 101, 999])  # type: ignore[assignment]
        case "shape":
            _resize(rng, value.shape, size)
        case "tensor":
            _resize(rng, value.tensor.tensor_shape, size)
        case "list":
            for _, field in value.list.ListFields():
                del field[len(field) // 2 :]
        case "s":
            value.s = rng.choice([b"", b"\xff", value.s + value.s])


def _resize(rng: Random, shape: Any, size: int) -> None:
    how = rng.randrange(4)
    if how == 0 or not shape.dim:
        shape.dim.add().size = size
    elif how == 1:
        shape.dim[rng.randrange(len(shape.dim))].size = size
    elif how == 2:
        shape.unknown_rank = not shape.unknown_rank
    else:
        for _ in range(rng.choice(values.MANY)):
            shape.dim.add().size = 1


def _attr_dropped(rng: Random, graph_def: tf.GraphDef) -> None:
    node = rng.choice(graph_def.node)
    if node.attr:
        node.attr.pop(rng.choice(sorted(node.attr)))


def _input(rng: Random, graph_def: tf.GraphDef) -> None:
    """Adds, drops or replaces an input."""
    node, other = rng.choice(graph_def.node), rng.choice(graph_def.node)
    text = rng.choice(["", "", "", "^"]) + other.name + rng.choice(["", "", ":0", ":1", ":-1"])
    how = rng.randrange(3)
    if how == 0 or not node.input:
        node.input.append(text)
    elif how == 1:
        node.input[rng.randrange(len(node.input))] = text
    else:
        del node.input[rng.randrange(len(node.input))]


def _op(rng: Random, graph_def: tf.GraphDef) -> None:
    """Makes a node do what another does."""
    rng.choice(graph_def.node).op = rng.choice(graph_def.node).op


def _name(rng: Random, graph_def: tf.GraphDef) -> None:
    names = ["", "x", "a b", "_x", "^a", "\u00fc", "A" * 300, rng.choice(graph_def.node).name]
    rng.choice(graph_def.node).name = rng.choice(names)


def _device(rng: Random, graph_def: tf.GraphDef) -> None:
    places = ["/cpu:0", "/cpu:7", "/gpu:0", "/job:ps/task:3", "/foo", "//", "/device:CPU:*"]
    rng.choice(graph_def.node).device = rng.choice(places)


def _drop(rng: Random, graph_def: tf.GraphDef) -> None:
    del graph_def.node[rng.randrange(len(graph_def.node))]


_WAYS = (
    _attr,
    _attr,
    _number,
    _number,
    _number,
    _attr_dropped,
    _input,
    _input,
    _op,
    _name,
    _device,
    _drop,
)
