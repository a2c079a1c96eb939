"""RunOptions and RunMetadata."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from dataflow import errors
from dataflow.proto.config_pb2 import ConfigProto, RunMetadata, RunOptions
from tests.conftest import SessionFactory


def chain(length: int) -> tuple[Any, Any]:
    """Products that take a while."""
    x = tf.placeholder(tf.float32, [None])
    y = x
    for _ in range(length):
        y = tf.raw_ops.Mul(x=y, y=y)
    return x, y


def test_metadata_of_a_traced_run(session_factory: SessionFactory) -> None:
    x = tf.placeholder(tf.float32, [], name="x")
    y = tf.raw_ops.Mul(x=x, y=x, name="y")
    session = session_factory()
    metadata = RunMetadata()
    metadata.partition_graphs.add()
    options = RunOptions(trace_level=RunOptions.FULL_TRACE, output_partition_graphs=True)
    assert session.run(y, {x: 3.0}, options, metadata) == 9.0
    nodes = [
        node.node_name for device in metadata.step_stats.dev_stats for node in device.node_stats
    ]
    assert "y" in nodes
    allocators = {
        output.tensor_description.allocation_description.allocator_name
        for device in metadata.step_stats.dev_stats
        for node in device.node_stats
        for output in node.output
    }
    assert allocators == {"cpu"}
    assert all(len(graph.node) for graph in metadata.partition_graphs)
    assert "y" in {node.name for graph in metadata.partition_graphs for node in graph.node}
    assert session.run(y, {x: 3.0}, run_metadata=metadata) == 9.0
    assert not metadata.step_stats.dev_stats


@pytest.mark.parametrize("where", ["run", "config"])
def test_timeout(where: str, session_factory: SessionFactory) -> None:
    x, y = chain(200)
    config, options = ConfigProto(), RunOptions()
    (config if where == "config" else options).MergeFromString(
        ConfigProto(operation_timeout_in_ms=20).SerializeToString()
        if where == "config"
        else RunOptions(timeout_in_ms=20).SerializeToString()
    )
    session = session_factory(config=config)
    values = np.ones(2_000_000, np.float32)
    with pytest.raises(errors.DeadlineExceededError):
        session.run(y.op, {x: values}, options)
    # The session goes on, with more time or with less to do.
    result = session.run(y, {x: [1.0]}, RunOptions(timeout_in_ms=60_000))
    assert result.tolist() == [1.0]


def test_a_negative_time_is_no_limit() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        options = tf.RunOptions(timeout_in_ms=-1)
        assert session.run(tf.constant(3), options=options) == 3


def _costs(library: Any, every: int, after: int, options: Any) -> Any:
    """Which steps tell what they cost, and the nodes of the last one that does."""
    config = library.ConfigProto(device_count={"CPU": 1})
    config.graph_options.build_cost_model = every
    config.graph_options.build_cost_model_after = after
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    config.graph_options.optimizer_options.opt_level = -1
    told, found = [], None
    with library.Graph().as_default() as graph:
        x = library.placeholder(library.float32, [3, None], name="x")
        w = library.get_variable("w", [4, 2], use_resource=False)
        y = library.matmul(x, w, name="y")
        z = library.reduce_sum(y, name="z")
        with library.control_dependencies([z]):
            late = library.no_op("late")
        with library.Session(graph=graph, config=config) as session:
            session.run(w.initializer)
            for _ in range(5):
                metadata = library.RunMetadata()
                feed = {x: np.ones((3, 4), np.float32)}
                session.run([z, late], feed, options, metadata)
                told.append(metadata.HasField("cost_graph"))
                found = metadata if told[-1] else found
                assert bool(metadata.partition_graphs) == bool(options)
    assert found is not None and found.step_stats.dev_stats
    nodes = found.cost_graph.node
    names = {node.id: node.name for node in nodes}
    described = {
        node.name: (
            node.device,
            [(names[each.preceding_node], each.preceding_port) for each in node.input_info],
            sorted(names[each] for each in node.control_input),
            [(each.size, [dim.size for dim in each.shape.dim]) for each in node.output_info],
        )
        for node in nodes
        # TensorFlow's says what is fed, and a constant, were made in the step; nothing ran here.
        if node.name not in ("_SINK", "_arg_x_0_0", "Const")
    }
    return told, described, sorted(set(names) ^ set(range(len(nodes))))


@pytest.mark.parametrize(("every", "after"), [(2, 0), (1, 0), (2, 2)])
def test_steps_tell_what_their_nodes_cost(every: int, after: int) -> None:
    ours, theirs = _costs(tf, every, after, None), _costs(oracle, every, after, None)
    # TensorFlow finds the memory behind a reference, or none, as it comes.
    for name in ("w", "w/read"):
        assert ours[1][name][3] == [(4 * 2 * 4, [4, 2])]
        theirs[1][name][3][:] = [(size or 4 * 2 * 4, shape) for size, shape in theirs[1][name][3]]
    assert ours == theirs


def test_costs_beside_graphs_that_are_asked_for() -> None:
    _, described, _ = _costs(tf, 3, 0, RunOptions(output_partition_graphs=True))
    assert described["y"][1] == [("_arg_x_0_0", 0), ("w/read", 0)]
