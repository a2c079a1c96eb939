"""RunOptions and RunMetadata."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

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
