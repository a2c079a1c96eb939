"""tf.sparse in pieces and element by element: nodes and values as in TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import dataflow as tf
from tests.differentiation.both import assert_same_graph, assert_same_refusal
from tests.library.test_sparse import matrix, parts, unknown

Program = Callable[[Any], Any]
UNARY = (
    *("abs", "negative", "asinh", "sin", "tan", "atan", "asin", "atanh", "sign", "square"),
    *("sqrt", "erf", "tanh", "math.bessel_i0e", "math.bessel_i1e"),
)


def _function(tf: Any, name: str) -> Any:
    for part in name.split("."):
        tf = getattr(tf, part)
    return tf


PROGRAMS: dict[str, Program] = {
    "reduce_sum": lambda tf: tf.sparse_reduce_sum(matrix(tf)),
    "reduce_sum of an axis": lambda tf: tf.sparse.reduce_sum(unknown(tf), [1], keepdims=True),
    "reduce_sum of all": lambda tf: tf.sparse.reduce_sum(unknown(tf)),
    "reduce_max": lambda tf: tf.sparse_reduce_max(matrix(tf), reduction_axes=0),
    "reduce_sum_sparse": lambda tf: parts(tf.sparse_reduce_sum_sparse(matrix(tf), -1)),
    "reduce_max_sparse": lambda tf: parts(tf.sparse.reduce_max_sparse(matrix(tf), keep_dims=True)),
    "split": lambda tf: [
        part
        for piece in tf.sparse_split(sp_input=matrix(tf), num_split=2, axis=1, name="n")
        for part in parts(piece)
    ],
    "slice": lambda tf: parts(tf.sparse_slice(unknown(tf), [0, 1], [2, 2], "n")),
    "softmax": lambda tf: parts(tf.sparse_softmax(matrix(tf), "n")),
    "maximum": lambda tf: parts(tf.sparse.maximum(matrix(tf), matrix(tf), "n")),
    "minimum": lambda tf: parts(tf.sparse_minimum(matrix(tf), matrix(tf))),
    "times": lambda tf: parts(matrix(tf) * 2.0),
    "dense times": lambda tf: parts(tf.constant([1.0, 2.0, 3.0]) * matrix(tf)),
    "by": lambda tf: parts(matrix(tf, tf.int32) / [[2], [3]]),
    "of floats by": lambda tf: parts(unknown(tf) / tf.constant(4.0)),
    "cross": lambda tf: parts(
        tf.sparse.cross([tf.sparse.from_dense([["a"], ["b"]]), tf.constant([[1, 2], [3, 4]])])
    ),
    "cross by": lambda tf: parts(tf.sparse.cross([tf.constant([["a"], ["b"]])], "n", "-")),
    "cross_hashed": lambda tf: parts(
        tf.sparse.cross_hashed([matrix(tf, tf.int32), tf.constant([["a"], ["b"]])], 99, name="n")
    ),
    "bincount": lambda tf: parts(tf.sparse.bincount([[1, 1, 3], [0, 0, 5]])),
    "bincount of rows": lambda tf: parts(
        tf.sparse.bincount(
            [[1, 1, 3], [0, 0, 5]], axis=-1, minlength=9, binary_output=True, name="n"
        )
    ),
    "bincount of weights": lambda tf: parts(
        tf.sparse.bincount([[1], [5]], [[0.5], [1.5]], axis=None)
    ),
    "bincount of sparse": lambda tf: parts(tf.sparse.bincount(matrix(tf, tf.int32), axis=-1)),
    "bincount of all": lambda tf: parts(tf.sparse.bincount(matrix(tf, tf.int64), maxlength=2)),
    "serialize": lambda tf: tf.serialize_sparse(matrix(tf), "n"),
    "serialize many": lambda tf: tf.io.serialize_many_sparse(matrix(tf), "n"),
    "deserialize many": lambda tf: parts(
        tf.deserialize_many_sparse([tf.serialize_sparse(matrix(tf))], tf.float32, 3, "n")
    ),
    **{name: lambda tf, name=name: parts(_function(tf, name)(matrix(tf))) for name in UNARY},
    "named": lambda tf: parts(tf.square(x=matrix(tf), name="n")),
}
REFUSED: dict[str, Program] = {
    "positional": lambda tf: tf.sparse_split(matrix(tf), 2, 1),
    "no input": lambda tf: tf.sparse_split(num_split=2, axis=1),
    "no count": lambda tf: tf.sparse_split(sp_input=matrix(tf), axis=1),
    "no axis": lambda tf: tf.sparse_split(sp_input=matrix(tf), num_split=2),
    "dense split": lambda tf: tf.sparse_split(sp_input=[1], num_split=2, axis=0),
    "dense slice": lambda tf: tf.sparse_slice([1], [0], [1]),
    "axis twice": lambda tf: tf.sparse_reduce_sum(matrix(tf), 1, reduction_axes=1),
    "dense serialize": lambda tf: tf.serialize_sparse([1]),
    "sum": lambda tf: matrix(tf) + 1,
    "bincount of an axis": lambda tf: tf.sparse.bincount([1], axis=1),
    "bincount of both": lambda tf: tf.sparse.bincount([1], [1], binary_output=True),
    "cross of one": lambda tf: tf.sparse.cross(matrix(tf)),
    "cross of arrays": lambda tf: tf.sparse.cross([[1]]),
    "hashed cross of arrays": lambda tf: tf.sparse.cross_hashed([[1]]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_in_tensorflow(name: str) -> None:
    assert_same_graph(PROGRAMS[name])


@pytest.mark.parametrize("name", REFUSED)
def test_refused_as_in_tensorflow(name: str) -> None:
    assert_same_refusal(REFUSED[name])


def test_gradients_flow_through_operators_and_reductions() -> None:
    def program(tf: Any) -> Any:
        sparse = matrix(tf)
        weights = tf.constant([1.0, 2.0, 3.0])
        loss = tf.reduce_sum(tf.square(tf.sparse_reduce_sum(sparse * weights, [1])))
        loss += tf.reduce_sum(tf.sparse_softmax(tf.sparse_slice(sparse, [0, 0], [2, 2])).values)
        return tf.gradients(loss, [sparse.values, weights])

    assert_same_graph(program)


def test_values_of_the_front_end() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        found = session.run(tf.square(matrix(tf)))
    assert isinstance(found, tf.SparseTensorValue)
    assert found.values.tolist() == [4.0, 1.0, 4.0]
