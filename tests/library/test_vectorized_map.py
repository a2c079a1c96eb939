"""tf.vectorized_map and tensorflow.python.ops.parallel_for against TensorFlow's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf1
from tensorflow.python.ops.parallel_for import control_flow_ops as their_loops
from tensorflow.python.ops.parallel_for import gradients as their_gradients

import dataflow as tf
from dataflow.porting.spellings.ops import parallel

tf1.disable_v2_behavior()

X = np.random.RandomState(4).standard_normal((3, 2))
W = np.random.RandomState(5).standard_normal((2, 4))


def made(lib: Any, loops: Any, gradients: Any) -> Any:
    """Results of all functions."""
    with lib.Graph().as_default(), lib.Session() as session:
        x, w, apart = lib.constant(X), lib.constant(W), lib.constant(1.0)
        y = lib.tanh(lib.matmul(x, w))
        mapped = lib.vectorized_map(
            lambda row: {"sum": lib.reduce_sum(row[0]), "where": (row[0] > 0.0, row[1] + 1)},
            (x, lib.range(3)),
        )
        whole = gradients.jacobian(y, [x, apart, w])
        assert whole[1] is None
        assert whole[0].shape.as_list() == [3, 4, 3, 2]
        rows = gradients.batch_jacobian(y, x)
        assert gradients.batch_jacobian(y, lib.constant(X)) is None
        doubled = loops.pfor(lambda i: (2 * i, lib.gather(x, i)), 3)
        squares = loops.for_loop(lambda i: i * i, lib.int32, 4)
        return session.run([mapped, whole[0], whole[2], rows, doubled, squares])


def test_results_are_tensorflows() -> None:
    ours = made(tf, parallel, parallel)
    theirs = made(tf1, their_loops, their_gradients)
    tf.nest.assert_same_structure(ours, theirs)
    for found, expected in zip(tf.nest.flatten(ours), tf.nest.flatten(theirs), strict=True):
        assert np.asarray(found).dtype == np.asarray(expected).dtype
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def per_example(lib: Any) -> Any:
    """Gradients of each part of a loss by a variable, whose elements are not known to be two."""
    with lib.Graph().as_default(), lib.Session() as session:
        weights = lib.get_variable("w", initializer=W)
        x = lib.placeholder(lib.float64, [None, 2])
        losses = lib.reshape(lib.square(lib.matmul(x, weights)), [3, -1])

        def clipped(loss: Any) -> Any:
            (grad,) = lib.gradients(lib.reduce_mean(loss), weights)
            return {"grad": grad / lib.maximum(lib.norm(grad), 1.0)}

        found = lib.vectorized_map(clipped, losses)
        both = lib.vectorized_map(lambda pair: pair[0] + pair[1], (x, lib.constant(X[:1])))
        session.run(lib.global_variables_initializer())
        return session.run([found["grad"], both], {x: X})


def test_gradients_of_elements_by_what_they_are_made_of() -> None:
    for found, expected in zip(per_example(tf), per_example(tf1), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_scalars_have_no_elements() -> None:
    with pytest.raises(ValueError, match="must be 1\\+ dimensional Tensors, not scalars"):
        tf.vectorized_map(lambda x: x, (tf.ones([2]), tf.ones([])))


def test_days_until_which_readers_must_know_graphs() -> None:
    compat = tf.compat
    assert compat.forward_compatible(2019, 1, 1)
    assert not compat.forward_compatible(2019, 12, 1)
    with compat.forward_compatibility_horizon(2019, 12, 2):
        assert compat.forward_compatible(2019, 12, 1)
    assert not compat.forward_compatible(2019, 12, 1)
