"""Graphs as protobuf text, as protobuf's own printer writes them."""

from __future__ import annotations

import math
from typing import Any

import pytest
from google.protobuf.text_format import MessageToString

import dataflow as tf
from dataflow.importing.graph_text import graph_text
from tests.importing.both import oracle


def empty(graph_def: Any) -> None:
    """Leaves it as it is."""


def without_anything(graph_def: Any) -> None:
    graph_def.node.add()


def with_names_that_are_escaped(graph_def: Any) -> None:
    graph_def.node.add(name='quoted "q"\n', op="NoOp", input=["ü", "^b"], device="/cpu:0")
    graph_def.node.add(name="n", op="NoOp").attr['a b"'].f = 0.1


def with_fields_after_the_attrs(graph_def: Any) -> None:
    node = graph_def.node.add(name="n", op="NoOp")
    node.attr["a"].i = 1
    node.experimental_debug_info.original_node_names.append("m")


def with_values_of_all_kinds(graph_def: Any) -> None:
    node = graph_def.node.add(name="a/b", op="NoOp", input=["x:1", "^y"], device="/job:w/task:0")
    node.attr["z"].f, node.attr["s"].s, node.attr["b"].b = 1 / 3, b'\x00"\xff', True
    node.attr["_class"].list.s.extend([b"loc:@x", b""])
    node.attr["shape"].shape.dim.add(size=-1)
    node.attr["T"].type = 1
    for name in ("f", "g"):
        node.attr["call"].func.attr[name].i = 3
    node.attr["value"].tensor.float_val.extend([1 / 3, math.nan, math.inf, 1e-30])
    graph_def.node.add().CopyFrom(node)
    graph_def.versions.producer = 1
    graph_def.library.function.add().signature.name = "f"


@pytest.mark.parametrize("lib", [tf, oracle], ids=["ours", "theirs"])
@pytest.mark.parametrize(
    "fill",
    [
        empty,
        without_anything,
        with_names_that_are_escaped,
        with_fields_after_the_attrs,
        with_values_of_all_kinds,
    ],
)
def test_text_is_that_of_protobuf(lib: Any, fill: Any) -> None:
    graph_def = lib.GraphDef()
    fill(graph_def)
    assert graph_text(graph_def) == MessageToString(graph_def)
