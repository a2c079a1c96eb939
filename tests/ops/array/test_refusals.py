"""What the array functions refuse before they make a node, in TensorFlow's words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.differentiation.both import assert_same_refusal, oracle, refusal, tf

Program = Callable[[Any], Any]


def _x(tf: Any, *shape: int | None) -> Any:
    return tf.placeholder(tf.float32, list(shape), name="x")


def _unknown(tf: Any) -> Any:
    return tf.placeholder(tf.float32, None, name="x")


# The texts are TensorFlow's, to the letter.
SAME: dict[str, Program] = {
    "expand_dims without axis": lambda tf: tf.expand_dims([1]),
    "expand_dims twice": lambda tf: tf.expand_dims([1], axis=0, dim=0),
    "squeeze twice": lambda tf: tf.squeeze([1], axis=0, squeeze_dims=0),
    "reverse_sequence twice": lambda tf: tf.reverse_sequence(
        _x(tf, 2, 2), [1, 1], seq_axis=1, seq_dim=1
    ),
    "split by a scalar": lambda tf: tf.split(_x(tf, 4), tf.constant(2)),
    "split by unknown sizes": lambda tf: tf.split(_x(tf, 4), tf.placeholder(tf.int32, [None])),
    "stack axis": lambda tf: tf.stack([_x(tf, 2), _x(tf, 2)], axis=2),
    "unstack axis": lambda tf: tf.unstack(_x(tf, 2, 3), axis=2),
    "unstack unknown": lambda tf: tf.unstack(_x(tf, None, 3)),
    "concat one by a vector": lambda tf: tf.concat([_x(tf, 2)], [0]),
    "concat scalar and vector": lambda tf: tf.concat([_x(tf), _x(tf, 2)], 0),
    "concat vector and scalar": lambda tf: tf.concat([_x(tf, 2), _x(tf)], 0),
    "concat unknown and scalar": lambda tf: tf.concat([_unknown(tf), _x(tf)], 0),
    "constant of a bad name": lambda tf: tf.constant(1, name="a b"),
    "operation of a bad name": lambda tf: tf.negative(1, name="a b"),
    "where half": lambda tf: tf.where([True], x=[1]),
    "where_v2 half": lambda tf: tf.where_v2([True], y=[1]),
    "one_hot on_value dtype": lambda tf: tf.one_hot([1], 2, on_value=_x(tf), dtype=tf.int32),
    "one_hot off_value dtype": lambda tf: tf.one_hot([1], 2, off_value=_x(tf), dtype=tf.int32),
    "one_hot dtypes": lambda tf: tf.one_hot([1], 2, on_value=1.0, off_value=0),
    "sequence_mask maxlen": lambda tf: tf.sequence_mask([1, 2], [3]),
    "meshgrid indexing": lambda tf: tf.meshgrid([1], indexing="yx"),
    "meshgrid keyword": lambda tf: tf.meshgrid([1], sparse=True),
    "pad by negative widths": lambda tf: tf.pad(_x(tf, *[1] * 6), [[-1, 0]] * 6),
    "many pieces": lambda tf: tf.squeeze(_x(tf, 1, 2), list(range(2, 31))),
    "transpose by too few": lambda tf: tf.transpose(_x(tf, 2, 3), [0]),
    "transpose by a matrix": lambda tf: tf.transpose(_x(tf, 2, 3), [[0, 1], [1, 0]]),
    "pad mode": lambda tf: tf.pad([1], [[1, 1]], "WRAP"),
    "matrix_transpose rank": lambda tf: tf.matrix_transpose(_x(tf, 2)),
    "searchsorted side": lambda tf: tf.searchsorted([[1, 2]], [[1]], side="middle"),
    "eye sides": lambda tf: tf.eye(2.5),
    "batch_gather rank": lambda tf: tf.batch_gather(_x(tf, 2, 2), tf.placeholder(tf.int32)),
    "batch_gather params": lambda tf: tf.batch_gather(_x(tf, 2), [[0], [1]]),
    "gather_nd negative batch": lambda tf: tf.gather_nd(_x(tf, 2, 2), [[0]], batch_dims=-1),
    "gather_nd batch of indices": lambda tf: tf.gather_nd(_x(tf, 2, 2), [[0]], batch_dims=2),
    "gather_nd batch of params": lambda tf: tf.gather_nd(_x(tf, 2), [[[0]]], batch_dims=1),
    "mask scalar": lambda tf: tf.boolean_mask(_x(tf, 2), True),
    "mask unknown": lambda tf: tf.boolean_mask(_x(tf, 2), tf.placeholder(tf.bool)),
    "mask shape": lambda tf: tf.boolean_mask(_x(tf, 2, 3), [True, False, True]),
    "repeat axis": lambda tf: tf.repeat(_x(tf, 2), 2, axis=1),
    "repeat axis type": lambda tf: tf.repeat(_x(tf, 2), 2, axis=0.5),
    "repeat negative axis": lambda tf: tf.repeat(_unknown(tf), 2, axis=-1),
    "repeat floats": lambda tf: tf.repeat([1, 2], 1.5),
    "index float": lambda tf: _x(tf, 2)[0.5],
    "index string": lambda tf: _x(tf, 2)["a"],
    "slice float": lambda tf: _x(tf, 2)[:0.5],
    "broadcast_static_shape": lambda tf: tf.broadcast_static_shape(
        tf.TensorShape([2, 3]), tf.TensorShape([2, 4])
    ),
    "ensure_shape": lambda tf: tf.ensure_shape(_x(tf, 2), [3]),
    "required_space_to_batch_paddings": lambda tf: tf.required_space_to_batch_paddings(
        [4, 4], tf.placeholder(tf.int32, [None])
    ),
    "parallel_stack": lambda tf: tf.parallel_stack([_x(tf, None), [1.0]]),
    "packing dtypes": lambda tf: tf.stack([_x(tf, 2), tf.constant([1, 2])]),
    "out of bounds": lambda tf: _x(tf, 2)[2],
    "too many indices": lambda tf: _x(tf, 2)[0, 0],
    "reshape": lambda tf: tf.reshape(_x(tf, 2, 3), [4, -1]),
    "gather axis": lambda tf: tf.gather(_x(tf, 2), [0], axis=1),
    "concat dtypes": lambda tf: tf.concat([_x(tf, 2), tf.constant([1])], 0),
    "fill vector": lambda tf: tf.fill([2], [1, 2]),
    "space_to_depth block": lambda tf: tf.space_to_depth(_x(tf, 1, 2, 2, 1), 1),
    "bitcast": lambda tf: tf.bitcast(_x(tf, 3), tf.float64),
}


@pytest.mark.parametrize("name", SAME)
def test_function_refuses_in_tensorflows_words(name: str) -> None:
    assert_same_refusal(SAME[name])


def test_index_by_a_vector_is_refused() -> None:
    """The tensor is shown in the text, where the two libraries name themselves."""
    for library in (oracle, tf):
        error = refusal(library, lambda lib: _x(lib, 3)[lib.constant([0, 1])])
        assert isinstance(error, TypeError)
        assert "Only integers, slices (`:`), ellipsis (`...`)" in str(error)
