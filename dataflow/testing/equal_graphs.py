"""Whether two GraphDefs have the same nodes, and the first difference in TensorFlow's words."""

from __future__ import annotations

from typing import Any

import numpy as np

from dataflow.errors import InvalidArgumentError
from dataflow.proto.attr_value_pb2 import AttrValue
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.schema.summaries import attr_text
from dataflow.values import attrs as attr_codec


def assert_equal_graph_def(actual: Any, expected: Any) -> None:
    """Two GraphDefs have the same nodes, in any order; versions and functions do not count.

    Raises:
      AssertionError: They differ.
      TypeError: One is no GraphDef.
    """
    for graph_def in (actual, expected):
        if not hasattr(graph_def, "node"):
            raise TypeError(f"Expected a GraphDef, got {type(graph_def).__name__}")
    others = {node.name: node for node in actual.node}
    for node in expected.node:
        found = others.pop(node.name, None)
        if found is None:
            raise AssertionError(f"Did not find expected node '{_node_text(node)}'")
        told = _difference(found, node)
        if told:
            raise AssertionError(f"Node named '{node.name}' {told}")
    for node in reversed(others.values()):
        raise AssertionError(f"Found unexpected node '{_node_text(node)}'")


def _difference(actual: NodeDef, expected: NodeDef) -> str:
    """In what a node is not as it should be; "" if it is."""
    if actual.op != expected.op:
        return f"has op '{actual.op}' that is not expected '{expected.op}'"
    if actual.device != expected.device:
        return f"has device '{actual.device}' that is not expected '{expected.device}'"
    if len(actual.input) != len(expected.input):
        shown = [", ".join(each.input) for each in (actual, expected)]
        return f"has inputs '{shown[0]}' that don't match expected '{shown[1]}'"
    return _other_inputs(actual, expected) or _other_attrs(actual, expected)


def _other_inputs(actual: NodeDef, expected: NodeDef) -> str:
    count = next(
        (i for i, name in enumerate(actual.input) if name.startswith("^")), len(actual.input)
    )
    pairs = zip(actual.input[:count], expected.input[:count], strict=True)
    for index, (name, wanted) in enumerate(pairs):
        if name.removesuffix(":0") != wanted.removesuffix(":0"):
            return f"has input {index} '{name}' that doesn't match expected '{wanted}'"
    given, asked = dict.fromkeys(actual.input[count:]), dict.fromkeys(expected.input[count:])
    for name in asked:
        if name not in given:
            return f"missing expected control input '{name}'"
    for name in given:
        if name not in asked:
            return f"has unexpected control input '{name}'"
    return ""


def _other_attrs(actual: NodeDef, expected: NodeDef) -> str:
    # Those that begin so are TensorFlow's own.
    given, asked = (
        {name: each.attr[name] for name in sorted(each.attr) if not name.startswith("_")}
        for each in (actual, expected)
    )
    for name, value in asked.items():
        if name not in given:
            return f"missing expected attr '{name}' with value: {_attr_text(value)}"
        found = given[name]
        if not _same(found, value):
            return (
                f"has attr '{name}' with value: {_attr_text(found)} that does not match expected: "
                f"{_attr_text(value)}"
            )
    for name, value in given.items():
        if name not in asked:
            return f"has unexpected attr '{name}' with value: {_attr_text(value)}"
    return ""


def _same(first: AttrValue, second: AttrValue) -> bool:
    """Equal attrs; tensors may be written in several ways."""
    if first == second:
        return True
    try:
        one, other = (attr_codec.decode(each) for each in (first, second))
    except InvalidArgumentError:  # one is no tensor, or another malformed value
        return False
    if not isinstance(one, np.ndarray) or not isinstance(other, np.ndarray):
        return False
    return one.dtype == other.dtype and np.array_equal(one, other)


def _attr_text(value: AttrValue) -> str:
    try:
        return attr_text(attr_codec.decode(value))
    except InvalidArgumentError:
        return str(value)


def _node_text(node: NodeDef) -> str:
    attrs = ", ".join(f"{name}={_attr_text(node.attr[name])}" for name in sorted(node.attr))
    return f"{{{{node {node.name}}}}} = {node.op}[{attrs}]({', '.join(node.input)})"
