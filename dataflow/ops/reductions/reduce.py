"""Reductions over axes: the ops, and the reduce_* functions."""

from __future__ import annotations

from typing import Any

import dataflow.ops.reductions.reduce_gradients as gradients
from dataflow.graph.dispatch import dispatched
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.reduction import reduction
from dataflow.ops.math.types import INDEX, NUMBER, ORDERED
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import UNKNOWN, with_rank_at_most
from dataflow.values.deprecated_args import renamed
from dataflow.values.shapes import TensorShape


def reduction_shape(c: InferenceContext) -> TensorShape:
    """The first input's shape without the axes that the second names, or with 1 in their place."""
    with_rank_at_most(c.input(1), 1)
    dims = c.input(0).dims_tuple
    axes = c.constant(1)
    keep = c.attr("keep_dims")
    if dims is None:
        return UNKNOWN
    rank = len(dims)
    if axes is None:
        return TensorShape.of((None,) * rank) if keep else UNKNOWN
    reduced = set()
    for axis in axes.reshape(-1).tolist():
        if not -rank <= axis < rank:
            raise ValueError(
                f"Invalid reduction dimension {axis} for input with {rank} dimensions."
            )
        reduced.add(axis % rank)
    if keep:
        return TensorShape.of(tuple(1 if i in reduced else d for i, d in enumerate(dims)))
    return TensorShape.of(tuple(d for i, d in enumerate(dims) if i not in reduced))


for _name, _types, _gradient, _doc in (
    ("Sum", NUMBER, gradients.sum_gradient, "The sum over axes."),
    ("Mean", NUMBER, gradients.mean_gradient, "The mean over axes; of integers cut to an integer."),
    ("Prod", NUMBER, gradients.prod_gradient, "The product over axes."),
    ("Max", f"T: {ORDERED}}}", gradients.extreme_gradient, "The maximum over axes."),
    ("Min", f"T: {ORDERED}}}", gradients.extreme_gradient, "The minimum over axes."),
    ("EuclideanNorm", NUMBER, gradients.norm_gradient, "The root of the sum of squares over axes."),
):
    define_op(
        _name,
        inputs="input: T, reduction_indices: Tidx",
        outputs="output: T",
        attrs=["keep_dims: bool = false", _types, INDEX],
        shape=reduction_shape,
        gradient=_gradient,
        doc=_doc,
    )
for _name, _doc in (
    ("All", "Whether all elements along axes are true."),
    ("Any", "Whether an element along axes is true."),
):
    define_op(
        _name,
        inputs="input: bool, reduction_indices: Tidx",
        outputs="output: bool",
        attrs=["keep_dims: bool = false", INDEX],
        shape=reduction_shape,
        gradient=NOT_DIFFERENTIABLE,
        doc=_doc,
    )


@dispatched
def reduce_sum(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
) -> Tensor:
    """The sum of the elements along axes.

    Args:
      input_tensor: The tensor.
      axis: The axis or axes to reduce, all if None; negative ones count from the end.
      keepdims: Keeps reduced axes, with size 1.
      name: Name of the operation.
      reduction_indices: Old name of `axis`.
      keep_dims: Old name of `keepdims`.

    Raises:
      ValueError: An axis is out of range, or an argument is given under both its names.

    >>> x = tf.constant([[1, 2], [3, 4]])
    >>> with tf.Session() as session:
    ...     print(session.run(tf.reduce_sum(x)), session.run(tf.reduce_sum(x, axis=1)))
    10 [3 7]
    """
    axis = renamed("axis", axis, "reduction_indices", reduction_indices)
    keepdims = renamed("keepdims", keepdims, "keep_dims", keep_dims)
    return reduction("Sum", input_tensor, axis, keepdims, name)


@dispatched
def reduce_mean(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
) -> Tensor:
    """The mean of the elements along axes; of integers cut to an integer.

    Arguments and errors are those of `reduce_sum`.

    >>> with tf.Session() as session:
    ...     print(session.run(tf.reduce_mean([[1.0, 2.0], [3.0, 6.0]], axis=0)))
    [2. 4.]
    """
    axis = renamed("axis", axis, "reduction_indices", reduction_indices)
    keepdims = renamed("keepdims", keepdims, "keep_dims", keep_dims)
    return reduction("Mean", input_tensor, axis, keepdims, name)


@dispatched
def reduce_prod(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
) -> Tensor:
    """The product of the elements along axes.

    Arguments and errors are those of `reduce_sum`.
    """
    axis = renamed("axis", axis, "reduction_indices", reduction_indices)
    keepdims = renamed("keepdims", keepdims, "keep_dims", keep_dims)
    return reduction("Prod", input_tensor, axis, keepdims, name)


@dispatched
def reduce_max(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
) -> Tensor:
    """The greatest element along axes.

    Arguments and errors are those of `reduce_sum`.
    """
    axis = renamed("axis", axis, "reduction_indices", reduction_indices)
    keepdims = renamed("keepdims", keepdims, "keep_dims", keep_dims)
    return reduction("Max", input_tensor, axis, keepdims, name)


@dispatched
def reduce_min(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
) -> Tensor:
    """The least element along axes.

    Arguments and errors are those of `reduce_sum`.
    """
    axis = renamed("axis", axis, "reduction_indices", reduction_indices)
    keepdims = renamed("keepdims", keepdims, "keep_dims", keep_dims)
    return reduction("Min", input_tensor, axis, keepdims, name)


@dispatched
def reduce_all(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
) -> Tensor:
    """Whether all elements along axes are true.

    Arguments and errors are those of `reduce_sum`.
    """
    axis = renamed("axis", axis, "reduction_indices", reduction_indices)
    keepdims = renamed("keepdims", keepdims, "keep_dims", keep_dims)
    return reduction("All", input_tensor, axis, keepdims, name)


@dispatched
def reduce_any(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
) -> Tensor:
    """Whether any element along axes is true.

    Arguments and errors are those of `reduce_sum`.
    """
    axis = renamed("axis", axis, "reduction_indices", reduction_indices)
    keepdims = renamed("keepdims", keepdims, "keep_dims", keep_dims)
    return reduction("Any", input_tensor, axis, keepdims, name)


def reduce_euclidean_norm(
    input_tensor: Any, axis: Any = None, keepdims: Any = False, name: str | None = None
) -> Tensor:
    """The root of the sum of squares along axes; see `reduce_sum`."""
    return reduction("EuclideanNorm", input_tensor, axis, keepdims, name)
