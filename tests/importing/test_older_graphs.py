"""Graphs from before TensorFlow 1.3: their batch normalization and their lookup tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow

import dataflow
from dataflow.proto.graph_pb2 import GraphDef
from tests.oracle import open_session

oracle = tensorflow.compat.v1
oracle.disable_v2_behavior()

RANDOM = np.random.default_rng(9)
DT_INT64, DT_STRING = 9, 7


def _run(tf: Any, graph_def: GraphDef, *names: str) -> Any:
    message = tf.GraphDef.FromString(graph_def.SerializeToString())
    with tf.Graph().as_default() as graph, open_session(tf, graph) as session:
        tf.import_graph_def(message, name="")
        return [session.run(name) for name in names]


def _constant(graph: GraphDef, name: str, value: Any) -> str:
    node = graph.node.add(name=name, op="Const")
    tensor = dataflow.make_tensor_proto(value)
    node.attr["dtype"].type = tensor.dtype
    node.attr["value"].tensor.CopyFrom(tensor)
    return name


@pytest.mark.parametrize("scaled", [True, False])
def test_batch_normalization(scaled: bool) -> None:
    graph = GraphDef()
    # The op is of versions before 9.
    graph.versions.producer = 8
    values = [RANDOM.normal(0, 1, (2, 3, 3, 4)), *RANDOM.uniform(0.5, 1.5, (4, 4))]
    names = [_constant(graph, f"c{i}", v.astype(np.float32)) for i, v in enumerate(values)]
    op = "BatchNormWithGlobalNormalization"
    node = graph.node.add(name="normed", op=op, input=names)
    node.attr["T"].type = 1
    node.attr["variance_epsilon"].f = 0.01
    node.attr["scale_after_normalization"].b = scaled
    (have,), (want,) = (_run(tf, graph, "normed:0") for tf in (dataflow, oracle))
    np.testing.assert_allclose(have, want, rtol=1e-5, atol=1e-6)


def test_lookup_tables() -> None:
    graph = GraphDef()
    graph.versions.producer = 20
    keys = _constant(graph, "keys", np.array([b"a", b"b"]))
    values = _constant(graph, "values", np.array([3, 4], np.int64))
    words = _constant(graph, "words", np.array([b"b", b"z"]))
    default = _constant(graph, "default", np.array(-1, np.int64))
    table = graph.node.add(name="table", op="HashTable")
    table.attr["key_dtype"].type, table.attr["value_dtype"].type = DT_STRING, DT_INT64
    init = graph.node.add(name="init", op="InitializeTable", input=["table", keys, values])
    init.attr["Tkey"].type, init.attr["Tval"].type = DT_STRING, DT_INT64
    find = graph.node.add(name="find", op="LookupTableFind", input=["table", words, default])
    find.attr["Tin"].type, find.attr["Tout"].type = DT_STRING, DT_INT64
    graph.node.add(name="size", op="LookupTableSize", input=["table"])
    for tf in (dataflow, oracle):
        _, found, size = _run(tf, graph, "init", "find:0", "size:0")
        assert list(found) == [4, -1] and size == 2
