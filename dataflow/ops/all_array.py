"""Array ops under one name: what other families import, so that the parts below may import them.

The `array_*` modules and the math modules use each other; importing this one first is what lets
them do so.
"""

from __future__ import annotations

from dataflow.ops.array.bits import bitcast
from dataflow.ops.array.broadcast import (
    broadcast_dynamic_shape,
    broadcast_static_shape,
    broadcast_to,
    tile,
)
from dataflow.ops.array.concat import concat, parallel_stack, stack, unstack
from dataflow.ops.array.diag import (
    diag,
    diag_part,
    eye,
    matrix_band_part,
    matrix_diag,
    matrix_diag_part,
    matrix_set_diag,
)
from dataflow.ops.array.fill import fill, ones, ones_like, zeros, zeros_like
from dataflow.ops.array.gather import batch_gather, gather, gather_nd
from dataflow.ops.array.index import boolean_mask, newaxis
from dataflow.ops.array.pad import pad
from dataflow.ops.array.partition import dynamic_partition, dynamic_stitch, parallel_dynamic_stitch
from dataflow.ops.array.patches import extract_image_patches
from dataflow.ops.array.repeat import convert_to_int_tensor, meshgrid, repeat
from dataflow.ops.array.scatter import (
    scatter_nd,
    tensor_scatter_nd_add,
    tensor_scatter_nd_max,
    tensor_scatter_nd_min,
    tensor_scatter_nd_sub,
    tensor_scatter_nd_update,
)
from dataflow.ops.array.select import one_hot, sequence_mask, where, where_v2
from dataflow.ops.array.shape import (
    dense,
    ensure_shape,
    expand_dims,
    guarantee_const,
    rank,
    reshape,
    shape,
    shape_internal,
    shape_n,
    size,
    squeeze,
)
from dataflow.ops.array.slice import slice, strided_slice, strided_slice_grad
from dataflow.ops.array.space import (
    batch_to_space,
    batch_to_space_nd,
    depth_to_space,
    required_space_to_batch_paddings,
    space_to_batch,
    space_to_batch_nd,
    space_to_depth,
)
from dataflow.ops.array.split import split
from dataflow.ops.array.transpose import (
    invert_permutation,
    matrix_transpose,
    reverse,
    reverse_sequence,
    roll,
    transpose,
)
from dataflow.ops.array.unique import (
    searchsorted,
    setdiff1d,
    sparse_mask,
    unique,
    unique_with_counts,
)

__all__ = [
    "batch_gather",
    "batch_to_space",
    "batch_to_space_nd",
    "bitcast",
    "boolean_mask",
    "broadcast_dynamic_shape",
    "broadcast_static_shape",
    "broadcast_to",
    "concat",
    "convert_to_int_tensor",
    "dense",
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
    "matrix_band_part",
    "matrix_diag",
    "matrix_diag_part",
    "matrix_set_diag",
    "matrix_transpose",
    "meshgrid",
    "newaxis",
    "one_hot",
    "ones",
    "ones_like",
    "pad",
    "parallel_dynamic_stitch",
    "parallel_stack",
    "rank",
    "repeat",
    "required_space_to_batch_paddings",
    "reshape",
    "reverse",
    "reverse_sequence",
    "roll",
    "scatter_nd",
    "searchsorted",
    "sequence_mask",
    "setdiff1d",
    "shape",
    "shape_internal",
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
    "strided_slice_grad",
    "tensor_scatter_nd_add",
    "tensor_scatter_nd_max",
    "tensor_scatter_nd_min",
    "tensor_scatter_nd_sub",
    "tensor_scatter_nd_update",
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
