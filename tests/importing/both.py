"""Runs one import program on TensorFlow and here and compares graphs, results and refusals."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as oracle
from google.protobuf import text_format

import dataflow as tf
from tests.words import as_in_tensorflow_1

oracle.disable_v2_behavior()
oracle.disable_resource_variables()

Program = Callable[[Any], Any]
"""`f(library)` works in an empty default graph; what it returns is compared, and the graph."""

# TensorFlow 2 marks ends of control edges, for optimizers that are not ours.
_IGNORED_ATTRS = ("_has_manual_control_dependencies",)


def parsed(library: Any, text: str) -> Any:
    """A GraphDef of the library, from protobuf text."""
    return text_format.Parse(text, library.GraphDef())


def assert_same(program: Program) -> list[str]:
    """Fails unless both libraries end in the same graph, or refuse alike; returns what it did."""
    theirs, ours = outcome(oracle, program), outcome(tf, program)
    shown = ["\n    ".join(lines) for lines in (ours, theirs)]
    assert ours == theirs, "\nhere:\n    {}\nTensorFlow:\n    {}".format(*shown)
    return ours


def assert_same_refusal(program: Program) -> str:
    """Fails unless both libraries refuse with the same text; returns the text."""
    lines = assert_same(program)
    assert lines[0].startswith("error: "), lines
    return lines[0].removeprefix("error: ")


def outcome(library: Any, program: Program) -> list[str]:
    """The graph and the result, or the error, as lines of text."""
    with library.Graph().as_default() as graph:
        try:
            result = program(library)
        except Exception as error:
            return [f"error: {as_tensorflows(error)}: {spelled_alike(str(error))}"]
        return [*described(graph), f"result: {shown(result)}"]


def as_tensorflows(error: Exception) -> str:
    """The class an error is for a program: one of TensorFlow's, where it has several bases."""
    if isinstance(error, tf.errors.OpError):
        if isinstance(error, tf.errors.NotFoundError):
            return "NotFoundError"
        if isinstance(error, ValueError):
            return "ValueError"
    return type(error).__name__


def spelled_alike(text: str) -> str:
    """The text without what names the library or its version."""
    text = as_in_tensorflow_1(text)
    text = re.sub(r"TensorFlow \d+\.\d+\.\d+|this version of dataflow", "this version", text)
    return re.sub(r"\b(upgrade) (TensorFlow|dataflow)", r"\1 it", text)


def shown(value: Any) -> str:
    """Operations and tensors by name, containers of them by their items."""
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(shown, value)) + "]"
    if hasattr(value, "node_def"):
        return f"operation {value.name}"
    if hasattr(value, "value_index"):
        return f"tensor {value.name}"
    return repr(value)


def described(graph: Any) -> list[str]:
    """Operations with inputs, devices, attrs and static shapes, one a line."""
    lines = []
    for op in graph.get_operations():
        waits = [f"^{other.name}" for other in op.control_inputs]
        inputs = ", ".join([tensor.name for tensor in op.inputs] + sorted(waits))
        outputs = ", ".join(f"{t.dtype.name}{t.shape}" for t in op.outputs)
        lines.append(
            f"{op.name} = {op.type}({inputs}) -> ({outputs}) on '{op.device}' "
            f"{attrs_shown(op.node_def)}"
        )
    versions = graph.graph_def_versions
    bad = sorted(versions.bad_consumers)
    lines.append(f"versions: {versions.producer} {versions.min_consumer} {bad}")
    return lines


def attrs_shown(node: Any) -> str:
    """The attrs of a NodeDef, sorted by name."""
    return " ".join(
        f"{name}=<{' '.join(str(node.attr[name]).split())}>"
        for name in sorted(node.attr)
        if name not in _IGNORED_ATTRS
    )


def as_theirs(graph_def: tf.GraphDef) -> Any:
    """Our GraphDef as TensorFlow's."""
    return oracle.GraphDef.FromString(graph_def.SerializeToString())


def as_ours(graph_def: Any) -> tf.GraphDef:
    """TensorFlow's GraphDef as ours."""
    return tf.GraphDef.FromString(graph_def.SerializeToString())


def assert_same_nodes(ours: tf.GraphDef, theirs: Any) -> None:
    """Fails unless the nodes are the same messages, in the same order.

    `experimental_type`, which TensorFlow 2 alone writes and reads, does not count.
    """
    left, right = as_theirs(ours), oracle.GraphDef()
    right.CopyFrom(theirs)
    for graph_def in (left, right):
        for node in graph_def.node:
            node.ClearField("experimental_type")
            for name in _IGNORED_ATTRS:
                node.attr.pop(name, None)
    assert [n.name for n in left.node] == [n.name for n in right.node]
    for have, want in zip(left.node, right.node, strict=True):
        assert have == want, f"\nhere:\n{have}\nTensorFlow:\n{want}"
