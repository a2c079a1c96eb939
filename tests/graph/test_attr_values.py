"""Values of attrs that users give: what is taken and what is refused, in TensorFlow's words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf


def _leaky(lib: Any, value: Any) -> Any:
    return lib.raw_ops.LeakyRelu(features=lib.zeros([2]), alpha=value)


def _unpack(lib: Any, value: Any) -> Any:
    return lib.raw_ops.Unpack(value=lib.zeros([2, 2]), num=2, axis=value)[0]


def _space(lib: Any, value: Any) -> Any:
    images = lib.zeros([1, 1, 1, 4])
    return lib.raw_ops.DepthToSpace(input=images, block_size=2, data_format=value)


def _matmul(lib: Any, value: Any) -> Any:
    return lib.raw_ops.MatMul(a=lib.zeros([2, 2]), b=lib.zeros([2, 2]), transpose_a=value)


def _cast(lib: Any, value: Any) -> Any:
    return lib.raw_ops.Cast(x=lib.zeros([2]), DstT=value)


def _placeholder(lib: Any, value: Any) -> Any:
    return lib.raw_ops.Placeholder(dtype=lib.float32, shape=value)


def _squeeze(lib: Any, value: Any) -> Any:
    return lib.raw_ops.Squeeze(input=lib.zeros([1, 2]), axis=value)


_FLOATS = [0.1, 3, np.float32(0.1), np.float64(0.1), np.int32(2), "a", b"1", "1", [1.0], ()]
_INTS = [0, 1, -1, 1.0, 0.9, np.int64(1), True, "0", "a", [0], ()]
_STRINGS = ["NHWC", b"NHWC", "NCHW ", 3, ["NHWC"], True]
_BOOLS = [True, False, 1, 0, "True", [True]]
_TYPES = ["int32", np.int32, int, "nothing", 3, "float32_ref", 1.5]
_SHAPES = [[1, 2], (None, 3), [-1], 3, [-2], np.array([1, 2])]
_LISTS = [[0], (0,), [], [0.0], [0, 5]]

_CALLS: list[tuple[Callable[[Any, Any], Any], Any]] = [
    (call, value)
    for call, values in (
        (_leaky, _FLOATS),
        (_unpack, _INTS),
        (_space, _STRINGS),
        (_matmul, _BOOLS),
        (_cast, _TYPES),
        (_placeholder, _SHAPES),
        (_squeeze, _LISTS),
    )
    for value in values
]


def _outcome(library: Any, call: Callable[[Any, Any], Any], value: Any) -> Any:
    with library.Graph().as_default():
        try:
            made = call(library, value)
        except (TypeError, ValueError) as error:
            return type(error), str(error)
        return made.op.node_def.SerializeToString(deterministic=True)


@pytest.mark.parametrize(
    ("call", "value"), _CALLS, ids=[f"{c.__name__}-{v!r}".replace("/", "") for c, v in _CALLS]
)
def test_taken_or_refused(call: Callable[[Any, Any], Any], value: Any) -> None:
    theirs, ours = _outcome(oracle, call, value), _outcome(tf, call, value)
    if isinstance(theirs, bytes) and isinstance(ours, bytes):
        assert _parsed(ours) == _parsed(theirs)
    else:
        assert ours == theirs


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        ("a", TypeError, "A string has ambiguous TensorShape"),
        (["a"], ValueError, "invalid literal for int"),
        ([1.5], ValueError, "Ambiguous dimension: 1.5"),
    ],
)
def test_shapes_that_have_other_words_in_1_15(value: Any, kind: Any, text: str) -> None:
    with tf.Graph().as_default(), pytest.raises(kind, match=text):
        _placeholder(tf, value)


def _parsed(data: bytes) -> Any:
    return oracle.NodeDef.FromString(data)
