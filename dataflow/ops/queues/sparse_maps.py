"""Sparse tensors that wait in a map for a step that takes them: queues hold their numbers."""

from __future__ import annotations

from typing import Final

from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import SCALAR, with_rank
from dataflow.values.shapes import TensorShape

_NAMES: Final = ("container: string = ''", "shared_name: string = ''")
_VECTOR: Final = TensorShape.of((None,))


def _check_sparse(c: InferenceContext) -> None:
    with_rank(c.input(0), 2)
    with_rank(c.input(1), 1)
    with_rank(c.input(2), 1)


def _one(c: InferenceContext) -> TensorShape:
    _check_sparse(c)
    return SCALAR


def _many(c: InferenceContext) -> TensorShape:
    _check_sparse(c)
    return _VECTOR


def _taken(c: InferenceContext) -> list[TensorShape]:
    with_rank(c.input(0), 1)
    return [TensorShape.of((None, None)), _VECTOR, _VECTOR]


define_op(
    "AddSparseToTensorsMap",
    inputs="sparse_indices: int64, sparse_values: T, sparse_shape: int64",
    outputs="sparse_handle: int64",
    attrs=["T: type", *_NAMES],
    shape=_one,
    gradient=NOT_DIFFERENTIABLE,
    doc="Puts a sparse tensor into a map; gives its number there.",
    stateful=True,
)

define_op(
    "AddManySparseToTensorsMap",
    inputs="sparse_indices: int64, sparse_values: T, sparse_shape: int64",
    outputs="sparse_handles: int64",
    attrs=["T: type", *_NAMES],
    shape=_many,
    gradient=NOT_DIFFERENTIABLE,
    doc="Puts the rows of a sparse tensor into a map; gives their numbers there.",
    stateful=True,
)

define_op(
    "TakeManySparseFromTensorsMap",
    inputs="sparse_handles: int64",
    outputs="sparse_indices: int64, sparse_values: dtype, sparse_shape: int64",
    attrs=["dtype: type", *_NAMES],
    shape=_taken,
    gradient=NOT_DIFFERENTIABLE,
    doc="Takes sparse tensors out of a map, as the rows of one.",
    stateful=True,
)
