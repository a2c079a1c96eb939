"""Graphs from before TensorFlow 1.3: their batch normalization and their lookup tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow
from tensorflow.python.framework import op_def_registry

import dataflow
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.schema.deprecations import DEPRECATED
from dataflow.schema.opdef import registered_ops
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


def _contrast(producer: int) -> GraphDef:
    graph = GraphDef()
    graph.versions.producer = producer
    image = _constant(graph, "image", np.ones((2, 2, 1), np.float32))
    one = _constant(graph, "one", np.float32(1))
    op = "AdjustContrast"
    node = graph.node.add(name="contrast", op=op, input=[image, one, one, one])
    node.attr["T"].type = 1
    return graph


def test_an_op_is_there_until_the_version_that_removed_it() -> None:
    for producer in (0, 1):
        have, want = (_run(tf, _contrast(producer), "contrast:0")[0] for tf in (dataflow, oracle))
        np.testing.assert_array_equal(have, want)
    for producer in (2, 30):
        told = []
        for tf in (dataflow, oracle):
            with pytest.raises(tf.errors.UnimplementedError) as caught:
                _run(tf, _contrast(producer), "contrast:0")
            told.append(caught.value.message)
        assert told[0] == told[1]


def test_graphs_of_today_refuse_what_was_removed() -> None:
    told = []
    for tf in (dataflow, oracle):
        # An error of Python's where a node is made.
        with tf.Graph().as_default(), pytest.raises(NotImplementedError) as caught:
            tf.raw_ops.BatchMatrixDiag(diagonal=tf.ones([2]))
        told.append(str(caught.value))
    version = str(dataflow.version.GRAPH_DEF_VERSION)
    assert told[0].splitlines()[0] == told[1].replace(
        str(oracle.version.GRAPH_DEF_VERSION), version
    )


def test_what_was_removed_and_when_is_tensorflows() -> None:
    for op, found in DEPRECATED.items():
        theirs = op_def_registry.get(op).deprecation
        assert found == (theirs.version, theirs.explanation)
    others = (op for op in registered_ops() if op not in DEPRECATED)
    known = (each for op in others if (each := op_def_registry.get(op)) is not None)
    assert not [each.name for each in known if each.deprecation.version]
