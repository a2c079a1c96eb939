"""Gamma, Poisson and binomial numbers that several threads draw are TensorFlow's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow
from dataflow.kernels.random.rejection import _AT_ONCE

COUNT = 2 * _AT_ONCE + 3
DRAWS: dict[str, Callable[[Any], Any]] = {
    "gamma": lambda tf: tf.random_gamma([COUNT], [0.5, 3.0], seed=3),
    "poisson": lambda tf: tf.random_poisson([2.0, 30.0], [COUNT], seed=4),
    "binomial": lambda tf: tf.random.stateless_binomial([COUNT], [5, 6], 40.0, 0.3),
}


def drawn(tf: Any, draw: Callable[[Any], Any]) -> Any:
    with tf.Graph().as_default():
        tf.set_random_seed(5)
        numbers = draw(tf)
        config = tf.ConfigProto(intra_op_parallelism_threads=3)
        with tf.Session(config=config) as session:
            return session.run(numbers)


@pytest.mark.parametrize("name", DRAWS)
def test_many_numbers(name: str) -> None:
    found, wanted = drawn(dataflow, DRAWS[name]), drawn(oracle, DRAWS[name])
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, rtol=2e-6)
