"""TensorArrays make TensorFlow's nodes and values, and refuse what TensorFlow refuses."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from dataflow.kernels.lists.tensor_array import TensorArray
from tests.conftest import SessionFactory
from tests.control_flow import functional
from tests.control_flow.programs.array_programs import PROGRAMS
from tests.control_flow.programs.failures import assert_same_failure
from tests.differentiation.both import assert_same_graph, assert_same_refusal
from tests.ops.cases.lists import tensor_array as rows
from tests.ops.cases.lists.tensor_array import Array, Steps

REFERENCE_ONLY = {
    "devices",
    "gradient_array_by_hand",
    # A list cannot tell the shape of what was never set in it.
    "unstack_unknown_rank",
}
"""Programs that functional control flow has no arrays for."""


@pytest.mark.parametrize("name", PROGRAMS)
def test_nodes_and_values_are_tensorflows(name: str) -> None:
    assert_same_graph(PROGRAMS[name])


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in REFERENCE_ONLY])
def test_arrays_of_functional_control_flow_are_tensorflows(name: str) -> None:
    functional.assert_same(PROGRAMS[name])


@pytest.mark.parametrize("name", PROGRAMS)
def test_static_shapes_are_tensorflows(name: str) -> None:
    def shapes(library: Any) -> list[str]:
        with library.Graph().as_default() as graph:
            PROGRAMS[name](library)
            return [
                f"{t.name} {t.shape.as_list() if t.shape.rank is not None else None}"
                for op in graph.get_operations()
                for t in op.outputs
            ]

    assert shapes(tf) == shapes(oracle)


def test_same_values_on_ray_and_here(session_factory: SessionFactory) -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    array = tf.TensorArray(tf.float32, 2).unstack(x)
    y = array.stack()
    gradient = tf.gradients(y * y, x)[0]
    values = session_factory().run([y, gradient])
    np.testing.assert_array_equal(values[0], [[1, 2], [3, 4]])
    np.testing.assert_array_equal(values[1], [[2, 4], [6, 8]])


def program(steps: Steps) -> Callable[[Any], Any]:
    actions, options = steps
    return lambda library: Array(library, **options).run(actions)


@pytest.mark.parametrize("lengths", [[2, -1, 0], [-1, 1, 1]])
def test_negative_lengths_fail_the_step(lengths: list[int]) -> None:
    """TensorFlow ends the process."""
    with tf.Graph().as_default(), tf.Session() as session:
        split = program(([rows.split(rows.floats([1.0]), lengths)], {}))(tf)
        with pytest.raises(tf.errors.InvalidArgumentError, match="lengths to be >= 0"):
            session.run(split)


def test_gradients_joined_without_parts_fail_the_step() -> None:
    """TensorFlow ends the process."""
    actions = [rows.on_slopes(rows.write(0, [1.0]), rows.concat())]
    with tf.Graph().as_default(), tf.Session() as session:
        joined = program((actions, {}))(tf)
        with pytest.raises(tf.errors.InvalidArgumentError, match="never split"):
            session.run(joined)


def test_a_stack_is_no_array() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        stack = tf.raw_ops.StackV2(max_size=1, elem_type=tf.float32)
        size = tf.raw_ops.TensorArraySizeV3(handle=stack, flow_in=0.0)
        with pytest.raises(tf.errors.InvalidArgumentError, match="wrong type"):
            session.run(size)


BAD_CALLS: dict[str, Callable[[Any], Any]] = {
    "no size": lambda tf: tf.TensorArray(tf.float32),
    "handle no tensor": lambda tf: tf.TensorArray(tf.float32, handle=3),
    "inconsistent shape": lambda tf: (
        tf.TensorArray(tf.float32, 2).write(0, [1.0]).write(1, [1.0, 2.0])
    ),
    "inconsistent element shape": lambda tf: tf.TensorArray(
        tf.float32, 2, element_shape=[None, 2]
    ).unstack(tf.zeros([2, 3])),
    "inconsistent scatter": lambda tf: (
        tf.TensorArray(tf.float32, 2).write(0, [1.0]).scatter([1], tf.zeros([1, 2]))
    ),
    "inconsistent split": lambda tf: tf.TensorArray(tf.float32, 2, element_shape=[3]).split(
        tf.zeros([4]), [2, 2]
    ),
    "split of another type": lambda tf: tf.TensorArray(tf.float32, 2).split(
        tf.constant([1, 2]), [1, 1]
    ),
    "gradients without the name": lambda tf: _named_gradients(tf),
    "fetch": lambda tf: tf.Session().run(tf.TensorArray(tf.float32, 2)),
}


def _named_gradients(tf: Any) -> Any:
    x = tf.placeholder(tf.float32, [2], name="x")
    y = tf.TensorArray(tf.float32, 2).unstack(x).stack()
    return tf.gradients(y, x, name="slopes")


def _wrap(library: Any, **arguments: Any) -> Any:
    handle, flow = library.raw_ops.TensorArrayV3(size=2, dtype=library.float32)
    return library.TensorArray(library.float32, **{"handle": handle, "flow": flow, **arguments})


for _argument, _value in (
    ("size", 2),
    ("tensor_array_name", "a"),
    ("element_shape", [2]),
    ("dynamic_size", True),
    ("clear_after_read", False),
    ("flow", None),
):
    BAD_CALLS[f"handle and {_argument}"] = lambda tf, a=_argument, v=_value: _wrap(tf, **{a: v})


@pytest.mark.parametrize("name", [name for name in BAD_CALLS if name != "fetch"])
def test_bad_calls_are_refused_as_in_tensorflow(name: str) -> None:
    assert_same_refusal(BAD_CALLS[name])


def test_an_array_cannot_be_fetched() -> None:
    with tf.Graph().as_default(), pytest.raises(TypeError, match="has invalid type"):
        BAD_CALLS["fetch"](tf)


def test_writing_another_type_is_logged_and_fails_in_the_step(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.ERROR):
        text = assert_same_failure(lambda tf: tf.TensorArray(tf.float32, 1).write(0, "a").flow)
    assert "trying to write dtype string" in text


def second_order(library: Any) -> Any:
    x = library.placeholder_with_default(np.array([1, 2], np.float32), [2], name="x")
    y = library.TensorArray(library.float32, 2).unstack(x).stack()
    slope = library.gradients(y * y * y, x)[0]
    return [slope, *library.gradients(slope, x)]


def test_second_order_gradients_fail_the_step_as_in_tensorflow() -> None:
    assert_same_graph(second_order, values=False)
    assert "Wrong input container" in assert_same_failure(second_order)


def test_second_order_gradients_of_functional_control_flow() -> None:
    functional.assert_same(second_order)


def test_elements_are_not_copied() -> None:
    array = TensorArray.named("a", tf.float32, 3, None, np)
    value = np.arange(6.0, dtype=np.float32).reshape(3, 2)
    array.write_many(range(3), list(value))
    assert all(np.shares_memory(array.read(i), value) for i in range(3))


def test_reading_frees_an_element() -> None:
    array = TensorArray.named("a", tf.float32, 1, None, np)
    array.write(0, np.ones(3, np.float32))
    array.read(0)
    assert array.elements == [(3,)]


def test_sums_do_not_change_what_was_written() -> None:
    forward = TensorArray.named("a", tf.float32, 1, None, np)
    sums = forward.gradient("g")
    first, second = np.ones(2, np.float32), np.full(2, 2, np.float32)
    for value in (first, second, second):
        sums.write(0, value)
    np.testing.assert_array_equal(sums.read(0), [5, 5])
    np.testing.assert_array_equal(first, [1, 1])
    np.testing.assert_array_equal(second, [2, 2])
