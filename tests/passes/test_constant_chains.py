"""Constants in a row: what they become, and where they must not be joined."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dataflow as tf
from dataflow.passes.algebra.constant_chains import join_constants
from dataflow.passes.graphs.node_graph import NodeGraph
from dataflow.proto.config_pb2 import ConfigProto
from dataflow.proto.rewriter_config_pb2 import RewriterConfig
from dataflow.values import dtypes
from tests.passes.building import Nodes, assert_sound, text


def _chain(ops: list[str], values: list[Any], dtype: Any = dtypes.float32) -> NodeGraph:
    """`n0 = op(x, c0)`, `n1 = op(c1, n0)` and so on, and a node `end` that uses the last."""
    nodes = Nodes()
    last = nodes.add("Placeholder", "x", dtype=dtype)
    for index, (op, value) in enumerate(zip(ops, values, strict=True)):
        constant = nodes.const(f"c{index}", np.asarray(value, dtype.as_numpy_dtype))
        operands = (constant, last) if index % 2 else (last, constant)
        last = nodes.add(op, f"n{index}", operands, T=dtype)
    nodes.add("Identity" if dtype is dtypes.string else "Neg", "end", [last], T=dtype)
    return nodes.graph()


def _constants(graph: NodeGraph) -> list[Any]:
    return [node.attrs["value"].item() for node in graph.nodes() if node.op == "Const"]


def test_a_chain_becomes_one_node() -> None:
    graph = _chain(["Mul", "Mul", "Mul"], [2.0, 3.0, 4.0])
    before = text(graph)
    joined = join_constants(graph)
    assert text(graph) == before
    assert_sound(joined)
    assert _constants(joined) == [24.0]
    lines = text(joined).splitlines()
    assert len(lines) == 4 and "end = Neg(n2)" in lines
    assert "n2 = Mul(n2/constant_1, x)" in lines or "n2 = Mul(x, n2/constant)" in lines


def test_both_additions_are_one_function() -> None:
    assert _constants(join_constants(_chain(["Add", "AddV2"], [1, 2], dtypes.int32))) == [3]


def test_texts_are_no_numbers() -> None:
    graph = _chain(["Add", "Add"], [b"a", b"b"], dtypes.string)
    assert join_constants(graph) is graph


def test_integers_wrap() -> None:
    large = 2**30
    assert _constants(join_constants(_chain(["Add"] * 2, [large] * 2, dtypes.int32))) == [-(2**31)]


@pytest.mark.parametrize(
    ("ops", "values"),
    [
        (["Mul", "Add"], [2.0, 3.0]),
        (["Sub", "Sub"], [2.0, 3.0]),
        (["Mul", "Mul"], [1e30, 1e30]),
        (["Mul", "Mul"], [1e-30, 1e-30]),
        (["Add", "Add"], [3e38, 3e38]),
        (["Mul", "Mul"], [[1.0, 2.0], 3.0]),
    ],
)
def test_chains_that_stay(ops: list[str], values: list[Any]) -> None:
    graph = _chain(ops, values)
    assert text(join_constants(graph)) == text(graph)


def test_what_something_else_reads_stays() -> None:
    nodes = Nodes()
    nodes.placeholder("x")
    nodes.const("a", 2.0)
    nodes.const("b", 3.0)
    nodes.float_op("Mul", "inner", "x", "a")
    nodes.float_op("Mul", "outer", "inner", "b")
    nodes.float_op("Neg", "other", "inner")
    graph = nodes.graph()
    assert join_constants(graph) is graph


_STEPS = st.lists(
    st.tuples(st.sampled_from(["+", "*"]), st.integers(-40, 40), st.booleans()),
    min_size=1,
    max_size=12,
)


@settings(max_examples=25, deadline=None)
@given(steps=_STEPS, dtype=st.sampled_from([tf.float32, tf.float64, tf.int32]))
def test_values_are_those_of_the_whole_chain(steps: list[Any], dtype: Any) -> None:
    results = []
    for toggle in (RewriterConfig.ON, RewriterConfig.OFF):
        config = ConfigProto()
        config.graph_options.rewrite_options.constant_folding = toggle
        with tf.Graph().as_default(), tf.Session(config=config) as session:
            x = tf.placeholder(dtype, [3])
            y, fetches = x, []
            for sign, number, fetched in steps:
                value = number if dtype == tf.int32 else number / 8
                y = y + value if sign == "+" else value * y
                if fetched:
                    fetches.append(y)
            results.append(session.run([y, *fetches], {x: [1, 2, 3]}))
    for joined, plain in zip(*results, strict=True):
        if dtype == tf.int32:
            np.testing.assert_array_equal(joined, plain)
        else:
            np.testing.assert_allclose(joined, plain, rtol=1e-5, atol=1e-5)
