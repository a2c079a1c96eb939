"""Random programs give the same with simplification on and off, and what TensorFlow gives."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow
from tests.oracle import unoptimized

oracle.disable_v2_behavior()

SPECIAL = (0.0, -0.0, 1.0, -1.0, 2.0, float("nan"), float("inf"), -float("inf"), 1e-30, 3.5)

Value = Any
Maker = Callable[[Any, random.Random, Value, Value], Value]


def _axes(rng: random.Random) -> list[int]:
    axes = [0, 1]
    rng.shuffle(axes)
    return axes


def _number(tf: Any, rng: random.Random, like: Value) -> Any:
    value = rng.choice((0, 1, 2, -1) if like.dtype.is_integer else (0.0, -0.0, 1.0, 2.0, -1.0))
    shape = rng.choice([[], [1], [1, 1]])
    return tf.constant(value, like.dtype.base_dtype, shape)


def _reshaped(tf: Any, rng: random.Random, x: Value, y: Value) -> Value:
    flat = tf.reshape(x, rng.choice([[-1], [4, -1], [-1, 1], [2, 2, -1]]))
    return tf.reshape(flat, rng.choice([tf.shape(x), [4, 4], [4, -1]]))


def _packed(tf: Any, rng: random.Random, x: Value, y: Value) -> Value:
    axis = rng.choice([0, 1])
    first, second = tf.unstack(tf.stack([x, y], axis=axis), axis=axis)
    return rng.choice([first, second, first + second])


MAKERS: tuple[Maker, ...] = (
    lambda tf, rng, x, y: x * _number(tf, rng, x),
    lambda tf, rng, x, y: _number(tf, rng, x) + x,
    lambda tf, rng, x, y: x - _number(tf, rng, x),
    lambda tf, rng, x, y: x + (-y),
    lambda tf, rng, x, y: (-x) + y,
    lambda tf, rng, x, y: x - (-y),
    lambda tf, rng, x, y: tf.negative(-x),
    lambda tf, rng, x, y: tf.cast(tf.identity(x), x.dtype),
    lambda tf, rng, x, y: tf.transpose(x, _axes(rng)),
    lambda tf, rng, x, y: tf.transpose(tf.transpose(x, _axes(rng)), _axes(rng)),
    lambda tf, rng, x, y: tf.matmul(tf.transpose(x), y, transpose_a=rng.random() < 0.5),
    lambda tf, rng, x, y: tf.matmul(x, tf.transpose(y), transpose_b=rng.random() < 0.5),
    _reshaped,
    _packed,
    lambda tf, rng, x, y: tf.concat(tf.split(x, 2, 0), 0),
    lambda tf, rng, x, y: tf.concat([x], 1),
    lambda tf, rng, x, y: tf.add_n([x]),
    lambda tf, rng, x, y: tf.tile(x, [1, 1])[:, :],
    lambda tf, rng, x, y: tf.pad(tf.slice(x, [0, 0], [-1, 4]), [[0, 0], [0, 0]]),
    lambda tf, rng, x, y: tf.broadcast_to(x, tf.shape(y)),
    lambda tf, rng, x, y: tf.where(tf.fill([4, 4], rng.random() < 0.5), x, y),
    lambda tf, rng, x, y: x + tf.cast(tf.size(y) + tf.rank(x) + tf.shape(y)[0], x.dtype),
    lambda tf, rng, x, y: x * tf.ones_like(y) + tf.zeros_like(x),
    lambda tf, rng, x, y: tf.reduce_sum(x, [], keepdims=rng.random() < 0.5),
    lambda tf, rng, x, y: tf.reduce_max(x, 1, keepdims=True) + y,
    lambda tf, rng, x, y: tf.stop_gradient(x) * y,
)
FLOAT_MAKERS: tuple[Maker, ...] = (
    lambda tf, rng, x, y: x / _number(tf, rng, x),
    lambda tf, rng, x, y: x ** rng.choice([1.0, 2.0, -1.0, 3.0]),
    lambda tf, rng, x, y: tf.tanh(x) * y,
)


def _program(tf: Any, seed: int, known: bool) -> tuple[list[Any], dict[Any, np.ndarray]]:
    rng = random.Random(seed)
    dtype = rng.choice([tf.float32, tf.float64, tf.int32])
    shape = [4, 4] if known else rng.choice([None, [None, 4], [None, None]])
    x, y = tf.placeholder(dtype, shape), tf.placeholder(dtype, shape)
    makers = MAKERS + (() if dtype.is_integer else FLOAT_MAKERS)
    values = [x, y]
    for _ in range(rng.randint(3, 14)):
        first, second = rng.choice(values), rng.choice(values)
        try:
            values.append(rng.choice(makers)(tf, rng, first, second))
        except ValueError:
            # A choice between shapes of which only one is known.
            continue
    draws = random.Random(seed)
    if dtype.is_integer:
        numbers = [draws.randint(-(2**31), 2**31 - 1) for _ in range(32)]
    else:
        numbers = [draws.choice(SPECIAL) for _ in range(32)]
    fed = np.array(numbers, dtype.as_numpy_dtype).reshape(2, 4, 4)
    fetches = [values[-1], *rng.sample(values[2:], min(2, len(values) - 2))]
    return fetches, {x: fed[0], y: fed[1]}


def _run(tf: Any, seed: int, known: bool, config: Any = None) -> list[np.ndarray]:
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        fetches, feeds = _program(tf, seed, known)
        results: list[np.ndarray] = session.run(fetches, feeds)
        return results


def _without_simplification() -> Any:
    config = dataflow.ConfigProto()
    rewrites = config.graph_options.rewrite_options
    rewrites.arithmetic_optimization = rewrites.OFF
    rewrites.shape_optimization = rewrites.OFF
    rewrites.dependency_optimization = rewrites.OFF
    return config


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("seed", range(40))
def test_values_stay_to_the_bit(seed: int, known: bool) -> None:
    plain = _run(dataflow, seed, known, _without_simplification())
    simple = _run(dataflow, seed, known)
    theirs = _run(oracle, seed, known, unoptimized())
    for one, other, wanted in zip(simple, plain, theirs, strict=True):
        assert one.dtype == other.dtype and one.shape == other.shape == wanted.shape
        zeros = (one == 0) & (other == 0)
        np.testing.assert_array_equal(np.signbit(one[zeros]), np.signbit(other[zeros]))
        np.testing.assert_allclose(one, other, rtol=3e-6)
        np.testing.assert_allclose(one, wanted, rtol=1e-4, atol=1e-6)


def _training_program(tf: Any, seed: int) -> tuple[list[Any], dict[Any, Any]]:
    """A net of random layers, its gradients, and updates that read and write in a fixed order."""
    rng = random.Random(seed)
    numbers = np.random.default_rng(seed)
    rows = rng.choice([None, 6])
    x = tf.placeholder(tf.float32, [rows, 4])
    layers = []
    y = x
    for _ in range(rng.randint(1, 3)):
        weights = tf.Variable(numbers.normal(size=(4, 4)).astype(np.float32) * 0.5)
        bias = tf.Variable(numbers.normal(size=rng.choice([(4,), (1, 4), ()])).astype(np.float32))
        layers += [weights, bias]
        transposed = rng.random() < 0.5
        y = tf.matmul(y, tf.transpose(weights) if transposed else weights) + bias
        y = rng.choice(
            [
                tf.tanh,
                tf.nn.relu,
                lambda v: v * tf.sigmoid(v),
                lambda v: v - tf.reduce_mean(v, 0, keepdims=True),
                lambda v: tf.reshape(tf.transpose(tf.reshape(v, [-1, 2, 2]), [0, 2, 1]), [-1, 4]),
                lambda v: tf.concat([-v[:, :2], -(-v[:, 2:] * 1.0)], 1),
                lambda v: v**2.0,
            ]
        )(y)
    loss = tf.reduce_mean(tf.square(y)) + 0.1 * tf.add_n([tf.nn.l2_loss(v) for v in layers])
    optimizer = rng.choice(
        [
            lambda: tf.train.GradientDescentOptimizer(0.1),
            lambda: tf.train.MomentumOptimizer(0.1, 0.9),
            lambda: tf.train.AdamOptimizer(0.01),
        ]
    )()
    train = optimizer.minimize(loss)
    counter = tf.Variable(0.0)
    doubled = 2.0 * counter
    # The read comes first, though nothing but its size is used.
    with tf.control_dependencies([tf.identity(doubled)]):
        counted = tf.assign_add(counter, tf.cast(tf.size(doubled), tf.float32) + 1.0)
    with tf.control_dependencies([train, counted]):
        after = tf.reduce_sum(layers[0].read_value()) + counter.read_value()
    return [doubled, after], {x: numbers.normal(size=(6, 4)).astype(np.float32)}


def _train(tf: Any, seed: int, config: Any = None) -> list[Any]:
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        fetches, feeds = _training_program(tf, seed)
        session.run(tf.global_variables_initializer())
        results = [session.run(fetches, feeds) for _ in range(4)]
        return [*results, session.run(tf.trainable_variables())]


@pytest.mark.parametrize("seed", range(12))
def test_training_goes_the_same_way(seed: int) -> None:
    simple, theirs = _train(dataflow, seed), _train(oracle, seed, unoptimized())
    plain = _train(dataflow, seed, _without_simplification())
    for one, other, wanted in zip(simple, plain, theirs, strict=True):
        for a, b, c in zip(one, other, wanted, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
            np.testing.assert_allclose(a, c, rtol=2e-4, atol=1e-5)
