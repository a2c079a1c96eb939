"""Linear algebra where building knows no shapes."""

from __future__ import annotations

import numpy as np
import pytest

import dataflow as tf


@pytest.mark.parametrize("shape", [(3, 2), (2, 3)])
def test_slopes_of_least_squares_of_unknown_shape(shape: tuple[int, int]) -> None:
    """They are those of the known shape; TensorFlow cannot build them."""
    random = np.random.default_rng(0)
    matrix, rhs = random.normal(size=shape), random.normal(size=(shape[0], 1))
    found = []
    for known in (shape, None):
        with tf.Graph().as_default(), tf.Session() as session:
            a = tf.placeholder(tf.float64, known)
            b = tf.placeholder(tf.float64, None if known is None else [shape[0], 1])
            solved = tf.raw_ops.MatrixSolveLs(matrix=a, rhs=b, l2_regularizer=0.5)
            slopes = tf.gradients(tf.reduce_sum(solved**2), [a, b])
            found.append(session.run(slopes, {a: matrix, b: rhs}))
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other)
