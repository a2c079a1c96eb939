"""The graphs that the array functions make: nodes, names and values as in TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.differentiation.both import assert_same_graph, oracle, tf

Program = Callable[[Any], Any]


def _x(tf: Any, *shape: int | None, dtype: str = "float32") -> Any:
    return tf.placeholder(getattr(tf, dtype), list(shape), name="x")


def _unknown(tf: Any, dtype: str = "float32") -> Any:
    return tf.placeholder(getattr(tf, dtype), None, name="x")


SHAPES: dict[str, Program] = {
    "shape static": lambda tf: tf.shape(_x(tf, 2, 3)),
    "shape dynamic": lambda tf: tf.shape(_x(tf, None, 3), out_type=tf.int64),
    "shape named": lambda tf: tf.shape([[1.0, 2.0]], name="s"),
    "shape sparse": lambda tf: tf.shape(tf.SparseTensor([[0, 0]], [1.0], [2, 3])),
    "shape_n": lambda tf: tf.shape_n([_x(tf, None), [1.0]]),
    "size static": lambda tf: tf.size(_x(tf, 2, 3)),
    "size empty": lambda tf: tf.size(_x(tf, 0, None)),
    "size dynamic": lambda tf: tf.size(_x(tf, None, 3), out_type=tf.int64),
    "size sparse": lambda tf: tf.size(tf.SparseTensor([[0, 0]], [1.0], [2, 3])),
    "rank": lambda tf: [tf.rank(_x(tf, None, 3)), tf.rank(_unknown(tf))],
    "rank sparse": lambda tf: tf.rank(tf.SparseTensor([[0, 0]], [1.0], [2, 3])),
    "reshape": lambda tf: tf.reshape(_x(tf, None, 6), [-1, 3]),
    "reshape packed": lambda tf: tf.reshape(x := _x(tf, None, 6), [tf.shape(x)[0] * 2, 3]),
    "expand_dims": lambda tf: [tf.expand_dims(_x(tf, 2), 0), tf.expand_dims([1.0], dim=1)],
    "squeeze": lambda tf: [
        tf.squeeze(_x(tf, 1, 2, 1)),
        tf.squeeze([[1.0]], 0),
        tf.squeeze([[1.0]], squeeze_dims=[1]),
    ],
    "ensure_shape": lambda tf: tf.ensure_shape(_x(tf, None, 3), [2, None]),
    "guarantee_const": lambda tf: tf.guarantee_const(_x(tf, 2)),
}

FILLS: dict[str, Program] = {
    "zeros small": lambda tf: [tf.zeros([2, 3]), tf.zeros(5), tf.zeros((), tf.int32)],
    "zeros large": lambda tf: tf.zeros([50, 50], tf.float64, name="z"),
    "zeros types": lambda tf: [tf.zeros([2], t) for t in (tf.bool, tf.string, tf.complex64)],
    "zeros shape": lambda tf: tf.zeros(tf.TensorShape([2, 3])),
    "zeros tensor": lambda tf: tf.zeros(tf.shape(_x(tf, None, 3))),
    "zeros scalar tensor": lambda tf: tf.zeros(tf.size(_x(tf, None))),
    "zeros packed": lambda tf: tf.zeros([tf.shape(_x(tf, None, 3))[0], 4]),
    "ones": lambda tf: [tf.ones([2, 3]), tf.ones([], tf.bool), tf.ones([40, 40], name="o")],
    "ones tensor": lambda tf: tf.ones(tf.shape(_x(tf, None, 3)), tf.int64),
    "zeros_like static": lambda tf: tf.zeros_like(_x(tf, 2, 3)),
    "zeros_like large": lambda tf: tf.zeros_like(_x(tf, 40, 40)),
    "zeros_like dynamic": lambda tf: tf.zeros_like(_x(tf, None, 3)),
    "zeros_like cast": lambda tf: tf.zeros_like(_x(tf, None, 3), tf.int32),
    "zeros_like unoptimized": lambda tf: tf.zeros_like(_x(tf, 2, 3), optimize=False),
    "zeros_like cast unoptimized": lambda tf: tf.zeros_like(_x(tf, 2, 3), tf.int32, optimize=False),
    "zeros_like value": lambda tf: tf.zeros_like([1, 2], name="like"),
    "ones_like static": lambda tf: tf.ones_like(_x(tf, 2, 3)),
    "ones_like dynamic": lambda tf: tf.ones_like(_x(tf, None, 3)),
    "ones_like cast": lambda tf: tf.ones_like(_x(tf, None, 3), tf.int32, name="like"),
    "ones_like unoptimized": lambda tf: tf.ones_like(_x(tf, 2, 3), optimize=False),
    "fill": lambda tf: [tf.fill([2, 3], 1.5), tf.fill(tf.shape(_x(tf, None)), "a", name="f")],
    "eye": lambda tf: [tf.eye(3), tf.eye(2, 3, [2]), tf.eye(2, dtype=tf.int32, name="i")],
    "eye dynamic": lambda tf: tf.eye(tf.shape(_x(tf, None, 3))[0]),
    "eye dynamic wide": lambda tf: tf.eye(tf.shape(_x(tf, None, 3))[0], 4, batch_shape=[2]),
}

JOINS: dict[str, Program] = {
    "concat": lambda tf: [tf.concat([_x(tf, None, 3), [[1.0, 2.0, 3.0]]], 0)],
    "concat one": lambda tf: [tf.concat([_x(tf, 2)], 0), tf.concat(_x(tf, 2), 0, name="c")],
    "concat mixed": lambda tf: tf.concat([tf.shape(_x(tf, None, 3))[:1], [4, 5]], axis=0),
    "stack": lambda tf: [tf.stack([_x(tf, 2), [1.0, 2.0]]), tf.stack([1, 2, 3])],
    "stack axis": lambda tf: tf.stack([_x(tf, 2), [1.0, 2.0]], axis=1, name="s"),
    "stack tensors": lambda tf: tf.stack([x := _x(tf, None), x]),
    "stack nested": lambda tf: tf.stack([[1, x := tf.size(_x(tf, None))], [x, 2]]),
    "unstack": lambda tf: [tf.unstack(_x(tf, 2, 3)), tf.unstack([[1, 2]], axis=1, name="u")],
    "unstack num": lambda tf: tf.unstack(_x(tf, None), num=2),
    # ParallelConcat has no row of its own: it refuses shapes that are not fully known.
    "parallel_stack": lambda tf: tf.parallel_stack([_x(tf, 2), [1.0, 2.0]]),
    "split": lambda tf: [tf.split(_x(tf, 4, 3), 2), tf.split([1, 2, 3], 3, name="p")],
    "split sizes": lambda tf: tf.split(_x(tf, 4, 3), [1, 2], axis=1),
    "split fed sizes": lambda tf: tf.split(_x(tf, 4), tf.shape(_x(tf, 2, 2)), num=2),
    "packing": lambda tf: [
        tf.convert_to_tensor([x := tf.size(_x(tf, None)), 1]),
        tf.convert_to_tensor([[x, 1], [2, 3]], name="c"),
        tf.convert_to_tensor([x, 1], dtype=tf.float32),
        tf.convert_to_tensor([[1, 2], [x, x]]),
    ],
    "packing arguments": lambda tf: tf.fill([tf.size(_x(tf, None)), 2], 0),
}

ORDERS: dict[str, Program] = {
    "transpose": lambda tf: [tf.transpose(_x(tf, 2, 3)), tf.transpose([[1.0]], name="t")],
    "transpose perm": lambda tf: tf.transpose(_x(tf, 2, None, 3), [2, 0, 1]),
    "transpose unknown": lambda tf: tf.transpose(_unknown(tf)),
    "transpose conjugate": lambda tf: [
        tf.transpose(tf.complex(x := _x(tf, 2, 3), x), conjugate=True),
        tf.transpose(x, conjugate=True),
    ],
    "matrix_transpose": lambda tf: [
        tf.matrix_transpose(_x(tf, None, 3, 4)),
        tf.linalg.transpose(_x(tf, 3, 4), name="m"),
    ],
    "invert_permutation": lambda tf: tf.invert_permutation([2, 0, 1]),
    "reverse": lambda tf: [tf.reverse(_x(tf, 2, 3), [1]), tf.reverse_v2([1, 2], [0])],
    "reverse_sequence": lambda tf: [
        tf.reverse_sequence(_x(tf, 2, 3), [1, 2], seq_axis=1),
        tf.reverse_sequence(_x(tf, 2, 3), [1, 2, 1], seq_dim=0, batch_dim=1),
    ],
    "roll": lambda tf: [tf.roll(_x(tf, 4), 1, 0), tf.manip.roll([1, 2], [1], [0])],
}

REPEATS: dict[str, Program] = {
    "tile": lambda tf: tf.tile(_x(tf, 2, None), [1, 2]),
    "broadcast_to": lambda tf: tf.broadcast_to(_x(tf, 1, 3), [2, 3]),
    "broadcast_dynamic_shape": lambda tf: tf.broadcast_dynamic_shape([2, 1], [3]),
    "meshgrid": lambda tf: [*tf.meshgrid(_x(tf, 2), [1.0, 2.0, 3.0]), *tf.meshgrid()],
    "meshgrid ij": lambda tf: tf.meshgrid([1, 2], [3, 4, 5], [6], indexing="ij", name="m"),
    "gather in step": lambda tf: [
        tf.gather(_x(tf, 1, 2), [[0]], batch_dims=1),
        tf.gather(_x(tf, 1, 2), [[0]], axis=0, batch_dims=1),
    ],
    "repeat": lambda tf: tf.repeat(_x(tf, 3), 2),
    "repeat each": lambda tf: tf.repeat([[1, 2], [3, 4]], [1, 2], axis=0),
    "repeat each column": lambda tf: tf.repeat(_x(tf, 2, 3), [1, 0, 2], axis=1),
    "repeat scalar": lambda tf: tf.repeat(3, 4),
    "repeat unknown": lambda tf: tf.repeat(_unknown(tf), [2], axis=0),
    "pad": lambda tf: [
        tf.pad(_x(tf, 2, 3), [[1, 0], [0, 2]]),
        tf.pad([1, 2], [[1, 1]], constant_values=3),
        tf.pad([1, 2], [[1, 1]], "REFLECT", name="r"),
        tf.pad([1, 2], [[1, 1]], mode="symmetric"),
    ],
    "pad partly known": lambda tf: tf.pad(_x(tf, 2, 3), [[1, 0], [tf.size(_x(tf, None)), 2]]),
}

INDICES: dict[str, Program] = {
    "element": lambda tf: [_x(tf, 3)[1], _x(tf, 3)[-1]],
    "row": lambda tf: _x(tf, None, 3)[0],
    "slices": lambda tf: [(x := _x(tf, 4, 3))[1:3], x[:, ::2], x[::-1], x[:-1, 1]],
    "ellipsis": lambda tf: [(x := _x(tf, 2, 3, 4))[..., 0], x[0, ..., 1:], x[...]],
    "newaxis": lambda tf: [
        (x := _x(tf, 2, 3))[:, tf.newaxis],
        x[None, ..., None],
        x[tf.newaxis, 1],
    ],
    "nothing": lambda tf: _x(tf, 2)[()],
    "numpy": lambda tf: _x(tf, 4)[np.int64(1) : np.int32(3)],
    "dimension": lambda tf: (x := _x(tf, 4, 3))[: x.shape[1]],
    "tensor": lambda tf: _x(tf, 4)[tf.size(_x(tf, 2))],
    "tensor bounds": lambda tf: _x(tf, 4, 3)[: tf.size(_x(tf, 2)), 1:],
    "int64 tensor": lambda tf: _x(tf, 4, 3)[tf.size(_x(tf, 2), out_type=tf.int64) :, 0],
    "int64 element": lambda tf: _x(tf, 4, 3)[tf.constant(1, tf.int64), 1:2],
    "mask": lambda tf: _x(tf, 3)[tf.constant([True, False, True])],
    "numpy mask": lambda tf: _x(tf, 2, 3)[np.array([True, False])],
    "boolean_mask": lambda tf: [
        tf.boolean_mask(_x(tf, None, 3), [True, False]),
        tf.boolean_mask(_x(tf, 2, 3), [True, False, True], axis=1, name="m"),
        tf.boolean_mask(_x(tf, 2, 3, 2), [[True, False, True], [False, False, True]]),
    ],
    "slice": lambda tf: tf.slice(_x(tf, 4, 3), [1, 0], [2, -1]),
    "strided_slice": lambda tf: [
        tf.strided_slice(_x(tf, 4, 3), [1, 0], [3, 2]),
        tf.strided_slice(_x(tf, 4, 3), [1, 0], [3, 2], [2, 1], end_mask=1, name="s"),
    ],
}

LOOKUPS: dict[str, Program] = {
    "gather": lambda tf: [tf.gather(_x(tf, 4, 3), [0, 2]), tf.gather([1, 2, 3], 1, name="g")],
    "gather axis": lambda tf: tf.gather(_x(tf, 2, 3), [0, 2], axis=1),
    "gather batch": lambda tf: tf.gather(_x(tf, 2, 3), [[0], [2]], batch_dims=1),
    "gather batch axis": lambda tf: tf.gather(_x(tf, 2, 2, 3), [[0], [2]], axis=2, batch_dims=1),
    "batch_gather": lambda tf: tf.batch_gather(_x(tf, 2, 3), [[0], [2]]),
    "batch_gather deep": lambda tf: tf.batch_gather(_x(tf, 2, 2, 3), np.zeros((2, 2, 1), np.int64)),
    "gather_nd": lambda tf: [tf.gather_nd(_x(tf, 2, 3), [[0, 2]]), tf.gather_nd([1, 2], [[1]])],
    "gather_nd batch": lambda tf: tf.gather_nd(
        _x(tf, 2, 3), [[[1], [0]], [[2], [0]]], batch_dims=1
    ),
    "scatter_nd": lambda tf: tf.scatter_nd([[1], [0]], _x(tf, 2, 3), [4, 3]),
    "tensor_scatter": lambda tf: [
        f(_x(tf, 4), [[1], [3]], [1.0, 2.0])
        for f in (
            tf.tensor_scatter_nd_update,
            tf.tensor_scatter_nd_add,
            tf.tensor_scatter_nd_sub,
            tf.tensor_scatter_nd_min,
            tf.tensor_scatter_nd_max,
            tf.tensor_scatter_update,
            tf.tensor_scatter_add,
            tf.tensor_scatter_sub,
        )
    ],
    "one_hot": lambda tf: [
        tf.one_hot([0, 2], 3),
        tf.one_hot([0, 2], 3, on_value=5, off_value=1, axis=0),
        tf.one_hot([0, 2], 3, on_value=True, off_value=False),
        tf.one_hot([0, 2], 3, dtype=tf.int64, name="o"),
        tf.one_hot([0, 2], 3, on_value=2.5),
    ],
    "where": lambda tf: [
        tf.where([True, False]),
        tf.where([True, False], _x(tf, 2), [1.0, 2.0]),
        tf.where(_x(tf, 2) > 1.0, name="w"),
        tf.where_v2([True, False], _x(tf, 3, 2), 0.0),
    ],
    "sequence_mask": lambda tf: [
        tf.sequence_mask([1, 3]),
        tf.sequence_mask([1, 3], 4, tf.float32),
        tf.sequence_mask([[1], [2]], dtype=tf.int32, name="m"),
    ],
    "dynamic_stitch": lambda tf: tf.dynamic_stitch([[0, 2], [1]], [_x(tf, 2), [1.0]]),
    "dynamic_partition": lambda tf: tf.dynamic_partition(_x(tf, 3), [0, 1, 0], 2),
    "unique": lambda tf: [tf.unique([1, 1, 2]), tf.unique_with_counts([3, 3], tf.int64, name="u")],
    "setdiff1d": lambda tf: tf.setdiff1d([1, 2, 3], [2]),
    "sparse_mask": lambda tf: tf.sparse_mask(
        tf.IndexedSlices(_x(tf, 2, 3), tf.constant([1, 4])), [4]
    ),
    "searchsorted": lambda tf: [
        tf.searchsorted([[1, 3, 5]], [[0, 3, 7]]),
        tf.searchsorted(_x(tf, None), [1.0], side="right", out_type=tf.int64, name="s"),
    ],
}

MATRICES: dict[str, Program] = {
    "matrix_band_part": lambda tf: tf.matrix_band_part(_x(tf, 3, 3), 1, 0),
    "diag": lambda tf: [tf.diag(_x(tf, 2)), tf.diag_part(_x(tf, 2, 2))],
    "matrix_diag": lambda tf: [
        tf.matrix_diag(_x(tf, 2)),
        tf.matrix_diag(_x(tf, 2), k=1, num_rows=2, padding_value=7.0, align="LEFT_LEFT"),
        tf.linalg.diag(tf.constant([True, False])),
    ],
    "matrix_diag_part": lambda tf: [
        tf.matrix_diag_part(_x(tf, 2, 3)),
        tf.linalg.diag_part(_x(tf, 2, 3), k=(0, 1), padding_value=9),
    ],
    "matrix_set_diag": lambda tf: [
        tf.matrix_set_diag(_x(tf, 2, 3), [1.0, 2.0]),
        tf.linalg.set_diag(_x(tf, 2, 3), [1.0, 2.0], k=1, name="s"),
    ],
    "bitcast": lambda tf: tf.bitcast(_x(tf, 2), tf.int32),
    "space_to_batch": lambda tf: [
        tf.space_to_batch(_x(tf, 1, 4, 4, 1), [[0, 0], [0, 0]], 2),
        tf.space_to_batch_nd(_x(tf, 1, 4, 1), [2], [[0, 0]], name="s"),
    ],
    "batch_to_space": lambda tf: [
        tf.batch_to_space(_x(tf, 4, 2, 2, 1), [[0, 0], [0, 0]], 2),
        tf.batch_to_space_nd(_x(tf, 4, 2, 1), [2], [[0, 0]], name="s"),
    ],
    "depth": lambda tf: [
        tf.space_to_depth(_x(tf, 1, 4, 4, 1), 2),
        tf.depth_to_space(_x(tf, 1, 2, 2, 4), 2, name="d"),
        tf.nn.space_to_depth(_x(tf, 1, 4, 4, 1), 2, data_format="NHWC"),
    ],
    "required_space_to_batch_paddings": lambda tf: [
        *tf.required_space_to_batch_paddings([5, 7], [2, 3]),
        *tf.required_space_to_batch_paddings(tf.shape(_x(tf, None)), [2], [[1, 0]]),
        *tf.required_space_to_batch_paddings(tf.zeros([0], tf.int32), tf.zeros([0], tf.int32)),
    ],
    "extract_image_patches": lambda tf: tf.extract_image_patches(
        _x(tf, 1, 3, 3, 1), [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID"
    ),
}

PROGRAMS = {**SHAPES, **FILLS, **JOINS, **ORDERS, **REPEATS, **INDICES, **LOOKUPS, **MATRICES}


@pytest.mark.parametrize("name", PROGRAMS)
def test_function_makes_tensorflows_graph(name: str) -> None:
    assert_same_graph(PROGRAMS[name])


def test_nothing_is_unstacked_into_an_empty_list() -> None:
    for library in (oracle, tf):
        with library.Graph().as_default():
            assert library.unstack(library.zeros([0, 2])) == []
