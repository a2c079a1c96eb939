"""Shapes that are computed from constants: shape functions know what kernels give of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from dataflow.graph.constant_value import constant_value, written_value

Vector = Callable[[Any, Any], Any]
"""A vector of numbers, by a library and its `constant`."""


def _record(library: Any) -> Any:
    feature = library.train.Feature(int64_list=library.train.Int64List(value=[7]))
    features = library.train.Features(feature={"height": feature})
    example = library.train.Example(features=features).SerializeToString()
    columns = {"height": library.FixedLenFeature([1], library.int64)}
    return library.parse_single_example(library.constant(example), columns)["height"]


def _behind_a_wait(library: Any) -> Any:
    with library.control_dependencies([library.placeholder(library.int32)]):
        return library.abs(library.constant([2, -3]))


def _deep(library: Any) -> Any:
    value = library.constant([1, 1])
    for _ in range(15):
        value = library.maximum(value * value, library.minimum(value, value))
    return value


KNOWN: dict[str, Vector] = {
    "Exp": lambda tf, c: tf.exp(c([0.0, 1.0])),
    "ArgMax": lambda tf, c: tf.argmax(c([[1, 9, 2], [4, 3, 2]]), 1),
    "Where": lambda tf, c: tf.where(c([False, True, True]))[:, 0],
    "Unique": lambda tf, c: tf.unique(c([3, 3, 2]))[0],
    "Mean": lambda tf, c: tf.reduce_mean(c([[2.0, 4.0]]), 0),
    "MatMul": lambda tf, c: tf.matmul(c([[1, 2]]), c([[1, 2], [3, 4]]))[0],
    "TopKV2": lambda tf, c: tf.nn.top_k(c([1, 5, 3]), 2)[0],
    "Split": lambda tf, c: tf.split(c([1, 2, 3, 4]), 2)[1],
    "DynamicStitch": lambda tf, c: tf.dynamic_stitch([[0, 1], [2]], [c([4, 5]), c([6])]),
    "SparseToDense": lambda tf, c: tf.sparse_to_dense([0, 2], [3], c([4, 5])),
    "StringToNumber": lambda tf, c: tf.string_to_number(c(["3", "4"])),
    "ParseSingleExample": lambda tf, c: _record(tf),
    "Cumsum, exclusive": lambda tf, c: tf.cumsum(c([1, 2, 3]), exclusive=True),
    "a shape that is known": lambda tf, c: tf.abs(tf.shape(tf.placeholder(tf.float32, [2, 5])) - 9),
    "many elements on the way": lambda tf, c: tf.reduce_sum(tf.exp(tf.zeros([3, 5000])), 1),
    "a part of a list": lambda tf, c: tf.stack([tf.abs(c(-3)), tf.placeholder(tf.int32, [])]),
    "no element": lambda tf, c: tf.abs(tf.zeros([0], tf.int32)),
    "what waits": lambda tf, c: _behind_a_wait(tf),
    "used often": lambda tf, c: _deep(tf),
}
"""Known in TensorFlow while building."""
NOT_KNOWN: dict[str, Vector] = {
    "a number that is drawn": lambda tf, c: tf.random_uniform([2], 1, 5),
    "a default": lambda tf, c: tf.abs(tf.placeholder_with_default(c([2, 3]), [2])),
    "a branch": lambda tf, c: tf.abs(tf.cond(c(True), lambda: c([1, 2]), lambda: c([3, 4]))),
    "a loop": lambda tf, c: tf.while_loop(lambda i: i[0] < 3, lambda i: i + 1, [c([0])]),
    "a variable": lambda tf, c: tf.abs(tf.Variable([1, 2])),
    "a check": lambda tf, c: tf.check_numerics(c([2.0, 3.0]), "fault"),
    "a function of Python": lambda tf, c: tf.py_func(lambda: np.int32([2, 3]), [], tf.int32),
    "what fails": lambda tf, c: tf.gather(c([1, 2]), tf.abs(c([-7]))),
    "a file that is not there": lambda tf, c: tf.strings.length([tf.read_file("/no/such/file")]),
}


def _shapes(library: Any, vector: Vector) -> list[Any]:
    with library.Graph().as_default():
        sizes = library.cast(vector(library, library.constant), library.int32)
        made = library.zeros(sizes), library.reshape(library.placeholder(library.float32), sizes)
        return [each.shape.as_list() if each.shape.rank is not None else None for each in made]


@pytest.mark.parametrize("case", [*KNOWN, *NOT_KNOWN])
def test_shapes_are_known_as_far_as_in_tensorflow(case: str) -> None:
    vector = {**KNOWN, **NOT_KNOWN}[case]
    ours = _shapes(tf, vector)
    assert ours == _shapes(oracle, vector)
    is_whole = ours[0] is not None and None not in ours[0]
    assert is_whole == (case in KNOWN and case != "a part of a list")


def test_an_error_names_the_computed_sizes() -> None:
    def refusal(library: Any) -> str:
        with library.Graph().as_default(), pytest.raises(ValueError) as caught:
            library.reshape(library.constant([1, 2, 3]), library.abs(library.constant([2, -2])))
        return str(caught.value).splitlines()[0]

    assert refusal(tf) == refusal(oracle)
    assert "input[1] = [2,2]" in refusal(tf)


def test_programs_see_what_tensor_util_sees() -> None:
    with tf.Graph().as_default():
        assert constant_value(tf.exp(tf.constant([0.0]))) is None
        known = constant_value(tf.shape(tf.placeholder(tf.float32, [2, 5])))
        assert known is not None
        assert known.tolist() == [2, 5]


def test_sizes_and_axes_are_known_that_kernels_give() -> None:
    def shapes(library: Any) -> list[Any]:
        with library.Graph().as_default():
            x, two = library.placeholder(library.float32, [4, 6]), library.abs(library.constant(-2))
            axis = two - library.abs(library.constant(1))
            made = (
                library.tile(x, [two, two]),
                library.reduce_sum(x, axis),
                library.pad(x, [[0, two]] * 2),
            )
            return [each.shape.as_list() for each in (*made, *library.split(x, 2, axis))]

    assert shapes(tf) == shapes(oracle) == [[8, 12], [4], [6, 8], [4, 3], [4, 3]]


def test_what_is_used_often_is_computed_once() -> None:
    with tf.Graph().as_default():
        deep, unknown = _deep(tf), tf.shape(tf.placeholder(tf.float32, [None, 3]))
        written = tf.constant([2, 3])
        for _ in range(30):
            unknown = tf.concat([unknown[:1], unknown[1:]], 0)
            written = tf.unstack(tf.stack([written, written]))[0]
        # One by one the ways are a thousand million: they would end with the test's time.
        assert np.array_equal(constant_value(deep), [1, 1])
        assert tf.zeros(deep).shape == [1, 1]
        assert tf.zeros(unknown).shape.as_list() == [None, 3]
        assert np.array_equal(written_value(written), [2, 3])
