"""The graphs that gradients of array ops make: nodes, names and values as in TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.differentiation.both import assert_same_graph
from tests.ops import conformance
from tests.ops.case import Case

Function = Callable[[Any, Any], Any]
"""`f(library, x)`, differentiable with respect to x."""

# Name: (static shape of x, function).
FUNCTIONS: dict[str, tuple[list[int | None] | None, Function]] = {
    "reshape": ([2, 3], lambda tf, x: tf.reshape(x, [6])),
    "reshape one unknown": ([None, 3], lambda tf, x: tf.reshape(x, [-1])),
    "reshape unknown": ([None, None], lambda tf, x: tf.reshape(x, [-1])),
    "expand_dims": ([None, 3], lambda tf, x: tf.expand_dims(x, 1)),
    "squeeze": ([1, None], lambda tf, x: tf.squeeze(x, 0)),
    "ensure_shape": ([None], lambda tf, x: tf.ensure_shape(x, [2])),
    "fill": ([], lambda tf, x: tf.fill([2, 3], x)),
    "transpose": ([2, 3], lambda tf, x: tf.transpose(x)),
    "reverse": ([2, 3], lambda tf, x: tf.reverse(x, [1])),
    "reverse_sequence": ([2, 3], lambda tf, x: tf.reverse_sequence(x, [1, 2], seq_axis=1)),
    "roll": ([4], lambda tf, x: tf.roll(x, 1, 0)),
    "concat": ([None, 3], lambda tf, x: tf.concat([x, 2 * x], 0)),
    "concat static": ([2, 3], lambda tf, x: tf.concat([x, 2 * x], 1)),
    "concat negative": ([2, 3], lambda tf, x: tf.concat([x, 2 * x], -1)),
    "concat many": ([2, 1], lambda tf, x: tf.concat([x * float(i) for i in range(18)], 1)),
    "stack": ([2], lambda tf, x: tf.stack([x, 2 * x], axis=1)),
    "unstack": ([2, 3], lambda tf, x: tf.unstack(x)),
    "split": ([4, 3], lambda tf, x: tf.split(x, 2)),
    "split sizes": ([4, 3], lambda tf, x: tf.split(x, [1, 3])),
    "slice": ([4, 3], lambda tf, x: tf.slice(x, [1, 0], [2, 2])),
    "slice dynamic": ([None, 3], lambda tf, x: tf.slice(x, [1, 0], [-1, 2])),
    "strided slice": ([4, 3], lambda tf, x: x[1:, 0]),
    "strided slice dynamic": ([None, 3], lambda tf, x: x[:, ::-1]),
    "pad": ([2, 3], lambda tf, x: tf.pad(x, [[1, 0], [0, 2]])),
    "pad value": ([None, 3], lambda tf, x: tf.pad(x, [[1, 0], [0, 2]], constant_values=1.0)),
    "mirror pad": ([2, 3], lambda tf, x: tf.pad(x, [[1, 0], [0, 2]], "REFLECT")),
    "tile": ([2, None], lambda tf, x: tf.tile(x, [2, 3])),
    "tile slices": ([2, 3], lambda tf, x: tf.gather(tf.tile(x, [2, 1]), [0, 3])),
    "broadcast_to": ([2, 1], lambda tf, x: tf.broadcast_to(x, [3, 2, 4])),
    "broadcast_to unknown": ([None, 1], lambda tf, x: tf.broadcast_to(x, [3, 2, 4])),
    "gather": ([4, 3], lambda tf, x: tf.gather(x, [0, 2, 0])),
    "gather reshaped": ([4, 3], lambda tf, x: tf.gather(tf.reshape(x, [6, 2]), [0, 2, 0])),
    "gather concat": ([2, 3], lambda tf, x: tf.gather(tf.concat([x, 2 * x], 0), [0, 3])),
    "gather concat columns": ([2, 3], lambda tf, x: tf.gather(tf.concat([x, 2 * x], 1), [0, 1])),
    "gather axis": ([2, 3], lambda tf, x: tf.gather(x, [0, 2], axis=1)),
    "gather batch": ([2, 3], lambda tf, x: tf.gather(x, [[0], [2]], batch_dims=1)),
    "gather_nd": ([2, 3], lambda tf, x: tf.gather_nd(x, [[0, 2], [1, 1]])),
    "gather_nd rows": ([2, 3], lambda tf, x: tf.gather_nd(x, [[0], [1]])),
    "scatter_nd": ([2, 3], lambda tf, x: tf.scatter_nd([[1], [3]], x, [4, 3])),
    "tensor_scatter_update": (
        [4],
        lambda tf, x: tf.tensor_scatter_nd_update(x, [[1]], 2 * x[:1]),
    ),
    "tensor_scatter_add": ([4], lambda tf, x: tf.tensor_scatter_nd_add(x, [[1]], 2 * x[:1])),
    "tensor_scatter_sub": ([4], lambda tf, x: tf.tensor_scatter_nd_sub(x, [[1]], 2 * x[:1])),
    "tensor_scatter_max": ([4], lambda tf, x: tf.tensor_scatter_nd_max(x, [[1]], 2 * x[:1])),
    "where": ([2], lambda tf, x: tf.where([True, False], x, 2 * x)),
    "where_v2": ([2], lambda tf, x: tf.where_v2([[True], [False]], x, tf.reduce_sum(x))),
    "dynamic_stitch": ([2], lambda tf, x: tf.dynamic_stitch([[0, 2], [1, 3]], [x, 2 * x])),
    "dynamic_partition": ([3], lambda tf, x: tf.dynamic_partition(x, [1, 0, 1], 2)),
    "matrix_band_part": ([3, 3], lambda tf, x: tf.matrix_band_part(x, 1, 0)),
    "diag": ([2], lambda tf, x: tf.diag(x)),
    "diag_part": ([2, 2], lambda tf, x: tf.diag_part(x)),
    "matrix_diag": ([2], lambda tf, x: tf.matrix_diag(x, k=1)),
    "matrix_diag_part": ([2, 3], lambda tf, x: tf.matrix_diag_part(x)),
    "matrix_diag_part unknown": ([None, 3], lambda tf, x: tf.matrix_diag_part(x)),
    "matrix_set_diag": ([2, 3], lambda tf, x: tf.matrix_set_diag(x, x[0, :2])),
    "space_to_batch": (
        [1, 4, 4, 1],
        lambda tf, x: tf.space_to_batch(x, [[0, 0], [0, 0]], 2),
    ),
    "batch_to_space": (
        [4, 1, 1, 1],
        lambda tf, x: tf.batch_to_space(x, [[0, 0], [0, 0]], 2),
    ),
    "space_to_depth": ([1, 2, 2, 1], lambda tf, x: tf.space_to_depth(x, 2)),
    "depth_to_space": ([1, 1, 1, 4], lambda tf, x: tf.depth_to_space(x, 2)),
    "extract_image_patches": (
        [1, 3, 3, 2],
        lambda tf, x: tf.extract_image_patches(
            x, [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID"
        ),
    ),
    "boolean_mask": ([2, 3], lambda tf, x: tf.boolean_mask(x, [True, False])),
    "repeat": ([2, 3], lambda tf, x: tf.repeat(x, 2, axis=1)),
    "second order": ([2, 3], lambda tf, x: tf.gradients(x[1:] * x[:1], x)[0][0]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradient_makes_tensorflows_graph(name: str) -> None:
    shape, function = FUNCTIONS[name]

    def program(tf: Any) -> Any:
        x = tf.placeholder(tf.float32, shape, name="x")
        return tf.gradients(function(tf, x), x)

    assert_same_graph(program)


V2_ROWS = [
    Case(
        "MatrixDiagPartV2",
        lambda v: [v.any(3, 4), np.array([-1, 2], np.int32), v.any()],
        ("float64",),
        static=(1,),
        gradients=(0,),
    ),
    Case(
        "MatrixDiagV2",
        lambda v: [v.any(3, 3), np.array([-1, 1], np.int32), np.int32(-1), np.int32(-1), v.any()],
        ("float64",),
        static=(1, 2, 3),
        gradients=(0,),
    ),
    Case(
        "MatrixSetDiagV2",
        lambda v: [v.any(3, 4), v.any(2, 3), np.array([1, 2], np.int32)],
        ("float64",),
        static=(2,),
        gradients=(0, 1),
    ),
]


@pytest.mark.parametrize("case", V2_ROWS, ids=lambda case: case.op)
def test_gradient_of_several_diagonals(case: Case) -> None:
    """TensorFlow's own gradients of these mix up the diagonals, so that it is no oracle here."""
    analytic = conformance.loss_gradients(conformance.tf, case, ["float64"])["float64"]
    for ours, slope in zip(analytic, conformance.numeric_gradients(case), strict=True):
        np.testing.assert_allclose(ours, slope, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("k", [(0,), (2,), (-1,), (-1, 1), (0, 2)])
@pytest.mark.parametrize("sizes", [(-1, -1), (5, -1), (-1, 6)])
def test_static_shape_of_diagonals_of_known_length(
    k: tuple[int, ...], sizes: tuple[int, int]
) -> None:
    def shape(tf: Any) -> str:
        with tf.Graph().as_default():
            lines = [3] if len(k) == 1 else [k[-1] - k[0] + 1, 3]
            diagonal = tf.placeholder(tf.float32, [None, *lines])
            try:
                return str(
                    tf.matrix_diag(diagonal, k=k, num_rows=sizes[0], num_cols=sizes[1]).shape
                )
            except ValueError as error:
                return str(error).split(" for '")[0]

    assert shape(conformance.tf) == shape(conformance.oracle)
