"""What functions of sparse tensors take: a SparseTensor, or its value."""

from __future__ import annotations

from typing import Any

from dataflow.graph.sparse_tensor import SparseTensor, is_sparse
from dataflow.schema.opdef import InferenceContext
from dataflow.schema.shape_functions import with_rank
from dataflow.values.shapes import TensorShape


def as_sparse(value: Any) -> SparseTensor:
    """The sparse tensor; of a `SparseTensorValue` one of constants.

    Raises:
      TypeError: The value is neither.
    """
    if isinstance(value, SparseTensor):
        return value
    if not is_sparse(value):
        raise TypeError("Input must be a SparseTensor.")
    return SparseTensor.from_value(value)


def checked_parts(c: InferenceContext, first: int = 0) -> tuple[TensorShape, ...]:
    """The shapes of indices, values and shape, which are inputs from `first` on."""
    return tuple(with_rank(c.input(first + i), rank) for i, rank in enumerate((2, 1, 1)))
