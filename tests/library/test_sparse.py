"""tf.sparse: nodes and values as in TensorFlow, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.differentiation.both import assert_same_graph, assert_same_refusal

INDICES = [[0, 1], [1, 0], [1, 2]]


def matrix(tf: Any, dtype: Any = None, shape: Any = (2, 3)) -> Any:
    values = tf.constant([2, 1, 2], dtype or tf.float32)
    return tf.SparseTensor(tf.constant(INDICES, tf.int64), values, tf.constant(shape, tf.int64))


def unknown(tf: Any) -> Any:
    """The same matrix, of a shape that is not known while building."""
    whole = matrix(tf)
    shape = tf.placeholder_with_default(np.int64([2, 3]), [None])
    return tf.SparseTensor(whole.indices, whole.values, shape)


def parts(sparse: Any) -> list[Any]:
    return [sparse.indices, sparse.values, sparse.dense_shape]


Program = Callable[[Any], Any]
PROGRAMS: dict[str, Program] = {
    "to_dense": lambda tf: tf.sparse_tensor_to_dense(matrix(tf), name="n"),
    "to_dense of strings": lambda tf: tf.sparse.to_dense(
        tf.SparseTensor(INDICES, ["a", "b", "c"], [2, 3]), default_value="-"
    ),
    "from places": lambda tf: tf.sparse_to_dense([1, 3], [5], [2.0, 3.0], -1.0),
    "from_dense": lambda tf: parts(tf.sparse.from_dense([[0, 2], [3, 0]])),
    "reorder": lambda tf: parts(tf.sparse_reorder(matrix(tf), name="n")),
    "reorder of unknown shape": lambda tf: parts(tf.sparse.reorder(unknown(tf))),
    "reshape": lambda tf: parts(tf.sparse_reshape(matrix(tf), [3, -1])),
    "reshape of unknown shape": lambda tf: parts(tf.sparse.reshape(unknown(tf), [3, -1])),
    "retain": lambda tf: parts(tf.sparse_retain(matrix(tf), [True, False, True])),
    "fill_empty_rows": lambda tf: [
        [*parts(filled), where]
        for filled, where in [tf.sparse_fill_empty_rows(matrix(tf, shape=(4, 3)), 7.0)]
    ],
    "matmul": lambda tf: tf.sparse_tensor_dense_matmul(matrix(tf), tf.ones([3, 2])),
    "matmul of adjoints": lambda tf: tf.sparse.matmul(
        matrix(tf), tf.ones([4, 2]), adjoint_a=True, adjoint_b=True
    ),
    "matmul from behind": lambda tf: tf.sparse_tensor_dense_matmul(tf.ones([4, 2]), matrix(tf)),
    "matmul from behind, adjoint": lambda tf: tf.sparse_tensor_dense_matmul(
        tf.ones([3, 4]), matrix(tf), adjoint_a=True, adjoint_b=True
    ),
    "matmul from behind, one adjoint": lambda tf: tf.sparse_tensor_dense_matmul(
        tf.ones([4, 3]), matrix(tf), adjoint_b=True
    ),
    "concat": lambda tf: parts(tf.sparse_concat(1, [matrix(tf), matrix(tf)])),
    "concat of one": lambda tf: parts(tf.sparse_concat(1, [matrix(tf)])),
    "concat of several sizes": lambda tf: parts(
        tf.sparse.concat(-1, [matrix(tf), matrix(tf, shape=(5, 4))], expand_nonconcat_dim=True)
    ),
    "concat of unknown shape": lambda tf: parts(
        tf.sparse_concat(sp_inputs=[matrix(tf), unknown(tf)], axis=None, concat_dim=0)
    ),
    "transpose": lambda tf: parts(tf.sparse_transpose(matrix(tf))),
    "transpose of unknown shape": lambda tf: parts(tf.sparse.transpose(unknown(tf), [1, 0])),
    "expand_dims": lambda tf: parts(tf.sparse.expand_dims(matrix(tf), 1)),
    "expand_dims at the end": lambda tf: parts(tf.sparse.expand_dims(matrix(tf))),
    "eye": lambda tf: [*parts(tf.sparse.eye(2, 3)), *parts(tf.sparse.eye(tf.constant(2)))],
    "merge": lambda tf: parts(tf.sparse_merge(matrix(tf, tf.int32), matrix(tf), 5)),
    "merge of several": lambda tf: parts(
        tf.sparse.merge([matrix(tf, tf.int64), matrix(tf, tf.int32)], matrix(tf), [5, 4])
    ),
    "to_indicator": lambda tf: tf.sparse_to_indicator(matrix(tf, tf.int64), 4),
    "reset_shape": lambda tf: parts(tf.sparse_reset_shape(matrix(tf, shape=(5, 5)))),
    "reset_shape to a known one": lambda tf: parts(tf.sparse_reset_shape(matrix(tf), [2, 4])),
    "reset_shape in a step": lambda tf: parts(tf.sparse_reset_shape(unknown(tf), [2, 4])),
    "add": lambda tf: parts(tf.sparse_add(matrix(tf), matrix(tf), 2.5)),
    "add of unknown shape": lambda tf: parts(tf.sparse.add(unknown(tf), matrix(tf))),
    "add of a dense one": lambda tf: [
        tf.sparse_add(matrix(tf), tf.ones([2, 3])),
        tf.sparse_add(tf.ones([2, 3]), matrix(tf)),
    ],
    "segment_sum": lambda tf: tf.sparse_segment_sum(tf.ones([3, 2]), [2, 2, 0], [0, 0, 3]),
    "segment_mean": lambda tf: tf.sparse_segment_mean(tf.ones([3]), [2, 2], [0, 0], "n", 4),
    "segment_sqrt_n": lambda tf: tf.sparse.segment_sqrt_n(tf.ones([3]), [2, 2], [0, 0]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_graph(name: str) -> None:
    assert_same_graph(PROGRAMS[name])


GRADIENTS: dict[str, Callable[[Any, Any], Any]] = {
    "to_dense": lambda tf, x: tf.sparse_tensor_to_dense(matrix(tf).with_values(x), x[0]),
    "reorder": lambda tf, x: tf.sparse_transpose(matrix(tf).with_values(x)).values * [1, 2, 3],
    "fill_empty_rows": lambda tf, x: (
        tf.sparse_fill_empty_rows(matrix(tf, shape=(4, 3)).with_values(x), x[1])[0].values
    ),
    "matmul": lambda tf, x: tf.sparse_tensor_dense_matmul(
        matrix(tf).with_values(x), tf.reshape(x, [3, 1])
    ),
    "segment_mean": lambda tf, x: tf.sparse_segment_mean(x, [2, 2, 0], [0, 0, 3]),
    "rows of segments": lambda tf, x: tf.sparse_segment_sqrt_n(
        x, [2, 2, 0], [0, 0, 3], num_segments=5, sparse_gradient=True
    ),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_same_gradient(name: str) -> None:
    def program(tf: Any) -> Any:
        x = tf.constant([2.0, 3.0, 5.0])
        y = GRADIENTS[name](tf, x)
        return tf.gradients(y * y, x)

    assert_same_graph(program)


REFUSALS: dict[str, Program] = {
    "no sparse tensor": lambda tf: tf.sparse_reorder(tf.ones([2])),
    "no sparse summand": lambda tf: tf.sparse_add(tf.ones([2]), tf.ones([2])),
    "no list": lambda tf: tf.sparse_concat(0, matrix(tf)),
    "no size": lambda tf: tf.sparse_merge(matrix(tf), matrix(tf), "4"),
    "no list of sizes": lambda tf: tf.sparse_merge([matrix(tf)], matrix(tf), 4),
    "too few sizes": lambda tf: tf.sparse_merge([matrix(tf)], matrix(tf), [4, 5]),
    "no axis": lambda tf: tf.sparse.expand_dims(matrix(tf), "0"),
    "no number of rows": lambda tf: tf.sparse.eye("2"),
    "two open sizes": lambda tf: tf.sparse_reshape(matrix(tf), [-1, -1]),
    "too many elements": lambda tf: tf.sparse_reshape(matrix(tf), [4, 2]),
    "too small": lambda tf: tf.sparse_reset_shape(matrix(tf), [2, 2]),
    "another length": lambda tf: tf.sparse_retain(matrix(tf), [True]),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_same_refusal(name: str) -> None:
    assert_same_refusal(REFUSALS[name])


def test_steps(session_factory: Any) -> None:
    """Fed sparse tensors go through ops on either target; a mistake names the node."""
    x = tf.sparse_placeholder(tf.float32)
    y = tf.sparse_tensor_dense_matmul(tf.sparse_reorder(x), tf.eye(3) * 2, name="product")
    session = session_factory()
    value = tf.SparseTensorValue([[1, 2], [0, 1]], [5.0, 3.0], [2, 3])
    assert session.run(y, {x: value}).tolist() == [[0, 6, 0], [0, 0, 10]]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?s)m \(1\) from.*product"):
        session.run(y, {x: value._replace(dense_shape=[1, 3])})


def test_an_order_of_other_axes_is_refused() -> None:
    with (
        tf.Graph().as_default(),
        pytest.raises(ValueError, match="Dimensions 1 and 2 are not comp"),
    ):
        tf.sparse_transpose(matrix(tf), [0])


def test_a_product_of_two_sparse_matrices_is_refused() -> None:
    """TensorFlow 2.21 calls itself until Python stops it."""
    with tf.Graph().as_default(), pytest.raises(TypeError, match="both are sparse: "):
        tf.sparse_tensor_dense_matmul(matrix(tf), matrix(tf))
