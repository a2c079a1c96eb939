"""Quantized elements on their way into a session and out of it."""

from __future__ import annotations

import numpy as np
import pytest

import dataflow as tf
from tests.conftest import SessionFactory

TYPES = (tf.qint8, tf.quint8, tf.qint16, tf.quint16, tf.qint32)


@pytest.mark.parametrize("dtype", TYPES, ids=lambda dtype: dtype.name)
def test_a_fetch_gives_the_integers(session_factory: SessionFactory, dtype: tf.DType) -> None:
    kind = np.dtype(dtype.as_numpy_dtype)[0]
    steps = np.array([[1, 100], [7, 127]], kind)
    fed = tf.placeholder(dtype, [2, 2])
    same, turned = tf.identity(fed), tf.transpose(fed)
    first = tf.reshape(tf.slice(fed, [0, 1], [1, 1]), [])
    with session_factory() as session:
        found = session.run([same, turned, first], {fed: steps})
    np.testing.assert_array_equal(found[0], steps)
    np.testing.assert_array_equal(found[1], steps.T)
    assert found[2] == 100
    assert {value.dtype for value in found} == {kind}
    assert found[0].flags.writeable


def test_a_net_of_steps_answers_near_the_float_one(session_factory: SessionFactory) -> None:
    random = np.random.default_rng(0)
    a, b = (random.uniform(-1, 1, (5, 5)).astype(np.float32) for _ in range(2))
    left, right = (tf.quantize(x, -1.0, 1.0, tf.quint8) for x in (a, b))
    product = tf.raw_ops.QuantizedMatMul(
        a=left[0], b=right[0], min_a=-1.0, max_a=1.0, min_b=-1.0, max_b=1.0
    )
    with session_factory() as session:
        found = session.run(tf.dequantize(*product))
    np.testing.assert_allclose(found, a @ b, atol=0.05)
