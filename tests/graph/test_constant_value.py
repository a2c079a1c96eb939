"""Tensors read as shapes while building: what programs are told, which shape functions refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle
from tensorflow.python.framework import tensor_util

import dataflow as tf
from dataflow.graph.constant_value import constant_value_as_shape

READ: dict[str, Callable[[Any], Any]] = {
    "vector": lambda tf: tf.constant([3, 4]),
    "empty": lambda tf: tf.constant([], tf.int32),
    "unknown size": lambda tf: tf.constant([-1, 3]),
    "below -1": lambda tf: tf.constant([3, -7]),
    "below -1 in a part": lambda tf: tf.concat([[-2, 5], tf.placeholder(tf.int32, [1])], 0),
    "below -1 before a slice": lambda tf: tf.concat([[-2, 5], tf.placeholder(tf.int32, [1])], 0)[
        1:
    ],
    "below -1 in a stack": lambda tf: tf.stack([-2, tf.placeholder(tf.int32, [])]),
    "no rank": lambda tf: tf.placeholder(tf.int32),
    "no values": lambda tf: tf.placeholder(tf.int32, [2]),
    "scalar -1": lambda tf: tf.constant(-1),
    "scalar": lambda tf: tf.constant(3),
    "fraction as scalar": lambda tf: tf.constant(-1.5),
    "scalar not known": lambda tf: tf.placeholder(tf.int32, []),
    "matrix": lambda tf: tf.constant([[1]]),
    "matrix not known": lambda tf: tf.placeholder(tf.int32, [2, 2]),
    "truths": lambda tf: tf.constant([True]),
    "words": lambda tf: tf.constant(["a"]),
}


@pytest.mark.parametrize("case", READ)
def test_a_tensor_is_read_as_a_shape_as_programs_see_it(case: str) -> None:
    def outcome(library: Any, read: Any) -> Any:
        with library.Graph().as_default():
            tensor = READ[case](library)
            try:
                shape = read(tensor)
                return None if shape.rank is None else shape.as_list()
            except (TypeError, ValueError) as error:
                return type(error), str(error)

    ours = outcome(tf, constant_value_as_shape)
    assert ours == outcome(oracle, tensor_util.constant_value_as_shape)


def test_fractions_are_no_sizes() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=r"Ambiguous dimension: 1\.5"):
        constant_value_as_shape(tf.constant([1.5]))


def test_a_shape_function_refuses_sizes_below_unknown() -> None:
    with tf.Graph().as_default():
        assert tf.SparseTensor(np.zeros([0, 2]), [], [-2, 3]).shape.as_list() == [None, 3]
        with pytest.raises(ValueError, match="Invalid value in tensor used for shape: -2"):
            tf.random_normal([-2, 3])


TILED: dict[str, Callable[[Any], Any]] = {
    "constant": lambda tf: tf.constant([-3]),
    "stack": lambda tf: tf.stack([tf.constant(-3)]),
    "cast": lambda tf: tf.cast(tf.constant([-3.0]), tf.int32),
    "stack in a concat": lambda tf: tf.concat(
        [tf.zeros([0], tf.int32), tf.stack([tf.constant(-3)])], 0
    ),
    "vector in a concat": lambda tf: tf.concat([[-3], tf.zeros([0], tf.int32)], 0),
    "stack of known sizes": lambda tf: tf.stack([tf.reshape(tf.constant(3), [])]),
}


@pytest.mark.parametrize("case", TILED)
def test_a_shape_function_reads_scalars_that_were_put_together_one_by_one(case: str) -> None:
    def outcome(library: Any) -> Any:
        with library.Graph().as_default():
            try:
                return library.tile([1], TILED[case](library)).shape.as_list()
            except ValueError as error:
                return str(error).split(" (entry")[0].split(" for '")[0]

    assert outcome(tf) == outcome(oracle)


@pytest.mark.parametrize("count", [-1, -3, 2])
def test_a_repeat_below_zero_fails_when_it_runs(count: int) -> None:
    def outcome(library: Any) -> Any:
        with library.Graph().as_default(), library.Session() as session:
            repeated = library.repeat([[1, 2], [3, 4]], count, axis=0)
            try:
                return repeated.shape.as_list(), session.run(repeated).tolist()
            except library.errors.InvalidArgumentError as error:
                return repeated.shape.as_list(), type(error).__name__

    assert outcome(tf) == outcome(oracle)
