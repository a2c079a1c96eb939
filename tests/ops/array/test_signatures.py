"""The array functions take TensorFlow's arguments: names, order and defaults."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from tests.differentiation.both import oracle, tf

NAMES = [
    "batch_gather",
    "batch_to_space",
    "batch_to_space_nd",
    "bitcast",
    "boolean_mask",
    "broadcast_dynamic_shape",
    "broadcast_static_shape",
    "broadcast_to",
    "concat",
    "depth_to_space",
    "diag",
    "diag_part",
    "dynamic_partition",
    "dynamic_stitch",
    "ensure_shape",
    "expand_dims",
    "extract_image_patches",
    "eye",
    "fill",
    "gather",
    "gather_nd",
    "guarantee_const",
    "invert_permutation",
    "manip.batch_to_space_nd",
    "manip.gather_nd",
    "manip.reshape",
    "manip.reverse",
    "manip.roll",
    "manip.scatter_nd",
    "manip.space_to_batch_nd",
    "manip.tile",
    "matrix_band_part",
    "matrix_diag",
    "matrix_diag_part",
    "matrix_set_diag",
    "matrix_transpose",
    "linalg.band_part",
    "linalg.diag",
    "linalg.diag_part",
    "linalg.eye",
    "linalg.matrix_transpose",
    "linalg.set_diag",
    "linalg.tensor_diag",
    "linalg.tensor_diag_part",
    "linalg.transpose",
    "math.invert_permutation",
    "nn.depth_to_space",
    "nn.space_to_batch",
    "nn.space_to_depth",
    "one_hot",
    "ones",
    "ones_like",
    "pad",
    "parallel_stack",
    "rank",
    "repeat",
    "required_space_to_batch_paddings",
    "reshape",
    "reverse",
    "reverse_sequence",
    "reverse_v2",
    "roll",
    "scatter_nd",
    "searchsorted",
    "sequence_mask",
    "setdiff1d",
    "shape",
    "shape_n",
    "size",
    "slice",
    "space_to_batch",
    "space_to_batch_nd",
    "space_to_depth",
    "sparse_mask",
    "split",
    "squeeze",
    "stack",
    "strided_slice",
    "tensor_scatter_add",
    "tensor_scatter_nd_add",
    "tensor_scatter_nd_max",
    "tensor_scatter_nd_min",
    "tensor_scatter_nd_sub",
    "tensor_scatter_nd_update",
    "tensor_scatter_sub",
    "tensor_scatter_update",
    "tile",
    "transpose",
    "unique",
    "unique_with_counts",
    "unstack",
    "where",
    "where_v2",
    "zeros",
    "zeros_like",
]

# Of TensorFlow 2 only: where a DTensor lies. And what is done with indices out of range: newer
# versions put it before the name, which would break the calls of TensorFlow 1 programs.
_OF_2_ONLY = ("layout", "bad_indices_policy")


def _find(library: Any, name: str) -> Any:
    for part in name.split("."):
        library = getattr(library, part)
    return library


def _parameters(library: Any, name: str) -> list[tuple[str, Any]]:
    signature = inspect.signature(_find(library, name))
    return [
        (p.name, getattr(p.default, "name", p.default))
        for p in signature.parameters.values()
        if p.name not in _OF_2_ONLY
    ]


@pytest.mark.parametrize("name", NAMES)
def test_signature(name: str) -> None:
    assert _parameters(tf, name) == _parameters(oracle, name)


def test_newaxis() -> None:
    assert tf.newaxis is oracle.newaxis
