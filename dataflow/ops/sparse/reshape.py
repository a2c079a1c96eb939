"""Sparse tensors in other shapes."""

from __future__ import annotations

import math
from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.constant_value import constant_value, constant_value_as_shape
from dataflow.graph.scopes import name_scope
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.identity import identity
from dataflow.ops.basic.shape_parts import size_at
from dataflow.ops.sparse.conversion import as_sparse
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import with_rank
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape


def _reshape_shape(c: InferenceContext) -> list[TensorShape]:
    indices, new = with_rank(c.input(0), 2), with_rank(c.input(2), 1)
    with_rank(c.input(1), 1)
    return [TensorShape.of((size_at(indices, 0), size_at(new, 0))), new]


define_op(
    "SparseReshape",
    inputs="input_indices: int64, input_shape: int64, new_shape: int64",
    outputs="output_indices: int64, output_shape: int64",
    shape=_reshape_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="The coordinates that elements have after a reshape.",
)


def sparse_reshape(sp_input: Any, shape: Any, name: str | None = None) -> SparseTensor:
    """The sparse tensor in another shape.

    Args:
      sp_input: The sparse tensor.
      shape: Its new shape; one size may be -1, it follows from the others.
      name: Name of the operation.

    Raises:
      TypeError: The input is not sparse.
      ValueError: The number of elements is known, and another one.
    """
    sp_input = as_sparse(sp_input)
    new_shape: Tensor = cast(shape, dtypes.int64)
    with name_scope(name, "SparseReshape", [sp_input]) as scope:
        indices, reshaped = apply_op(
            "SparseReshape", sp_input.indices, sp_input.dense_shape, new_shape, name=scope
        )
        known = _known_shape(sp_input, new_shape)
        if known is not None:
            reshaped = constant(known, dtype=dtypes.int64)
        return SparseTensor(indices, identity(sp_input.values), reshaped)


def _known_shape(sp_input: SparseTensor, new_shape: Tensor) -> list[int] | None:
    """The new shape, all of it; None if it is not known while building."""
    static = constant_value_as_shape(new_shape)
    if static.rank is None or not sp_input.shape.is_fully_defined():
        return None
    asked = constant_value(new_shape)
    if asked is not None and (asked == -1).sum() > 1:
        raise ValueError(f"At most one dimension can be inferred (-1). Found: {asked}")
    sizes: list[Any] = static.as_list()
    old: list[Any] = sp_input.shape.as_list()
    count = math.prod(old)
    unknown = sizes.count(None)
    if unknown > 1 or (unknown and 0 in sizes):
        return None
    whole = [each if each is not None else count // _others(sizes) for each in sizes]
    if math.prod(whole) != count:
        raise ValueError(
            f"Cannot reshape a tensor with {count} elements to shape {sizes} "
            f"({math.prod(whole)} elements)."
        )
    return whole


def _others(sizes: list[Any]) -> int:
    return math.prod(size for size in sizes if size is not None)
