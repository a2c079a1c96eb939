"""Crosses of features: each combination of one element of every column's row."""

from __future__ import annotations

from typing import Any, Final

from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.cast import cast
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape

_HASH_KEY: Final = 0xDECAFCAFFE
_LISTS = "indices: N * int64, values: sparse_types, shapes: N * int64, dense_inputs: dense_types"
_TYPES = [
    "N: int >= 0",
    "sparse_types: list({int64, string}) >= 0",
    "dense_types: list({int64, string}) >= 0",
]


def _shapes(c: InferenceContext) -> list[TensorShape]:
    return [TensorShape.of((None, 2)), TensorShape.of((None,)), TensorShape.of((2,))]


define_op(
    "SparseCross",
    inputs=_LISTS,
    outputs="output_indices: int64, output_values: out_type, output_shape: int64",
    attrs=[
        _TYPES[0],
        "hashed_output: bool",
        "num_buckets: int >= 0",
        "hash_key: int",
        *_TYPES[1:],
        "out_type: {int64, string}",
        "internal_type: {int64, string}",
    ],
    shape=_shapes,
    gradient=MISSING_GRADIENT,
    doc="Combinations of elements, joined by `_X_`, or hashed one after the other.",
)

define_op(
    "SparseCrossV2",
    inputs=f"{_LISTS}, sep: string",
    outputs="output_indices: int64, output_values: string, output_shape: int64",
    attrs=_TYPES,
    shape=_shapes,
    gradient=MISSING_GRADIENT,
    doc="Combinations of elements, joined by a separator.",
)

define_op(
    "SparseCrossHashed",
    inputs=f"{_LISTS}, num_buckets: int64, strong_hash: bool, salt: int64",
    outputs="output_indices: int64, output_values: int64, output_shape: int64",
    attrs=_TYPES,
    shape=_shapes,
    gradient=MISSING_GRADIENT,
    doc="Hashes of combinations of elements, with a key if that is asked for.",
)


def sparse_cross(inputs: Any, name: str | None = None, separator: Any = None) -> SparseTensor:
    """Strings made of each combination of one element of every column's row.

    Args:
      inputs: Columns: matrices and sparse matrices of strings or integers, with the same rows.
      name: Name of the operation.
      separator: What stands between the elements; "_X_" if None.

    Raises:
      TypeError: An input is no tensor.
      InvalidArgumentError: At run time: an input is no matrix, or has other rows.
    """
    separator = convert_to_tensor("_X_" if separator is None else separator, dtypes.string)
    indices, values, shapes, dense, _ = _columns(
        inputs, "All inputs must be Tensor or SparseTensor."
    )
    made = apply_op("SparseCrossV2", indices, values, shapes, dense, separator, name=name)
    return SparseTensor(*made)


def sparse_cross_hashed(
    inputs: Any, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> SparseTensor:
    """Hashes of each combination of one element of every column's row.

    Args:
      inputs: Columns: matrices and sparse matrices of strings or integers, with the same rows.
      num_buckets: Below which number the hashes are; 0 for 2**63 - 1.
      hash_key: What the hashes begin with.
      name: Name of the operation.

    Raises:
      TypeError: An input is no tensor.
      InvalidArgumentError: At run time: an input is no matrix, or has other rows.
    """
    indices, values, shapes, dense, internal_type = _columns(
        inputs, "All inputs must be SparseTensors"
    )
    made = apply_op(
        "SparseCross",
        indices,
        values,
        shapes,
        dense,
        hashed_output=True,
        num_buckets=num_buckets,
        hash_key=hash_key or _HASH_KEY,
        out_type=dtypes.int64,
        internal_type=internal_type,
        name=name,
    )
    return SparseTensor(*made)


def _columns(inputs: Any, refusal: str) -> tuple[Any, ...]:
    """Indices, values and shapes of sparse columns, the dense ones, and what elements count as."""
    if not isinstance(inputs, (tuple, list)):
        raise TypeError("Inputs must be a list")
    if not all(isinstance(each, (SparseTensor, Tensor)) for each in inputs):
        raise TypeError(refusal)
    sparse = [each for each in inputs if isinstance(each, SparseTensor)]
    values = [_plain(each.values) for each in sparse]
    dense = [_plain(each) for each in inputs if not isinstance(each, SparseTensor)]
    is_text = all(each.dtype is dtypes.string for each in (*values, *dense))
    return (
        [each.indices for each in sparse],
        values,
        [each.dense_shape for each in sparse],
        dense,
        dtypes.string if is_text else dtypes.int64,
    )


def _plain(column: Tensor) -> Tensor:
    return column if column.dtype is dtypes.string else cast(column, dtypes.int64)
