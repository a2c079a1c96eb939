"""Strings put together: element by element, and along dimensions of a tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.dispatch import dispatched
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import UNKNOWN
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape


def _reduced(c: InferenceContext) -> TensorShape:
    axes, dims, keep = c.constant(1), c.input(0).dims_tuple, c.attr("keep_dims")
    if dims is None:
        return UNKNOWN
    if axes is None:
        return TensorShape.of((None,) * len(dims)) if keep else UNKNOWN
    rank = len(dims)
    gone = set()
    for axis in axes.ravel().tolist():
        if not -rank <= axis < rank:
            raise ValueError(
                f"Invalid reduction dimension {axis} for input with {rank} dimensions."
            )
        gone.add(axis % rank)
    if keep:
        return TensorShape.of(tuple(1 if i in gone else dim for i, dim in enumerate(dims)))
    return TensorShape.of(tuple(dim for i, dim in enumerate(dims) if i not in gone))


define_op(
    "ReduceJoin",
    inputs="inputs: string, reduction_indices: int32",
    outputs="output: string",
    attrs=["keep_dims: bool = false", "separator: string = ''"],
    shape=_reduced,
    gradient=NOT_DIFFERENTIABLE,
    doc="Joins strings along dimensions, in the order in which these are given.",
)


@dispatched
def string_join(inputs: Sequence[Any], separator: str = "", name: str | None = None) -> Tensor:
    """Joins strings of tensors element by element; scalars are broadcast.

    Args:
      inputs: String tensors of one shape, and scalars.
      separator: What to put between them.
      name: Name of the operation.
    """
    return single("StringJoin", inputs, separator=separator, name=name)


@dispatched
def reduce_join(
    inputs: Any,
    axis: Any = None,
    keep_dims: bool | None = None,
    separator: str = "",
    name: str | None = None,
    reduction_indices: Any = None,
    keepdims: bool | None = None,
) -> Tensor:
    """Joins the strings of a tensor along dimensions.

    Args:
      inputs: Strings.
      axis: The dimensions, that joined first in front; all, from the last to the first, by default.
      keep_dims: `keepdims` under its former name.
      separator: What to put between the strings.
      name: Name of the operation.
      reduction_indices: `axis` under its former name.
      keepdims: Whether the result keeps the dimensions, with size 1.

    Raises:
      ValueError: An argument is given under both of its names, or the rank of `inputs` is needed
        and not known.
    """
    if axis is not None and reduction_indices is not None:
        raise ValueError("Cannot specify both 'axis' and 'reduction_indices'")
    if keepdims is not None and keep_dims is not None:
        raise ValueError("Cannot specify both 'keepdims' and 'keep_dims'")
    axes = reduction_indices if axis is None else axis
    with name_scope(None, "ReduceJoin", [inputs, axes]):
        strings = convert_to_tensor(inputs, dtype=dtypes.string)
        if axes is None:
            axes = _all_axes(strings)
        return single(
            "ReduceJoin",
            strings,
            axes,
            keep_dims=bool(keep_dims if keepdims is None else keepdims),
            separator=separator,
            name=name,
        )


def _all_axes(strings: Tensor) -> Any:
    rank = strings.shape.rank
    if rank is not None:
        return convert_to_tensor(list(range(rank))[::-1], dtype=dtypes.int32)
    found = single("Rank", strings)
    known = constant_value(found)
    last = found if known is None else convert_to_tensor(int(known), dtype=dtypes.int32)
    return single("Range", last - 1, -1, -1, name="range")
