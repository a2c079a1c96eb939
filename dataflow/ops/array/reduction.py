"""Reductions by op type: what `reduce_sum` and the like are made of, and gradients below them."""

from __future__ import annotations

from typing import Any

import numpy as np

import dataflow.ops.array.shape as array_shape
import dataflow.ops.basic.range as range_ops
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.single import single


def reduction(
    op_type: str, x: Any, axis: Any = None, keepdims: Any = None, name: str | None = None
) -> Tensor:
    """Adds a reduction over axes, over all of them if `axis` is None."""
    keep = False if keepdims is None else bool(keepdims)
    output = single(op_type, x, _axes(x, axis), keep_dims=keep, name=name)
    return scalar_if_complete(output, axis, keep)


def scalar_if_complete(output: Tensor, axis: Any, keepdims: Any) -> Tensor:
    """The tensor, known to be a scalar if a reduction went over all axes and kept none."""
    if axis is None and not keepdims and not output.shape.is_fully_defined():
        output.set_shape(())
    return output


def _axes(x: Any, axis: Any) -> Any:
    """The axes given, or all of them: a constant where the rank is known."""
    if axis is not None:
        return axis
    shape = getattr(x, "shape", None)
    rank = getattr(shape, "rank", None)
    if rank:
        return constant(np.arange(rank, dtype=np.int32))
    return range_ops.range(0, array_shape.rank(x))
