"""A training graph that TensorFlow wrote: compiled here and there, the two must agree."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from dataflow.passes.graphs.export_graph import to_graph_def
from dataflow.passes.graphs.import_graph import import_graph
from dataflow.passes.placement.place import place
from dataflow.passes.placement.split import split_by_device
from dataflow.passes.prune import prune
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.runtime.signature import StepSignature
from tests.passes import oracle
from tests.passes.building import (
    CPU_0,
    CPU_1,
    assert_sound,
    closed_under_inputs,
    devices,
    everywhere,
    no_kernels,
)
from tests.passes.op_set import BorrowedOps


def _train_graph(use_resource: bool) -> GraphDef:
    """Two towers over shared variables on CPU:0, averaged gradients, Adam with decay."""
    with tf.Graph().as_default() as graph, tf.device("/cpu:0"):
        x = tf.placeholder(tf.float32, [None, 4], name="x")
        step = tf.train.get_or_create_global_step()
        rate = tf.train.exponential_decay(0.1, step, 10, 0.9)
        optimizer = tf.train.AdamOptimizer(rate)
        towers = []
        with tf.variable_scope("net", use_resource=use_resource) as scope:
            for index in range(2):
                with tf.device(f"/cpu:{index}"), tf.name_scope(f"tower_{index}"):
                    w = tf.get_variable("w", [4, 3], initializer=tf.ones_initializer())
                    b = tf.get_variable("b", [3], initializer=tf.zeros_initializer())
                    hidden = tf.nn.relu(tf.matmul(x, w) + b)
                    loss = tf.reduce_mean(tf.square(hidden))
                    towers.append(optimizer.compute_gradients(loss))
                scope.reuse_variables()
        averaged = [
            (tf.add_n([g for g, _ in pairs]) / 2.0, pairs[0][1])
            for pairs in zip(*towers, strict=True)
        ]
        train = optimizer.apply_gradients(averaged, global_step=step, name="train")
        with tf.control_dependencies([train]):
            tf.identity(rate, name="rate_after")
        tf.variables_initializer(tf.global_variables(), name="init")
        content = graph.as_graph_def().SerializeToString()
    return GraphDef.FromString(content)


@pytest.mark.parametrize("use_resource", [False, True])
def test_compiled_as_by_tensorflow(use_resource: bool, ops: BorrowedOps) -> None:
    graph_def = _train_graph(use_resource)
    ops.define(*{node.op for node in graph_def.node})
    feeds = {"x:0": np.ones((2, 4), np.float32)}
    theirs = oracle.partitions(
        graph_def, 2, ["rate_after:0"], ["train"], feeds, first=["init"]
    ).by_device

    graph = import_graph(graph_def)
    assert_sound(graph)
    available = devices(CPU_0, CPU_1)
    graph.assign(place(graph, available, everywhere, no_kernels))
    pruned = prune(graph, StepSignature(("x:0",), ("rate_after:0",), ("train",)))
    parts = split_by_device(pruned, available)

    original = {node.name for node in graph_def.node}
    wanted = {
        node.name: device
        for device, part in theirs.items()
        for node in part.node
        if node.name in original
    }
    ours = {node.name: device for device, part in parts.items() for node in part.nodes()}
    # What they lack, they have copied to each device that uses it.
    missing = original.intersection(ours) - set(wanted)
    assert {graph.find(name).op for name in missing} <= {"Const"}
    assert {name: ours[name] for name in wanted} == wanted
    assert len(wanted) > 80 and set(wanted.values()) == {CPU_0, CPU_1}
    for part in parts.values():
        assert_sound(part)
        assert not list(closed_under_inputs(part))

    sent = sorted(_sent(GraphDef.FromString(part.SerializeToString())) for part in theirs.values())
    found = sorted(_sent(to_graph_def(part)) for part in parts.values())
    assert found == sent


def _sent(part: GraphDef) -> list[tuple[str, str]]:
    """What goes from this part, and where to."""
    return sorted(
        (node.input[0].split("/ctrl/")[0], node.attr["recv_device"].s.decode())
        for node in part.node
        if node.op in ("_Send", "_HostSend")
    )
