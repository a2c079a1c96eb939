"""The first run of a program, which interprets its nodes, has the bits of all later ones."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.kernels.elementwise import special
from tests.actors.fusion.first_runs import (
    BLOCK,
    Case,
    differs,
    elementwise_ops,
    first_difference,
    operand_types,
)

RUNS = 4
"""Two interpret the nodes, the others run what was put together."""
MANY = 20
"""In these runs layouts of several segments and of one have run in turns, and one has won."""
BY_NUMBER = {*special.UNARY, *special.BINARY, "Digamma", "IgammaGradA", "Polygamma"} - {"Erf"}
OPS = [
    pytest.param(op, dtype, marks=[pytest.mark.long] * (dtype == "float64" and is_later))
    for number, op in enumerate(elementwise_ops())
    for dtype, is_later in (("float32", False), ("float64", number % 4 > 0))
    if operand_types(op, tf.as_dtype(dtype)) is not None
]


@pytest.mark.parametrize(("op", "dtype"), OPS)
def test_each_elementwise_op(op: str, dtype: str) -> None:
    """Small programs, blocks with a short end, and transposed operands with reductions."""
    shapes: list[tuple[int, ...]] = [(33,), (259, 257)]
    # Numbers that are computed by calls for each do not depend on their place.
    shapes += [] if op in BY_NUMBER else [(BLOCK + 4001,)]
    for shape in shapes:
        assert not differs(Case(op, dtype, shape, len(shape) > 1), RUNS)


def numbers(*shape: int, seed: int = 0, dtype: Any = np.float32) -> Any:
    return (np.random.default_rng(seed).standard_normal(shape) * 3).astype(dtype)


def turned(x: Any) -> Any:
    return tf.transpose(x, [*range(1, x.shape.rank), 0])


def read_as_it_lies(x: Any, wide: Any, row: Any, build: Callable[..., Any]) -> list[Any]:
    """Whatever depends on how a value lies in memory: sums and products of it."""
    made = build(x, wide, row)
    return [
        made,
        tf.reduce_sum(made),
        tf.reduce_sum(made, 0),
        tf.reduce_mean(made, 1),
        tf.reduce_max(made, 1),
        tf.matmul(made, tf.ones([made.shape[1], 3])),
    ]


LYING: dict[str, Callable[..., Any]] = {
    "transposed": lambda x, wide, row: tf.tanh(turned(x)) * 1.5,
    "with one that is not": lambda x, wide, row: tf.square(turned(x) - wide),
    "with a row": lambda x, wide, row: tf.exp(turned(x) + row),
    "of a slice": lambda x, wide, row: tf.exp(turned(x[:, :-1]) * 0.5) - 1.0,
    "every second": lambda x, wide, row: tf.exp(x[:, ::2] * 0.5) - 1.0,
    "backwards": lambda x, wide, row: tf.exp(x[::-1, ::-1] * 0.5) - 1.0,
    "repeated": lambda x, wide, row: tf.exp(tf.broadcast_to(row, wide.shape) * 0.5) - turned(x),
    "erf": lambda x, wide, row: tf.erf(turned(x) * 0.5),
    "remainders": lambda x, wide, row: tf.math.floormod(turned(x) * 2.0, turned(x)),
    "choices": lambda x, wide, row: tf.where(turned(x) > 0.0, turned(x), turned(x) * 2.0),
}


@pytest.mark.parametrize("name", LYING)
def test_operands_that_lie_otherwise(name: str) -> None:
    values = [numbers(523, 391), numbers(391, 523, seed=1), numbers(523, seed=2)]

    def build(*places: Any) -> list[Any]:
        return read_as_it_lies(*places, LYING[name])

    assert not first_difference(build, values, RUNS)


def test_what_lies_otherwise_on_the_way() -> None:
    """The first function lies as its operand, the sum with another one does not."""

    def build(x: Any, wide: Any, reduce: Callable[..., Any]) -> list[Any]:
        first = tf.tanh(turned(x) * 1.5) * 0.001 + 1.0
        both = first + wide * 0.001
        found = [reduce(one, axis) for one in (first, both) for axis in (None, 0, 1)]
        return [first, both, *found, tf.matmul(first, x), tf.matmul(both, x)]

    values = [numbers(523, 391), numbers(391, 523, seed=1)]
    # Sums go with what makes the numbers, products do not.
    for reduce in (tf.reduce_sum, tf.reduce_prod):
        build_one = functools.partial(build, reduce=reduce)
        assert not first_difference(build_one, values, RUNS)


@pytest.mark.parametrize("axis", [None, 0, 1, 2, [0, 1], [1, 2], [0, 2]])
@pytest.mark.parametrize("order", [[2, 0, 1], [1, 0, 2], [2, 1, 0], [0, 2, 1]])
def test_sums_of_transposed_arrays(order: list[int], axis: Any) -> None:
    def build(x: Any) -> list[Any]:
        y = tf.transpose(x, order)
        z = tf.square(y) * 1.5
        return [tf.reduce_sum(z, axis), tf.reduce_mean(tf.tanh(y), axis, keepdims=True)]

    assert not first_difference(build, [numbers(32, 40, 67)], RUNS)


ZEROS: dict[str, Callable[[Any], Any]] = {
    "relu": tf.nn.relu,
    "relu of a product": lambda x: tf.nn.relu(x * 2.0),
    "relu6": tf.nn.relu6,
    "leaky": lambda x: tf.nn.leaky_relu(x, -0.5),
    "greater of itself": lambda x: tf.maximum(x, -x),
    "lesser of itself": lambda x: tf.minimum(-x, x),
    "greater than 0": lambda x: tf.maximum(x * 2.0, 0.0),
    "0 or greater": lambda x: tf.maximum(tf.zeros([], x.dtype), x * 2.0),
    "clipped": lambda x: tf.clip_by_value(x, 0.0, 1.0),
    "greatest": lambda x: tf.reduce_max(tf.minimum(x, -x) * 2.0, 1),
    "least": lambda x: tf.reduce_min(tf.maximum(x, -x) * 2.0, 1),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ZEROS)
def test_signs_of_zeros_beside_a_nan(name: str, dtype: Any) -> None:
    """After some NaNs clusters leave the code that loses them: their zeros are the same."""
    x = numbers(513, 603, dtype=dtype)
    zeros = np.random.default_rng(1).random(x.shape)
    x[zeros < 0.6], x[zeros < 0.3] = -0.0, 0.0
    x[100, 100] = np.nan

    def build(place: Any) -> list[Any]:
        made = ZEROS[name](place)
        return [made, 1.0 / made]

    assert not first_difference(build, [x], MANY)


@pytest.mark.parametrize("rest", [1, 13, 4001, 4096, 5000])
def test_the_error_function_behind_whole_blocks(rest: int) -> None:
    assert not first_difference(lambda x: [tf.erf(x)], [numbers(2 * BLOCK + rest)], RUNS)


def test_feeds_of_other_sizes_in_between() -> None:
    """Small ones are computed as they were before the cluster was made for large ones."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None])
        y = tf.erf(x) * 2.0
        few, many = numbers(100), numbers(3 * BLOCK)
        first = session.run(y, {x: few})
        for _ in range(RUNS):
            session.run(y, {x: many})
        np.testing.assert_array_equal(session.run(y, {x: few}), first)


@pytest.mark.parametrize("steps", [4, 12])
@pytest.mark.parametrize("batch", [4, 300])
def test_a_recurrent_net(steps: int, batch: int) -> None:
    """Its gradients are sums of products."""

    def build(x: Any) -> list[Any]:
        state = tf.zeros([batch, 17])
        kernel, bias = tf.Variable(numbers(25, 17) * 0.1), tf.Variable(numbers(17) * 0.1)
        for step in range(steps):
            product = tf.matmul(tf.concat([x[step], state], 1), kernel)
            state = tf.tanh(tf.nn.bias_add(product, bias))
        loss = tf.reduce_mean(tf.square(state))
        return [loss, *tf.gradients(loss, [kernel, bias, x])]

    assert not first_difference(build, [numbers(steps, batch, 8)], MANY)


@pytest.mark.parametrize("activation", [tf.nn.relu, tf.nn.relu6, tf.tanh, tf.erf, tf.nn.elu])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_layers(activation: Callable[[Any], Any], dtype: Any) -> None:
    def dense(x: Any, kernel: Any, bias: Any) -> list[Any]:
        return [activation(tf.nn.bias_add(tf.matmul(x, kernel), bias))]

    for rows, length, columns in ((7, 33, 65), (501, 300, 257), (3000, 64, 10)):
        shapes = ((rows, length), (length, columns), (columns,))
        assert not first_difference(dense, [numbers(*s, dtype=dtype) for s in shapes], RUNS)

    def pooled(x: Any, kernel: Any, bias: Any) -> list[Any]:
        made = activation(tf.nn.bias_add(tf.nn.conv2d(x, kernel, 1, "SAME"), bias))
        loss = tf.reduce_mean(tf.square(tf.nn.max_pool(made, 2, 2, "SAME")))
        return [loss, *tf.gradients(loss, [x, kernel, bias])]

    shapes = ((3, 29, 29, 8), (3, 3, 8, 16), (16,))
    assert not first_difference(pooled, [numbers(*s, dtype=dtype) for s in shapes], RUNS)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_small_programs(dtype: Any) -> None:
    def build(x: Any, wide: Any, row: Any) -> list[Any]:
        starts = [turned(x), turned(x) * wide + row, x[:, ::2], x[::-1], row + wide]
        found = []
        for start in starts:
            made = ((start * 2.0 + 1.0) * start - 3.0) * start
            found += [made, tf.reduce_sum(made), tf.reduce_sum(made, 0), tf.reduce_mean(made, 1)]
        return found

    shapes = ((7, 33), (33, 7), (7,))
    assert not first_difference(build, [numbers(*s, dtype=dtype) for s in shapes], MANY)
