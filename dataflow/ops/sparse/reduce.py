"""Sums and maxima of sparse tensors over axes."""

from __future__ import annotations

from typing import Any

import numpy as np

import dataflow.ops.array.gather as array_gather
import dataflow.ops.array.shape as array_shape
import dataflow.ops.basic.range as range_ops
from dataflow.graph.apply_op import apply_op
from dataflow.graph.operation import Operation
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.single import single
from dataflow.ops.reductions.reduce_gradients import reduced_shape
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import UNKNOWN, unknown
from dataflow.values import dtypes
from dataflow.values.deprecated_args import renamed
from dataflow.values.shapes import TensorShape


def _reduced(c: InferenceContext) -> TensorShape:
    shape, axes = c.constant(2), c.constant(3)
    if shape is None or axes is None:
        return UNKNOWN
    sizes = shape.reshape(-1).tolist()
    rank = len(sizes)
    places = {int(axis) % rank if rank else 0 for axis in axes.reshape(-1).tolist()}
    if c.attr("keep_dims"):
        return TensorShape.of(tuple(1 if i in places else n for i, n in enumerate(sizes)))
    return TensorShape.of(tuple(n for i, n in enumerate(sizes) if i not in places))


def _sum_gradient(op: Operation, grad: Any) -> Any:
    """Each element takes the gradient of the sum that it is part of."""
    indices: Any = op.inputs[0]
    shape: Any = op.inputs[2]
    kept: Any = reduced_shape(shape, op.inputs[3])
    wide = array_shape.reshape(grad, kept)
    scale = shape // cast(kept, dtypes.int64)
    return None, array_gather.gather_nd(wide, indices // scale), None, None


_INPUTS = "input_indices: int64, input_values: T, input_shape: int64, reduction_axes: int32"
for _word, _types, _gradient, _what in (
    ("Sum", "T: numbertype", _sum_gradient, "The sum"),
    ("Max", "T: realnumbertype", MISSING_GRADIENT, "The largest of the elements that are there"),
):
    define_op(
        f"SparseReduce{_word}",
        inputs=_INPUTS,
        outputs="output: T",
        attrs=["keep_dims: bool = false", _types],
        shape=_reduced,
        gradient=_gradient,
        doc=f"{_what} over axes, as a tensor.",
    )
    define_op(
        f"SparseReduce{_word}Sparse",
        inputs=_INPUTS,
        outputs="output_indices: int64, output_values: T, output_shape: int64",
        attrs=["keep_dims: bool = false", _types],
        shape=unknown,
        gradient=MISSING_GRADIENT,
        doc=f"{_what} over axes, as a sparse tensor.",
    )


def sparse_reduce_sum(
    sp_input: Any,
    axis: Any = None,
    keepdims: Any = None,
    reduction_axes: Any = None,
    keep_dims: Any = None,
) -> Tensor:
    """The sum of a sparse tensor's elements over axes, as a tensor.

    Args:
      sp_input: The sparse tensor.
      axis: The axis or axes, all if None; negative ones count from the end.
      keepdims: Keeps reduced axes, with size 1.
      reduction_axes: Old name of `axis`.
      keep_dims: Old name of `keepdims`.

    Raises:
      ValueError: An argument is given under both its names.
      InvalidArgumentError: At run time: an axis is out of range.
    """
    arguments = _arguments(sp_input, axis, keepdims, reduction_axes, keep_dims)
    return single("SparseReduceSum", *arguments[:-1], keep_dims=arguments[-1])


def sparse_reduce_max(
    sp_input: Any,
    axis: Any = None,
    keepdims: Any = None,
    reduction_axes: Any = None,
    keep_dims: Any = None,
) -> Tensor:
    """The largest of a sparse tensor's elements over axes, as a tensor; 0 where there are none.

    Args:
      sp_input: The sparse tensor.
      axis: The axis or axes, all if None; negative ones count from the end.
      keepdims: Keeps reduced axes, with size 1.
      reduction_axes: Old name of `axis`.
      keep_dims: Old name of `keepdims`.

    Raises:
      ValueError: An argument is given under both its names.
      InvalidArgumentError: At run time: an axis is out of range.
    """
    arguments = _arguments(sp_input, axis, keepdims, reduction_axes, keep_dims)
    return single("SparseReduceMax", *arguments[:-1], keep_dims=arguments[-1])


def sparse_reduce_sum_sparse(
    sp_input: Any,
    axis: Any = None,
    keepdims: Any = None,
    reduction_axes: Any = None,
    keep_dims: Any = None,
) -> SparseTensor:
    """Like `sparse_reduce_sum`, as a sparse tensor."""
    arguments = _arguments(sp_input, axis, keepdims, reduction_axes, keep_dims)
    return SparseTensor(
        *apply_op("SparseReduceSumSparse", *arguments[:-1], keep_dims=arguments[-1])
    )


def sparse_reduce_max_sparse(
    sp_input: Any,
    axis: Any = None,
    keepdims: Any = None,
    reduction_axes: Any = None,
    keep_dims: Any = None,
) -> SparseTensor:
    """Like `sparse_reduce_max`, as a sparse tensor."""
    arguments = _arguments(sp_input, axis, keepdims, reduction_axes, keep_dims)
    return SparseTensor(
        *apply_op("SparseReduceMaxSparse", *arguments[:-1], keep_dims=arguments[-1])
    )


def _arguments(
    sparse: Any, axis: Any, keepdims: Any, reduction_axes: Any, keep_dims: Any
) -> tuple[Any, ...]:
    keepdims = renamed("keepdims", keepdims, "keep_dims", keep_dims)
    axis = renamed("axis", axis, "reduction_axes", reduction_axes)
    if axis is None and sparse.shape.rank:
        axis = constant(np.arange(sparse.shape.rank, dtype=np.int32))
    elif axis is None:
        axis = range_ops.range(0, array_shape.rank(sparse))
    return sparse.indices, sparse.values, sparse.dense_shape, axis, bool(keepdims)
