"""Kernels that look into what they computed of operands that are transposed, or lie apart."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import special

import dataflow as tf

LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "turned": np.asfortranarray,
    "stepped": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
    "backwards": lambda x: np.ascontiguousarray(x[..., ::-1])[..., ::-1],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(5, 64), (300, 7), (2000, 40)])
def test_losses_of_numbered_labels(shape: tuple[int, int], layout: str) -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=shape).astype(np.float32)
    labels = random.integers(0, shape[1], shape[0])
    with tf.Graph().as_default(), tf.Session() as session:
        fed, given = tf.placeholder(tf.float32, [None, None]), tf.placeholder(tf.int64, [None])
        fetched = tf.raw_ops.SparseSoftmaxCrossEntropyWithLogits(features=fed, labels=given)
        feeds = {fed: LAYOUTS[layout](x), given: labels}
        for _ in range(3):
            loss, slope = session.run(fetched, feeds)
    rows = np.arange(len(x))
    wanted = special.softmax(x.astype(np.float64), 1)
    np.testing.assert_allclose(loss, -np.log(wanted[rows, labels]), rtol=1e-5)
    wanted[rows, labels] -= 1
    np.testing.assert_allclose(slope, wanted, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_gradient_of_a_dilation_by_its_filters(layout: str) -> None:
    filters = np.zeros((2, 3, 4), np.float32)
    filters[1, 2] = 9
    with tf.Graph().as_default(), tf.Session() as session:
        fed = tf.placeholder(tf.float32, [None, None, None])
        y = tf.raw_ops.Dilation2D(
            input=tf.zeros([1, 5, 6, 4]),
            filter=fed,
            strides=[1] * 4,
            rates=[1] * 4,
            padding="VALID",
        )
        (slope,) = session.run(tf.gradients(y, fed), {fed: LAYOUTS[layout](filters)})
    wanted = np.zeros((2, 3, 4))
    wanted[1, 2] = 4 * 4
    np.testing.assert_array_equal(slope, wanted)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(9000,), (1, 200_000), (200_000,), (300, 400)])
def test_the_error_function(shape: tuple[int, ...], layout: str) -> None:
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        fed = tf.placeholder(tf.float32, [None] * len(shape))
        y = tf.math.erf(fed)
        for _ in range(3):
            found = session.run(y, {fed: LAYOUTS[layout](x)})
    np.testing.assert_allclose(found, special.erf(x.astype(np.float64)), rtol=1e-5, atol=1e-7)


def test_what_is_repeated_lies_in_order() -> None:
    """Whoever reads it takes it in that order, and would copy it otherwise."""
    with tf.Graph().as_default(), tf.Session() as session:
        column = tf.placeholder(tf.float32, [3, 1, 5])
        found = session.run(tf.broadcast_to(column, [3, 4, 5]), {column: np.ones((3, 1, 5))})
    assert found.flags.c_contiguous
    np.testing.assert_array_equal(found, np.ones((3, 4, 5)))
