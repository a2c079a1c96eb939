"""The ops of optional values: values and errors are TensorFlow's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from tests.session.both import core_text

oracle.disable_v2_behavior()

Program = Callable[[Any], Any]


def _some(tf: Any) -> Any:
    return tf.raw_ops.OptionalFromValue(components=[tf.constant([1.0, 2.0]), tf.constant(3)])


def _none(tf: Any) -> Any:
    return tf.raw_ops.OptionalNone()


def _list(tf: Any) -> Any:
    return tf.raw_ops.EmptyTensorList(
        element_shape=-1, max_num_elements=-1, element_dtype=tf.float32
    )


def _get(tf: Any, optional: Any, shapes: Any = ((2,), ()), types: Any = None) -> Any:
    types = [tf.float32, tf.int32] if types is None else types
    shapes = [None if shape is None else list(shape) for shape in shapes]
    return tf.raw_ops.OptionalGetValue(optional=optional, output_types=types, output_shapes=shapes)


def _slope(tf: Any) -> Any:
    x = tf.constant([1.0, 2.0])
    optional = tf.raw_ops.OptionalFromValue(components=[x * x])
    return tf.gradients(_get(tf, optional, [(2,)], [tf.float32])[0], x)


def _text_and_nested(tf: Any) -> Any:
    inner = tf.raw_ops.OptionalFromValue(components=[tf.constant(["a", "b"])])
    outer = tf.raw_ops.OptionalFromValue(components=[inner])
    (again,) = _get(tf, outer, [()], [tf.variant])
    return _get(tf, again, [(2,)], [tf.string])


_VALUES: dict[str, Program] = {
    "components": lambda tf: _get(tf, _some(tf)),
    "unknown shapes": lambda tf: _get(tf, _some(tf), [None, None]),
    "has value": lambda tf: tf.raw_ops.OptionalHasValue(optional=_some(tf)),
    "has no value": lambda tf: tf.raw_ops.OptionalHasValue(optional=_none(tf)),
    "zeros": lambda tf: _get(tf, tf.raw_ops.ZerosLike(x=_some(tf))),
    "zeros of nothing": lambda tf: tf.raw_ops.OptionalHasValue(
        optional=tf.raw_ops.ZerosLike(x=_none(tf))
    ),
    "sum": lambda tf: _get(tf, tf.raw_ops.AddN(inputs=[_some(tf)] * 3)),
    "sum of nothing": lambda tf: tf.raw_ops.OptionalHasValue(
        optional=tf.raw_ops.AddN(inputs=[_none(tf), _none(tf)])
    ),
    "gradient": _slope,
    "text and nested": _text_and_nested,
}


@pytest.mark.parametrize("program", _VALUES.values(), ids=_VALUES)
def test_value(program: Program) -> None:
    """The same static shapes and the same values."""

    def computed(library: Any) -> tuple[list[str], list[Any]]:
        with library.Graph().as_default(), library.Session() as session:
            result = program(library)
            tensors = result if isinstance(result, list) else [result]
            return [str(t.shape) for t in tensors], [session.run(t) for t in tensors]

    (shapes, values), (their_shapes, their_values) = computed(tf), computed(oracle)
    assert shapes == their_shapes
    for have, want in zip(values, their_values, strict=True):
        assert np.asarray(have).dtype == np.asarray(want).dtype
        np.testing.assert_array_equal(have, want)


_ERRORS: dict[str, Program] = {
    "nothing": lambda tf: _get(tf, _none(tf)),
    "number": lambda tf: _get(tf, _some(tf), [(2,)], [tf.float32]),
    "type": lambda tf: _get(tf, _some(tf), types=[tf.int32, tf.int32]),
    "shape": lambda tf: _get(tf, _some(tf), [(3,), ()]),
    "list for optional": lambda tf: _get(tf, _list(tf)),
    "does a list have a value": lambda tf: tf.raw_ops.OptionalHasValue(optional=_list(tf)),
    "something and nothing": lambda tf: tf.raw_ops.OptionalHasValue(
        optional=tf.raw_ops.AddN(inputs=[_some(tf), _none(tf)])
    ),
}


@pytest.mark.parametrize("program", _ERRORS.values(), ids=_ERRORS)
def test_error(program: Program) -> None:
    """InvalidArgumentError with TensorFlow's text."""

    def failure(library: Any) -> str:
        with library.Graph().as_default(), library.Session() as session:
            fetches = program(library)
            with pytest.raises(library.errors.InvalidArgumentError) as caught:
                session.run(fetches)
            return str(caught.value)

    assert core_text(failure(tf)) == core_text(failure(oracle))
