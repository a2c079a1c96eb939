"""Nodes that others only wait for: which of them need not be computed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.passes.algebra.control_only import drop_control_only
from dataflow.passes.graphs.node_graph import NodeGraph
from dataflow.proto.config_pb2 import ConfigProto, RunMetadata, RunOptions
from dataflow.proto.rewriter_config_pb2 import RewriterConfig
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape
from tests.passes.building import Nodes, assert_sound, text


def _gated(op: str = "Neg", **attrs: Any) -> NodeGraph:
    """A node `idle` of an op, fed by `before`, that only `gate` waits for; `user` waits for it."""
    nodes = Nodes()
    nodes.placeholder("x")
    nodes.float_op("Exp", "before", "x")
    nodes.add(op, "idle", ["before"], **{"T": dtypes.float32, **attrs})
    nodes.add("NoOp", "gate", ["^idle"])
    nodes.float_op("Identity", "user", "x", "^gate")
    return nodes.graph()


def test_idle_nodes_and_what_feeds_them_only_keep_the_order() -> None:
    graph = _gated()
    before = text(graph)
    dropped = drop_control_only(graph)
    assert text(graph) == before
    assert_sound(dropped)
    assert sorted(text(dropped).splitlines()) == [
        "before = NoOp(^x)",
        "gate = NoOp(^idle)",
        "idle = NoOp(^before)",
        "user = Identity(x, ^gate)",
        "x = Placeholder()",
    ]


@pytest.mark.parametrize(
    ("op", "attrs"),
    [
        ("CheckNumerics", {"message": b"no"}),
        ("Print", {"U": (), "message": b"", "first_n": -1, "summarize": 3}),
    ],
)
def test_checks_and_effects_stay(op: str, attrs: dict[str, Any]) -> None:
    graph = _gated(op, **attrs)
    assert drop_control_only(graph) is graph


def test_targets_stay() -> None:
    graph = _gated()
    assert drop_control_only(graph, {"idle"}) is graph


def test_reads_of_references_stay() -> None:
    nodes = Nodes()
    nodes.add("VariableV2", "v", dtype=dtypes.float32, shape=TensorShape([]))
    nodes.float_op("Identity", "read", "v")
    nodes.add("NoOp", "gate", ["^read"])
    nodes.add("NoOp", "end", ["^gate"])
    graph = nodes.graph()
    dropped = drop_control_only(graph)
    assert "read = Identity(v)" in text(dropped)


def test_pivots_of_branches_stay() -> None:
    nodes = Nodes()
    nodes.placeholder("x")
    nodes.add("Placeholder", "p", dtype=dtypes.bool)
    nodes.float_op("Switch", "switch", "x", "p")
    nodes.float_op("Identity", "pivot", "switch:1")
    nodes.const("c", 2.0, ["^pivot"])
    nodes.float_op("Neg", "user", "c")
    graph = nodes.graph()
    assert drop_control_only(graph) is graph


def _conv_step(dependency_optimization: int) -> tuple[list[str], list[np.ndarray]]:
    """Names of the nodes that a training step runs, and the variables after it."""
    config = ConfigProto()
    config.graph_options.rewrite_options.dependency_optimization = dependency_optimization
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        x = tf.placeholder(tf.float32, [2, 8, 8, 3])
        kernel = tf.Variable(np.linspace(-1, 1, 3 * 3 * 3 * 4, dtype="f").reshape(3, 3, 3, 4))
        y = tf.nn.conv2d(x, kernel, strides=[1, 1, 1, 1], padding="SAME", name="conv")
        train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(y * y))
        session.run(tf.global_variables_initializer())
        metadata = RunMetadata()
        options = RunOptions(trace_level=RunOptions.FULL_TRACE)
        feed = {x: np.arange(2 * 8 * 8 * 3, dtype="f").reshape(2, 8, 8, 3) / 100}
        session.run(train, feed, options=options, run_metadata=metadata)
        ran = [
            record.timeline_label
            for device in metadata.step_stats.dev_stats
            for record in device.node_stats
        ]
        return ran, [session.run(kernel)]


def test_gradients_that_only_gate_others_are_not_computed() -> None:
    with_it, after = _conv_step(RewriterConfig.ON)
    without, expected = _conv_step(RewriterConfig.OFF)
    assert any("Conv2DBackpropInput(" in label for label in without)
    assert not any("Conv2DBackpropInput(" in label for label in with_it)
    assert any("Conv2DBackpropFilter(" in label for label in with_it)
    np.testing.assert_array_equal(after, expected)
