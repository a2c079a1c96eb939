"""Sparse embedding lookups: nodes, values and gradients as in TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tensorflow.python.ops import embedding_ops as their_embeddings

import dataflow
import dataflow as tf
from dataflow.library import embedding as our_embeddings
from tests.differentiation.both import assert_same_graph, assert_same_refusal
from tests.pairwise import pairwise

INDICES = [[0, 0], [0, 1], [2, 0], [3, 1]]
ROWS = np.arange(12, dtype=np.float32).reshape(6, 2)


def ids(tf: Any, numbers: Any = (1, 3, 3, 0), indices: Any = INDICES, shape: Any = (5, 2)) -> Any:
    """Ids of which building knows the rank only."""
    rank = len(shape)
    return tf.SparseTensor(
        tf.placeholder_with_default(np.int64(indices), [None, rank]),
        tf.placeholder_with_default(np.int64(numbers), [None]),
        tf.placeholder_with_default(np.int64(shape), [rank]),
    )


def weights(tf: Any, dtype: Any = None, numbers: Any = (1.0, 2.0, 0.5, 3.0)) -> Any:
    return tf.SparseTensor(INDICES, tf.constant(numbers, dtype or tf.float32), [5, 2])


def tables(tf: Any, kind: str) -> Any:
    if kind == "variable":
        return tf.Variable(ROWS)
    if kind == "resource":
        return tf.Variable(ROWS, use_resource=True)
    if kind == "parts":
        return [tf.Variable(ROWS[0::2]), tf.Variable(ROWS[1::2])]
    if kind == "partitioned":
        partitioner = tf.fixed_size_partitioner(3)
        return tf.get_variable(
            "t", [6, 2], initializer=tf.ones_initializer(), partitioner=partitioner
        )
    return tf.constant(ROWS)


def with_gradients(tf: Any, found: Any) -> list[Any]:
    return [found, tf.gradients(found * found, tf.trainable_variables())]


@pairwise(
    {
        "kind": ["constant", "variable", "resource", "parts", "partitioned"],
        "combiner": ["mean", "sum", "sqrtn"],
        "is_weighted": [False, True],
    }
)
def test_same_graph(kind: str, combiner: str, is_weighted: bool) -> None:
    def program(tf: Any) -> Any:
        sp_weights = weights(tf) if is_weighted else None
        found = tf.nn.embedding_lookup_sparse(
            tables(tf, kind), ids(tf), sp_weights, combiner=combiner
        )
        return with_gradients(tf, found)

    assert_same_graph(program)


@pytest.mark.parametrize("case", ["norm", "fast", "half", "double weights"])
def test_same_graph_of_options(case: str) -> None:
    def program(tf: Any) -> Any:
        table, sp_weights, options = tf.Variable(ROWS), None, {}
        if case == "norm":
            options = {"max_norm": 2.0, "combiner": "sum"}
        elif case == "fast":
            options, sp_weights = {"allow_fast_lookup": True}, weights(tf)
        elif case == "half":
            table, sp_weights = tf.Variable(ROWS.astype(np.float16)), weights(tf, tf.float16)
        else:
            sp_weights = weights(tf, tf.float64)
        return tf.nn.embedding_lookup_sparse(table, ids(tf), sp_weights, **options)

    assert_same_graph(program)


@pytest.mark.parametrize("default_id", [None, 2])
@pytest.mark.parametrize("combiner", ["mean", "sum", "sqrtn"])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_same_graph_of_safe_lookups(
    is_weighted: bool, combiner: str, default_id: int | None
) -> None:
    def program(tf: Any) -> Any:
        sp_weights = weights(tf, numbers=(1.0, 2.0, -0.5, 3.0)) if is_weighted else None
        found = tf.nn.safe_embedding_lookup_sparse(
            [tf.Variable(ROWS[:3]), tf.Variable(ROWS[3:])],
            ids(tf, (1, -3, 3, 0)),
            sp_weights,
            combiner=combiner,
            default_id=default_id,
        )
        return with_gradients(tf, found)

    assert_same_graph(program)


def test_same_graph_of_more_axes() -> None:
    def program(tf: Any) -> Any:
        indices = np.int64([[0, 0, 0], [0, 1, 1], [1, 1, 0]])
        sparse = ids(tf, (5, 0, -2), indices, (2, 3, 2))
        open_ids = tf.sparse_placeholder(tf.int64)
        found = tf.nn.safe_embedding_lookup_sparse(tf.Variable(ROWS), sparse)
        tf.nn.safe_embedding_lookup_sparse(tf.Variable(ROWS), open_ids)
        return found

    assert_same_graph(program)


REFUSALS = {
    "combiner": lambda tf: tf.nn.embedding_lookup_sparse(
        tf.constant(ROWS), ids(tf), None, combiner="max"
    ),
    "ids": lambda tf: tf.nn.embedding_lookup_sparse(tf.constant(ROWS), [1], None),
    "weights": lambda tf: tf.nn.embedding_lookup_sparse(tf.constant(ROWS), ids(tf), [1.0]),
    "no table": lambda tf: tf.nn.safe_embedding_lookup_sparse(None, ids(tf)),
    "empty table": lambda tf: tf.nn.safe_embedding_lookup_sparse([], ids(tf)),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_same_refusal(name: str) -> None:
    program = REFUSALS[name]
    if name in ("ids", "weights"):
        with pytest.raises(TypeError, match=f"sp_{name} must be"), tf.Graph().as_default():
            program(tf)
        return
    assert_same_refusal(program)


def test_trains(session_factory: Any) -> None:
    """Only rows that were looked up change; an id beyond the table names the lookup."""
    table = tf.Variable(ROWS)
    open_ids = tf.sparse_placeholder(tf.int64)
    found = tf.nn.embedding_lookup_sparse(table, open_ids, None, combiner="sum", name="lookup")
    train = tf.train.GradientDescentOptimizer(1.0).minimize(tf.reduce_sum(found))
    session = session_factory()
    session.run(tf.global_variables_initializer())
    value = tf.SparseTensorValue([[0, 0], [0, 1], [1, 0]], [1, 4, 4], [2, 2])
    session.run(train, {open_ids: value})
    expected = ROWS.copy()
    expected[1] -= 1
    expected[4] -= 2
    np.testing.assert_array_equal(session.run(table), expected)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[1\].*(?s:.*)lookup"):
        session.run(found, {open_ids: value._replace(values=[1, 6, 4])})


@pytest.mark.parametrize("ids_shape", [[3], [3, 1], None])
@pytest.mark.parametrize("kind", ["constant", "parts", "partitioned"])
def test_rows_are_transformed_beside_their_part(kind: str, ids_shape: list[int] | None) -> None:
    def program(tf: Any) -> Any:
        module = our_embeddings if tf is dataflow else their_embeddings
        found = module._embedding_lookup_and_transform(
            tables(tf, kind),
            tf.placeholder_with_default(
                np.int64([[4], [1], [4]]).reshape(ids_shape or -1), ids_shape
            ),
            max_norm=3.0,
            transform_fn=lambda rows: tf.reduce_sum(rows * rows, 1, keepdims=True),
        )
        return with_gradients(tf, found)

    assert_same_graph(program)
