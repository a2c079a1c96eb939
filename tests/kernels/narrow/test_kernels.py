"""Kernels of large 16-bit floats give TensorFlow's bits, in the first run and in later ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow

_SHAPE = (130, 300)
_PROGRAMS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "sum": lambda tf, x, y: x + y,
    "difference": lambda tf, x, y: x - y[:1],
    "product": lambda tf, x, y: x * y[:, :1],
    "quotient": lambda tf, x, y: x / y,
    "greatest": lambda tf, x, y: tf.maximum(x, y),
    "order": lambda tf, x, y: tf.less(x, y),
    "choice": lambda tf, x, y: tf.where(x < y, x, y),
    "square": lambda tf, x, y: tf.square(x),
    "squared difference": lambda tf, x, y: tf.squared_difference(x, y),
    "root": lambda tf, x, y: tf.sqrt(tf.abs(x)),
    "relu": lambda tf, x, y: tf.nn.relu(x),
    "floor": lambda tf, x, y: tf.floor(x),
    "bias": lambda tf, x, y: tf.nn.bias_add(x, y[0]),
    "many": lambda tf, x, y: tf.add_n([x, y, x * y]),
    "quotient or 0": lambda tf, x, y: tf.div_no_nan(x, tf.nn.relu(y)),
    "chain": lambda tf, x, y: (x * y + x) / (y * y + y) - x,
    "place": lambda tf, x, y: tf.argmax(x, 1),
    "least": lambda tf, x, y: tf.reduce_min(x, 0),
    "pool": lambda tf, x, y: tf.nn.max_pool(
        tf.reshape(x, [1, 30, 130, 10]), [1, 2, 2, 1], [1, 2, 2, 1], "SAME"
    ),
    "wide": lambda tf, x, y: tf.cast(x, tf.float32),
    "narrow": lambda tf, x, y: tf.cast(tf.cast(x, tf.float32) * 1.1, x.dtype),
}


def _runs(tf: Any, name: str, number: int) -> list[list[np.ndarray]]:
    """What each program gives, in some runs one after the other."""
    random = np.random.default_rng(0)
    fed = [random.standard_normal(_SHAPE).astype(np.float32) for _ in range(2)]
    # What TensorFlow's optimizer makes of sums is what is rounded as here.
    with tf.Graph().as_default(), tf.Session(config=tf.ConfigProto()) as session:
        wide = [tf.placeholder(tf.float32, _SHAPE) for _ in fed]
        x, y = (tf.cast(one, getattr(tf, name)) for one in wide)
        results = [build(tf, x, y) for build in _PROGRAMS.values()]
        feeds = dict(zip(wide, fed, strict=True))
        return [session.run(results, feeds) for _ in range(number)]


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_as_in_tensorflow_in_each_run(name: str) -> None:
    (expected,) = _runs(oracle, name, 1)
    for results in _runs(dataflow, name, 5):
        for program, found, wanted in zip(_PROGRAMS, results, expected, strict=True):
            assert found.dtype == wanted.dtype, program
            np.testing.assert_array_equal(
                found.astype(np.float32), wanted.astype(np.float32), program
            )
