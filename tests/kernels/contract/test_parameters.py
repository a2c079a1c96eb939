"""Kernels that remember what they worked out from axes and sizes see when these change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import dataflow as tf

X = np.arange(24, dtype=np.float32)
SHAPES = [(2, 12), (4, 6), (4, 6), (2, 2, 6), (24, 1), (2, 12)]

Case = tuple[Callable[[Any, Any], Any], Sequence[Any], Callable[[Any, Any], Any]]
CASES: dict[str, Case] = {
    "split": (
        lambda x, axis: tf.split(x, 2, axis),
        [0, 1, -2],
        lambda x, axis: np.split(x, 2, axis),
    ),
    "concat": (
        lambda x, axis: tf.concat([x, x], axis),
        [0, 1, -1],
        lambda x, axis: np.concatenate([x, x], axis),
    ),
    "reshape": (
        tf.reshape,
        [[3, 8], [-1, 4], [24]],
        lambda x, sizes: x.reshape(sizes),
    ),
    "transpose": (
        lambda x, first: tf.transpose(
            x, tf.concat([[first], [1 - first], tf.range(2, tf.rank(x))], 0)
        ),
        [1, 0],
        lambda x, first: x.transpose([first, 1 - first, *range(2, x.ndim)]),
    ),
    "mean": (tf.reduce_mean, [0, 1, [0, 1]], lambda x, axis: x.mean(tuple(np.ravel(axis)))),
    "sum": (tf.reduce_sum, [0, 1, [0, 1]], lambda x, axis: x.sum(tuple(np.ravel(axis)))),
    "slice": (
        lambda x, begin: tf.strided_slice(x, [begin, 0], [2, 6], [1, 2]),
        [0, 1],
        lambda x, begin: x[begin:2, 0:6:2],
    ),
}


def assert_same(given: Any, wanted: Any) -> None:
    if not isinstance(wanted, list):
        given, wanted = [given], [wanted]
    for left, right in zip(given, wanted, strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-6)
        assert np.shape(left) == np.shape(right)


@pytest.mark.parametrize("name", CASES)
def test_parameters_that_are_fed(name: str) -> None:
    make, parameters, expected = CASES[name]
    for parameter in parameters:
        # A scalar or vector of one length, whose values change from step to step.
        values = [p for p in parameters if np.shape(p) == np.shape(parameter)]
        with tf.Graph().as_default(), tf.Session() as session:
            x = tf.placeholder(tf.float32)
            if name in ("split", "slice", "transpose"):
                x = tf.placeholder(tf.float32, [None, None])
            fed = tf.placeholder(tf.int32, np.shape(parameter))
            y = make(x, fed)
            held = np.array(parameter, np.int32)
            for shape in SHAPES:
                if x.shape.ndims is not None and len(shape) != 2:
                    continue
                if name == "split" and 1 in shape:
                    continue
                for value in values:
                    # The same array, written to between the steps.
                    held[...] = value
                    found = session.run(y, {x: X.reshape(shape), fed: held})
                    assert_same(found, expected(X.reshape(shape), value))


@pytest.mark.parametrize("name", CASES)
def test_shapes_that_change_under_constant_parameters(name: str) -> None:
    make, parameters, expected = CASES[name]
    for parameter in parameters:
        with tf.Graph().as_default(), tf.Session() as session:
            x = tf.placeholder(tf.float32, [None, None])
            y = make(x, parameter)
            for shape in SHAPES:
                if len(shape) != 2 or (name == "split" and 1 in shape):
                    continue
                found = session.run(y, {x: X.reshape(shape)})
                assert_same(found, expected(X.reshape(shape), parameter))


def test_what_does_not_fit_is_refused_after_what_did() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32)
        parts, flat = tf.split(x, 2, 0), tf.reshape(x, [-1, 4])
        turned, joined = tf.transpose(x, [1, 0]), tf.concat([x, x], 1)
        good, odd, flatter = X.reshape(4, 6), X[:18].reshape(3, 6), X
        for _ in range(4):
            session.run([parts, flat, turned, joined], {x: good})
            with pytest.raises(tf.errors.InvalidArgumentError, match="evenly divide"):
                session.run(parts, {x: odd})
            with pytest.raises(tf.errors.InvalidArgumentError, match="18 values"):
                session.run(flat, {x: odd})
            with pytest.raises(tf.errors.InvalidArgumentError, match="vector of size 1"):
                session.run(turned, {x: flatter})
            with pytest.raises(tf.errors.InvalidArgumentError, match="concatenating dimensions"):
                session.run(joined, {x: flatter})


def test_one_hot_vectors_of_other_depths_and_values() -> None:
    indices = np.array([[0, 3], [-1, 7], [2, 2]], np.int32)
    with tf.Graph().as_default(), tf.Session() as session:
        fed = [tf.placeholder(dtype, []) for dtype in (tf.int32, tf.float32, tf.float32)]
        places = tf.placeholder(tf.int32)
        fixed, free = tf.one_hot(places, 4, 2.5, -1.0), tf.one_hot(places, *fed)
        for depth, on, off in [(4, 1.0, 0.0), (3, 1.0, 0.0), (3, 2.0, 0.0), (3, 2.0, 1.0)] * 2:
            for given in (indices, indices[:1], indices[0, 1], indices[:0]):
                feeds = dict(zip(fed, (depth, on, off), strict=True))
                held, made = session.run([fixed, free], {places: given, **feeds})
                inside = given[..., None] == np.arange(depth)
                np.testing.assert_array_equal(
                    made, np.where(inside, np.float32(on), np.float32(off))
                )
                inside = given[..., None] == np.arange(4)
                np.testing.assert_array_equal(
                    held, np.where(inside, np.float32(2.5), np.float32(-1))
                )
                # What a user does to a result is seen by nobody else.
                held += 1


def test_random_shapes_that_change() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        sizes = tf.placeholder(tf.int32, [2])
        fed, fixed = tf.random_uniform(sizes), tf.random_uniform([2, 5], seed=3)
        seen = []
        for wanted in [(2, 3), (4, 1), (0, 7), (2, 3)]:
            made, other = session.run([fed, fixed], {sizes: wanted})
            assert made.shape == wanted and other.shape == (2, 5)
            seen.append(other)
        assert len({value.tobytes() for value in seen}) == 4
