"""Calls of functions, and the nodes that stand in their place."""

from __future__ import annotations

import dataflow as tf
from dataflow.placement.inlining import inlined


def test_what_a_call_waits_for_comes_before_its_nodes() -> None:
    with tf.Graph().as_default() as graph:
        x, first = tf.constant(2.0), tf.no_op(name="first")
        function = tf.function(lambda a: a * a + 1.0)
        with tf.control_dependencies([first]):
            tf.identity(function(x), name="y")
    graph_def = graph.as_graph_def()
    (call,) = (node.name for node in graph_def.node if "PartitionedCall" in node.op)
    flat = inlined(graph_def)
    assert not any("PartitionedCall" in node.op for node in flat.node)
    inner = [node for node in flat.node if node.name.startswith(f"{call}/")]
    assert len(inner) >= 2
    assert all("^first" in node.input for node in inner)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(flat, name="")
        assert session.run("y:0") == 5.0
